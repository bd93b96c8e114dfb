"""The report of a run: complete, harmless, bounded."""

from __future__ import annotations

import re
from base64 import b64encode
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

import honeyguide
from browser import needs_chromium
from crawler.driving import HandWired, script_settings
from honeyguide.errors import SettingsError
from honeyguide.runs import open_run
from honeyguide.runs.report import report_html
from honeyguide.runs.report.drawing import curve_drawing, text_width
from honeyguide.runs.report.gathering import ReportedSettings, gather
from honeyguide.runs.report.writing import render
from runs.exports.scripted_runs import WIKI, crawled, html, odd_run
from runs.report.test_escaping import Seen
from scripted_world import ScriptedWorld
from small_archives import archived_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page


def html_of(run: Path, top: int = 50) -> str:
    with open_run(run) as opened:
        return report_html(opened, top=top)


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> str:
    return html_of(odd_run(tmp_path_factory.mktemp("odd") / "run"))


def test_it_has_every_part(odd: str) -> None:
    seen = Seen(odd)
    parts = [attributes["id"] for tag, attributes in seen.tags if tag == "section"]
    assert parts == ["harvest", "outlook", "found", "map", "hosts", "traps", "settings"]
    assert "2 relevant pages after 7 fetches" in seen.text
    assert "Rock and mineral." in seen.text
    for words in ("http-status 404", "robots", "redirected", "s.test", "/*", "judge.threshold"):
        assert words in seen.text
    marked = re.findall("<mark>(.*?)</mark>", odd)
    assert marked
    assert {word.lower() for word in marked} <= {"rock", "mineral"}


