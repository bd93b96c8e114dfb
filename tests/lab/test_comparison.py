"""Strategies compared: same conditions, graded by the web's own truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deep_strategies import runnable_strategies
from honeyguide.errors import HoneyguideError
from honeyguide.runs import open_run
from honeyguide_lab import Contest, compare

if TYPE_CHECKING:
    from pathlib import Path

CONTEST = Contest("geology", budget=300, spec="seed=1,pages=3000,hosts=24", over_http=False)


def test_every_strategy_gets_the_same_and_is_graded_by_the_web(tmp_path: Path) -> None:
    graded = {each.strategy: each for each in compare(CONTEST, runnable_strategies(), tmp_path)}
    assert set(graded) == set(runnable_strategies())
    web = CONTEST.web()
    for each in graded.values():
        with open_run(each.run) as run:
            on_topic = sum(web.topic_of(page.url) == "geology" for page in run.pages())
            assert run.settings.crawl.strategy == each.strategy
        assert each.on_topic == on_topic
        # The policy of parse-or-skip is to skip everything but the seeds.
        assert each.fetches == CONTEST.budget or each.strategy == "parse-or-skip"
        assert len(each.curve) == CONTEST.budget + 1
    assert graded["online-ridge"].on_topic > graded["random"].on_topic


def test_an_interrupted_comparison_ends_with_the_run_it_was_at(tmp_path: Path) -> None:
    answers = iter([False, False] + [True] * 10_000)
    graded = list(compare(CONTEST, ("random", "best-first"), tmp_path, is_interrupted=lambda: next(answers)))
    assert [each.strategy for each in graded] == ["random"]
    assert graded[0].stop_reason == "interrupted"


@pytest.mark.parametrize(
    ("contest", "strategy"),
    [
        (Contest("alchemy", budget=10), "random"),
        (Contest("geology", budget=0), "random"),
        (Contest("geology", budget=10, spec="pages=1"), "random"),
        (Contest("geology", budget=10), "wander"),
    ],
)
def test_a_mistake_is_raised_before_the_first_crawl(tmp_path: Path, contest: Contest, strategy: str) -> None:
    with pytest.raises(HoneyguideError):
        list(compare(contest, ("best-first", strategy), tmp_path))
    assert list(tmp_path.iterdir()) == []
