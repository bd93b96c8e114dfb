"""The hub gives leases to the shards that promise most, and tells each what the others wait for."""

from __future__ import annotations

from dataclasses import replace

from honeyguide.cluster import Hub, HubRules, Orders, ShardReport
from honeyguide.crawler import StopReason
from honeyguide.frontier import Resting, Standing
from honeyguide.frontier.frontier import Ready
from honeyguide.runs import Progress


def report(shard: int, *promises: float, fetches: int = 0, standing: Standing | None = None) -> ShardReport:
    progress = Progress(steps=fetches)
    return ShardReport(shard, progress, progress.charged, 0, promises, is_first=True, standing=standing)


def progress_report(fetches: int, relevant: int) -> ShardReport:
    return ShardReport(0, Progress(steps=fetches, relevant=relevant), fetches, 0, (0.5,))


def leases_of(orders: list[tuple[int, Orders]]) -> dict[int, int]:
    return {shard: each.lease for shard, each in orders}


def test_leases_go_to_the_best_promises_one_by_one() -> None:
    hub = Hub(3, HubRules(fetches=100, lease=4, most_out=5))
    hub.take(report(0, 0.9, 0.5, 0.1))
    hub.take(report(1, 0.8, 0.7, 0.6, 0.2))
    orders = hub.take(report(2, 0.2))
    assert leases_of(orders) == {0: 2, 1: 3}  # 0.9, 0.8, 0.7, 0.6 and 0.5


def test_no_lease_is_given_beyond_the_budget() -> None:
    hub = Hub(2, HubRules(fetches=3, lease=4))
    hub.take(report(0, 0.9, 0.9))
    assert sum(leases_of(hub.take(report(1, 0.5, 0.5))).values()) == 3


def test_a_shard_is_told_what_others_wait_for_and_may_fetch() -> None:
    good, own = Resting(0.9, 12.0), Resting(0.4, 11.0)
    hub = Hub(2, HubRules(fetches=100))
    hub.take(report(0, 0.9, standing=Standing(Ready(0.1, 3), (good,))))
    orders = dict(hub.take(report(1, 0.5, standing=Standing(Ready(0.3, 7), (own,)))))
    assert (orders[1].ready_hosts, orders[1].resting) == (3, (good,))
    assert (orders[0].ready_hosts, orders[0].resting) == (7, (own,))


def test_a_crawl_that_goes_on_is_judged_by_its_last_fetches() -> None:
    rules = HubRules(fetches=1000, stop_when="yield < 20% over 50")
    for lately, reason in (([False] * 49, StopReason.YIELD), ([True] * 49, None)):
        hub = Hub(1, rules, lately)
        hub.take(progress_report(fetches=500, relevant=sum(lately)))
        assert hub.stop_reason is None
        hub.take(progress_report(fetches=501, relevant=sum(lately)))
        assert hub.stop_reason is reason


def test_a_crawl_that_goes_on_is_not_judged_by_what_was_before_its_last_fetches() -> None:
    hub = Hub(1, HubRules(fetches=1000, stop_when="yield < 20% over 50"), [True] * 50)
    hub.take(progress_report(fetches=900, relevant=50))
    assert hub.stop_reason is None


def test_nobody_waits_for_a_shard_whose_process_is_gone() -> None:
    hub = Hub(2, HubRules(fetches=100))
    hub.take(report(0, 0.9, standing=Standing(Ready(0.1, 3), (Resting(0.9, 12.0),))))
    hub.lost(0)
    orders = dict(hub.take(report(1, 0.5, standing=Standing(Ready(0.3, 7), ()))))
    assert (orders[1].ready_hosts, orders[1].resting) == (0, ())


def test_orders_of_a_shard_that_reports_anew_are_newer_than_any_before() -> None:
    hub = Hub(1, HubRules(fetches=100))
    before = [orders.number for done in range(5) for _, orders in hub.take(report(0, 0.9, fetches=done))]
    ((_, orders),) = hub.take(replace(report(0, 0.9, fetches=5), seen=before[-1]))
    assert orders.number > max(before)


def test_so_are_those_of_a_hub_that_has_taken_the_place_of_another() -> None:
    ((_, orders),) = Hub(1, HubRules(fetches=100)).take(replace(report(0, 0.9), seen=16))
    assert orders.number == 17