def test_nothing_is_loaded_and_nothing_runs(tmp_path: Path) -> None:
    script = {
        "http://s.test/": html(
            'Rocks</title><script>alert(1)</script>"><img src=x onerror=alert(1)>',
            "/odd?a=%22%3E%3Cscript%3E",
            text="Rock mineral &lt;script&gt;alert(2)&lt;/script&gt; " * 10,
        ),
        "http://s.test/odd?a=%22%3E%3Cscript%3E": html("<svg onload=alert(1)>", text="Rock and mineral " * 10),
    }
    run = crawled(tmp_path / "run", script, judge__kind="keyword", judge__threshold=0.1)
    page = html_of(run)
    seen = Seen(page)
    tags = {tag for tag, _ in seen.tags}
    assert not tags & {"img", "iframe", "object", "embed", "link", "form", "base", "audio", "video"}
    (script_of_ours,) = re.findall("<script>(.*?)</script>", page, flags=re.DOTALL)
    assert [tag for tag, _ in seen.tags].count("script") == 1
    for tag, attributes in seen.tags:
        assert not any(name.startswith("on") for name in attributes)
        assert "src" not in attributes
        if tag == "a":
            assert (attributes["href"] or "").startswith(("http://s.test/", "#"))
    policies = [attributes for tag, attributes in seen.tags if attributes.get("http-equiv")]
    assert [policy["http-equiv"] for policy in policies] == ["Content-Security-Policy"]
    policy = policies[0]["content"] or ""
    assert policy.startswith("default-src 'none'")
    digest = b64encode(sha256(script_of_ours.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy  # no other script runs, whoever wrote it
    assert "url(" not in page
    assert "alert(2)" in seen.text


def test_drawings_say_what_they_show(odd: str) -> None:
    drawings = [
        attributes for tag, attributes in Seen(odd).tags if tag == "svg" and attributes.get("aria-hidden") != "true"
    ]
    assert len(drawings) == 4
    assert all(drawing["role"] == "img" and drawing["aria-label"] for drawing in drawings)
    assert 'lang="en"' in odd
    assert "prefers-color-scheme: dark" in odd
    assert "@media print" in odd


def test_the_map_links_the_pages_through_a_redirect(odd: str) -> None:
    assert 'aria-label="Map of 2 relevant pages and 2 links between them"' in odd


def test_a_map_of_some_pages_says_how_they_were_chosen(tmp_path: Path) -> None:
    pages = [f"http://s.test/{number}" for number in range(80)]
    rock = "Rock and mineral. " * 10
    script = {
        "http://s.test/": html("Seed", *pages, text=rock),
        **{page: html("Leaf", "/", text=rock) for page in pages},
    }
    run = crawled(tmp_path / "run", script, judge__kind="keyword", judge__threshold=0.00001, budget__fetches=500)
    lead = "60 relevant pages of 81, chosen by relevance and by how many of the others link to them, and the "
    assert lead in html_of(run)


def test_a_map_without_links_is_not_drawn(tmp_path: Path) -> None:
    script = {
        "http://s.test/": html("none of it", "/a", "/b"),
        "http://s.test/a": html("a", text="rock mineral " * 9),
        "http://s.test/b": html("b", text="mineral rock " * 9),
    }
    page = html_of(crawled(tmp_path / "run", script, judge__kind="keyword", judge__threshold=0.1))
    assert "No relevant page links to another." in page
    assert 'class="map' not in page


def test_a_run_that_has_fetched_nothing_has_a_report(tmp_path: Path) -> None:
    HandWired(tmp_path / "run", ScriptedWorld(WIKI), script_settings()).close()
    seen = Seen(html_of(tmp_path / "run"))
    assert "Nothing was fetched yet." in seen.text
    assert "No page was stored." in seen.text
    assert "Not finished." in seen.text


def test_without_relevant_pages_the_best_others_are_shown(tmp_path: Path) -> None:
    page = html_of(crawled(tmp_path / "run", WIKI, judge__kind="keyword"))
    assert "2 pages; none was judged relevant." in page
    assert 'id="map"' not in page


def test_a_run_that_stored_no_bodies_has_a_report_without_snippets(tmp_path: Path) -> None:
    page = html_of(archived_run(tmp_path / "run", "none"))
    assert 'class="results"' in page
    assert 'class="snippet"' not in page


def test_long_titles_addresses_and_words_do_not_make_it_long(tmp_path: Path) -> None:
    leaves = [f"http://s.test/{'x' * 3000}{number}" for number in range(70)]
    script = {"http://s.test/": html("all", *leaves, text="rock mineral " * 20)}
    script |= {leaf: html("t" * 50_000, "/", leaves[0], text="rock mineral " + "w" * 90_000) for leaf in leaves}
    run = crawled(tmp_path / "run", script, judge__kind="keyword", judge__threshold=0.00001, budget__fetches=500)
    assert len(html_of(run)) < 1_000_000


def test_only_so_many_pages_are_shown(tmp_path: Path) -> None:
    page = html_of(odd_run(tmp_path / "run"), top=1)
    assert page.count('<span class="rank">') == 1
    assert "The best 1 of 2 relevant pages." in page


@pytest.mark.parametrize("top", [0, -1, 201, "x", 1.5])
def test_a_number_of_pages_that_cannot_be_shown_is_reported(tmp_path: Path, top: Any) -> None:
    with pytest.raises(SettingsError, match=f"top is {top!r}: a report shows 1 to 200 pages"):
        honeyguide.write_report(tmp_path / "not even looked at", top=top)


def test_a_place_that_cannot_be_written_is_refused_before_anything_is_counted(tmp_path: Path) -> None:
    run = odd_run(tmp_path / "run")
    told: list[int] = []
    with pytest.raises(FileNotFoundError):
        honeyguide.write_report(run, tmp_path / "missing" / "r.html", on_progress=lambda done, _: told.append(done))
    assert told == []


def test_it_is_written_into_the_run_folder_or_where_one_says(tmp_path: Path) -> None:
    run = odd_run(tmp_path / "run")
    assert honeyguide.write_report(run) == run / "report.html"
    assert honeyguide.write_report(run, tmp_path / "other.html") == tmp_path / "other.html"
    assert (run / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    with open_run(run) as opened:
        assert honeyguide.write_report(opened) == run / "report.html"
        assert opened.progress.pages == 3


def test_traps_are_reported(tmp_path: Path) -> None:
    settings = honeyguide.settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock"]},
            "crawl": {
                "world": "synthetic:pages=300,hosts=6,trap=calendar,trap_entrances=200",
                "strategy": "breadth-first",
                "workers": 0,
            },
            "judge": {"kind": "keyword"},
            "budget": {"fetches": 300},
        }
    )
    with honeyguide.crawl(tmp_path / "run", settings) as run:
        summary = run.trap_summary()
        page = report_html(run)
    assert summary.pages_found
    assert f"{summary.pages_found:,} of {summary.pages_seen:,} pages judged part of a loop or a trap" in page
    assert summary.traps[0].kind in page
    assert f"<dt>traps and copies</dt><dd>{summary.pages_found:,}<small>" in page


def test_settings_that_the_crawl_wrote_are_apart_from_those_the_user_chose(tmp_path: Path) -> None:
    with open_run(odd_run(tmp_path / "run")) as run:
        report = gather(run, 5)
    assert "judge.threshold" in dict(report.settings.chosen)
    settings = ReportedSettings([("judge.threshold", "0.1")], [], [("vectors.digest", "0a1b2c")])
    chosen, _, written = render(replace(report, settings=settings)).partition("1 written by the crawl itself")
    assert "judge.<wbr>threshold" in chosen
    assert "vectors.<wbr>digest" not in chosen
    assert "0a1b2c" in written


@pytest.mark.parametrize("points", [[(0, 0)], [(0, 0), (1, 1)], [(0, 0), (3, 0)], [(0, 0), (100_000, 99_999)]])
def test_any_curve_can_be_drawn(points: list[tuple[int, int]]) -> None:
    drawing = curve_drawing(points, 360, 250, "narrow")
    assert "nan" not in drawing.path
    assert len(drawing.rows) + len(drawing.columns) >= 2
    assert all(0 <= y <= 250 for y, _ in drawing.rows)
    assert all(0 <= x <= 360 for x, *_ in drawing.columns)


@needs_chromium
@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.thorough)])
def test_in_a_browser_nothing_is_wider_than_the_window_and_nobody_is_asked(tmp_path: Path, width: int) -> None:
    file = honeyguide.write_report(odd_run(tmp_path / "run"))
    asked: list[str] = []
    said: list[str] = []
    with opened_in_browser(file, width, asked, said) as page:
        widest = page.evaluate("document.documentElement.scrollWidth")
        shown = page.locator("svg.curve:visible, svg.map:visible").count()
    assert (widest, asked, said) == (width, [file.as_uri()], [])
    assert shown == 2


