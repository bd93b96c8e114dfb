"""The views of a run: what they say is what the run holds, and what its crawl last said."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from deep_strategies import thorough
from honeyguide.runs import RunFolder, RunLock, open_run
from honeyguide.web import finds, traffic
from honeyguide.web.app import VIEWS, Dashboard
from honeyguide.web.library import Library
from honeyguide.web.live import Watcher
from honeyguide.web.safety import Access
from honeyguide.web.views import Readings

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.web.views import Reading
    from web.conftest import Serve


def gathered(client: Any, view: str) -> Any:
    answer = client.get(f"/api/runs/geology/{view}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def status_of(run: Path, **changes: Any) -> None:
    """Let a crawl have said something else."""
    said = json.loads((run / "status.json").read_text())
    (run / "status.json").write_text(json.dumps(said | changes))


def test_the_numbers_of_a_crawl_on_a_cluster_are_those_of_now(serve: Serve, run: Path) -> None:
    live = {"fetches": 150, "pages": 130, "relevant": 60, "waiting": 7, "in_flight": 3, "in_transit": 40}
    said = {**live, "workers": 4, "shards": 16, "replaced": 1, "pages_per_s": 2.5}
    status_of(run, cluster=said)
    assert gathered(serve(run), "figures")["cluster"] == "", "nobody crawls it"
    with RunLock(RunFolder(run)):
        found = gathered(serve(run), "figures")
        page = serve(run).get("/runs/geology").text
    assert found["cluster"] == "4 workers, 16 shards, 40 links in transit, 1 worker replaced"
    assert {name: found[name] for name in ("fetches", "pages", "relevant", "waiting", "in_flight")} == {
        name: live[name] for name in ("fetches", "pages", "relevant", "waiting", "in_flight")
    }
    assert "On a cluster: 4 workers" in page


def test_finds_come_with_the_way_from_the_seed(serve: Serve, run: Path) -> None:
    found = gathered(serve(run), "finds")
    with open_run(run) as opened:
        pages = {page.url.text: page for page in opened.pages()}
        best = next(opened.pages(best_first=True, relevant_only=True))
    assert found["best"][0]["url"] == best.url.text
    assert [each["step"] for each in found["newest"]] == sorted(
        (each["step"] for each in found["newest"]), reverse=True
    )
    for card in [*found["newest"], *found["best"]]:
        page = pages[card["url"]]
        assert page.is_relevant
        assert len(card["path"]) == page.depth
        way = [*(step["url"] for step in card["path"]), card["url"]]
        assert pages[way[0]].found_on is None  # a seed
        for before, after in pairwise(way):
            assert pages[after].found_on == pages[before].url
        assert any(piece["is_marked"] for piece in card["snippet"])


def test_the_map_is_that_of_the_report_only_larger_and_pages_keep_their_place(run: Path) -> None:
    readings = Readings()
    with readings.open("geology", run) as reading:
        found = finds.gather_map(reading)
        places = finds.map_places(reading, found)
        assert finds.map_places(reading, found) is places
        fewer = replace(found, pages=found.pages[:-1], links=())
        moved = finds.map_places(reading, fewer)
    assert found.links
    assert np.abs(moved - places[:-1]).mean() < 0.25
    assert {page.url for page in found.pages} <= {page.url.text for page in open_run(run).pages(relevant_only=True)}


def test_budget_by_cause_adds_up_to_the_fetches(serve: Serve, run: Path) -> None:
    spent = gathered(serve(run), "spending")
    assert sum(each["fetches"] for each in spent["causes"]) == spent["fetches"] == 120


def test_the_outlook_is_that_of_the_run_in_numbers_and_in_words(serve: Serve, run: Path) -> None:
    client = serve(run)
    with open_run(run) as opened:
        told = opened.outlook()
    shown = gathered(client, "outlook")
    assert shown["outlook"] == json.loads(json.dumps(asdict(told)))
    assert [each["fetches"] for each in shown["outlook"]["next_fetches"]] == [100, 500]
    html = client.get("/runs/geology/parts?names=outlook").json()["outlook"]
    for sentence in told.sentences():
        assert sentence in shown["sentences"]
        assert sentence in html


def test_the_best_waiting_links_say_why(serve: Serve, run: Path) -> None:
    client = serve(run)
    links = gathered(client, "waiting")["links"]
    assert links == [
        each | {"found_on": each["found_on"] or ""}
        for each in json.loads((run / "status.json").read_text())["best_waiting"]
    ]
    html = client.get("/runs/geology/parts?names=waiting").json()["waiting"]
    assert f"{links[0]['score']:.4g}" in html
    assert "from a seed" in html


def test_what_is_being_fetched_is_shown_only_while_somebody_crawls(serve: Serve, run: Path) -> None:
    client = serve(run)
    status_of(
        run, now=10.0, in_flight=[{"url": "http://a.test/", "since": 9.0}, {"url": "http://b.test/", "since": 4.0}]
    )
    assert gathered(client, "underway") == {"links": [], "count": 0}
    with RunLock(RunFolder(run)):
        assert gathered(client, "underway") == {
            "links": [{"url": "http://b.test/", "seconds": 6.0}, {"url": "http://a.test/", "seconds": 1.0}],
            "count": 2,
        }
        assert gathered(client, "figures")["in_flight"] == 2


def test_a_host_that_rests_says_for_how_long_and_why(serve: Serve, run: Path) -> None:
    client = serve(run)
    host = gathered(client, "hosts")["hosts"][0]["host"]
    status_of(run, now=10.0, resting_hosts=[{"host": host, "ready_at": 22.5}], waiting_by_host={host: 17})
    with RunLock(RunFolder(run)):
        table = gathered(client, "hosts")
    (row,) = table["resting"]
    assert (row["host"], row["rests_s"], row["waiting"]) == (host, 12.5, 17)
    assert row["reason"]
    assert gathered(client, "hosts")["resting"] == []  # nobody crawls


def test_weights_are_said_in_words(serve: Serve, run: Path) -> None:
    rows = gathered(serve(run), "weights")["rows"]
    words = [row["words"] for row in rows]
    assert "its anchor is near the topic" in words
    assert not any(word.startswith("meaning ") for word in words)
    assert [abs(row["weight"]) for row in rows] == sorted((abs(row["weight"]) for row in rows), reverse=True)


def test_the_log_has_the_newest_fetch_first(serve: Serve, run: Path) -> None:
    lines = gathered(serve(run), "log")["lines"]
    assert [line["step"] for line in lines] == list(range(120, 120 - len(lines), -1))


def test_the_log_shows_what_a_crawl_that_was_started_here_has_printed(serve: Serve, run: Path, tmp_path: Path) -> None:
    client = serve(run)
    (run / "crawl.log").write_text("".join(f"line {number} <b>\n" for number in range(1000)))
    assert gathered(client, "log")["printed"] == [f"line {number} <b>" for number in range(985, 1000)]
    assert "line 999 &lt;b&gt;" in client.get("/runs/geology/parts?names=log").json()["log"]


@pytest.mark.parametrize(
    "said",
    [
        b"",
        thorough(b"[]"),
        b"\xff\xfe",
        thorough(b'{"in_flight": 3}'),
        b'{"in_flight": [{"url": 5, "since": "x"}]}',
        thorough(b'{"best_waiting": [{}], "weights": [1, 2]}'),
        b'{"weights": {"a": NaN}, "now": Infinity, "waiting_by_host": {"a": -1}}',
        thorough(b"[" * 100_000),
    ],
)
def test_a_status_that_no_crawl_writes_counts_as_none(serve: Serve, run: Path, said: bytes) -> None:
    (run / "status.json").write_bytes(said)
    client = serve(run)
    with RunLock(RunFolder(run)):
        assert client.get("/runs/geology").status_code == 200
        for view in VIEWS:
            gathered(client, view.name)


def test_a_run_that_has_not_begun_is_shown(serve: Serve, tmp_path: Path, run: Path) -> None:
    fresh = tmp_path / "fresh"
    folder, lock = RunFolder.create(fresh, (run / "settings.toml").read_text())
    lock.close()
    assert folder.path == fresh
    client = serve(tmp_path)
    assert "has no crawl.sqlite" in client.get("/api/runs/fresh").json()["problem"]
    assert client.get("/").status_code == 200


def test_however_many_look_a_part_is_made_once_in_a_moment(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = Dashboard(Library([run]), Access(), Readings(), Watcher(VIEWS))
    made: list[Reading] = []
    now = 100.0

    def gather(reading: Reading) -> traffic.Log:
        made.append(reading)
        return traffic.gather_log(reading)

    view = replace(traffic.LOG, gather=gather)
    monkeypatch.setattr("honeyguide.web.app.monotonic", lambda: now)

    def look() -> str:
        with site.readings.open("geology", run) as reading:
            return site.part(view, reading)

    with RunLock(RunFolder(run)):
        assert look() == look()
        assert len(made) == 1
        now += 1
        look()
        assert len(made) == 2
    look()  # nobody crawls: what is shown now is the last that is shown
    assert len(made) == 3
