"""Shards of one run: links whose hosts another shard has are handed over, and wait there as they would have here."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from crawler.driving import HandWired, everything, script_settings
from honeyguide.model import LinkState, Redirected, Url
from honeyguide.runs.parcels import Delivery, Parcel
from scripted_guard import RestlessGuard
from scripted_world import ScriptedWorld, page_with

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.guard import Guard
    from scripted_world import Script

WORLD: Script = {
    "http://a.org/": page_with("http://a.org/1", "http://b.org/1", "http://b.org/2"),
    "http://a.org/1": page_with("http://b.org/1", "http://b.org/3", "http://a.org/moved"),
    "http://a.org/moved": Redirected(301, Url("http://b.org/new")),
    "http://b.org/1": page_with("http://a.org/1", "http://b.org/2"),
}


def shard_of(url: Url) -> int:
    return 0 if url.host == "a.org" else 1


def wired(
    path: Path, shard: int, strategy: str = "online-ridge", guard: Guard | None = None, **overrides: object
) -> HandWired:
    world = ScriptedWorld(WORLD, entry_urls=["http://a.org/"] if shard == 0 else ["http://b.org/seed"])
    settings = script_settings(strategy, **overrides)
    return HandWired(path, world, settings, guard=guard, is_elsewhere=lambda url: shard_of(url) != shard)


def parcels_for(shard: int, sender: HandWired) -> Delivery:
    """All that a shard has in its outbox for another."""
    stored = list(sender.store.outbox())
    parcels = [(n, part) for n, parcel in stored for owner, part in parcel.by_shard(shard_of) if owner == shard]
    return Delivery(0, 0, tuple(parcels))


def test_a_link_of_another_shard_is_handed_over_and_does_not_wait_here(tmp_path: Path) -> None:
    sender = wired(tmp_path / "a", 0)
    sender.follow("http://a.org/")
    (_, parcel), *rest = sender.store.outbox()
    assert not rest
    assert [link.url.text for link in parcel.links] == ["http://b.org/1", "http://b.org/2"]
    assert sender.parts.links.state(sender.link("http://b.org/1")) is LinkState.ELSEWHERE
    assert len(sender.parts.frontier) == 1  # http://a.org/1
    sender.close()


def test_every_page_that_shows_a_link_of_another_shard_tells_of_it(tmp_path: Path) -> None:
    sender = wired(tmp_path / "a", 0)
    sender.follow("http://a.org/")
    sender.follow("http://a.org/1", 10.0)
    shown = [link.url.text for _, parcel in sender.store.outbox() for link in parcel.links]
    assert shown.count("http://b.org/1") == 2
    sender.close()


def test_links_that_are_taken_over_wait_with_the_rows_and_scores_of_one_crawl(tmp_path: Path) -> None:
    whole = HandWired(tmp_path / "whole", ScriptedWorld(WORLD), script_settings("online-ridge"))
    sender, owner = wired(tmp_path / "a", 0), wired(tmp_path / "b", 1)
    for crawl in (whole, sender):
        crawl.follow("http://a.org/")
        crawl.follow("http://a.org/1", 10.0)
    owner.store.record(owner.core.take_links([parcels_for(1, sender)], 10.0).record)
    for url in ("http://b.org/1", "http://b.org/2", "http://b.org/3"):
        # The owner has learned nothing yet, so only the rows can be the same.
        expected = whole.parts.frontier.peek([whole.link(url)])[1]
        assert owner.parts.frontier.peek([owner.link(url)])[1].tolist() == expected.tolist()
        assert owner.parts.links.depth(owner.link(url)) == whole.parts.links.depth(whole.link(url))
    for each in (whole, sender, owner):
        each.close()


@pytest.mark.parametrize("guard", [None, RestlessGuard])
@pytest.mark.parametrize("strategy", ["online-ridge", "breadth-first", "lfa-sync", "best-first", "shark-search"])
def test_a_killed_shard_comes_back_with_all_that_others_have_told(
    tmp_path: Path, strategy: str, guard: type[RestlessGuard] | None
) -> None:
    def opened(shard: int) -> HandWired:
        return wired(tmp_path / str(shard), shard, strategy, None if guard is None else guard(), guard__on=bool(guard))

    sender, owner = opened(0), opened(1)
    for number, url in enumerate(("http://a.org/", "http://a.org/1", "http://a.org/moved")):
        sender.follow(url, 10.0 * number)
    owner.store.record(owner.core.take_links([parcels_for(1, sender)], 30.0).record)
    owner.follow("http://b.org/1", 40.0)
    for shard, killed in enumerate((sender, owner)):
        before = everything(killed)
        killed.close()
        again = opened(shard)
        after = everything(again)
        again.close()
        for name in before:
            if name not in ("progress", "ready"):
                assert after[name] == before[name], name


def test_a_redirect_to_another_shard_is_followed_there_and_its_hops_are_counted(tmp_path: Path) -> None:
    sender, owner = wired(tmp_path / "a", 0), wired(tmp_path / "b", 1)
    for number, url in enumerate(("http://a.org/", "http://a.org/1", "http://a.org/moved")):
        sender.follow(url, 10.0 * number)
    owner.store.record(owner.core.take_links([parcels_for(1, sender)], 30.0).record)
    target = owner.link("http://b.org/new")
    assert owner.parts.links.state(target) is LinkState.WAITING
    assert (owner.parts.links.hops(target), owner.parts.links.depth(target)) == (1, 2)
    sender.close()
    owner.close()


def test_a_parcel_comes_out_of_the_database_as_it_went_in(tmp_path: Path) -> None:
    sender = wired(tmp_path / "a", 0)
    for number, url in enumerate(("http://a.org/", "http://a.org/1", "http://a.org/moved")):
        step = sender.core.choose_link(sender.link(url), 10.0 * number)
        record = sender.core.apply(step, sender.world.answer(step.url), 10.0 * number).record
        sender.store.record(record)
        for parcel in record.outbox:
            assert Parcel.unpack(parcel.pack()) == parcel
            assert parcel in [stored for _, stored in sender.store.outbox()]
    sender.close()


def test_a_crawl_of_one_shard_hands_nothing_over(tmp_path: Path) -> None:
    alone = HandWired(tmp_path / "whole", ScriptedWorld(WORLD), script_settings("online-ridge"))
    assert asyncio.run(alone._run()) is not None
    assert alone.core.progress.handed_over == 0
    alone.close()
