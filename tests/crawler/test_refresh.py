"""A new pass over a run: what is asked, in which order, and what is said of every page."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from crawler.driving import script_settings
from honeyguide.crawler import crawl, crawl_async, refresh, refresh_async, resume
from honeyguide.crawler.refreshing import DAY_S, by_worth, change_rate, worth
from honeyguide.errors import RunExists, SettingsError, StoreError
from honeyguide.model import Failed, FailureReason, Fetched, KnownPage, Redirected, Url
from honeyguide.runs import PageChange, open_run
from honeyguide.settings import RefreshSettings, settings_from
from scripted_world import ScriptedWorld, page_with
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from honeyguide.runs import Revisit, Run
    from scripted_world import Script

SEED, A, B, C, D = (f"http://s.test/{path}" for path in ("", "a", "b", "c", "d"))
BEFORE: Script = {SEED: page_with(A, B, C), A: page_with(D), B: "about b", C: "about c", D: "about d"}
AFTER: Script = {
    SEED: page_with(A, B, C),
    A: page_with(D, "http://s.test/new"),
    B: Failed(FailureReason.HTTP_STATUS, "410 Gone", 410),
    C: Redirected(301, Url.parse("http://s.test/e")),
    D: Failed(FailureReason.TIMEOUT, "late"),
    "http://s.test/e": "about e",
    "http://s.test/new": "new",
}


def crawled(path: Path, script: Script = BEFORE, fetches: int = 20) -> Path:
    crawl(path, script_settings(budget__fetches=fetches), world=ScriptedWorld(script), vectors=hashed_vectors()).close()
    return path


def refreshed(old: Path, new: Path, script: Script = AFTER, **overrides: object) -> Run:
    given = {key.replace("__", "."): value for key, value in overrides.items()}
    return refresh(old, given, new_run=new, world=ScriptedWorld(script), vectors=hashed_vectors())


def findings(run: Run) -> dict[str, PageChange]:
    return {revisit.known.url.text: revisit.finding for revisit in run.revisits().all()}


def test_every_page_is_looked_at_again_and_told_what_became_of_it(tmp_path: Path) -> None:
    old = crawled(tmp_path / "old")
    with refreshed(old, tmp_path / "new") as run:
        revisits = {revisit.known.url.text: revisit for revisit in run.revisits().all()}
        asked = {step.url.text for step in run.steps()}
        pages = {page.url.text for page in run.pages()}
        assert not run.progress.ran_out_of_links
    assert {url: each.finding for url, each in revisits.items()} == {
        SEED: PageChange.SAME,
        A: PageChange.CHANGED,
        B: PageChange.GONE,
        C: PageChange.MOVED,
        D: PageChange.FAILED,
    }
    assert asked == {SEED, A, B, C, D, "http://s.test/e"}  # a redirect is followed, a new link is not
    assert pages == {SEED, A, "http://s.test/e"}
    assert revisits[C].detail == "http://s.test/e"
    assert revisits[B].detail == "http-status: 410 Gone"


@pytest.mark.parametrize(
    ("status", "finding"),
    [(301, PageChange.MOVED), (308, PageChange.MOVED), (302, PageChange.FAILED), (307, PageChange.FAILED)],
)
def test_only_a_permanent_redirect_moves_a_page(tmp_path: Path, status: int, finding: PageChange) -> None:
    old = crawled(tmp_path / "old")
    with refreshed(old, tmp_path / "new", {**AFTER, C: Redirected(status, Url.parse("http://s.test/e"))}) as run:
        assert {each.finding for each in run.revisits().all() if each.known.url.text == C} == {finding}
        assert (C in {page.url.text for page in run.revisits().known_pages()}) == (finding is PageChange.FAILED)


def test_an_unchanged_world_is_the_same_throughout(tmp_path: Path) -> None:
    old = crawled(tmp_path / "old")
    with refreshed(old, tmp_path / "new", BEFORE) as run:
        assert Counter(findings(run).values()) == {PageChange.SAME: 5}


def test_a_second_refresh_goes_on_from_the_first(tmp_path: Path) -> None:
    crawled(tmp_path / "0")
    refreshed(tmp_path / "0", tmp_path / "1").close()
    with open_run(tmp_path / "1") as run:
        known = {page.url.text: page for page in run.revisits().known_pages()}
    assert set(known) == {SEED, A, D, "http://s.test/e"}  # neither gone nor moved ones, but where the one has moved
    assert {url: page.changes for url, page in known.items()} == {SEED: 0, A: 1, D: 0, "http://s.test/e": 0}
    assert known[A].first_seen_at < known[A].checked_at
    assert known[D].first_seen_at == known[D].checked_at  # a failure tells nothing
    with refreshed(tmp_path / "1", tmp_path / "2", {**AFTER, A: "quite new", D: "about d"}) as run:
        assert findings(run) == {
            SEED: PageChange.SAME,
            A: PageChange.CHANGED,
            D: PageChange.SAME,
            "http://s.test/e": PageChange.SAME,
        }
        assert {page.url.text: page.changes for page in run.revisits().known_pages()}[A] == 2


def test_a_small_budget_is_spent_in_order_and_the_rest_waits_for_a_resume(tmp_path: Path) -> None:
    old = crawled(tmp_path / "old")
    refreshed(old, tmp_path / "new", budget__fetches=2).close()
    old.rename(tmp_path / "elsewhere")
    with open_run(tmp_path / "new") as run:
        order = [revisit.known.url.text for revisit in run.revisits().all()]
        assert [step.url.text for step in run.steps()] == order[:2]
        assert Counter(findings(run).values())[PageChange.WAITING] == 3
    with resume(
        tmp_path / "new", budget=20, world=ScriptedWorld(AFTER), vectors=hashed_vectors()
    ) as run:  # without the old run
        assert set(findings(run).values()) == set(PageChange) - {PageChange.WAITING, PageChange.NEW}
        assert [revisit.known.url.text for revisit in run.revisits().all()] == order


def test_the_settings_of_the_old_run_hold_unless_others_are_given(tmp_path: Path) -> None:
    old = crawled(tmp_path / "old")
    with refreshed(old, tmp_path / "new", politeness__delay_s=7.0) as run, open_run(old) as before:
        assert run.settings.topic == before.settings.topic
        assert run.settings.judge == before.settings.judge
        assert run.settings.politeness.delay_s == 7.0
        assert run.settings.refresh.run == str(old)
        assert not run.settings.scope.follow_links


def test_pages_come_in_the_order_of_their_worth_though_the_old_run_drew_some_at_random(tmp_path: Path) -> None:
    old, settings = tmp_path / "old", script_settings(crawl__blind_spots=0.9)
    crawl(old, settings, world=ScriptedWorld(BEFORE), vectors=hashed_vectors()).close()
    with refreshed(old, tmp_path / "new", BEFORE) as run:
        assert not any(step.explored for step in run.steps())


def test_bad_input_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    old = crawled(tmp_path / "old")
    empty = crawled(tmp_path / "empty", {SEED: Failed(FailureReason.TIMEOUT, "late")})
    with pytest.raises(StoreError, match="no pages to look at again"):
        refreshed(empty, tmp_path / "new")
    with pytest.raises(StoreError):
        refreshed(tmp_path / "none", tmp_path / "new")
    with pytest.raises(SettingsError, match="relevance_weight"):
        refreshed(old, tmp_path / "new", refresh__relevance_weight=2)
    assert not (tmp_path / "new").exists()
    with pytest.raises(RunExists):
        refreshed(old, old)


def test_in_a_running_loop_the_other_call_is_named(tmp_path: Path) -> None:
    async def scenario() -> None:
        refresh(tmp_path / "a", new_run=tmp_path / "b")

    with pytest.raises(RuntimeError, match="refresh_async"):
        asyncio.run(scenario())


ages = st.floats(0, 1e9)
known_pages = st.builds(
    lambda relevance, first, watched, changes, same: KnownPage(
        Url.parse(SEED), relevance, b"", "", "", first, first + watched, changes, changes + same
    ),
    st.floats(0, 1), ages, ages, st.integers(0, 1000), st.integers(0, 1000),
)  # fmt: skip
orders = st.builds(RefreshSettings, change_days=st.floats(0.01, 1e4), relevance_weight=st.floats(0, 1))


@given(known_pages, ages, ages, orders)
def test_a_look_is_worth_more_the_longer_ago_the_last_one_was(
    page: KnownPage, age: float, more: float, settings: RefreshSettings
) -> None:
    sooner, later = worth(page, page.checked_at + age, settings), worth(page, page.checked_at + age + more, settings)
    assert 0 <= sooner <= later <= 1


def test_worth_by_hand() -> None:
    page = KnownPage(Url.parse(SEED), 0.5, b"", "", "", 0.0, 8 * DAY_S, changes=3, checks=4)
    # Three changes in four looks, every two days: log(4.5 / 1.5) / 2; averaged with 1 / 30, which counts as one look.
    assert change_rate(page, RefreshSettings()) == pytest.approx((4 * 0.5493061 + 1 / 30) / 5)
    # Looked at after 5 days: 1 - exp(-5 * 0.4461116); of relevance 0.5 with weight 0.4: 0.8.
    assert worth(page, 13 * DAY_S, RefreshSettings(relevance_weight=0.4)) == pytest.approx(0.8925312 * 0.8, rel=1e-5)


@given(known_pages, orders)
def test_a_page_seen_to_change_more_often_is_thought_to_change_more_often(
    page: KnownPage, settings: RefreshSettings
) -> None:
    livelier = replace(page, changes=page.changes + 1, checks=max(page.checks, page.changes + 1))
    calmer = replace(livelier, changes=page.changes)
    assert change_rate(livelier, settings) >= change_rate(calmer, settings) > 0


def test_old_then_lively_then_relevant_pages_come_first() -> None:
    def page(name: str, relevance: float, checked_days: float, changes: int) -> KnownPage:
        at, checks = checked_days * DAY_S, 9 if checked_days == 50 else 0
        return KnownPage(Url.parse(f"http://s.test/{name}"), relevance, b"", "", "", 0.0, at, changes, checks)

    fresh, stale = page("fresh", 1.0, 99, 0), page("stale", 1.0, 1, 0)
    dull, lively = page("dull", 0.2, 50, 0), page("lively", 0.2, 50, 9)
    given = [fresh, dull, stale, lively]
    assert by_worth(given, 100 * DAY_S, RefreshSettings()) == [stale, lively, dull, fresh]


@dataclass
class Site:
    """Pages on a real server that answers conditional requests, and remembers what it was asked."""

    bodies: dict[str, str]
    asked: list[tuple[str, str, str, int]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        body = self.bodies.get(request.path)
        tag = f'"{hash(body)}"'
        if body is None:
            response = web.Response(status=404)
        elif tag in request.headers.get("If-None-Match", ""):
            response = web.Response(status=304, headers={"ETag": tag})
        else:
            versions = {"ETag": tag, "Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT"}
            response = web.Response(text=body, content_type="text/html", headers=versions)
        tag, date = (request.headers.get(name, "") for name in ("If-None-Match", "If-Modified-Since"))
        self.asked.append((request.path, tag, date, response.status))
        return response

    @asynccontextmanager
    async def served(self) -> AsyncIterator[str]:
        application = web.Application()
        application.router.add_get("/{path:.*}", self.answer)
        runner = web.AppRunner(application)
        await runner.setup()
        try:
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            yield f"http://127.0.0.1:{runner.addresses[0][1]}"
        finally:
            await runner.cleanup()


def test_a_live_host_is_asked_only_for_what_has_changed(tmp_path: Path) -> None:
    site = Site({"/": "<a href=/a>a</a> <a href=/b>b</a> rock", "/a": "<p>rock a", "/b": "<p>rock b"})

    async def scenario() -> list[Revisit]:
        async with site.served() as root:
            settings = settings_from(
                {
                    "topic": {"name": "rock"},
                    "crawl": {"world": "live", "seed_urls": [f"{root}/"], "workers": 0},
                    "fetch": {"allow_private": ["127.0.0.0/8"], "contact": "someone@example.org"},
                    "politeness": {"delay_s": 0.0, "obey_robots": False},
                }
            )
            (await crawl_async(tmp_path / "old", settings, vectors=hashed_vectors())).close()
            assert all(not tag and not date for _, tag, date, _ in site.asked)
            site.asked.clear()
            site.bodies["/a"] = "<p>rock changed"
            del site.bodies["/b"]
            with await refresh_async(tmp_path / "old", new_run=tmp_path / "new", vectors=hashed_vectors()) as run:
                assert run.progress.unchanged == 1
                return list(run.revisits().all())

    found = {each.known.url.path_and_query: each.finding for each in asyncio.run(scenario())}
    assert found == {"/": PageChange.SAME, "/a": PageChange.CHANGED, "/b": PageChange.GONE}
    assert sorted((path, status) for path, _, _, status in site.asked) == [("/", 304), ("/a", 200), ("/b", 404)]
    assert all(tag and date for _, tag, date, _ in site.asked)


def test_a_host_that_says_unchanged_unasked_gave_no_page(tmp_path: Path) -> None:
    async def rude(_request: web.Request) -> web.Response:
        return web.Response(status=304)

    async def scenario() -> Run:
        application = web.Application()
        application.router.add_get("/", rude)
        runner = web.AppRunner(application)
        await runner.setup()
        try:
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
            settings = settings_from(
                {
                    "topic": {"name": "rock"},
                    "crawl": {"world": "live", "seed_urls": [url], "workers": 0},
                    "fetch": {"allow_private": ["127.0.0.0/8"], "contact": "someone@example.org"},
                    "politeness": {"obey_robots": False},
                }
            )
            return await crawl_async(tmp_path / "run", settings, vectors=hashed_vectors())
        finally:
            await runner.cleanup()

    with asyncio.run(scenario()) as run:
        assert [step.outcome for step in run.steps()] == ["failed"]


def test_pages_that_look_the_same_have_the_same_digest(tmp_path: Path) -> None:
    script: Script = {SEED: Fetched(200, "text/html", b"<p>rock &amp; stone<script>1</script>")}
    crawled(tmp_path / "old", script)
    same: Script = {SEED: Fetched(200, "text/html", b"<p>  rock &#38; stone\n<script>2</script><!-- x -->")}
    with refreshed(tmp_path / "old", tmp_path / "new", same) as run:
        assert findings(run) == {SEED: PageChange.SAME}
