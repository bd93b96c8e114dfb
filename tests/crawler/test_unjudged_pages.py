"""A page on which the judge breaks: one failed page, wherever it is judged. A judge that always does ends the crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.driving import script_settings
from crawler.small_crawls import contents, settings_for, story
from honeyguide.crawler import crawl, resume
from honeyguide.errors import JudgeError
from honeyguide.judge import TfidfJudge
from honeyguide.runs import open_run
from honeyguide.text import WordVectors
from scripted_world import ScriptedWorld, page_with
from vectors_by_hash import HashedVectors, hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from honeyguide.crawler import Event
    from honeyguide.model import Page

POISON = "poison"
TEXT = f"<p>rock {POISON} {' '.join(f'stone{number}' for number in range(20))}"
SCRIPT = {
    "http://s.test/": page_with("/a", "/b", "/c", "/d", "/e"),
    "http://s.test/a": TEXT,
    "http://s.test/b": f"<meta http-equiv=refresh content='0;url=/e'><p>{POISON}",
    "http://s.test/c": f"<link rel=canonical href=/a>{TEXT}",
    "http://s.test/d": "<p>mineral",
    "http://s.test/e": "<p>rock",
}


class BreakingVectors(HashedVectors):
    """Raises over a certain word, in any process."""

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        if POISON in words:
            raise ZeroDivisionError("no vector\nfor this")
        return super().vectors(words)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_page_on_which_the_judge_breaks_is_a_failed_page_with_and_without_workers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, workers: int
) -> None:
    settings = script_settings(crawl__workers=workers, judge__kind="embedding")
    crawl(tmp_path / "run", settings, world=ScriptedWorld(SCRIPT), vectors=WordVectors(BreakingVectors())).close()
    with open_run(tmp_path / "run") as run:
        # What is not judged cannot fail by it: /b leads elsewhere. /c says that it is /a, but of that no page was made.
        assert [(step.url.path, step.outcome) for step in run.steps()] == [
            ("/", "fetched"), ("/a", "failed"), ("/b", "redirected"), ("/e", "fetched"), ("/c", "failed"),
            ("/d", "fetched"),
        ]  # fmt: skip
        assert [step.detail for step in run.steps()][1] == "unjudged: ZeroDivisionError: no vector for this"
        assert run.progress.pages == 3
        assert run.progress.unjudged_in_a_row == 0
    assert workers or "http://s.test/a could not be judged" in caplog.text


@pytest.mark.parametrize("workers", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_a_judge_that_breaks_on_twenty_pages_in_a_row_ends_the_crawl_until_it_is_mended(
    tmp_path: Path, workers: int
) -> None:
    seeds = [f"http://h{number}.test/" for number in range(25)]
    world = ScriptedWorld(dict.fromkeys(seeds, f"<p>{POISON}"))
    settings = script_settings(crawl__workers=workers, crawl__seed_urls=seeds, judge__kind="embedding")
    expected = (
        r"^judge\.kind is 'embedding': it broke on 20 pages in a row, at last on http://h19\.test/ \(ZeroDivision"
    )
    with pytest.raises(JudgeError, match=expected):
        crawl(tmp_path / "run", settings, world=world, vectors=WordVectors(BreakingVectors()))
    with pytest.raises(JudgeError, match=expected):
        resume(tmp_path / "run", world=world, vectors=WordVectors(BreakingVectors()))
    with resume(tmp_path / "run", world=world, vectors=hashed_vectors()) as run:
        assert [step.outcome for step in run.steps()] == ["failed"] * 19 + ["fetched"] * 6


def test_pages_that_are_judged_in_between_let_a_crawl_go_on(tmp_path: Path) -> None:
    seeds = [f"http://h{number}.test/" for number in range(45)]
    poisoned = set(seeds) - {seeds[10], seeds[30]}
    world = ScriptedWorld({seed: f"<p>{POISON}" if seed in poisoned else "<p>rock" for seed in seeds})
    settings = script_settings(crawl__seed_urls=seeds, judge__kind="embedding")
    with crawl(tmp_path / "run", settings, world=world, vectors=WordVectors(BreakingVectors())) as run:
        assert [step.outcome for step in run.steps()].count("failed") == 43
        assert run.progress.unjudged_in_a_row == 14


@pytest.mark.parametrize("concurrency", [1, 6])
def test_what_a_judge_had_noted_of_a_page_before_it_broke_survives_a_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, concurrency: int
) -> None:
    measure = TfidfJudge.relevance

    def relevance(judge: TfidfJudge, page: Page) -> float:
        if len(page.main_words) % 3 == 0:
            raise ArithmeticError(f"{len(page.main_words)} words")
        return measure(judge, page)

    monkeypatch.setattr(TfidfJudge, "relevance", relevance)
    settings = settings_for(
        "best-first", budget=60, concurrency=concurrency, judge__kind="tfidf", judge__idf="seen", crawl__workers=0
    )
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    assert 5 < [outcome for _, outcome, *_ in story(tmp_path / "whole")].count("failed") < 50
    for turn in range(100):
        crash_after = iter(range(11))

        def crash(_event: Event) -> None:
            if next(crash_after, None) is None:  # noqa: B023 - used within this turn
                raise SystemError("the process is gone")

        try:
            if turn == 0:
                crawl(tmp_path / "broken", settings, vectors=hashed_vectors(), listeners=[crash]).close()
            else:
                resume(tmp_path / "broken", vectors=hashed_vectors(), listeners=[crash]).close()
            break
        except SystemError:
            continue
    assert turn > 4
    assert story(tmp_path / "broken") == story(tmp_path / "whole")
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")
