"""What the learner of a run has found to pay, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import honeyguide
from crawler.driving import script_settings
from crawler.small_crawls import settings_for
from honeyguide.crawler import RunExplainer
from honeyguide.errors import SettingsError, StrategyError
from honeyguide.runs import open_run
from scripted_world import NOT_FOUND, ScriptedWorld, page_with
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

SEED = "http://a.test/"
GONE = [f"http://a.test/gone/{name}.html" for name in ("one", "two", "three", "four")]
GOOD = [f"http://b.test/rock/{name}.html" for name in ("one", "two", "three", "four")]
PAGES: Script = {
    SEED: "<title>Start</title>" + " ".join(f"<a href='{url}'>a rock</a>" for url in (*GONE, *GOOD)),
    **dict.fromkeys(GONE, NOT_FOUND),
    **{url: f"<title>Rock {number}</title><main>rock {'rock ' * number}</main>" for number, url in enumerate(GOOD)},
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    settings = settings_for(judge__kind="keyword", topic__name="rock", politeness__delay_s=0.0)
    world = ScriptedWorld(PAGES, entry_urls=[SEED])
    honeyguide.crawl(tmp_path / "run", settings, world=world, vectors=hashed_vectors()).close()
    return tmp_path / "run"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crawled") / "run"
    honeyguide.crawl(path, settings_for(budget=120), vectors=hashed_vectors()).close()
    return path


def test_addresses_that_fail_and_hosts_that_answer_are_named(run: Path) -> None:
    pays = honeyguide.what_pays(run, vectors=hashed_vectors())
    failing = [(each.kind, each.sign, each.asked, each.pages) for each in pays.failing]
    assert ("section", "a.test/gone", 4.0, 0.0) in failing
    assert ("host", "a.test", 5.0, 1.0) in failing
    assert [(each.sign, each.asked, each.pages) for each in pays.answering] == [("b.test", 4.0, 4.0)]


def test_the_greatest_effect_comes_first_and_is_weight_times_spread(crawled: Path) -> None:
    pays = honeyguide.what_pays(crawled, vectors=hashed_vectors())
    effects = [abs(each.effect) for each in pays.columns]
    assert effects == sorted(effects, reverse=True)
    assert len(effects) > 8
    explainer = RunExplainer(crawled, vectors=hashed_vectors())
    with open_run(crawled) as opened:
        strategy, step = explainer.strategy_now(opened)
        rows = explainer.rows_now(opened, list(opened.some_links(10_000)))
        links = sum(1 for _ in opened.some_links(10_000))
    assert pays.step == step == 120
    assert rows is not None
    assert strategy.weights is not None
    spread = rows[:, strategy.columns.index("cosine of the anchor")].astype(np.float64).std()
    (anchor,) = [each for each in pays.columns if each.words == "its anchor is near the topic"]
    assert anchor.weight == strategy.weights[strategy.columns.index("cosine of the anchor")]
    assert anchor.spread == pytest.approx(spread, rel=0.3), "of a thousand links"
    assert pays.links == pytest.approx(min(links, 1000), rel=0.5)


def test_links_have_the_rows_that_each_has_alone(crawled: Path) -> None:
    explainer = RunExplainer(crawled, vectors=hashed_vectors())
    with open_run(crawled) as opened:
        explainer.strategy_now(opened)
        links = list(opened.some_links(40))
        together = explainer.rows_now(opened, links)
        assert together is not None
        for link, row in zip(links, together, strict=True):
            alone = explainer.rows_now(opened, [link])
            assert alone is not None
            assert np.array_equal(alone[0], row)


def test_what_came_is_compared_with_what_was_expected_by_tenths(crawled: Path) -> None:
    parts = honeyguide.what_pays(crawled, vectors=hashed_vectors()).agreement
    with open_run(crawled) as opened:
        steps = [step for step in opened.steps() if step.outcome == "fetched"]
    assert len(parts) == 10
    first = steps[: parts[0].fetches]
    assert parts[0].expected == pytest.approx(np.mean([step.score for step in first]))
    assert parts[0].came == pytest.approx(np.mean([step.reward or 0.0 for step in first]))
    assert sum(part.fetches for part in parts) == len(steps)
    assert all(part.correlation is None or -1 <= part.correlation <= 1 for part in parts)


def test_addresses_without_a_word_have_no_word_in_common(tmp_path: Path) -> None:
    gone = [f"http://s.test/{number}" for number in range(1, 7)]
    script: Script = {"http://s.test/": page_with(*gone), **dict.fromkeys(gone, NOT_FOUND)}
    settings = script_settings(crawl__strategy="online-ridge", budget__fetches=10)
    honeyguide.crawl(tmp_path / "run", settings, world=ScriptedWorld(script), vectors=hashed_vectors()).close()
    failing = honeyguide.what_pays(tmp_path / "run", vectors=hashed_vectors()).failing
    assert {each.kind for each in failing} == {"host", "section", "shape"}


def test_a_strategy_that_learns_no_weights_is_refused(tmp_path: Path) -> None:
    honeyguide.crawl(tmp_path / "run", settings_for("breadth-first", budget=5), vectors=hashed_vectors()).close()
    with pytest.raises(StrategyError, match="crawled by breadth-first, and honeyguide learner does not show"):
        honeyguide.what_pays(tmp_path / "run", vectors=hashed_vectors())


def test_a_run_of_a_stranger_is_not_built(crawled: Path, tmp_path: Path) -> None:
    settings = crawled / "settings.toml"
    written = settings.read_text()
    settings.write_text(written.replace('idf = "seen"', f'idf = "{tmp_path / "idf.txt"}"'))
    try:
        with pytest.raises(SettingsError, match=r"names what is outside of the run: judge\.idf"):
            honeyguide.what_pays(crawled, vectors=hashed_vectors())
    finally:
        settings.write_text(written)


def test_of_linucb_the_weights_of_what_it_expects_are_shown(tmp_path: Path) -> None:
    settings = settings_for(budget=40, crawl__strategy="linucb")
    honeyguide.crawl(tmp_path / "run", settings, vectors=hashed_vectors()).close()
    pays = honeyguide.what_pays(tmp_path / "run", vectors=hashed_vectors())
    shown = {each.words: each.weight for each in pays.columns}
    with open_run(tmp_path / "run") as opened:
        strategy, _ = RunExplainer(tmp_path / "run", vectors=hashed_vectors()).strategy_now(opened)
    assert strategy.weights is None
    assert strategy.told_weights is not None
    assert shown["its address is near the topic"] == strategy.told_weights[3] != 0
