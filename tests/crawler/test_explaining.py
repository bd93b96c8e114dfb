"""Why a URL of a run was fetched, and why its page was judged so."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest

import honeyguide
from honeyguide.errors import PageError
from honeyguide.frontier import worth_of
from honeyguide.model import Redirected, Url
from honeyguide.runs import open_run
from scripted_world import NOT_FOUND, ScriptedWorld
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.crawler import Explanation
    from scripted_world import Script

SEED = "http://a.test/"
PAGES: Script = {
    SEED: "<title>Start</title><a href='/hub'>the way on</a> <a href='/gone'>gone</a> <a href='/old'>old rock</a>",
    "http://a.test/hub": "<title>Hub</title><p>nothing</p><a href='/rock'>a fine rock</a>",
    "http://a.test/rock": "<title>Rock</title><main>rock rock rock</main>",
    "http://a.test/old": Redirected(301, Url.parse("http://a.test/rock")),
    "http://a.test/gone": NOT_FOUND,
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    settings = honeyguide.settings_from(
        {
            "topic": {"name": "rock", "keywords": ["rock"]},
            "judge": {"kind": "keyword"},
            "crawl": {"strategy": "online-ridge"},
            "politeness": {"delay_s": 0.0},
        }
    )
    world = ScriptedWorld(PAGES, entry_urls=[SEED])
    honeyguide.crawl(tmp_path / "run", settings, world=world, vectors=hashed_vectors()).close()
    return tmp_path / "run"


def explained(run: Path, url: str) -> Explanation:
    return honeyguide.explain(run, url, vectors=hashed_vectors())


def test_the_path_leads_from_the_seed_with_the_text_of_each_link(run: Path) -> None:
    history = explained(run, "http://a.test/hub").history
    assert [(step.url, step.title, step.anchor) for step in history.path] == [(SEED, "Start", "")]
    assert history.anchor == "the way on"
    assert not history.is_seed
    assert explained(run, SEED).history.is_seed
    assert explained(run, SEED).history.path == ()


def test_prediction_and_outcome_are_those_of_the_crawl(run: Path) -> None:
    with open_run(run) as opened:
        step = next(each for each in opened.steps() if each.url.text == "http://a.test/hub")
    (fetch,) = explained(run, "http://a.test/hub").history.fetches
    assert (fetch.step, fetch.predicted, fetch.reward, fetch.outcome) == (step.step, step.score, step.reward, "fetched")


def test_redirects_and_failures_say_what_came_instead(run: Path) -> None:
    old = explained(run, "http://a.test/old").history
    assert (old.page, old.led_to, old.fetches[0].target) == (None, "http://a.test/rock", "http://a.test/rock")
    gone = explained(run, "http://a.test/gone").history
    assert (gone.page, gone.led_to, gone.fetches[0].status) == (None, "", 404)


def test_the_evidence_is_that_of_the_judge(run: Path) -> None:
    why = explained(run, "http://a.test/rock")
    assert why.history.page is not None
    assert why.history.page.is_relevant
    assert why.evidence is not None
    assert why.evidence.relevance == why.history.page.relevance
    assert why.evidence.rows[0].term == "rock"
    assert not any(each.startswith("evidence") for each in why.missing)


def test_a_url_that_was_never_met_is_refused(run: Path) -> None:
    with pytest.raises(PageError, match=r"has never met http://b\.test/"):
        explained(run, "http://b.test/")


def synthetic(path: Path, budget: int, **crawl: object) -> Path:
    settings = honeyguide.settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock", "mineral"]},
            "crawl": {"world": "synthetic:pages=500,hosts=8", "workers": 0, **crawl},
            "budget": {"fetches": budget},
            "store": {"archive": "none" if crawl.get("strategy") == "breadth-first" else "store"},
        }
    )
    honeyguide.crawl(path, settings).close()
    return path


def test_reasons_add_up_to_the_score_by_which_a_link_waits(tmp_path: Path) -> None:
    run = synthetic(tmp_path / "run", 40)
    best = json.loads((run / "status.json").read_text())["best_waiting"]
    assert len(best) > 3
    for waiting in best:
        why = honeyguide.explain(run, waiting["url"])
        assert (why.history.state, why.history.fetches) == ("waiting", ())
        assert why.link is not None
        assert why.link.learned_until == 40
        assert why.link.answers is not None
        worth = worth_of(np.array(why.link.predicted), np.array(why.link.answers.chance))
        assert float(worth) == pytest.approx(waiting["score"])
        assert why.link.predicted == pytest.approx(sum(each.contribution for each in why.link.reasons))
        assert (why.link.waiting, why.link.score_lost, why.missing) == (None, None, ())
        sizes = [abs(each.contribution) for each in why.link.reasons]
        assert sizes == sorted(sizes, reverse=True)


def test_reasons_add_up_to_the_score_by_which_a_link_was_chosen(tmp_path: Path) -> None:
    run = synthetic(tmp_path / "run", 40)
    shown_by = []
    with open_run(run) as opened:
        steps = list(opened.steps())
    for step in steps:
        why = honeyguide.explain(run, step.url).link
        assert why is not None
        assert why.predicted == step.score
        assert why.predicted == pytest.approx(sum(each.contribution for each in why.reasons))
        assert why.waiting is not None
        assert why.score_lost is not None
        shown_by += [each.value for each in why.reasons if each.words == "several pages show it"]
    assert max(filter(None, shown_by)) > 0.7  # log(1 + 1): more than one page


def test_a_redirect_hands_its_parents_on(run: Path) -> None:
    """The seed shows /old, which leads to /rock; the hub shows /rock itself."""
    why = explained(run, "http://a.test/rock").link
    assert why is not None
    with open_run(run) as opened:
        (chosen,) = (each for each in opened.steps() if each.url.text == "http://a.test/rock")
    assert why.predicted == chosen.score


def test_what_is_not_stored_or_not_added_up_is_named(tmp_path: Path) -> None:
    run = synthetic(tmp_path / "run", 10, strategy="breadth-first")
    with open_run(run) as opened:
        first = next(opened.pages())
    why = honeyguide.explain(run, first.url)
    assert why.link is None
    assert why.evidence is None
    assert [each.partition(":")[0] for each in why.missing] == ["reasons for the link", "evidence"]


def test_answers_change_the_judgement_and_the_nearest_are_shown(tmp_path: Path) -> None:
    run = synthetic(tmp_path / "run", 30)
    with open_run(run) as opened:
        best, worst = [page.url for page in opened.pages(best_first=True)][:: 29 - 4]
    honeyguide.answer(run, worst, "yes")
    why = honeyguide.explain(run, worst)
    assert why.history.page is not None
    assert why.history.page.answer == "yes"
    assert why.history.page.relevance == 1.0 != why.history.page.crawl_relevance
    other = honeyguide.explain(run, best)
    (near,) = other.answers
    assert (near.url, near.answer) == (worst.text, "yes")
    assert other.history.page is not None
    assert other.evidence is not None
    assert other.evidence.relevance == pytest.approx(other.history.page.relevance, abs=1e-6)


def test_the_chance_of_an_answer_is_told_with_what_its_host_has_brought(run: Path) -> None:
    link = explained(run, "http://a.test/gone").link
    assert link is not None
    assert link.answers is not None
    assert 0 < link.answers.chance < 1
    # Three pages, a failure, and a redirect: to a page that had come, or to one that was still to come.
    assert (link.answers.host_asked, link.answers.host_pages) in ((5, 3.0), (5, 3.5))


def test_the_chance_of_an_answer_is_that_of_the_moment_of_the_choice(run: Path) -> None:
    first, gone = explained(run, "http://a.test/").link, explained(run, "http://a.test/gone").link
    assert first is not None
    assert first.answers is not None
    assert gone is not None
    assert gone.answers is not None
    assert first.answers.chance > 0.85  # before any failure was seen
    with closing(sqlite3.connect(run / "crawl.sqlite")) as database:
        kept = [chance for (chance,) in database.execute("SELECT chance FROM choices ORDER BY step")]
    assert first.answers.chance == kept[0]
    assert len(set(kept)) > 1
