"""One page of a run: explained, as text, and as a stored copy that can do nothing."""

from __future__ import annotations

import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from shutil import rmtree
from threading import Thread
from typing import TYPE_CHECKING, ClassVar

import honeyguide
from browser import chromium, needs_chromium
from honeyguide.model import Fetched
from honeyguide.runs import open_run
from search.small_runs import html, run_of
from web.test_searching import ESCAPED, HOSTILE

if TYPE_CHECKING:
    from pathlib import Path

    from web.conftest import Serve

URL = "http://bad.test/"


class Spy(BaseHTTPRequestHandler):
    """A site that notes whatever it is asked for."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_error(404)


def policy_of(header: str) -> dict[str, str]:
    return dict(each.strip().partition(" ")[::2] for each in header.split(";"))


def test_a_page_says_why_it_was_fetched_and_judged_so(serve: Serve, run: Path) -> None:
    with open_run(run) as opened:
        page = next(each for each in opened.pages(best_first=True) if each.depth > 1)
    client = serve(run.parent)
    shown = client.get("/runs/geology/page", params={"url": page.url.text})
    assert shown.status_code == 200
    for part in (
        page.title,
        "Why it was fetched",
        "Why it was judged so",
        f"{page.relevance:.0%}",
        f"{page.score:.3f}",
    ):
        assert part in shown.text
    told = client.get("/api/runs/geology/page", params={"url": page.url.text}).json()
    why = honeyguide.explain(run, page.url)
    assert told["history"]["path"][0]["url"] == why.history.path[0].url
    assert len(told["history"]["path"]) == page.depth
    assert why.link is not None
    assert told["link"]["predicted"] == why.link.predicted
    for step in why.history.path:
        assert client.get("/runs/geology/page", params={"url": step.url}).status_code == 200


def test_a_page_that_the_run_does_not_have_is_not_found(serve: Serve, run: Path) -> None:
    client = serve(run.parent)
    for place in ("page", "text"):
        for url, status in (("http://nowhere.test/", 404), ("nowhere", 400)):
            answer = client.get(f"/api/runs/geology/{place}", params={"url": url})
            assert answer.status_code == status
            assert "nowhere" in answer.json()["detail"]
    assert client.get("/runs/geology/page", params={"url": "http://nowhere.test/"}).status_code == 404
    assert client.get("/api/runs/geology/page").json()["detail"].startswith("url is None")


def test_the_text_of_a_page_is_cut_where_it_is_asked_to_be(serve: Serve, run: Path) -> None:
    with open_run(run) as opened:
        page = next(opened.pages(best_first=True))
    client = serve(run.parent)
    whole = client.get("/api/runs/geology/text", params={"url": page.url.text}).json()
    assert not whole["is_cut"]
    assert page.title in whole["text"]
    cut = client.get("/api/runs/geology/text", params={"url": page.url.text, "longest": 20}).json()
    assert (cut["text"], cut["is_cut"]) == (whole["text"][:20], True)


def test_a_stored_copy_can_do_nothing(serve: Serve, tmp_path: Path) -> None:
    body = (
        "<html><head><title>Bad</title><script>alert(1)</script><LINK rel=preconnect href=//spy.test>"
        "<link rel=stylesheet href=//spy.test/a.css></head>"
        "<body onload=alert(1)>rock<form action=//spy.test></form><iframe src=//spy.test></iframe></body></html>"
    )
    run_of(tmp_path / "runs" / "bad", {URL: body})
    client = serve(tmp_path / "runs")
    copy = client.get("/runs/bad/copy", params={"url": URL})
    assert copy.headers["content-type"] == "text/html; charset=utf-8"
    policy = policy_of(copy.headers["content-security-policy"])
    assert policy["sandbox"] == ""  # nothing is allowed in it: no script, form, window, or way out of the frame
    assert (policy["default-src"], policy["img-src"]) == ("'none'", "data:")
    assert "script-src" not in policy
    assert policy["form-action"] == "'none'"
    assert copy.headers["x-content-type-options"] == "nosniff"
    assert copy.headers["x-dns-prefetch-control"] == "off"
    assert not re.search("<link", copy.text, re.IGNORECASE)
    frame = re.findall("<iframe[^>]*>", client.get("/runs/bad/page", params={"url": URL}).text)
    assert len(frame) == 1
    assert 'sandbox=""' in frame[0]


@needs_chromium
def test_a_browser_shows_a_hostile_copy_and_does_nothing_of_what_it_says(serve: Serve, tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Spy) as spy:
        Thread(target=spy.serve_forever, daemon=True).start()
        there = f"http://127.0.0.1:{spy.server_port}"
        body = (
            f"<title>Bad</title><link rel=stylesheet href={there}/css><link rel=preconnect href={there}>"
            f"<script>top.document.title='mine';fetch('{there}/fetch')</script><style>@import '{there}/import';</style>"
            f"<main>rock<img src={there}/img onerror=\"top.document.title='mine'\"><iframe src={there}/frame></iframe>"
            f"<form id=f action={there}/form><button autofocus>x</button></form>"
            f"<a id=out target=_top href={there}/out>out</a></main>"
        )
        run_of(tmp_path / "runs" / "bad", {URL: body})
        client = serve(tmp_path / "runs")
        with chromium() as browser:
            page = browser.new_page()
            with page.expect_response(lambda answer: "/copy?" in answer.url) as copy:
                page.goto(str(client.base_url.join(f"/runs/bad/page?url={URL}#copy")))
            frame = copy.value.frame
            frame.wait_for_load_state()
            assert "rock" in frame.content()
            box = page.locator("iframe").bounding_box()
            assert box is not None
            for element in ("button", "#out"):
                place = f"document.querySelector('{element}').getBoundingClientRect()"
                left, top = frame.evaluate(f"[{place}.left, {place}.top]")
                page.mouse.click(box["x"] + left + 4, box["y"] + top + 4)
            page.wait_for_timeout(300)
            assert page.title().startswith("Bad")
            assert page.url.startswith(str(client.base_url))
        spy.shutdown()
    assert Spy.asked == []


def test_other_bodies_are_text_or_a_line_that_says_what_they_are(serve: Serve, tmp_path: Path) -> None:
    pages = {
        "http://a.test/plain": Fetched(200, "text/plain; charset=latin-1", "<b>caf\xe9".encode("latin-1")),
        "http://a.test/pdf": Fetched(200, "application/pdf", b"%PDF-1.4 rock <script>"),
        "http://a.test/utf16": Fetched(200, "text/html; charset=utf-16", "<p>rock</p>".encode("utf-16")),
    }
    run_of(tmp_path / "runs" / "kinds", pages)
    client = serve(tmp_path / "runs")
    plain, pdf, utf16 = (client.get("/runs/kinds/copy", params={"url": url}) for url in pages)
    assert (plain.headers["content-type"], plain.text) == ("text/plain; charset=utf-8", "<b>caf\xe9")
    assert pdf.headers["content-type"] == "text/plain; charset=utf-8"
    assert "application/pdf" in pdf.text
    assert "script" not in pdf.text
    assert (utf16.headers["content-type"], utf16.text) == ("text/html; charset=utf-8", "<p>rock</p>")


def test_a_copy_that_is_not_there_says_so(serve: Serve, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    run_of(runs / "none", {URL: html("Title", "rock")}, store__archive="none")
    run_of(runs / "lost", {URL: html("Title", "rock")}, store__archive="warc")
    rmtree(runs / "lost" / "archive")
    client = serve(runs)
    for name, said in (
        ("none", "store.archive is 'none'"),
        ("lost", "restore it from a copy"),
        ("gone", "no run 'gone'"),
    ):
        copy = client.get(f"/runs/{name}/copy", params={"url": URL})
        assert copy.status_code == 404
        assert copy.headers["content-type"] == "text/plain; charset=utf-8"
        assert said in copy.text
    nowhere = client.get("/runs/none/copy", params={"url": "http://nowhere.test/"})
    assert (nowhere.status_code, "no page at" in nowhere.text) == (404, True)


def test_hostile_text_of_a_page_is_never_markup(serve: Serve, tmp_path: Path) -> None:
    seed = f"<title>{ESCAPED}</title><a href='/x?%22><script>'>{ESCAPED} rock</a>"
    page = f"<title>{ESCAPED}</title><main>rock {ESCAPED}</main>"
    run_of(
        tmp_path / "runs" / "bad", {URL: seed, "http://bad.test/x?%22><script>": page}, crawl__strategy="online-ridge"
    )
    client = serve(tmp_path / "runs")
    with open_run(tmp_path / "runs" / "bad") as opened:
        urls = [each.url.text for each in opened.pages()]
    assert len(urls) == 2
    for url in urls:
        shown = client.get("/runs/bad/page", params={"url": url}).text
        assert shown.count("<script") == 1  # ours
        assert "<img" not in shown
        assert not set("\u202e\x07") & set(shown)
        assert "alert(1)" in shown  # as text
        assert client.get("/api/runs/bad/page", params={"url": url}).status_code == 200
    assert HOSTILE
