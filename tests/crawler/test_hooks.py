"""Hooks: what they may change, what they cost when they break, and that a resumed crawl does not ask them again."""

from __future__ import annotations

import logging
import os
import random
from typing import TYPE_CHECKING, Any

import pytest

from crawler.small_crawls import crawl_in_pieces, settings_for, story
from deep_strategies import thorough
from honeyguide.crawler import crawl, refresh, resume
from honeyguide.crawler.hooks import HookedPage, load_hook
from honeyguide.errors import HookError, SettingsError
from honeyguide.runs import open_run
from honeyguide.settings import to_toml, with_overrides
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from honeyguide.runs import Run
    from honeyguide.settings import Settings

pytestmark = pytest.mark.skipif(os.name != "posix", reason="hooks need POSIX")


def written(folder: Path, source: str, name: str = "hook.py") -> str:
    """Return the name of a hook whose file holds this."""
    (folder / name).write_text(source, encoding="utf-8")
    return f"{folder / name}:on_page"


def crawled(
    path: Path, on_page: Callable[[HookedPage], None] | str, *, budget: int = 25, **settings: Any
) -> list[tuple[str, str]]:
    """Crawl a little, and return outcome and detail of each fetch."""
    wanted = settings_for(budget=budget, **settings)
    if isinstance(on_page, str):
        wanted = with_overrides(wanted, {"crawl.on_page": on_page})
        crawl(path, wanted, vectors=hashed_vectors()).close()
    else:
        crawl(path, wanted, vectors=hashed_vectors(), on_page=on_page).close()
    with open_run(path) as run:
        return [(step.outcome, step.detail) for step in run.steps()]


def test_a_hook_adds_fields_and_sees_the_page(tmp_path: Path) -> None:
    def on_page(page: HookedPage) -> None:
        page.fields["length"] = len(page.html)
        page.fields["words"] = [page.title, page.media_type]
        page.fields["size"] = len(page.body) if page.status == 200 and page.text else None

    crawled(tmp_path / "run", on_page)
    with open_run(tmp_path / "run") as run:
        (page,) = run.pages(limit=1)
        fields = run.fields_of(page.step)
        assert fields["words"] == (page.title, "text/html")
        assert fields["size"] == page.body_bytes


def test_links_that_a_hook_takes_away_are_never_met(tmp_path: Path) -> None:
    def on_page(page: HookedPage) -> None:
        page.links = [link for link in page.links if link.target.host == link.parent.host]

    crawled(tmp_path / "free", lambda _: None)
    crawled(tmp_path / "held", on_page)
    with open_run(tmp_path / "free") as free, open_run(tmp_path / "held") as held:
        assert any(source.host != target.host for source, target in free.edges())
        assert all(source.host == target.host for source, target in held.edges())


def test_a_label_counts_like_an_answer(tmp_path: Path) -> None:
    def on_page(page: HookedPage) -> None:
        page.label = sum(page.url.encode()) % 2 == 0

    crawled(tmp_path / "run", on_page)
    with open_run(tmp_path / "run") as run:
        answers = {each.url: each for each in run.answers()}
        assert {each.by for each in answers.values()} == {"hook"}
        assert all(each.link is not None for each in answers.values()), "the judge has learned from all of them"
        for page in run.pages():
            assert page.is_relevant == (sum(page.url.text.encode()) % 2 == 0)
            assert answers[page.url].answer == ("yes" if page.is_relevant else "no")
        assert run.progress.relevant == sum(page.is_relevant for page in run.pages())


def test_with_a_judge_that_does_not_learn_a_label_still_decides_its_page(tmp_path: Path) -> None:
    def on_page(page: HookedPage) -> None:
        page.label = len(page.url) % 3 == 0

    crawled(tmp_path / "run", on_page, judge__kind="keyword", judge__relevant_when="threshold")
    with open_run(tmp_path / "run") as run:
        assert all(page.is_relevant == (len(page.url.text) % 3 == 0) for page in run.pages())


