"""A run refreshed in place: what its newest state is, what earlier passes were, and what a kill leaves."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

import honeyguide
from crawler.driving import script_settings
from deep_strategies import thorough
from honeyguide.cli.main import main
from honeyguide.crawler import crawl, refresh, resume
from honeyguide.errors import RunBusy, RunDamaged, SettingsError, StoreError
from honeyguide.model import Failed, FailureReason, Redirected, Unchanged, Url
from honeyguide.runs import PageChange, RunFolder, RunLock, diff, open_run
from scripted_world import ScriptedWorld, page_with
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.runs import Run
    from scripted_world import Script

SEED, A, B, C, D, E, NEW = (f"http://s.test/{path}" for path in ("", "a", "b", "c", "d", "e", "new"))
BEFORE: Script = {SEED: page_with(A, B, C), A: page_with(D), B: "about b", C: "about c", D: "about d"}
AFTER: Script = {
    SEED: Unchanged(),
    A: page_with(D, NEW),
    B: Failed(FailureReason.HTTP_STATUS, "410 Gone", 410),
    C: Redirected(301, Url.parse(E)),
    D: Failed(FailureReason.TIMEOUT, "late"),
    E: "about e",
    NEW: page_with("http://s.test/newer"),
    "http://s.test/newer": "newer",
}
GIVEN: dict[str, Any] = {"budget.fetches": 20}


def crawled(path: Path, script: Script = BEFORE, strategy: str = "best-first", **overrides: Any) -> Path:
    settings = script_settings(strategy, **({"budget__fetches": 20} | overrides))
    crawl(path, settings, world=ScriptedWorld(script), vectors=hashed_vectors()).close()
    return path


def refreshed(path: Path, script: Script = AFTER, overrides: dict[str, Any] | None = None, **options: Any) -> Run:
    given = GIVEN if overrides is None else overrides
    return refresh(path, given, world=ScriptedWorld(script), vectors=hashed_vectors(), **options)


def urls(run: Run) -> set[str]:
    return {page.url.text for page in run.pages()}


def tables(path: Path) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(path / "crawl.sqlite")) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        untold = {"stage_seconds", "learner"}
        return {name: database.execute(f"SELECT * FROM {name}").fetchall() for name in names if name not in untold}


def test_the_newest_state_has_what_changed_moved_and_is_new(tmp_path: Path) -> None:
    with refreshed(crawled(tmp_path / "run")) as run:
        assert urls(run) == {SEED, A, D, E, NEW, "http://s.test/newer"}
        assert NEW.encode() in run.body(Url.parse(A)) or b"/new" in run.body(Url.parse(A))
        assert run.progress.pages == 6
        assert run.progress.steps == run.passes()[-1].last_step == 5 + 8
        assert Counter(step.outcome for step in run.steps()) == {
            "fetched": 5 + 4, "unchanged": 1, "redirected": 1, "failed": 2,
        }  # fmt: skip
    assert not list((tmp_path / "run").glob("pass-*"))


def test_a_difference_of_passes_calls_no_unchanged_page_lost(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run")
    refreshed(run).close()
    found = diff(f"{run}@1", f"{run}@2")
    assert {page.url for page in found.lost} == {B, C}
    assert {page.url for page in found.gained} == {E, NEW, "http://s.test/newer"}
    assert found.common == 3
    assert {page.url for page in (*found.rewritten, *found.rejudged)} == {A}
    assert (found.before, found.after) == (f"{run}@1", str(run))


LOGIN = "http://s.test/login"


def test_a_session_that_has_expired_loses_no_page(tmp_path: Path) -> None:
    path = crawled(tmp_path / "run")
    away: Script = {**dict.fromkeys(BEFORE, Redirected(302, Url.parse(LOGIN))), LOGIN: "who are you?"}
    with open_run(path) as run:
        before = {page.url.text: page.relevance for page in run.pages()}
        edges = set(run.edges())
    with refreshed(path, away) as run:
        assert {each.url: each.finding for each in run.found_in_pass(2)} == {
            **dict.fromkeys(BEFORE, PageChange.FAILED), LOGIN: PageChange.NEW,
        }  # fmt: skip
        assert {page.url.text: page.relevance for page in run.pages() if page.url.text != LOGIN} == before
        assert set(run.edges()) == edges
    with refreshed(path, BEFORE) as run:
        findings = {each.url: each.finding for each in run.found_in_pass(3)}
        assert {url: findings[url] for url in BEFORE} == dict.fromkeys(BEFORE, PageChange.SAME)


def test_a_page_put_aside_is_looked_at_once_more(tmp_path: Path) -> None:
    path = crawled(tmp_path / "run")
    with refreshed(path) as run:
        assert not {B, C} & urls(run)
    with refreshed(path, {**AFTER, B: "about b"}) as run:
        assert B in urls(run)
        assert C not in urls(run)
        depths = {page.url.text: page.depth for page in run.pages()}
        assert depths[B] == 1
    with refreshed(path, BEFORE) as run:
        assert C not in {step.url.text for step in run.steps() if step.step >= run.passes()[-1].first_step}
    with open_run(f"{path}@2") as run:
        assert B not in urls(run)


def test_an_unchanged_web_changes_nothing(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run")
    with open_run(run) as before:
        pages = [(page.url, page.step, page.relevance) for page in before.pages()]
    with refreshed(run, BEFORE) as after:
        assert [(page.url, page.step, page.relevance) for page in after.pages()] == pages
        assert {step.outcome for step in after.steps() if step.step > 5} == {"unchanged"}
    found = diff(f"{run}@1", f"{run}@2")
    assert (found.gained, found.lost, found.rewritten, found.rejudged) == ((), (), (), ())


def test_looks_at_known_pages_are_no_part_of_the_outlook(tmp_path: Path) -> None:
    path = crawled(tmp_path / "run")
    with open_run(path) as run:
        before = run.last_fetches()
    with refreshed(path) as run:
        assert len(run.last_fetches()) == len(before) == 5


def test_old_versions_can_be_read(tmp_path: Path) -> None:
    path = crawled(tmp_path / "run")
    with open_run(path) as run:
        first = run.body(Url.parse(A))
    refreshed(path).close()
    with refreshed(path, {**AFTER, A: "third", D: "about d"}) as run:
        assert [version.step for version in run.versions(Url.parse(A))] == sorted(
            version.step for version in run.versions(Url.parse(A))
        )
        bodies = [run.body_of_version(version) for version in run.versions(Url.parse(A))]
        assert bodies[0] == first
        assert len(bodies) == 2
        assert b"third" in run.body(Url.parse(A))
    for number, expected in ((1, {SEED, A, B, C, D}), (2, {SEED, A, D, E, NEW, "http://s.test/newer"})):
        with open_run(f"{path}@{number}") as then:
            assert urls(then) == expected
            assert then.progress.pages == len(expected)
            assert then.body(Url.parse(A)) == bodies[number - 1]
            assert max(step.step for step in then.steps()) == then.progress.steps


def test_a_run_has_no_pass_that_was_not_made(tmp_path: Path) -> None:
    path = crawled(tmp_path / "run")
    with open_run(f"{path}@1") as run:
        assert len(urls(run)) == 5
    with pytest.raises(RunDamaged, match=r"has no pass 2: it has 1; name .*run@1$"):
        open_run(f"{path}@2")
    with pytest.raises(RunDamaged, match="has no pass 0"):
        open_run(f"{path}@0")


def test_new_links_get_their_share_and_no_more(tmp_path: Path) -> None:
    path = crawled(tmp_path / "run", budget__fetches=5)
    news = [f"http://s.test/n{number}" for number in range(30)]
    after: Script = {**BEFORE, A: page_with(D, *news), **dict.fromkeys(news, "news")}
    with refreshed(path, after, {"refresh.new_links": 0.5, "budget.fetches": 10}) as run:
        asked = [step.url.text for step in run.steps() if step.step > 5]
        assert len(asked) == 10
        assert len(set(asked) & set(news)) == 5
        waiting = run.progress.waiting
        assert waiting == 25
    with resume(path, budget="+3", world=ScriptedWorld(after), vectors=hashed_vectors()) as run:
        assert run.progress.steps == 18
        assert len(urls(run) & set(news)) == 8, "the others wait in the run"


def test_without_a_share_no_new_link_is_followed(tmp_path: Path) -> None:
    with refreshed(crawled(tmp_path / "run"), AFTER, {"refresh.new_links": 0.0}) as run:
        assert urls(run) == {SEED, A, D, E}


@pytest.mark.parametrize("strategy", ["online-ridge", *map(thorough, ("breadth-first", "best-first"))])
def test_a_refreshed_run_goes_on(tmp_path: Path, strategy: str) -> None:
    path = crawled(tmp_path / "run", strategy=strategy)
    refreshed(path).close()
    with resume(path, budget="+5", world=ScriptedWorld(AFTER), vectors=hashed_vectors()) as run:
        assert run.progress.stop_reason == "nothing left to crawl"
    with refreshed(path, {**AFTER, D: "about d again"}) as run:
        assert len(run.passes()) == 3
        assert {each.finding for each in run.found_in_pass(3)} <= set(PageChange) - {PageChange.NEW}
        assert [each.first_step for each in run.passes()][:2] == [1, 6]
        assert "about d again" in run.body(Url.parse(D)).decode()


def test_a_state_means_the_same_after_a_resume_and_another_pass(tmp_path: Path) -> None:
    path = crawled(tmp_path / "run", budget__fetches=5)
    news = [f"http://s.test/n{number}" for number in range(30)]
    after: Script = {**BEFORE, A: page_with(D, *news), **dict.fromkeys(news, "news")}
    refreshed(path, after, {"budget.fetches": 10}).close()
    with resume(path, budget="+8", world=ScriptedWorld(after), vectors=hashed_vectors()) as run:
        expected, progress, budget = urls(run), run.progress, run.fetch_budget
        looks, fetched = list(run.found_in_pass(2)), run.last_fetches()
    refreshed(path, after, {"budget.fetches": 30, "refresh.new_links": 0.0}).close()
    with open_run(f"{path}@2") as run:
        assert (urls(run), run.progress, run.fetch_budget) == (expected, progress, budget)
        assert [step.step for step in run.steps()][-1] == progress.steps
        assert list(run.found_in_pass(2)) == looks
        assert run.last_fetches() == fetched


def test_a_run_killed_before_its_budget_is_saved_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = crawled(tmp_path / "run", budget__fetches=5)
    with monkeypatch.context() as patched:
        patched.setattr("honeyguide.crawler.start.load_run_settings", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            refreshed(path)
    with resume(path, budget="+5", world=ScriptedWorld(AFTER), vectors=hashed_vectors()) as run:
        assert run.settings.budget.fetches == 5 + 8 + 5


def test_a_pass_that_is_interrupted_leaves_the_run_as_it_was_and_goes_on(tmp_path: Path) -> None:
    whole, cut = crawled(tmp_path / "whole"), crawled(tmp_path / "cut")
    refreshed(whole).close()
    before = tables(cut)
    steps = 0

    def after_three() -> bool:
        nonlocal steps
        steps += 1
        return steps > 3

    refreshed(cut, is_interrupted=after_three).close()
    assert tables(cut) == before
    assert (cut / "pass-2").is_dir()
    refreshed(cut).close()
    assert not (cut / "pass-2").exists()
    assert {name: len(rows) for name, rows in tables(cut).items()} == {
        name: len(rows) for name, rows in tables(whole).items()
    }
    with open_run(cut) as one, open_run(whole) as other:
        assert urls(one) == urls(other)


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        ("crawl", "on_page", '"strange.py:show"'),
        ("fetch", "cookie_file", '"/etc/passwd"'),
        ("fetch", "allow_private", '["10.0.0.0/8"]'),
    ],
)
def test_a_begun_pass_of_a_stranger_reaches_nothing_outside_of_it(
    tmp_path: Path, part: str, key: str, value: str
) -> None:
    path = crawled(tmp_path / "run")
    refreshed(path, is_interrupted=lambda: True).close()
    settings = path / "pass-2" / "settings.toml"
    kept = [line for line in settings.read_text().splitlines() if not line.startswith(f"{key} =")]
    settings.write_text("\n".join(kept).replace(f"[{part}]\n", f"[{part}]\n{key} = {value}\n"))
    with pytest.raises(SettingsError, match=f"pass-2.*{key}.*--trust"):
        refreshed(path)
    with open_run(path) as run:
        assert run.passes() == []


def test_a_kill_while_the_pass_is_taken_in_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    path = crawled(tmp_path / "run")
    before = tables(path)
    with monkeypatch.context() as patched:
        patched.setattr("honeyguide.runs.passes._Merge._save_progress", killed)
        with pytest.raises(Killed):
            refreshed(path)
    assert tables(path) == before
    with monkeypatch.context() as patched:
        patched.setattr(
            "honeyguide.runs.passes.shutil.rmtree", lambda path, **_: killed() if path.name == "pass-2" else None
        )
        with pytest.raises(Killed):
            refreshed(path)
    with open_run(path) as run:
        assert len(run.passes()) == 2
    with refreshed(path, {**AFTER, SEED: page_with(A), D: "about d"}) as run:
        assert [each.number for each in run.passes()] == [1, 2, 3]
        assert run.settings.budget.fetches == run.passes()[-1].budget >= run.progress.fetches


def test_search_export_and_replay_take_the_newest_state(tmp_path: Path) -> None:
    path = crawled(tmp_path / "run")
    with honeyguide.Searcher(path) as searcher:
        assert {hit.url for hit in searcher.search("about").hits} >= {B, C}
    refreshed(path).close()
    with honeyguide.Searcher(path) as searcher:
        assert {hit.url for hit in searcher.search("about").hits} == {D, E}
    with pytest.raises(StoreError, match="only the newest state"):
        honeyguide.Searcher(f"{path}@1")
    honeyguide.export(path, tmp_path / "pages.csv", "csv", text=False)
    listed = (tmp_path / "pages.csv").read_text()
    assert NEW in listed
    assert f"\n{B}," not in listed
    honeyguide.export(path, tmp_path / "all.warc.gz", "warc")
    honeyguide.write_report(path, tmp_path / "report.html")
    assert honeyguide.stats(path).pages == 6
    settings = script_settings(crawl__world=f"replay:{path}", budget__fetches=20)
    with crawl(tmp_path / "again", settings, vectors=hashed_vectors()) as run:
        assert urls(run) >= {SEED, A, NEW}


def test_the_report_of_an_earlier_state_leaves_that_of_the_newest(tmp_path: Path) -> None:
    path = crawled(tmp_path / "run")
    refreshed(path).close()
    newest = honeyguide.write_report(path)
    before = newest.read_bytes()
    assert honeyguide.write_report(f"{path}@1") == path / "report@1.html"
    assert newest.read_bytes() == before


@pytest.mark.parametrize("words", ["resume", "refresh", "learner", "repair", "schedule", "ask"])
def test_commands_for_the_newest_state_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str) -> None:
    path = crawled(tmp_path / "run")
    new = [str(tmp_path / "new")] if words == "repair" else []
    assert main([words, f"{path}@1", *new]) == 2
    assert f"only the newest state of a run can be used here; name {path}" in " ".join(capsys.readouterr().err.split())


def test_how_often_pages_of_an_offline_run_change_is_not_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["crawl", str(tmp_path / "run"), "--topic", "rock", "--world", "synthetic", "--budget", "5"])
    capsys.readouterr()
    assert main(["schedule", str(tmp_path / "run")]) == 0
    assert "is not known" in capsys.readouterr().out


def test_a_timer_has_a_name_and_a_path_that_systemd_can_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "beside").mkdir()
    crawled(tmp_path / "50% $a é")
    assert main(["schedule", str(tmp_path / "beside" / ".." / "50% $a é"), "--systemd", "--every", "day"]) == 0
    told = capsys.readouterr().out
    assert f'"refresh" "{tmp_path}/50%% $$a é"\n' in told
    assert "user/honeyguide-50---a--.timer" in told
    assert "Description=Refresh 50%% $a é\n" in told


def test_pages_that_change_all_the_time_change_every_hour_or_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = crawled(tmp_path / "run")
    monkeypatch.setattr(honeyguide.crawler, "days_between_changes", lambda _: 0.001)
    assert main(["schedule", str(path)]) == 0
    assert "changes every hour or two" in capsys.readouterr().out


def test_archived_bodies_of_both_passes_are_there(tmp_path: Path) -> None:
    path = crawled(tmp_path / "run", store__archive="warc")
    with open_run(path) as run:
        first = run.body(Url.parse(A))
    with refreshed(path) as run:
        (version,) = run.versions(Url.parse(A))
        assert run.body_of_version(version) == first
        assert b"new" in run.body(Url.parse(A))
        assert run.body(Url.parse(NEW))
    with resume(path, budget="+5", world=ScriptedWorld(AFTER), vectors=hashed_vectors()) as run:
        assert b"new" in run.body(Url.parse(A))


def test_a_page_that_is_reserved_now_is_kept_in_no_version(tmp_path: Path) -> None:
    path = crawled(tmp_path / "run", {**BEFORE, B: "secret words"})
    noindex = '<html><head><meta name="robots" content="noindex"></head><body>secret words</body></html>'
    with refreshed(path, {**BEFORE, B: noindex}) as run:
        assert B not in urls(run)
        assert run.versions(Url.parse(B)) == []
        told = {each.url: (each.finding, each.detail) for each in run.found_in_pass(2)}
        assert told[B] == (PageChange.CHANGED, "reserved by its publisher"), "not a new page"
    with open_run(f"{path}@1") as run:
        assert B not in urls(run)


def test_bad_input_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    empty = crawled(tmp_path / "empty", {SEED: Failed(FailureReason.TIMEOUT, "late")})
    with pytest.raises(StoreError, match="no pages to look at again"):
        refreshed(empty)
    path = crawled(tmp_path / "run")
    with RunLock(RunFolder.open(path)), pytest.raises(RunBusy):
        refreshed(path)
    with closing(sqlite3.connect(path / "crawl.sqlite")) as database:
        database.execute("INSERT INTO journal (kind, link, row, facts) VALUES ('fetch', 0, x'', x'')")
        database.commit()
    with pytest.raises(StoreError, match="honeyguide resume"):
        refreshed(path)
    assert not (path / "pass-2").exists()
