"""What strategies have learned: kept by a run, read from it or from a file, and carried to the next crawl."""

from __future__ import annotations

import logging
import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from crawler.small_crawls import contents, crawl_in_pieces, settings_for, story
from deep_strategies import HAS_TORCH
from honeyguide.crawler import Builder, crawl, learned_weights, refresh, resume
from honeyguide.errors import SettingsError, StrategyError
from honeyguide.learn import STARTS, LearnedWeights
from honeyguide.learn.learned import MEANINGS
from honeyguide.learn.online_ridge import from_means
from honeyguide.runs import PageAnswer, open_run
from honeyguide.settings import load_settings
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.learn import Strategy

CATEGORIES = ["earth", "science"]
WIDTH = 8 + 2 * 2 + 6 + 2 * 2
DEEP = [
    pytest.param(each, marks=pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed"))
    for each in ("dqn", "dqn-fixed")
]


def crawled(run: Path, strategy: str = "lfa-sync", budget: int = 30, **overrides: object) -> Path:
    overrides = {"topic__categories": CATEGORIES, "judge__reward": "han2018", **overrides}
    crawl(run, settings_for(strategy, budget=budget, **overrides), vectors=hashed_vectors()).close()  # type: ignore[arg-type]
    return run


def numbered_world(strategy: str, folder: Path) -> dict[str, Any]:
    """Return the setting of a world that numbers its pages, where a strategy needs one to begin with another."""
    if strategy != "dqn-fixed":
        return {}
    return {"crawl__world": f"replay:{crawled(folder / 'web', 'breadth-first', budget=80)}"}


def first_scores(run: Path) -> list[float]:
    with open_run(run) as opened:
        return [step.score for step in opened.steps()]


def begun(*earlier: Path, **overrides: object) -> Strategy:
    """Make an online-ridge that begins with what earlier runs have learned."""
    settings = settings_for("online-ridge", crawl__learn_from=[str(each) for each in earlier], **overrides)  # type: ignore[arg-type]
    return Builder(settings, hashed_vectors()).strategy()


def weights_of(strategy: Strategy) -> NDArray[np.float64]:
    assert strategy.weights is not None
    return strategy.weights


def saved(run: Path, file: Path, **changes: object) -> Path:
    """Write what a run has learned, with some of it changed."""
    file.write_bytes(replace(learned_weights(run), **changes).save())  # type: ignore[arg-type]
    return file


def refused(run: Path, *learn_from: Path, strategy: str = "lfa-sync", **overrides: object) -> str:
    """Return why a crawl is refused, in one line; nothing is written."""
    with pytest.raises(SettingsError, match=r"^crawl\.learn_from: ") as caught:
        crawled(run, strategy, 30, crawl__learn_from=[str(each) for each in learn_from], **overrides)
    assert "\n" not in str(caught.value)
    assert not run.exists()
    return str(caught.value)


class TestReading:
    @pytest.mark.parametrize("strategy", ["lfa-sync", "lfa-async", "lfa-moderated"])
    def test_a_run_tells_what_was_learned_in_it_column_by_column(self, tmp_path: Path, strategy: str) -> None:
        learned = learned_weights(crawled(tmp_path / "run", strategy))
        assert (learned.strategy, learned.kind, learned.step) == (strategy, "linear SARSA with features han", 30)
        assert learned.weights.shape == (len(learned.columns),) == (WIDTH,)
        assert learned.columns[0] == "page: topic in five"
        assert learned.columns[2] == "page: category earth in five"
        assert learned.columns[11:13] == ("page: distance", "link: topic in five")
        assert learned.weights.any()

    def test_the_sums_of_a_regression_are_those_of_its_pages(self, tmp_path: Path) -> None:
        run = crawled(tmp_path / "run", "online-ridge", budget=60)
        learned = learned_weights(run)
        with open_run(run) as opened:
            steps = [each for each in opened.steps() if each.outcome == "fetched"]
            rows = np.array([opened.kept_choice(each.step).row for each in steps], dtype=np.float64)  # type: ignore[union-attr]
            rewards = np.array([each.reward for each in steps], dtype=np.float64)
        assert learned.numbers["rows"] == pytest.approx(rows.T @ rows, abs=1e-6)
        assert learned.numbers["rewards"] == pytest.approx(rows.T @ rewards, abs=1e-6)

    @pytest.mark.parametrize("strategy", ["lfa-sync", "online-ridge", *DEEP])
    def test_a_file_holds_what_the_run_does(self, tmp_path: Path, strategy: str) -> None:
        of_run = learned_weights(crawled(tmp_path / "run", strategy))
        of_file = LearnedWeights.load(saved(tmp_path / "run", tmp_path / "file.npz"))
        assert (of_file.strategy, of_file.kind, of_file.columns, of_file.step) == (
            of_run.strategy, of_run.kind, of_run.columns, of_run.step
        )  # fmt: skip
        assert of_file.numbers.keys() == of_run.numbers.keys()
        assert all(np.array_equal(of_file.numbers[name], of_run.numbers[name]) for name in of_run.numbers)

    def test_a_run_of_a_strategy_without_weights_is_refused(self, tmp_path: Path) -> None:
        first = crawled(tmp_path / "first", "breadth-first")
        with pytest.raises(StrategyError, match="was crawled by breadth-first, which hands nothing on"):
            learned_weights(first)
        assert "breadth-first, which hands nothing on" in refused(tmp_path / "run", first)


class TestBeginning:
    def test_a_crawl_begins_with_the_weights_of_another_run(self, tmp_path: Path) -> None:
        first = crawled(tmp_path / "first")
        second = crawled(
            tmp_path / "second", "lfa-async", budget=3, crawl__learn_from=[str(first)], lfa__step_size=1e-12
        )
        assert learned_weights(second).weights == pytest.approx(learned_weights(first).weights, rel=1e-6)
        assert first_scores(first)[1] == 0.0, "nothing is known at first"
        assert first_scores(second)[1] != 0.0

    @pytest.mark.thorough
    @pytest.mark.parametrize("strategy", ["lfa-sync", "online-ridge", *DEEP])
    def test_a_file_counts_as_its_run(self, tmp_path: Path, strategy: str) -> None:
        world = numbered_world(strategy, tmp_path)
        first = crawled(tmp_path / "first", strategy, budget=60, **world)
        file = saved(first, tmp_path / "learned.npz")
        of_run = crawled(tmp_path / "of-run", strategy, crawl__learn_from=[str(first)], **world)
        of_file = crawled(tmp_path / "of-file", strategy, crawl__learn_from=[str(file)], **world)
        assert story(of_run) == story(of_file)
        assert first_scores(of_run) != first_scores(first)[:30]

    @pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed")
    def test_outputs_of_pages_are_not_carried_where_pages_are_numbered_as_they_are_met(self, tmp_path: Path) -> None:
        first = crawled(tmp_path / "first", "dqn-fixed")
        assert "numbers its pages as they are met" in refused(tmp_path / "run", first, strategy="dqn-fixed")

    def test_sums_that_no_crawl_can_have_are_refused(self, tmp_path: Path) -> None:
        first = crawled(tmp_path / "first", "online-ridge")
        learned = learned_weights(first)
        rows, rewards = learned.numbers["rows"], learned.numbers["rewards"]
        lopsided, negative, tiny = rows.copy(), rows.copy(), rows.copy()
        lopsided[1, 2] += 1000.0
        negative[1, 1] = -1000.0
        tiny[0, 0] = 1e-300
        for changed in (lopsided, negative, tiny, rows * 0.0):
            file = saved(first, tmp_path / "file.npz", numbers={**learned.numbers, "rows": changed})
            assert f"{file} has " in refused(tmp_path / "run", file, strategy="online-ridge")
        for absurd in (rewards * 1e12, rewards + 1e300):
            file = saved(first, tmp_path / "file.npz", numbers={**learned.numbers, "rewards": absurd})
            assert "sums that no crawl can have" in refused(tmp_path / "run", file, strategy="online-ridge")
        file = saved(first, tmp_path / "file.npz", columns=(learned.columns[1], *learned.columns[1:]))
        assert "names a column twice" in refused(tmp_path / "run", file, strategy="online-ridge")

    def test_a_regression_begins_with_columns_that_mean_the_same_for_every_topic(self, tmp_path: Path) -> None:
        first, plain = crawled(tmp_path / "first", "online-ridge", budget=100), begun()
        moved = set(np.array(plain.columns)[np.abs(weights_of(begun(first)) - weights_of(plain)) > 1e-3])
        assert {"cosine of the anchor", "relevance of the page"} <= moved
        assert "always one" not in moved, "how much a topic pays in all says nothing of another"
        assert not any(name.startswith(MEANINGS) for name in moved)

    def test_more_pages_draw_a_regression_nearer_to_what_others_learned(self, tmp_path: Path) -> None:
        first, plain = crawled(tmp_path / "first", "online-ridge", budget=100), weights_of(begun())
        assert weights_of(begun(first, online_ridge__start_pages=0.0)) == pytest.approx(plain, abs=1e-9)
        starts = [weights_of(begun(first, online_ridge__start_pages=pages)) for pages in (1.0, 10.0, 1000.0)]
        moves = [float(np.abs(start - plain).sum()) for start in starts]
        assert moves == sorted(moves)
        assert moves[0] > 0

    def test_runs_count_alike_however_long_they_are(self, tmp_path: Path) -> None:
        short, long = (
            crawled(tmp_path / f"{number}", "online-ridge", budget=20 * number, crawl__seed=number) for number in (1, 3)
        )
        both = weights_of(begun(short, long))
        assert weights_of(begun(long, short)) == pytest.approx(both, rel=1e-9)
        assert weights_of(begun(short, long, short, long)) == pytest.approx(both, rel=1e-9)
        assert weights_of(begun(short, long, long)) != pytest.approx(both, rel=1e-3)

    def test_what_a_run_began_with_is_not_handed_on(self, tmp_path: Path) -> None:
        first = crawled(tmp_path / "first", "online-ridge", budget=60)
        second = crawled(tmp_path / "second", "online-ridge", budget=10, crawl__learn_from=[str(first)])
        assert learned_weights(second).numbers["rows"][0, 0] == pytest.approx(
            sum(1 for _ in open_run(second).pages()), abs=1e-6
        )

    def test_columns_that_a_crawl_does_not_have_are_dropped_and_named(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        ranked = crawled(tmp_path / "ranked", "online-ridge", online_ridge__page_rank=True, ranks__every=10)
        with caplog.at_level(logging.WARNING):
            crawled(tmp_path / "run", "online-ridge", budget=5, crawl__learn_from=[str(ranked)])
        assert f"{ranked}: rank of the page dropped" in caplog.text
        plain = crawled(tmp_path / "plain", "online-ridge")
        caplog.clear()
        overrides = {"online_ridge__page_rank": True, "ranks__every": 10}
        crawled(tmp_path / "new", "online-ridge", budget=5, crawl__learn_from=[str(plain)], **overrides)
        assert "dropped" not in caplog.text
        assert "rank of the page" in learned_weights(tmp_path / "new").columns

    @pytest.mark.parametrize("strategy", ["online-ridge", "lfa-async"])
    def test_the_start_that_is_shipped_has_columns_of_today_and_stays_small(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture, strategy: str
    ) -> None:
        with caplog.at_level(logging.WARNING):
            run = crawled(tmp_path / "run", strategy, budget=5, crawl__learn_from=["shipped"])
        assert "dropped" not in caplog.text
        assert load_settings(run / "settings.toml").crawl.learn_from == ("shipped",)
        plain = crawled(tmp_path / "plain", strategy, budget=5)
        assert first_scores(run) != first_scores(plain)
        assert sum(file.stat().st_size for file in STARTS.iterdir()) < 1_000_000

    def test_a_mean_of_runs_counts_as_the_runs(self, tmp_path: Path) -> None:
        runs = [crawled(tmp_path / f"{seed}", "online-ridge", budget=40, crawl__seed=seed) for seed in (1, 2)]
        learned = [learned_weights(run) for run in runs]
        means = [from_means(each.numbers["rows"], each.numbers["rewards"], each.columns) for each in learned]
        rows, rewards = (np.mean(each, axis=0) for each in zip(*means, strict=True))
        numbers = {"weights": learned[0].weights, "rows": rows, "rewards": rewards}
        file = saved(runs[0], tmp_path / "mean.npz", numbers=numbers)
        assert weights_of(begun(file)) == pytest.approx(weights_of(begun(*runs)), rel=1e-9)

    def test_files_are_named_as_seen_from_the_folder_of_the_settings(self, tmp_path: Path) -> None:
        (tmp_path / "own.toml").write_text('[crawl]\nlearn_from = ["weights.npz", "/else/where", "shipped"]\n')
        named = load_settings(tmp_path / "own.toml").crawl.learn_from
        assert named == (str(tmp_path / "weights.npz"), "/else/where", "shipped")


class TestCategories:
    def weights(self, run: Path) -> dict[str, float]:
        learned = learned_weights(run)
        return dict(zip(learned.columns, learned.weights.tolist(), strict=True))

    @pytest.mark.parametrize("categories", [["medicine"], ["medicine", "science"], ["medicine", "law", "earth"]])
    def test_other_categories_share_the_weights_of_those_that_are_not_there(
        self, tmp_path: Path, categories: list[str]
    ) -> None:
        first = crawled(tmp_path / "first")
        second = crawled(
            tmp_path / "second", budget=2, crawl__learn_from=[str(first)], lfa__step_size=1e-12,
            topic__categories=categories,
        )  # fmt: skip
        before, after = self.weights(first), self.weights(second)
        for column in ("page: category {} in five", "page: category {} in six", "link: category {} in five"):
            names = [column.format(each) for each in CATEGORIES]
            assert sum(after[column.format(each)] for each in categories) == pytest.approx(
                sum(before[name] for name in names), rel=1e-6
            )
            for each in set(CATEGORIES) & set(categories):
                assert after[column.format(each)] == pytest.approx(before[column.format(each)], rel=1e-6)
        others = [name for name in before if "category" not in name]
        assert [after[name] for name in others] == pytest.approx([before[name] for name in others], rel=1e-6)

    def test_without_categories_the_others_are_carried(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        first = crawled(tmp_path / "first")
        with caplog.at_level(logging.WARNING):
            second = crawled(
                tmp_path / "second",
                budget=2,
                crawl__learn_from=[str(first)],
                lfa__step_size=1e-12,
                topic__categories=[],
            )
        assert "page: category earth in five" in caplog.text
        before, after = self.weights(first), self.weights(second)
        assert after == pytest.approx({name: before[name] for name in after}, rel=1e-6)

    @pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed")
    @pytest.mark.parametrize("dueling", ["none", "mean"])
    def test_a_network_takes_other_categories_in(self, tmp_path: Path, dueling: str) -> None:
        first = crawled(tmp_path / "first", "dqn", budget=60, dqn__dueling=dueling)
        second = crawled(
            tmp_path / "second", "dqn", budget=2, crawl__learn_from=[str(first)], topic__categories=["medicine"],
            dqn__dueling=dueling,
        )  # fmt: skip
        before, after = learned_weights(first).numbers, learned_weights(second).numbers
        assert before.keys() == after.keys()
        for name in before:
            if not name.endswith(".0.weights"):
                assert np.array_equal(before[name], after[name])
        rows = {name: np.array(learned_weights(run).columns) for name, run in (("before", first), ("after", second))}
        is_category = [np.char.startswith(rows[name], "page: category") for name in ("before", "after")]
        weights = [numbers["advantage.0.weights"] for numbers in (before, after)]
        sums = [each[places].sum(axis=0) for each, places in zip(weights, is_category, strict=True)]
        assert sums[1] == pytest.approx(sums[0], abs=1e-5)


@pytest.mark.thorough
class TestGoingOn:
    @pytest.mark.parametrize("strategy", ["lfa-sync", "online-ridge", *DEEP])
    def test_a_run_goes_on_without_what_it_began_with(self, tmp_path: Path, strategy: str) -> None:
        world = numbered_world(strategy, tmp_path)
        first = crawled(tmp_path / "first", strategy, budget=60, **world)
        begun_with = {"concurrency": 1, "crawl__learn_from": [str(first)], **world}
        whole = crawled(tmp_path / "whole", strategy, budget=30, **begun_with)
        halves = crawled(tmp_path / "halves", strategy, budget=5, **begun_with)
        shutil.rmtree(first)
        resume(halves, budget=30, vectors=hashed_vectors()).close()
        assert story(halves) == story(whole)

    def test_a_run_that_was_moved_goes_on_and_is_refreshed(self, tmp_path: Path) -> None:
        first = crawled(tmp_path / "first", "online-ridge")
        second = crawled(tmp_path / "second", "online-ridge", budget=5, crawl__learn_from=[str(first)])
        shutil.rmtree(first)
        moved = second.rename(tmp_path / "moved")
        resume(moved, budget=10, vectors=hashed_vectors()).close()
        with refresh(moved, new_run=tmp_path / "new", vectors=hashed_vectors()) as run:
            assert run.progress.fetches
            assert run.settings.crawl.learn_from == ()

    def test_a_run_keeps_what_it_began_with(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        crawled(Path("first"), "online-ridge")
        crawled(Path("second"), "online-ridge", budget=5, crawl__learn_from=["first"])
        with pytest.raises(SettingsError, match=r"crawl\.learn_from is \['shipped'\], but second began with"):
            resume("second", {"crawl.learn_from": ["shipped"]}, budget=10, vectors=hashed_vectors())
        resume("second", budget=10, vectors=hashed_vectors()).close()

    def test_interrupted_again_and_again_it_equals_the_uninterrupted_run(self, tmp_path: Path) -> None:
        first = crawled(tmp_path / "first", "online-ridge", budget=60)
        settings = settings_for("online-ridge", budget=80, crawl__learn_from=[str(first)])
        crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
        assert crawl_in_pieces(tmp_path / "pieces", settings, random.Random(1)) > 2
        assert story(tmp_path / "pieces") == story(tmp_path / "whole")
        assert contents(tmp_path / "pieces") == contents(tmp_path / "whole")

    def test_learning_anew_begins_where_the_crawl_began(self, tmp_path: Path) -> None:
        """An answer has the strategy learn everything again: after one that is taken back all is as it was."""
        first = crawled(tmp_path / "first", "online-ridge", budget=60)
        file = saved(first, tmp_path / "file.npz")
        settings = settings_for("online-ridge", budget=20, crawl__learn_from=[str(file)], judge__kind="learned")
        crawl(tmp_path / "run", settings, vectors=hashed_vectors()).close()
        before = learned_weights(tmp_path / "run")
        file.unlink()
        with open_run(tmp_path / "run") as run:
            url = next(run.pages()).url
        resume(
            tmp_path / "run", budget=21, vectors=hashed_vectors(), answers=[PageAnswer(url, "yes", "person")]
        ).close()
        after = learned_weights(tmp_path / "run")
        assert after.numbers["rows"][0, 0] >= before.numbers["rows"][0, 0]
        assert np.linalg.eigvalsh(after.numbers["rows"]).min() > -1e-6, "only what was seen here is left"


class TestRefusals:
    @pytest.mark.parametrize("strategy", ["best-first", "breadth-first", "linucb"])
    def test_a_strategy_that_would_ignore_it_is_refused(self, tmp_path: Path, strategy: str) -> None:
        first = crawled(tmp_path / "first", "online-ridge")
        complaint = refused(tmp_path / "run", first, strategy=strategy)
        assert f"{strategy} begins with nothing learned before" in complaint
        assert "online-ridge" in complaint

    def test_what_another_kind_of_learner_has_learned_is_refused(self, tmp_path: Path) -> None:
        first = crawled(tmp_path / "first", "online-ridge")
        assert f"{first} was learned by online-ridge, and this crawl needs one of linear SARSA" in refused(
            tmp_path / "run", first
        )

    def test_weights_of_other_features_are_refused_though_they_are_as_many(self, tmp_path: Path) -> None:
        first = crawled(tmp_path / "first", lfa__features="pertejo")
        assert "linear SARSA with features pertejo, and this crawl needs one of linear SARSA with features cont" in (
            refused(tmp_path / "run", first, lfa__features="continuous")
        )

    @pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed")
    def test_networks_of_another_shape_and_several_networks_are_refused(self, tmp_path: Path) -> None:
        first = crawled(tmp_path / "first", "dqn")
        assert "layers 64-64" in refused(tmp_path / "run", first, strategy="dqn", dqn__layers=[8])
        shipped = refused(tmp_path / "run", Path("shipped"), strategy="dqn")
        assert "no start is shipped for dqn" in shipped
        assert "begins with one network, not with 2" in refused(tmp_path / "run", first, first, strategy="dqn")

    @pytest.mark.parametrize("content", [None, b"no numbers"])
    def test_a_file_that_is_none_is_refused(self, tmp_path: Path, content: bytes | None) -> None:
        file = tmp_path / "weights.npz"
        if content is not None:
            file.write_bytes(content)
        assert f"{file} is neither a run nor a file that honeyguide learner -o wrote" in refused(tmp_path / "run", file)
        assert "is not a run folder" in refused(tmp_path / "run", tmp_path)

    @pytest.mark.parametrize(
        ("weights", "complaint"),
        [
            (np.ones(WIDTH - 1), "other numbers than its columns need"),
            (np.ones((2, WIDTH)), "other numbers than its columns need"),
            (np.full(WIDTH, np.nan), "no finite number"),
            (np.array(["a"] * WIDTH), "no finite number"),
        ],
    )
    def test_a_file_of_other_numbers_is_refused(self, tmp_path: Path, weights: object, complaint: str) -> None:
        file = saved(crawled(tmp_path / "first"), tmp_path / "weights.npz", numbers={"weights": weights})
        assert complaint in refused(tmp_path / "run", file)

    def test_a_run_that_has_seen_no_page_is_refused(self, tmp_path: Path) -> None:
        first = crawled(tmp_path / "first", "online-ridge", budget=5)
        width = len(learned_weights(first).columns)
        nothing = {"weights": np.zeros(width), "rows": np.zeros((width, width)), "rewards": np.zeros(width)}
        file = saved(first, tmp_path / "none.npz", numbers=nothing)
        assert f"{file} has learned from no page" in refused(tmp_path / "run", file, strategy="online-ridge")


def test_a_step_size_too_large_ends_in_one_line_and_the_run_stays_whole(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with pytest.raises(StrategyError, match=r"have diverged at step \d+: .*lower lfa\.step_size, now 1") as caught:
        crawled(run, budget=150, lfa__step_size=1.0)
    assert "\n" not in str(caught.value)
    with open_run(run) as opened:
        assert opened.progress.steps > 3
    with pytest.raises(StrategyError, match="have diverged"):
        resume(run, vectors=hashed_vectors())
    settings = run / "settings.toml"
    settings.write_text(settings.read_text().replace("step_size = 1.0", "step_size = 1e-9"))
    with resume(run, vectors=hashed_vectors()) as opened:
        assert opened.progress.steps == 150
