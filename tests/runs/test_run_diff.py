"""Two runs held against each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import honeyguide
from honeyguide.runs import HostOfOne
from runs.exports.scripted_runs import crawled, html

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

ROCK = "Rock and mineral. " * 10
FIRST: Script = {
    "http://s.test/": html("Seed", "/same", "/turns", "/fades", "/words", "/lost", "http://old.test/"),
    "http://s.test/same": html("Same", text=ROCK),
    "http://s.test/turns": html("Turns", text="Nothing here."),
    "http://s.test/fades": html("Fades", text=ROCK),
    "http://s.test/words": html("Words", text="Some words."),
    "http://s.test/lost": html("Lost"),
    "http://old.test/": html("Old", text=ROCK),
}
SECOND: Script = {
    "http://s.test/": html("Seed", "/same", "/turns", "/fades", "/words", "/new", "http://new.test/"),
    "http://s.test/same": html("Same", text=ROCK),
    "http://s.test/turns": html("Turns", text=ROCK),
    "http://s.test/fades": html("Fades", text="Nothing here."),
    "http://s.test/words": html("Words", text="Other words."),
    "http://s.test/new": html("New", text=ROCK),
    "http://new.test/": html("Newer"),
}


def judged(path: Path, script: Script, **overrides: object) -> Path:
    return crawled(path, script, judge__kind="keyword", judge__threshold=0.1, **overrides)


def test_pages_and_hosts_gained_and_lost_and_verdicts_changed(tmp_path: Path) -> None:
    found = honeyguide.diff(judged(tmp_path / "a", FIRST), judged(tmp_path / "b", SECOND))
    assert (found.pages_before, found.pages, found.common) == (7, 7, 5)
    assert [page.url for page in found.gained] == ["http://s.test/new", "http://new.test/"]
    assert [page.is_relevant for page in found.gained] == [True, False]
    assert [page.url for page in found.lost] == ["http://old.test/", "http://s.test/lost"]
    assert found.hosts_gained == (HostOfOne("new.test", 1, 0),)
    assert found.hosts_lost == (HostOfOne("old.test", 1, 1),)
    assert [page.title for page in found.became_relevant] == ["Turns"]
    assert [page.title for page in found.became_irrelevant] == ["Fades"]
    (turned,) = found.became_relevant
    assert turned.has_changed
    assert turned.change == turned.relevance - turned.relevance_before > 0
    assert [page.title for page in found.rewritten] == ["Words"]
    assert (found.relevant_before, found.relevant) == (3, 3)
    assert found.same_settings


def test_the_other_way_round_gain_is_loss(tmp_path: Path) -> None:
    first, second = judged(tmp_path / "a", FIRST), judged(tmp_path / "b", SECOND)
    there, back = honeyguide.diff(first, second), honeyguide.diff(second, first)
    assert (there.gained, there.hosts_gained) == (back.lost, back.hosts_lost)
    assert [page.url for page in there.became_relevant] == [page.url for page in back.became_irrelevant]
    assert there.mean_change is not None
    assert back.mean_change is not None
    assert there.mean_change == -back.mean_change


def test_a_run_differs_in_nothing_from_itself(tmp_path: Path) -> None:
    run = judged(tmp_path / "a", FIRST)
    found = honeyguide.diff(run, run)
    assert (found.common, found.mean_change) == (7, 0.0)
    empty = replace(found, before="", after="", pages=0, pages_before=0, relevant=0, relevant_before=0, common=0)
    names = set(empty.__dataclass_fields__) - {"same_settings", "totals"}
    assert not any(getattr(empty, name) for name in names)
    assert not any(found.totals.values())


def test_another_threshold_changes_verdicts_though_relevance_stays(tmp_path: Path) -> None:
    first = judged(tmp_path / "a", FIRST)
    second = crawled(tmp_path / "b", FIRST, judge__kind="keyword", judge__threshold=1.0)
    found = honeyguide.diff(first, second)
    assert sorted(page.title for page in found.became_irrelevant) == ["Fades", "Old", "Same"]
    assert {page.change for page in found.became_irrelevant} == {0.0}
    assert not found.same_settings
    assert found.rejudged == ()


def test_another_topic_changes_relevance_but_not_the_verdict(tmp_path: Path) -> None:
    first = judged(tmp_path / "a", FIRST)
    found = honeyguide.diff(first, judged(tmp_path / "b", FIRST, topic__keywords=["mineral"]))
    assert {page.title for page in found.rejudged} <= {"Fades", "Old", "Same"}
    assert found.rejudged
    assert [abs(page.change) for page in found.rejudged] == sorted(
        (abs(page.change) for page in found.rejudged), reverse=True
    )


def test_without_a_page_in_both_there_is_no_mean(tmp_path: Path) -> None:
    other = judged(tmp_path / "b", {"http://new.test/": html("Newer")}, crawl__seed_urls=["http://new.test/"])
    found = honeyguide.diff(judged(tmp_path / "a", FIRST), other)
    assert (found.common, found.mean_change) == (0, None)


def test_the_first_of_each_kind_are_those_of_the_whole_and_the_totals_stay(tmp_path: Path) -> None:
    first, second = judged(tmp_path / "a", FIRST), judged(tmp_path / "b", SECOND)
    whole, cut = honeyguide.diff(first, second), honeyguide.diff(first, second, top=1)
    assert len(whole.gained) == whole.totals["gained"] == 2
    assert cut.totals == whole.totals
    for name in whole.totals:
        assert getattr(cut, name) == getattr(whole, name)[:1]
    assert (cut.gained_relevant, cut.lost_relevant) == (1, 1)