@needs_chromium
@pytest.mark.parametrize("width", [1280, pytest.param(420, marks=pytest.mark.thorough)])
def test_in_a_browser_every_name_on_the_map_is_within_it_and_over_no_other(tmp_path: Path, width: int) -> None:
    titles = [
        "WWWW MMMM @@@@ OOOO QQQQ",
        "Cumulonimbus mammatus anomaly",
        "火山岩と玄武岩の地質学",
        "GRANITE AND GNEISS",
        "ill",
    ]
    pages = {f"http://s.test/{n}": f"{titles[n % len(titles)]} {n}" for n in range(30)}
    rock = "Rock and mineral. " * 10
    script = {
        "http://s.test/": html("Seed", *pages, text=rock),
        **{url: html(title, "/", text=rock) for url, title in pages.items()},
    }
    run = crawled(tmp_path / "run", script, judge__kind="keyword", judge__threshold=0.00001, budget__fetches=100)
    with opened_in_browser(honeyguide.write_report(run), width) as page:
        names = page.evaluate(
            """() => [...document.querySelectorAll("svg.map")].filter(map => map.getBoundingClientRect().width).flatMap(
                 map => [...map.querySelectorAll(".names text")].map(text => {
                   const box = text.getBBox(), room = map.viewBox.baseVal;
                   return [box.x, box.x + box.width, room.width, box.y + 3, box.y + box.height - 3, room.height,
                           text.textContent];
                 }))"""
        )
    assert len(names) >= 5
    for left, right, room, top, bottom, height, name in names:
        assert right - left <= text_width(name) <= 2 * (right - left)
        assert 0 <= left < right <= room
        assert 0 <= top < bottom <= height
    for number, (left, right, _, top, bottom, *_) in enumerate(names):
        for other in names[:number]:
            assert left >= other[1] or other[0] >= right or top >= other[4] or other[3] >= bottom


