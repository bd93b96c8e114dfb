"""Going on with a run: from where it was, with more budget, and from odd places."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from crawler.driving import ByAnchorNumber, HandWired, everything, script_settings
from crawler.small_crawls import settings_for, story
from deep_strategies import runnable_strategies, strategies_by_frontier, thorough
from honeyguide.crawler import Dispatch, StopReason, Wait, crawl, resume
from honeyguide.crawler.resume import check_budget
from honeyguide.errors import RunDamaged, RunExists, SettingsError, WorldError
from honeyguide.runs import Progress, RunFolder, SqliteStore, open_run
from honeyguide.settings import to_toml, with_overrides
from scripted_world import ScriptedWorld, page_with, redirect_to, taking
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

SEED = "http://s.test/"


def test_a_finished_run_goes_on_from_where_it_was_and_each_time_alike(tmp_path: Path) -> None:
    for name, budget in (("one", " +20 "), ("other", 40)):
        crawl(tmp_path / name, settings_for(budget=20, concurrency=8), vectors=hashed_vectors()).close()
        before = story(tmp_path / name)
        with resume(tmp_path / name, vectors=hashed_vectors()) as run:
            assert run.progress.stop_reason == StopReason.FETCHES
        assert story(tmp_path / name) == before, "without more budget nothing changes"
        with resume(tmp_path / name, budget=budget, vectors=hashed_vectors()) as run:
            assert run.progress.steps == run.progress.dispatches == run.settings.budget.fetches == 40
            assert run.progress.stop_reason == StopReason.FETCHES
            assert len({step.url for step in run.steps()}) == 40, "nothing is fetched twice"
        assert story(tmp_path / name)[:20] == before
    assert story(tmp_path / "one") == story(tmp_path / "other")


def test_at_one_fetch_at_a_time_thirty_and_thirty_more_are_sixty(tmp_path: Path) -> None:
    crawl(tmp_path / "whole", settings_for(budget=60, concurrency=1), vectors=hashed_vectors()).close()
    crawl(tmp_path / "halves", settings_for(budget=30, concurrency=1), vectors=hashed_vectors()).close()
    resume(tmp_path / "halves", budget="+30", vectors=hashed_vectors()).close()
    assert story(tmp_path / "halves") == story(tmp_path / "whole")


def chosen(run: Path) -> list[tuple[object, ...]]:
    """Every choice of a run, in order, with the number of answers it was made after."""
    with closing(sqlite3.connect(run / "crawl.sqlite")) as database:
        return database.execute(
            """SELECT l.url, d.is_skipped, d.after_steps FROM links l JOIN (
                 SELECT decision, link, after_steps, 0 AS is_skipped FROM steps
                 UNION ALL SELECT decision, link, after_steps, 0 FROM in_flight
                 UNION ALL SELECT decision, link, after_steps, 1 FROM skips) d ON d.link = l.id ORDER BY d.decision"""
        ).fetchall()


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", strategies_by_frontier())
def test_until_its_last_fetch_begins_a_crawl_chooses_as_one_with_a_larger_budget(tmp_path: Path, strategy: str) -> None:
    crawl(tmp_path / "whole", settings_for(strategy, budget=60, concurrency=8), vectors=hashed_vectors()).close()
    crawl(tmp_path / "run", settings_for(strategy, budget=24, concurrency=8), vectors=hashed_vectors()).close()
    choices = chosen(tmp_path / "run")
    assert sum(not is_skipped for _, is_skipped, _ in choices) == 24
    assert choices == chosen(tmp_path / "whole")[: len(choices)]


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", strategies_by_frontier())
def test_a_larger_budget_given_before_the_old_one_is_spent_is_as_if_it_always_had_been(
    tmp_path: Path, strategy: str
) -> None:
    # Without waiting for better hosts, several answers are under way at any moment.
    settings = settings_for(strategy, budget=80, concurrency=8, crawl__hurry=1.0)
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    patience = iter(range(60))
    stopped = crawl(
        tmp_path / "run",
        with_overrides(settings, {"budget.fetches": 60}),
        vectors=hashed_vectors(),
        is_interrupted=lambda: next(patience, None) is None,
    )
    with stopped:
        assert stopped.progress.stop_reason == StopReason.INTERRUPTED
        assert 20 < stopped.progress.dispatches < 60
        assert stopped.progress.steps < stopped.progress.dispatches, "answers are under way"
    resume(tmp_path / "run", budget=80, vectors=hashed_vectors()).close()
    assert story(tmp_path / "run") == story(tmp_path / "whole")


def test_a_budget_that_cannot_be_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    run = tmp_path / "run"
    crawl(run, settings_for(budget=10), vectors=hashed_vectors()).close()
    settings = (run / "settings.toml").read_bytes()
    for budget in ("x", "0", "-3", "", "+", "+0", "1.5", 0, -3, "1e3", 5):
        with pytest.raises(SettingsError, match="budget is"):
            resume(run, budget=budget, vectors=hashed_vectors())
    assert (run / "settings.toml").read_bytes() == settings
    with open_run(run) as opened:
        assert opened.progress.steps == 10


def test_a_budget_that_is_spent_says_what_is_under_way() -> None:
    spent = Progress(steps=4, dispatches=20, unknown=1)
    with pytest.raises(SettingsError, match=r"budget is 5: the run has spent more \(3 fetched, 16 under way\)"):
        check_budget(spent, settings_for(budget=5), 5)
    with pytest.raises(SettingsError, match=r"\(20 fetched\)"):
        check_budget(Progress(steps=20, dispatches=20), settings_for(budget=5), 5)


def test_a_run_killed_before_its_database_was_made_starts_anew_in_its_folder(tmp_path: Path) -> None:
    settings = settings_for(budget=15)
    RunFolder.create(tmp_path / "killed", to_toml(settings))[1].close()
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    resume(tmp_path / "killed", vectors=hashed_vectors()).close()
    assert story(tmp_path / "killed") == story(tmp_path / "whole")


def test_a_run_killed_before_its_first_step_starts_anew_in_its_folder(tmp_path: Path) -> None:
    settings = settings_for(budget=15)
    folder, lock = RunFolder.create(tmp_path / "killed", to_toml(settings))
    lock.close()
    SqliteStore(folder.database_file).close()
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    resume(tmp_path / "killed", vectors=hashed_vectors()).close()
    assert story(tmp_path / "killed") == story(tmp_path / "whole")


def test_a_run_that_has_lost_its_database_is_not_started_anew(tmp_path: Path) -> None:
    crawl(tmp_path / "run", settings_for(budget=5), vectors=hashed_vectors()).close()
    (tmp_path / "run" / "crawl.sqlite").unlink()
    with pytest.raises(RunDamaged, match="has lost its steps"):
        resume(tmp_path / "run", vectors=hashed_vectors())


@pytest.mark.parametrize("is_there", [False, True], ids=["missing", "empty"])
def test_a_run_that_has_lost_its_database_is_left_as_it_was(tmp_path: Path, is_there: bool) -> None:
    folder = tmp_path / "run"
    crawl(folder, settings_for(budget=5, store__archive="warc"), vectors=hashed_vectors()).close()
    for file in folder.glob("crawl.sqlite*"):
        file.unlink()
    if is_there:
        (folder / "crawl.sqlite").touch()
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    with pytest.raises(RunDamaged, match="has lost its steps"):
        resume(folder, vectors=hashed_vectors())
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize(
    ("overrides", "error"),
    [
        ({"crawl__strategy": "no-such"}, SettingsError),
        ({"crawl__concurrency": -1}, SettingsError),
        ({"crawl__world": "nowhere"}, SettingsError),
        ({"crawl__world": "wiki"}, WorldError),
        ({"crawl__seed_urls": ["not a url"]}, SettingsError),
    ],
)
def test_settings_that_cannot_run_write_nothing(
    tmp_path: Path, overrides: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        crawl(tmp_path / "run", settings_for(**overrides), vectors=hashed_vectors())  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_crawl_into_a_run_that_exists_leaves_it_untouched(tmp_path: Path) -> None:
    run = tmp_path / "run"
    crawl(run, settings_for(budget=10), vectors=hashed_vectors()).close()
    before = {file.name: file.read_bytes() for file in run.iterdir()}
    with pytest.raises(RunExists, match="honeyguide resume"):
        crawl(run, settings_for(budget=99), vectors=hashed_vectors())
    assert {file.name: file.read_bytes() for file in run.iterdir()} == before


def test_time_between_two_live_sessions_is_not_spent(tmp_path: Path) -> None:
    urls = [f"http://h{n}.test/" for n in range(4)]
    world = ScriptedWorld({SEED: page_with(*urls), **dict.fromkeys(urls, "x")}, latency_s=0.0, is_offline=False)
    settings = script_settings(budget__fetches=2, politeness__delay_s=0.0, budget__seconds=3600.0)
    crawl(tmp_path / "run", settings, world=world, vectors=hashed_vectors()).close()
    # As if the first session had been long ago: its clock is part of the stored progress.
    store = SqliteStore(tmp_path / "run" / "crawl.sqlite")
    store._db.execute("UPDATE progress SET state = json_set(state, '$.now', json_extract(state, '$.now') - 1e6)")
    store.close()
    with resume(tmp_path / "run", budget="+2", world=world, vectors=hashed_vectors()) as run:
        assert run.progress.steps == 4
        assert 0.0 <= run.progress.spent_seconds < 60.0


def test_a_clock_set_back_does_not_make_a_resumed_crawl_wait_for_ever(tmp_path: Path) -> None:
    world = ScriptedWorld({SEED: page_with("/a"), "http://s.test/a": "x"}, latency_s=0.0, is_offline=False)
    settings = script_settings(budget__fetches=1, politeness__delay_s=0.0, politeness__max_delay_s=0.05)
    crawl(tmp_path / "run", settings, world=world, vectors=hashed_vectors()).close()
    store = SqliteStore(tmp_path / "run" / "crawl.sqlite")
    # As if the first session had been ahead of time: its clock is part of the stored progress.
    store._db.execute("UPDATE hosts SET ready_at = ready_at + 1e6")
    store._db.execute("UPDATE progress SET state = json_set(state, '$.now', json_extract(state, '$.now') + 1e6)")
    store.close()
    with resume(tmp_path / "run", budget="+1", world=world, vectors=hashed_vectors()) as run:
        assert run.progress.steps == 2


def tangled_script(seed: int) -> Script:
    """Pages on a few hosts that link, and sometimes redirect, to one another in every way."""
    chance = random.Random(seed)
    urls = [SEED, *(f"http://h{chance.randrange(5)}.test/{n}" for n in range(60))]
    script: dict[str, object] = {}
    for url in urls:
        shown = {f"{chance.randrange(50)} {n}": chance.choice(urls) for n in range(chance.randrange(9))}
        page = page_with(**shown)
        answer = redirect_to(chance.choice(urls)) if chance.random() < 0.3 and url != SEED else page
        script[url] = taking(chance.uniform(0, 3), answer)
    script[SEED] = page_with(**{str(n): url for n, url in enumerate(urls[1:9])})
    return script  # type: ignore[return-value]


# One for each kind of frontier and each thing that may happen to a link that is found again.
CORES = [
    *((2, "by-number", found_again) for found_again in ("first", "best", "merge", "latest")),
    (3, "online-ridge", "best"),
    (3, "online-ridge", "merge"),
    (1, "beam", "best"),
    (3, "lfa-sync", "first"),
    (2, "iterative-deepening", "first"),
    (1, "modified-depth-first", "first"),
    (3, "parse-or-skip-q", "first"),
]
MORE_CORES = [
    thorough(seed, strategy, found_again)
    for seed in (1, 2, 3)
    for strategy in ("by-number", *runnable_strategies())
    for found_again in ("first", "best", "merge", "latest")
    if (
        strategy in ("by-number", "best-first", "url-heuristic", "beam", "online-ridge")
        or (seed, found_again) == (1, "first")
    )
    and (seed, strategy, found_again) not in CORES
]


@pytest.mark.parametrize(("seed", "strategy", "found_again"), [*CORES, *MORE_CORES])
def test_a_core_brought_back_equals_the_one_that_was_stopped(
    tmp_path: Path, strategy: str, found_again: str, seed: int
) -> None:
    own = ByAnchorNumber() if strategy == "by-number" else None
    settings = script_settings(
        "best-first" if own else strategy,
        crawl__concurrency=3,
        frontier__found_again=found_again,
        fetch__max_redirects=2,
        online_ridge__exploration=0.2,
        beam__width=15,
        modified_depth_first__patience=1,
        parse_or_skip__skip_penalty=5.0,  # else it would skip everything
        parse_or_skip_q__reserve=15,
        random_skip__share=0.1,
        tunnelling__cutoff=1000,
        dqn__warm_up=5,
        dqn__refresh_every=2,
        store__snapshot_every=7,
    )
    patience = iter(range(20 + 25 * seed))
    world = ScriptedWorld(tangled_script(seed))
    stopped = HandWired(tmp_path / "run", world, settings, own, is_interrupted=lambda: next(patience, None) is None)
    assert stopped.run() is StopReason.INTERRUPTED
    assert len(stopped.core.frontier)
    back = HandWired(tmp_path / "run", world, settings, ByAnchorNumber() if own else None)
    back.close()
    assert everything(back) == everything(stopped)


def crawl_one_at_a_time(wired: HandWired, steps: int) -> None:
    """Crawl so many steps and end there, as a killed process does, without a word in the store."""
    now = 0.0
    while wired.core.progress.steps < steps:
        choice = wired.core.choose(now)
        if isinstance(choice, Dispatch):
            answer = wired.world.answer(choice.url)
            now += answer.elapsed_s
            wired.store.record(wired.core.apply(choice, answer, now).record)
        else:
            assert isinstance(choice, Wait)
            now = choice.until


@pytest.mark.parametrize(("found_again", "steps"), [("best", 1), ("first", 6), ("best", 7), ("merge", 20)])
def test_a_learner_brought_back_is_told_again_what_came_after_its_snapshot(
    tmp_path: Path, found_again: str, steps: int
) -> None:
    settings = script_settings(
        "online-ridge", frontier__found_again=found_again, fetch__max_redirects=2, store__snapshot_every=7
    )
    world = ScriptedWorld(tangled_script(4))
    killed = HandWired(tmp_path / "run", world, settings)
    crawl_one_at_a_time(killed, steps)
    killed.close()
    back = HandWired(tmp_path / "run", world, settings)
    back.close()
    assert everything(back) == everything(killed)


def test_a_link_found_directly_after_a_redirect_to_it_has_no_hops_behind_it(tmp_path: Path) -> None:
    world = ScriptedWorld(
        {
            SEED: page_with(**{"9": "http://r.test/", "8": "http://a.test/"}),
            "http://r.test/": redirect_to("http://t.test/"),
            "http://a.test/": page_with(**{"10": "http://t.test/"}),
        }
    )
    wired = HandWired(tmp_path / "run", world, script_settings(), ByAnchorNumber())
    for url in (SEED, "http://r.test/"):
        wired.follow(url)
    assert wired.parts.links.hops(wired.link("http://t.test/")) == 1
    wired.follow("http://a.test/")
    wired.close()
    back = HandWired(tmp_path / "run", world, script_settings(), ByAnchorNumber())
    back.close()
    assert wired.parts.links.hops(wired.link("http://t.test/")) == 0
    assert back.parts.links.hops(back.link("http://t.test/")) == 0


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE progress SET state = '{'",
        """UPDATE progress SET state = '{"steps": 5}'""",
        "UPDATE links SET url = 'zzz' WHERE id = 3",
        "DELETE FROM links WHERE id = 2",
        "UPDATE links SET state = 9 WHERE id = 3",
        "INSERT INTO in_flight SELECT 999999, 1, 1, 0.0, 0.0, 0, 1, x'', 0, 0.0, NULL, 1.0, 0.0, NULL",
        "INSERT INTO journal SELECT 1, 'nonsense', 0, x'', x'28b52ffd200000', NULL",
        "INSERT INTO journal SELECT 1, 'learn', 0, x'', x'00', NULL",
    ],
)
def test_rows_that_no_crawl_wrote_are_told_as_damage(tmp_path: Path, damage: str) -> None:
    crawl(tmp_path / "run", settings_for(budget=20), vectors=hashed_vectors()).close()
    with closing(sqlite3.connect(tmp_path / "run" / "crawl.sqlite")) as database, database:
        database.execute(damage)
    with pytest.raises(RunDamaged, match="restore it from a copy"):
        resume(tmp_path / "run", budget="+5", vectors=hashed_vectors())


def test_a_misspelt_argument_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="listners"):
        crawl(tmp_path / "run", settings_for(budget=5), listners=[])  # type: ignore[call-arg]


def test_crawling_inside_a_running_loop_names_the_twin_to_await(tmp_path: Path) -> None:
    async def in_a_notebook() -> None:
        crawl(tmp_path / "run", settings_for(budget=5))

    with pytest.raises(RuntimeError, match=r"await honeyguide\.crawl_async"):
        asyncio.run(in_a_notebook())
