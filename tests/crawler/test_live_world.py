"""The live world, crawled over HTTP from a site on this machine."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web

from honeyguide.crawler import crawl_async
from honeyguide.fetch import connections
from honeyguide.model import Url
from honeyguide.runs import open_run
from honeyguide.settings import DOCX, settings_from, with_overrides
from local_site import serve
from scripted_world import page_with
from small_documents import docx
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from local_site import Handler

SETTINGS = settings_from(
    {
        "topic": {"name": "geology", "keywords": ["rock"]},
        "crawl": {"world": "live", "strategy": "breadth-first", "concurrency": 1, "workers": 0},
        "judge": {"kind": "keyword"},
        "politeness": {"delay_s": 0.0},
        "fetch": {"allow_private": ["127.0.0.0/8"], "contact": "me@example.org"},
    }
)


def html(body: str) -> web.Response:
    return web.Response(text=body, content_type="text/html")


def moved(target: str) -> web.Response:
    return web.Response(status=301, headers={"Location": target})


def crawl_site(path: Path, routes: Mapping[str, Handler | web.Response], **overrides: Any) -> tuple[Url, list[str]]:
    """Crawl a site from its root, and tell each fetch: path, outcome, detail. HOST stands for the site."""

    async def scenario() -> Url:
        async with serve(routes) as root:
            chosen = {key.replace("__", "."): value for key, value in overrides.items()}
            settings = with_overrides(SETTINGS, {"crawl.seed_urls": [root.text], **chosen})
            (await crawl_async(path, settings, vectors=hashed_vectors())).close()
            return root

    root = asyncio.run(scenario())
    with open_run(path) as run:
        told = [f"{step.url.path_and_query} {step.outcome} {step.detail}".strip() for step in run.steps()]
    return root, [line.replace(root.origin, "HOST").replace(root.host, "HOST") for line in told]


def test_a_site_is_crawled_over_http(tmp_path: Path) -> None:
    routes = {
        "/": html(page_with("/rock", "/gone", "/paper.pdf")),
        "/rock": html("a rock"),
        "/paper.pdf": web.Response(body=b"%PDF-1.7", content_type="application/pdf"),
    }

    _, told = crawl_site(tmp_path / "run", routes)

    assert told == [
        "/ fetched",
        "/rock fetched",
        "/gone failed http-status: 404 Not Found",
        "/paper.pdf failed unsupported-type: application/pdf is none of fetch.content_types; --documents reads it",
    ]


CUT = "the file is no whole ZIP file, as documents of its type are: File is not a zip file"


@pytest.mark.parametrize("workers", [0, 1])
def test_documents_are_read_where_that_is_set(tmp_path: Path, workers: int) -> None:
    routes = {
        "/": html(page_with("/rock.docx", "/cut.docx")),
        "/rock.docx": web.Response(body=docx(), content_type=DOCX),
        "/cut.docx": web.Response(body=docx()[:500], content_type=DOCX),
    }

    _, told = crawl_site(
        tmp_path / "run", routes, parse__documents=True, crawl__workers=workers, scope__stay_on="seed-hosts"
    )

    assert sorted(told) == [
        "/ fetched",
        f"/cut.docx failed unreadable: {CUT}",
        "/rock.docx fetched",
    ]
    with open_run(tmp_path / "run") as run:
        assert "On basalt" in {page.title for page in run.crawled_pages().all()}


def test_this_machine_is_not_called_unless_allowed(tmp_path: Path) -> None:
    asked: list[str] = []

    async def remember(request: web.BaseRequest) -> web.Response:
        asked.append(request.path)
        return html("a rock")

    _, told = crawl_site(
        tmp_path / "run", {"/": remember, "/robots.txt": remember}, fetch__allow_private=[], budget__fetches=5
    )

    remedy = "--allow-private 127.0.0.1 (fetch.allow_private) lifts this"
    assert told == [f"/ refused address: 127.0.0.1 is a loopback address; {remedy}"]
    assert asked == []
    with open_run(tmp_path / "run") as run:
        assert run.progress.fetches == 1, "a refusal costs a fetch"


def test_a_redirect_does_not_lead_to_where_a_link_may_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """127.0.0.1 is taken for a public address here, and 127.0.0.3 is what it is."""
    monkeypatch.setattr(connections, "objection_to", lambda address: "" if address == "127.0.0.1" else "private")
    asked: list[str] = []

    async def secret(request: web.BaseRequest) -> web.Response:
        asked.append(request.path)
        return html("the crown jewels")

    async def scenario() -> None:
        async with (
            serve({"/": secret, "/robots.txt": secret}, address="127.0.0.3") as inside,
            serve({"/": html(page_with("/door")), "/door": moved(inside.text)}) as root,
        ):
            settings = with_overrides(SETTINGS, {"crawl.seed_urls": [root.text], "fetch.allow_private": []})
            (await crawl_async(tmp_path / "run", settings, vectors=hashed_vectors())).close()

    asyncio.run(scenario())
    with open_run(tmp_path / "run") as run:
        outcomes = [(step.outcome, step.detail.partition(";")[0]) for step in run.steps()]
    assert outcomes[-1] == ("refused", "address: 127.0.0.3 is private")
    assert [outcome for outcome, _ in outcomes] == ["fetched", "redirected", "refused"]
    assert asked == []


def test_a_name_that_nobody_knows_is_a_failure_and_the_crawl_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = socket.getaddrinfo

    def looked_up(host: str, *arguments: Any, **options: Any) -> Any:
        if host == "nobody.test":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return really(host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    routes = {"/": html(page_with("http://nobody.test/", "/rock")), "/rock": html("a rock")}

    _, told = crawl_site(tmp_path / "run", routes, politeness__obey_robots=False)

    assert [line.partition(": ")[0] for line in told] == ["/ fetched", "/ failed dns", "/rock fetched"]


class TestRedirects:
    def test_every_hop_is_recorded_and_the_last_url_is_the_page(self, tmp_path: Path) -> None:
        routes = {"/": moved("/a"), "/a": moved("/b?x=1#part"), "/b": html("a rock")}

        root, told = crawl_site(tmp_path / "run", routes)

        assert told == ["/ redirected HOST/a", "/a redirected HOST/b?x=1", "/b?x=1 fetched"]
        final = Url.parse("/b?x=1", base=root)
        with open_run(tmp_path / "run") as run:
            assert [page.url for page in run.pages()] == [final]
            assert list(run.edges()) == [(root, Url.parse("/a", base=root)), (Url.parse("/a", base=root), final)]
            assert list(run.discovered_graph().vertices()) == [final]

    def test_a_redirect_out_of_scope_is_refused_and_nobody_asked(self, tmp_path: Path) -> None:
        routes = {"/": html(page_with("/in/out", "/in/page")), "/in/out": moved("/out"), "/in/page": html("a rock")}

        _, told = crawl_site(tmp_path / "run", routes, scope__deny_paths=["^/out"])

        assert told == [
            "/ fetched",
            "/in/out refused scope: leads to HOST/out, against scope.deny_paths",
            "/in/page fetched",
        ]

    @pytest.mark.parametrize("length", [1, 2, 5])
    def test_a_circle_is_gone_round_once(self, tmp_path: Path, length: int) -> None:
        routes = {"/": html(page_with("/0", "/after")), "/after": html("a rock")}
        routes |= {f"/{number}": moved(f"/{(number + 1) % length}") for number in range(length)}

        root, told = crawl_site(tmp_path / "run", routes)

        circle = [f"/{number} redirected HOST/{(number + 1) % length}" for number in range(length)]
        assert sorted(told) == sorted(["/ fetched", "/after fetched", *circle])
        with open_run(tmp_path / "run") as run:
            assert list(run.discovered_graph().vertices()) == [
                root, Url.parse("/0", base=root), Url.parse("/after", base=root)
            ]  # fmt: skip

    def test_a_chain_without_end_is_followed_as_far_as_the_settings_say(self, tmp_path: Path) -> None:
        async def chain(request: web.BaseRequest) -> web.Response:
            return moved(f"/{request.path[1:]}x")

        routes = {"/": chain} | {f"/{'x' * number}": chain for number in range(1, 50)}

        _, told = crawl_site(tmp_path / "run", routes, fetch__max_redirects=3)

        assert told[:3] == ["/ redirected HOST/x", "/x redirected HOST/xx", "/xx redirected HOST/xxx"]
        assert told[3:] == ["/xxx failed too-many-redirects: 3 redirects and one more to HOST/xxxx"]


def test_no_login_in_a_link_is_sent_anywhere(tmp_path: Path) -> None:
    sent: list[str | None] = []

    async def remember(request: web.BaseRequest) -> web.Response:
        sent.append(request.headers.get("Authorization"))
        return html("a rock")

    async def front(request: web.BaseRequest) -> web.Response:
        return html(page_with(f"http://user:secret@{request.host}/page"))

    _, told = crawl_site(tmp_path / "run", {"/": front, "/page": remember})

    assert told == ["/ fetched", "/page fetched"]
    assert sent == [None]
    assert b"secret@" not in (tmp_path / "run" / "crawl.sqlite").read_bytes()


def test_versions_of_pages_are_kept(tmp_path: Path) -> None:
    page = web.Response(text="a rock", content_type="text/html", headers={"ETag": '"1"'})

    root, _ = crawl_site(tmp_path / "run", {"/": page})

    with open_run(tmp_path / "run") as run:
        assert [(each.url, each.etag) for each in run.revisits().known_pages()] == [(root, '"1"')]


@pytest.mark.parametrize(
    ("overrides", "is_told"),
    [
        ({"fetch__contact": ""}, True),
        ({"fetch__contact": "me@example.org"}, False),
        ({"fetch__contact": "", "fetch__user_agent": "Surveyor/2 (https://example.org)"}, False),
    ],
)
def test_a_crawl_that_nobody_answers_for_is_told_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, overrides: dict[str, str], is_told: bool
) -> None:
    crawl_site(tmp_path / "run", {"/": html("a rock")}, **overrides)

    assert ("--contact" in caplog.text) is is_told