@contextmanager
def opened_in_browser(
    file: Path, width: int, asked: list[str] | None = None, said: list[str] | None = None
) -> Iterator[Page]:
    """A page from disk in a window of a width; what it asks the network for and what it complains of is noted."""
    import shutil  # noqa: PLC0415

    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - an extra

    from honeyguide.fetch.chromium import BROWSERS  # noqa: PLC0415

    path = next(found for name in BROWSERS if (found := shutil.which(name)))
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.on("request", lambda request: (asked if asked is not None else []).append(request.url))
        page.on("console", lambda message: (said if said is not None else []).append(message.text))
        page.goto(file.as_uri())
        yield page
        browser.close()


@pytest.fixture(scope="module")
def synthetic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("synthetic") / "run"
    topic = {"name": "geology", "keywords": ["rock"]}
    values = {"topic": topic, "crawl": {"world": "synthetic:pages=2000,hosts=20"}, "budget": {"fetches": 150}}
    honeyguide.crawl(path, honeyguide.settings_from(values)).close()
    return path


def test_it_says_why_pages_were_judged_so_how_they_were_found_and_what_was_learned(synthetic: Path) -> None:
    seen = Seen(honeyguide.write_report(synthetic, synthetic.parent / "why.html").read_text(encoding="utf-8"))
    best = next(page for page in honeyguide.open_run(synthetic).pages(best_first=True) if page.depth)
    why = honeyguide.explain(synthetic, best.url)
    assert why.evidence is not None
    assert f"Relevance {best.relevance:.3f} by the judge learned, relevant from 0.2 on" in " ".join(seen.text.split())
    assert f"{why.evidence.rows[0].term} {why.evidence.rows[0].contribution:+.3f}" in seen.text
    assert f"by the link “{why.history.anchor}” to this page" in seen.text
    assert honeyguide.what_pays(synthetic).columns[1].words in seen.text
    assert "would be relevant: going on pays. honeyguide resume" in " ".join(seen.text.split())


def test_its_numbers_agree(synthetic: Path) -> None:
    with open_run(synthetic) as run:
        report, progress = gather(run, 10), run.progress
    tables = {table.title.partition(";")[0].partition(",")[0]: table for table in report.tables}
    figures = [[int(figure.replace(",", "")) for figure in row.figures] for row in tables["Relevance of pages"].rows]
    assert [sum(column) for column in zip(*figures, strict=True)] == [progress.relevant, progress.pages]
    outcomes = {row.name: int(row.figures[0]) for row in tables["Outcomes of fetches"].rows}
    assert sum(outcomes.values()) == progress.fetches
    without = sum(int(row.figures[0]) for row in tables["Fetches without a page"].rows)
    assert without == outcomes["failed"] + outcomes.get("refused", 0)
    by_host = sum(int(row.figures[0].partition(" ")[0]) for row in tables["Failures by host"].rows)
    assert by_host == without
    assert all(table.rows for table in report.tables)


@pytest.mark.parametrize("is_pass", [True, False])
def test_it_says_what_a_refresh_found(tmp_path: Path, is_pass: bool) -> None:
    values = {
        "topic": {"keywords": ["rock"]},
        "crawl": {"world": "synthetic:pages=2000,hosts=20"},
        "budget": {"fetches": 30},
    }
    with honeyguide.crawl(tmp_path / "run", honeyguide.settings_from(values)) as run:
        pages = run.progress.pages
    with honeyguide.refresh(tmp_path / "run", new_run=None if is_pass else tmp_path / "new") as again:
        (table,) = (each for each in gather(again, 10).tables if each.title == "Pages looked at again")
    assert sum(int(row.figures[0]) for row in table.rows) == pages


@needs_chromium
def test_in_a_browser_pages_are_filtered_and_sorted(synthetic: Path) -> None:
    with opened_in_browser(honeyguide.write_report(synthetic, synthetic.parent / "sorted.html"), 1000) as page:
        before = page.locator("#found li[data-step]").count()
        page.select_option("#found select", "step")
        steps = page.eval_on_selector_all("#found li[data-step]", "items => items.map(item => +item.dataset.step)")
        assert steps == sorted(steps, reverse=True)
        assert len(steps) == before
        title = page.locator("#found h3").first.inner_text()
        page.fill("#found input", title)
        shown = page.locator("#found li[data-step]:visible")
        assert 1 <= shown.count() < before
        assert title in shown.first.inner_text()
        page.fill("#found input", "judge")  # a word of the page about every result, of no result itself
        assert shown.count() == 0
