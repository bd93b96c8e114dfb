"""The demo's crawls: same conditions for every strategy, graded by the web's own truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deep_strategies import runnable_strategies
from honeyguide.errors import HoneyguideError
from honeyguide.runs import open_run
from honeyguide_lab.demo import Contest, crawl_side_by_side, crawl_with_each

if TYPE_CHECKING:
    from pathlib import Path

CONTEST = Contest("geology", budget=100, spec="seed=1,pages=1500,hosts=16", over_http=False)


@pytest.mark.parametrize(
    "strategies", [("random", "online-ridge"), pytest.param(runnable_strategies(), marks=pytest.mark.thorough)]
)
def test_every_strategy_gets_the_same_and_is_graded_by_the_web(tmp_path: Path, strategies: tuple[str, ...]) -> None:
    graded = {each.strategy: each for each in crawl_with_each(CONTEST, strategies, tmp_path)}
    assert set(graded) == set(strategies)
    web = CONTEST.web()
    for each in graded.values():
        with open_run(each.run) as run:
            on_topic = sum(web.topic_of(page.url) == "geology" for page in run.pages())
            assert run.settings.crawl.strategy == each.strategy
        assert each.grade.relevant == on_topic
        # The policy of parse-or-skip is to skip everything but the seeds.
        assert each.grade.fetches == CONTEST.budget or each.strategy == "parse-or-skip"
        assert len(each.grade.curve) == CONTEST.budget + 1
        assert each.document(None)["share_found"] == pytest.approx(on_topic / web.on_topic_pages("geology"), abs=1e-6)
    assert graded["online-ridge"].grade.relevant > graded["random"].grade.relevant


@pytest.mark.thorough
def test_crawls_side_by_side_find_what_they_find_one_after_the_other(tmp_path: Path) -> None:
    strategies = ("random", "online-ridge")
    seen: list[dict[str, int]] = []
    beside = crawl_side_by_side(
        CONTEST,
        strategies,
        tmp_path / "beside",
        on_curves=lambda curves: seen.append({name: len(curve) for name, curve in curves.items()}),
    )
    after = list(crawl_with_each(CONTEST, strategies, tmp_path / "after"))
    assert [(each.strategy, each.grade, each.seconds) for each in beside] == [
        (each.strategy, each.grade, each.seconds) for each in after
    ]
    assert seen, "somebody who watches sees curves"


def test_an_interrupted_demo_ends_with_the_run_it_was_at(tmp_path: Path) -> None:
    answers = iter([False, False] + [True] * 10_000)
    crawls = crawl_with_each(CONTEST, ("random", "best-first"), tmp_path, is_interrupted=lambda: next(answers))
    assert [(each.strategy, each.grade.stop_reason) for each in crawls] == [("random", "interrupted")]


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
        list(crawl_with_each(contest, ("best-first", strategy), tmp_path))
    assert list(tmp_path.iterdir()) == []