@pytest.mark.thorough
@pytest.mark.parametrize("at_once", [pytest.param(1, marks=pytest.mark.thorough), 4])
def test_a_crawl_in_pieces_is_the_one_that_was_never_stopped(tmp_path: Path, at_once: int) -> None:
    """Fields, vetoes and labels together; `crawl_in_pieces` resumes by the name of the hook."""
    source = """
def on_page(page):
    page.fields["length"] = len(page.text)
    page.links = [link for link in page.links if sum(link.target.text.encode()) % 5]
    if sum(page.url.encode()) % 4 == 0:
        page.label = sum(page.url.encode()) % 8 == 0
"""
    settings = with_overrides(
        settings_for(budget=60, concurrency=at_once), {"crawl.on_page": written(tmp_path, source)}
    )
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    assert crawl_in_pieces(tmp_path / "pieces", settings, random.Random(3), most_turns=60) > 1
    assert story(tmp_path / "whole") == story(tmp_path / "pieces")
    with open_run(tmp_path / "whole") as whole, open_run(tmp_path / "pieces") as pieces:
        told = [[(each.url, each.answer, each.step) for each in run.answers()] for run in (whole, pieces)]
        assert told[0] == told[1] != []
        steps = [step.step for step in whole.steps()]
        assert [whole.fields_of(step) for step in steps] == [pieces.fields_of(step) for step in steps]


def test_what_a_hook_said_is_kept_and_not_asked_again(tmp_path: Path) -> None:
    log = tmp_path / "asked"

    def on_page(page: HookedPage) -> None:
        with log.open("a", encoding="utf-8") as out:
            out.write(f"{page.url}\n")
        page.label = True

    crawled(tmp_path / "run", on_page)
    asked = log.read_text(encoding="utf-8").splitlines()
    assert len(asked) == len(set(asked))
    resume(tmp_path / "run", budget="+5", vectors=hashed_vectors(), on_page=on_page).close()
    again = log.read_text(encoding="utf-8").splitlines()[len(asked) :]
    assert 0 < len(again) <= 5
    assert not set(again) & set(asked)


@pytest.mark.parametrize("go_on", [resume, refresh])
def test_a_python_hook_that_is_not_given_again_is_missed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, go_on: Callable[..., Run]
) -> None:
    crawled(tmp_path / "with", lambda _: None, budget=3)
    crawl(tmp_path / "without", settings_for(budget=3), vectors=hashed_vectors()).close()
    more = {"budget.fetches": 5} if go_on is resume else {}
    with caplog.at_level(logging.WARNING):
        go_on(tmp_path / "without", more, vectors=hashed_vectors()).close()
        go_on(tmp_path / "with", more, vectors=hashed_vectors(), on_page=lambda _: None).close()
        assert "on_page" not in caplog.text
        go_on(tmp_path / "with", {}, vectors=hashed_vectors()).close()
    assert caplog.text.count("was crawled with a Python function as on_page") == 1


BROKEN = """
import sys, time
def on_page(page):
    if sum(page.url.encode()) % 6 == 1:
        {does}
    page.fields["seen"] = 1
"""


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("{}['price']", "on_page: hook.py:5: KeyError: 'price'"),
        thorough("sys.exit(3)", "on_page: hook.py:5: SystemExit: 3"),
        ("return page", "on_page: TypeError: it returned a HookedPage; change page.fields, page.links or page.label"),
        thorough("page.label = 'yes'", "on_page: TypeError: page.label is 'yes': make it True, False or None"),
        thorough("page.fields['a b'] = 1", "on_page: ValueError: page.fields has the name 'a b'"),
        ("page.fields['a'] = {}", "on_page: TypeError: page.fields['a'] holds a dict"),
        thorough("page.fields['a'] = float('nan')", "on_page: ValueError: page.fields['a'] is nan"),
        thorough(
            "page.fields['a'] = 10**5000", "on_page: ValueError: page.fields['a'] is a whole number of over 64 bits"
        ),
        thorough(
            "page.fields['a'] = [1, -2**63]", "on_page: ValueError: page.fields['a'] is a whole number of over 64 bits"
        ),
        thorough("raise OSError('half \\ud800')", "on_page: hook.py:5: OSError: half ?"),
    ],
)
def test_a_hook_that_breaks_on_a_page_costs_that_page(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, does: str, told: str
) -> None:
    with caplog.at_level(logging.WARNING):
        steps = crawled(tmp_path / "run", written(tmp_path, BROKEN.format(does=does)))
    details = {detail for outcome, detail in steps if outcome == "failed" and "on_page" in detail}
    assert len(details) == 1
    assert told in next(iter(details))
    assert any("is lost: on_page: " in record.getMessage() for record in caplog.records)
    assert sum(outcome == "fetched" for outcome, _ in steps) > 10
    with open_run(tmp_path / "run") as run:
        assert all(run.fields_of(page.step) == {"seen": 1} for page in run.pages())


