"""The dashboard in a real Chromium, over a crawl that goes on over HTTP on loopback meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from shutil import rmtree
from typing import TYPE_CHECKING

import pytest

from browser import chromium, needs_chromium
from cli.test_processes import wait_for_steps
from honeyguide.crawler import answer
from honeyguide.runs import open_run
from honeyguide.web.serving import serving_beside
from web.test_serving import ended, started
from web.watched_pages import WatchedPage, crawling

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = needs_chromium
Watch = Callable[..., WatchedPage]


@pytest.fixture(scope="module")
def browser(_crawled_once: Path) -> Iterator[Browser]:
    """A browser for the whole file. It runs an event loop, in which nothing can be crawled: the run is made before."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def watch(browser: Browser) -> Iterator[Watch]:
    """Open watched pages; all are closed with the test."""
    opened: list[WatchedPage] = []

    def open_one(**options: object) -> WatchedPage:
        opened.append(WatchedPage(browser, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


def curve_end(watched: WatchedPage) -> str:
    return watched.page.locator("#part-harvest p.lead").inner_text()


def test_the_curve_grows_and_a_page_that_came_a_moment_ago_is_found(watch: Watch, tmp_path: Path) -> None:
    run = tmp_path / "geology"
    with crawling(run), serving_beside([tmp_path]) as address:
        wait_for_steps(run, 5)
        live = watch()
        live.open(f"{address}runs/geology")
        first, fetches = curve_end(live), live.fetches()
        live.wait_for_fetches(fetches + 10)
        live.page.wait_for_function(
            "before => document.querySelector('#part-harvest p.lead').textContent !== before", arg=first
        )
        with open_run(run) as opened:
            newest = max(opened.pages(), key=lambda page: page.step)
        live.open(f"{address}runs/geology/search")
        live.page.get_by_label("Search").first.fill(f'"{newest.title}"')
        live.page.keyboard.press("Enter")
        live.page.wait_for_selector(f'ol.results a[href="{newest.url}"], li[data-page="{newest.url}"]')
        live.check(address)


def asked(watched: WatchedPage) -> str:
    """Return the page that the reader is asked about, once there is a question."""
    watched.page.wait_for_selector("#question form.answer:not([aria-busy=true])")
    return watched.page.locator("#question input[name=url]").input_value()


def wait_for_another(watched: WatchedPage, before: str) -> None:
    watched.page.wait_for_function(
        "before => (document.querySelector('#question input[name=url]')?.value ?? before) !== before", arg=before
    )


def test_two_people_answer_during_a_crawl_and_see_the_same(watch: Watch, tmp_path: Path) -> None:
    run = tmp_path / "geology"
    with crawling(run), serving_beside([tmp_path]) as address:
        wait_for_steps(run, 30)
        one, other = watch(), watch(width=420)
        for each in (one, other):
            each.open(f"{address}runs/geology/questions")
        answered = []
        for key in "yn":
            answered.append(asked(one))
            one.page.keyboard.press(key)
            wait_for_another(one, answered[-1])
        other.page.wait_for_function(
            "urls => !urls.includes(document.querySelector('#question input[name=url]')?.value ?? urls[0])",
            arg=answered,
        )
        same = asked(other)
        answer(run, same, "skip", name="somebody else")
        wait_for_another(other, same)
        taken_in = """count => document.querySelectorAll("#given li").length === count
            && !document.querySelector("#given").textContent.includes("being taken in")
            && document.querySelector("#effect").textContent.includes("are relevant")"""
        for each in (one, other):
            each.page.wait_for_function(taken_in, arg=3)
        one.page.reload()
        shown = [each.page.locator(part).inner_text() for each in (one, other) for part in ("#effect", "#given")]
        assert shown[:2] == shown[2:]
        one.page.keyboard.press("u")
        other.page.wait_for_function(taken_in, arg=2)
        one.check(address)
        other.check(address)


def test_a_key_that_comes_before_the_next_question_is_told_of_and_answers_nothing(watch: Watch, run: Path) -> None:
    with serving_beside([run.parent]) as address:
        watched = watch()
        page = watched.open(f"{address}runs/geology/questions")
        first, held = asked(watched), []
        page.route("**/answers?asks=true", lambda route: held.append(route))  # noqa: PLW0108 - it notes something on it
        page.keyboard.press("y")
        page.keyboard.press("n")
        page.wait_for_function("() => document.querySelector('#question [role=status]').textContent.includes('again')")
        (post,) = held
        post.continue_()
        wait_for_another(watched, first)
        assert page.locator("#given li b").all_inner_texts() == ["yes"]
        watched.check(address)


FAINT_TEXT = """() => {
    const numbers = colour => (colour.match(/[\\d.]+/g) || []).map(Number);
    const light = ([red, green, blue]) => [red, green, blue]
        .map(each => each / 255)
        .map(each => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
        .reduce((sum, each, place) => sum + each * [0.2126, 0.7152, 0.0722][place], 0);
    const behind = element => {
        for (let each = element; each; each = each.parentElement) {
            const colour = numbers(getComputedStyle(each).backgroundColor);
            if (colour.length === 3 || colour[3] > 0.99) return colour;
        }
        return [255, 255, 255];
    };
    const faint = [];
    for (const element of document.querySelectorAll("body *")) {
        const hasText = [...element.childNodes].some(each => each.nodeType === 3 && each.data.trim());
        if (!hasText || !element.checkVisibility()) continue;
        const style = getComputedStyle(element);
        const ink = numbers(element instanceof SVGElement ? style.fill : style.color);
        const [less, more] = [light(ink), light(behind(element))].sort((one, other) => one - other);
        const size = parseFloat(style.fontSize);
        const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        const contrast = (more + 0.05) / (less + 0.05);
        if (contrast < (isLarge ? 3 : 4.5)) faint.push(`${element.outerHTML.slice(0, 80)}: ${contrast.toFixed(2)}`);
    }
    return faint;
}"""
"""The text of a page that is fainter against what is behind it than WCAG AA allows."""
PAGES = (
    "",
    "new",
    "runs/geology",
    "runs/geology/questions",
    "runs/geology/search?q=rock",
    "runs/geology/search?q=%22",
    "api",
)


@pytest.mark.parametrize("width", [420, 1280])
def test_no_page_scrolls_sideways_or_has_faint_text_in_either_scheme(watch: Watch, run: Path, width: int) -> None:
    with serving_beside([run.parent]) as address:
        for scheme in ("light", "dark"):
            watched = watch(width=width, scheme=scheme)
            for place in PAGES:
                page = watched.open(address + place)
                page.wait_for_selector("main")
                assert watched.excess() == 0, f"{place or 'the list of runs'} at {width} pixels, {scheme}"
                assert page.evaluate(FAINT_TEXT) == []
            red, green, blue = page.evaluate(
                "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
            )
            assert (red + green + blue < 3 * 60) == (scheme == "dark")
            assert [each for each in watched.problems if "400" not in each] == []  # one query is wrong


@pytest.mark.thorough
def test_two_browsers_see_the_same(watch: Watch, tmp_path: Path) -> None:
    run = tmp_path / "geology"
    with serving_beside([tmp_path]) as address:
        with crawling(run):
            wait_for_steps(run, 5)
            one, other = watch(), watch(width=420)
            for each in (one, other):
                each.open(f"{address}runs/geology")
            one.wait_for_fetches(one.fetches() + 10)
            other.wait_for_fetches(other.fetches() + 5)
        for each in (one, other):
            each.page.wait_for_selector("#part-figures .state.stopped")
        assert one.fetches() == other.fetches()
        assert curve_end(one) == curve_end(other)
        one.check(address)
        other.check(address)


@pytest.mark.thorough
def test_a_page_goes_on_by_itself_after_the_server_was_restarted(watch: Watch, tmp_path: Path) -> None:
    run = tmp_path / "geology"
    with crawling(run):
        wait_for_steps(run, 5)
        server, address = started(tmp_path, "--port", 0)
        live = watch()
        live.open(f"{address}runs/geology")
        live.wait_for_fetches(5)
        before = live.fetches()
        ended(server)
        live.page.wait_for_function(
            "() => document.querySelector('#connection').textContent.includes('does not answer')"
        )
        server, again = started(tmp_path, "--port", address.rstrip("/").rpartition(":")[2])
        assert again == address
        live.wait_for_fetches(before + 10)
        live.page.wait_for_function("() => document.querySelector('#connection').textContent === ''")
        ended(server)


@pytest.mark.thorough
def test_a_crawl_that_was_killed_shows_as_stopped_and_goes_on_where_it_was(watch: Watch, tmp_path: Path) -> None:
    run = tmp_path / "geology"
    with serving_beside([tmp_path]) as address:
        live = watch()
        with crawling(run) as program:
            wait_for_steps(run, 20)
            live.open(f"{address}runs/geology")
            live.page.wait_for_selector("#part-figures .state.running")
            program.kill()
            live.page.wait_for_selector("#part-figures .state.stopped")
        with open_run(run) as opened:
            assert live.fetches() == opened.progress.fetches
        with crawling(run):
            live.page.wait_for_selector("#part-figures .state.running")
            live.wait_for_fetches(live.fetches() + 10)
        live.check(address)


@pytest.mark.thorough
def test_everything_can_be_done_with_the_keyboard_alone(watch: Watch, run: Path) -> None:
    with serving_beside([run.parent]) as address:
        watched = watch()
        page = watched.open(address)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        assert page.evaluate("document.activeElement.getBoundingClientRect().left >= 0"), "seen while it has the focus"
        for _ in range(30):
            page.keyboard.press("Tab")
            if "/runs/geology" in (page.evaluate("document.activeElement.getAttribute('href')") or ""):
                break
        page.keyboard.press("Enter")
        page.wait_for_url("**/runs/geology")
        reached = set()
        for _ in range(400):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.outerHTML"))
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            is_dot = page.evaluate("!!document.activeElement.closest('svg.map a')")
            assert outline != "none" or is_dot or page.evaluate("document.activeElement === document.body")
            if page.evaluate("document.activeElement === document.body"):
                break
        focusable = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']"
        missed = page.evaluate(
            "([what, reached]) => [...document.querySelectorAll(what)]"
            ".filter(each => each.checkVisibility() && !reached.includes(each.outerHTML)).map(each => each.outerHTML)",
            [focusable, sorted(reached)],
        )
        assert missed == []
        svg = page.locator("svg.map.wide")
        whole = svg.get_attribute("viewBox")
        svg.focus()
        page.keyboard.press("+")
        assert svg.get_attribute("viewBox") != whole
        page.keyboard.press("0")
        assert svg.get_attribute("viewBox").split()[2:] == whole.split()[2:]

        watched.open(f"{address}runs/geology/questions")
        asked = []
        for key in "yns":
            page.wait_for_selector("#question form.answer:not([aria-busy=true])")
            asked.append(page.locator("#question input[name=url]").input_value())
            page.keyboard.press(key)
            page.wait_for_function(
                "before => document.querySelector('#question input[name=url]')?.value !== before", arg=asked[-1]
            )
        page.locator("#given li b").nth(2).wait_for()  # all three are taken in
        assert page.locator("#given li b").all_inner_texts() == ["skip", "no", "yes"]
        page.keyboard.press("u")
        page.wait_for_function("() => document.querySelectorAll('#given li').length === 2")
        assert page.locator("#given li b").all_inner_texts() == ["no", "yes"]
        watched.check(address)


@pytest.mark.thorough
def test_a_crawl_is_started_from_the_form_and_stopped_from_the_list(watch: Watch, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    with serving_beside([tmp_path / "runs"]) as address:
        watched = watch()
        page = watched.open(f"{address}new")
        page.locator("#topic").fill("geology")
        page.locator("#world").fill("site:/nowhere@http://x.test/")
        page.get_by_role("button", name="Start the crawl").click()
        page.locator("#world[aria-invalid=true]").wait_for()  # as the command line says it, at its field
        assert "there is no folder /nowhere" in page.locator("#world-hint").inner_text()
        assert page.locator("#topic").input_value() == "geology"
        page.locator("#world").fill("synthetic:pages=50000,hosts=50")
        page.locator("#budget").fill("20000")
        page.get_by_role("button", name="Start the crawl").click()
        page.wait_for_url("**/runs/geology")
        page.go_back()
        page.locator("#topic").wait_for()
        page.goto(address)
        page.get_by_role("button", name="Stop").click()
        page.get_by_role("button", name="Resume").wait_for()
        watched.check(address)


def test_a_run_that_vanishes_while_it_is_shown_is_told_of(watch: Watch, run: Path) -> None:
    with serving_beside([run.parent]) as address:
        page = watch().open(f"{address}runs/geology")
        page.wait_for_function("() => performance.getEntriesByType('resource').some(e => e.name.includes('/parts?'))")
        rmtree(run)
        page.wait_for_function("() => document.querySelector('#connection').textContent.includes('moved or deleted')")
        assert page.locator("#part-figures dd").first.inner_text()  # what was shown stays


def test_the_map_can_be_zoomed_moved_and_clicked(watch: Watch, run: Path) -> None:
    with serving_beside([run.parent]) as address:
        watched = watch()
        page = watched.open(f"{address}runs/geology")
        drawing = page.locator("#part-map svg.wide")
        whole = drawing.get_attribute("viewBox")
        page.get_by_role("button", name="Larger").click()
        larger = drawing.get_attribute("viewBox")
        assert larger is not None
        assert float(larger.split()[2]) < float((whole or "").split()[2])
        drawing.press("ArrowRight")
        assert float((drawing.get_attribute("viewBox") or "").split()[0]) > float(larger.split()[0])
        page.get_by_role("button", name="All", exact=True).click()
        assert drawing.get_attribute("viewBox") == whole
        drawing.locator("a").first.click()
        page.wait_for_url("**/runs/geology/page?url=*")
        watched.check(address)
