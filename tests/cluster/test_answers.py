"""Answers about pages reach every shard, whenever they are given, and teach all judges the same."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import numpy as np
import pytest

from crawler.small_crawls import settings_for
from honeyguide.cluster.crawling import AnswerDesk
from honeyguide.cluster.in_process import InProcess
from honeyguide.crawler import RunToAnswer
from honeyguide.crawler.build import Builder, open_world
from honeyguide.model import LinkState, Url
from honeyguide.runs import PageAnswer, RunFolder, gather, open_run
from honeyguide.runs.inbox import answers_waiting, put
from honeyguide.runs.records import split_snapshot
from honeyguide.runs.shards import shard_folders, write_cluster_file
from honeyguide.settings import to_toml, with_overrides
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from honeyguide.settings import Settings

SHARDS = 4


def crawl_on(
    run: Path, settings: Settings, given: Sequence[PageAnswer] = (), tell: Callable[[AnswerDesk], object] = lambda _: 0
) -> AnswerDesk:
    """Crawl, or go on, with all shards in this process, while `tell` uses the desk of their answers; and gather."""
    if not run.exists():
        folder, lock = RunFolder.create(run, to_toml(settings))
        lock.close()
        folder.mark_started()
        write_cluster_file(run, SHARDS)

    async def work() -> AnswerDesk:
        builder = Builder(settings, hashed_vectors())
        async with open_world(settings) as world:
            seeds = builder.seed_urls(world)
        cluster = InProcess(run, SHARDS, builder.settings, seeds, most_out=8)
        desk = AnswerDesk(run, cluster.answer, given)
        tell(desk)
        await cluster.run({"vectors": hashed_vectors()})
        return desk

    desk = asyncio.run(work())
    gather(run)
    return desk


def said_in(run: Path) -> list[tuple[str, str]]:
    with open_run(run) as opened:
        return [(each.url.text, each.answer) for each in opened.answers()]


def lessons(run: Path, settings: Settings) -> list[np.ndarray]:
    """What the judge of each shard, as it was saved last, thinks of the same pages."""
    with open_run(run) as opened:
        pages = np.array([np.frombuffer(each, dtype=np.float16) for each in opened.descriptions_unasked(1000)])
    found = []
    for folder in shard_folders(run):
        with open_run(folder) as opened:
            snapshot = opened.learner_snapshot()
        judge = Builder(settings, hashed_vectors()).parts(is_live=False).judge
        assert snapshot is not None
        assert judge.learner is not None
        judge.load(split_snapshot(snapshot.state)[1])
        assert judge.learner.is_taught
        found.append(judge.learner.relevances(pages))
    return found


@pytest.fixture
def learned() -> Settings:
    return settings_for(budget=60, judge__kind="learned")


def longer(settings: Settings, budget: int) -> Settings:
    return with_overrides(settings, {"budget.fetches": budget})


@pytest.mark.thorough
def test_an_answer_given_between_two_crawls_teaches_all_judges_the_same(tmp_path: Path, learned: Settings) -> None:
    run = tmp_path / "run"
    crawl_on(run, learned)
    with open_run(run) as opened:
        first, second, *_ = [page.url for page in opened.pages()]
    with RunToAnswer(run, hashed_vectors()) as ours:
        ours.give(PageAnswer(first, "yes"), PageAnswer(second, "no"), PageAnswer(second, "undo"))
    expected = [(first.text, "yes"), (second.text, "no"), (second.text, "undo")]
    assert said_in(run) == expected
    crawl_on(run, longer(learned, 75), tell=AnswerDesk.tell_gathered)
    crawl_on(run, longer(learned, 90), tell=AnswerDesk.tell_gathered)  # tells them again
    for folder in shard_folders(run):
        assert said_in(folder) == expected
    assert said_in(run) == expected
    one, *others = lessons(run, learned)
    for other in others:
        assert other == pytest.approx(one, abs=1e-6)


@pytest.mark.thorough
def test_an_answer_in_the_inbox_waits_there_until_the_run_has_it(tmp_path: Path, learned: Settings) -> None:
    run = tmp_path / "run"
    crawl_on(run, learned)
    with open_run(run) as opened:
        url = next(iter(opened.pages())).url
    put(run, PageAnswer(url, "yes"))
    desk = crawl_on(run, longer(learned, 75), tell=AnswerDesk.tell_waiting)
    assert len(answers_waiting(run)) == 1
    desk.tell_gathered()
    assert not answers_waiting(run)
    assert said_in(run) == [(url.text, "yes")]
    assert all(said_in(folder) == [(url.text, "yes")] for folder in shard_folders(run))


@pytest.mark.thorough
def test_an_answer_about_a_page_that_has_not_come_reaches_all_when_it_has(tmp_path: Path, learned: Settings) -> None:
    run = tmp_path / "run"
    crawl_on(run, learned)
    with open_run(run) as opened:
        waiting = opened._db.execute("SELECT url FROM links WHERE state = ?", (LinkState.WAITING,)).fetchall()
    given = [PageAnswer(Url(url), "no") for (url,) in waiting]
    crawl_on(run, longer(learned, 90), given)
    with open_run(run) as opened:
        came = {answer.url.text for answer in given if opened.page_at(answer.url)}
    assert came
    for folder in shard_folders(run):
        assert len(said_in(folder)) < len(given)  # each the answers about its own links
    assert len(said_in(run)) == len(given)
    crawl_on(run, longer(learned, 100), tell=AnswerDesk.tell_gathered)
    for folder in shard_folders(run):
        assert came <= {url for url, _ in said_in(folder)}
    assert len(said_in(run)) == len(given)