def test_values_are_kept_as_plain_texts_and_numbers_of_limited_length(tmp_path: Path) -> None:
    source = """
class Text(str):
    def __reduce__(self):
        raise TypeError("it does not travel")
class Whole(int): pass
class Real(float): pass
def on_page(page):
    page.fields[Text("text")] = Text("a\\ud800" * 10_000)
    page.fields["numbers"] = [Whole(2**63 - 1), Real(0.5), Text("b")]
"""
    crawled(tmp_path / "run", written(tmp_path, source), budget=3)
    with open_run(tmp_path / "run") as run:
        (page,) = run.pages(limit=1)
        assert run.fields_of(page.step) == {"text": "a?" * 5_000, "numbers": (2**63 - 1, 0.5, "b")}


HANGING = """
import signal, time
seen = []
def on_page(page):
    seen.append(page.url)
    while len(seen) == 4:
        try:
            {does}
        except BaseException:
            pass
"""


@pytest.mark.parametrize(
    "does",
    [
        "time.sleep(600)",
        thorough("[None for _ in iter(int, 1)]"),
        thorough("signal.signal(signal.SIGALRM, signal.SIG_IGN); time.sleep(600)"),
    ],
)
def test_a_hook_that_hangs_is_cut_off_and_costs_that_page(tmp_path: Path, does: str) -> None:
    """The fourth page in each process; one that takes its place counts anew."""
    hook = written(tmp_path, HANGING.format(does=does))
    steps = crawled(tmp_path / "run", hook, budget=7, crawl__on_page_timeout_s=0.2)
    lost = [detail for _, detail in steps if detail.endswith("on_page took over 0.2 s, and was cut off")]
    assert len(lost) == 1
    assert sum(outcome == "fetched" for outcome, _ in steps) >= 4


def test_a_hook_that_breaks_on_every_page_ends_the_crawl_which_can_go_on(tmp_path: Path) -> None:
    raises = "if len(seen) > 3:\n        raise OSError('no disk')"
    name = written(tmp_path, f"seen = []\ndef on_page(page):\n    seen.append(page.url)\n    {raises}\n")
    with pytest.raises(HookError, match=r"OSError: no disk, at last on http.*: 20 pages in a row were lost"):
        crawled(tmp_path / "run", name, budget=60)
    written(tmp_path, "def on_page(page):\n    pass\n")
    with resume(tmp_path / "run", vectors=hashed_vectors()) as run:
        assert run.progress.pages > 0


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("on_page", "write it as module:function or FILE.py:function"),
        ("nowhere.py:on_page", "it cannot be loaded: FileNotFoundError"),
        ("no_such_module:on_page", "it cannot be loaded: ModuleNotFoundError"),
        ("os:no_such_function", "it cannot be loaded: AttributeError"),
        ("os:sep", "sep is no function"),
    ],
)
def test_a_hook_that_cannot_be_loaded_is_told_before_the_crawl(tmp_path: Path, name: str, told: str) -> None:
    with pytest.raises(SettingsError) as refused:
        crawled(tmp_path / "run", name)
    (mistake,) = refused.value.mistakes
    assert mistake.startswith(f"crawl.on_page is {name!r}: ")
    assert told in mistake
    assert not (tmp_path / "run").exists()


def test_a_function_that_cannot_travel_is_refused(tmp_path: Path) -> None:
    with (
        (tmp_path / "log").open("w", encoding="utf-8") as out,
        pytest.raises(SettingsError, match="open what it needs"),
    ):
        crawled(tmp_path / "run", lambda page: print(page.url, file=out))


@pytest.mark.thorough
def test_a_run_of_someone_else_runs_no_hook_of_its_own(tmp_path: Path) -> None:
    """Not even one that lies inside the run."""
    crawled(tmp_path / "run", lambda _: None)
    settings = tmp_path / "run" / "settings.toml"
    written(tmp_path / "run", "def on_page(page):\n    pass\n")
    with open_run(tmp_path / "run") as run:
        theirs: Settings = with_overrides(run.settings, {"crawl.on_page": f"{tmp_path / 'run'}/hook.py:on_page"})
    settings.write_text(to_toml(theirs), encoding="utf-8")
    with pytest.raises(SettingsError, match=r"crawl\.on_page"):
        resume(tmp_path / "run", budget="+5", vectors=hashed_vectors())
    resume(tmp_path / "run", budget="+5", vectors=hashed_vectors(), trust=True).close()


def test_a_module_may_hold_the_function() -> None:
    assert load_hook("time:sleep").__name__ == "sleep"
