"""`honeyguide traps`: what was judged a trap, for people and programs, and plain words where nothing was."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from honeyguide.cli.main import main
from honeyguide.crawler import crawl
from honeyguide.guard import Cause, FindingKind, Fingerprint, LinkLevel, Reason
from honeyguide.runs import open_run
from honeyguide.settings import settings_from, with_overrides
from scripted_guard import IdleGuard, RestlessGuard, guarded_by
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.conftest import Refusal
    from honeyguide.guard import Guard
    from honeyguide.model import Url


def made(path: Path, guard: Callable[[], Guard] = RestlessGuard, **overrides: object) -> Path:
    settings = settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock", "mineral"]},
            "crawl": {"world": "synthetic:pages=600,hosts=6"},
            "budget": {"fetches": 40},
        }
    )
    with guarded_by(guard):
        chosen = {key.replace("__", "."): value for key, value in overrides.items()}
        crawl(path, with_overrides(settings, chosen), vectors=hashed_vectors()).close()
    return path


@pytest.fixture(scope="module")
def trapped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("traps") / "run")


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([str(argument) for argument in arguments]) == 0
    return capsys.readouterr().out


def test_traps_are_listed_with_evidence_and_cost(trapped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "traps", trapped)
    document = json.loads(printed(capsys, "traps", trapped, "--json"))
    found, seen = document["pages_found"], document["pages_seen"]
    assert 0 < found < seen
    assert f"{found} of {seen} pages ({found / seen:.1%}) were judged" in out
    worst = document["traps"][0]
    assert worst["kind"] == "loop"
    assert worst["about"] in out
    assert worst["evidence"] in out
    assert f"cost {worst['pages']} page" in out
    assert sum(trap["pages"] for trap in document["traps"]) == found
    links = document["links"]
    assert links["lowered"] > 0
    assert f"{links['waiting_behind']} wait behind now" in out


def test_pages_are_listed_on_request_and_may_be_narrowed_down(
    trapped: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(printed(capsys, "traps", trapped, "--json", "--pages"))
    assert len(document["pages"]) == document["pages_found"]
    host = document["traps"][0]["about"]
    of_host = json.loads(printed(capsys, "traps", trapped, "--json", "--pages", "--host", host))
    assert 0 < of_host["pages_found"] < document["pages_found"]
    assert {page["url"].split("/")[2] for page in of_host["pages"]} == {host}
    assert {move["host"] for move in of_host["moves"]} == {host}
    assert all(page["url"] in printed(capsys, "traps", trapped, "--pages") for page in document["pages"])
    none = printed(capsys, "traps", trapped, "--kind", "maze")
    assert none.startswith("No page of that kind or host was judged")


TRAP_KEYS = ["kind", "about", "hosts", "pages", "relevant", "first_step", "last_step", "evidence", "parts", "examples",
             "links"]  # fmt: skip


@pytest.fixture(scope="module")
def ringed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that walked into a ring of pages with a trail in their addresses, with the guard that crawls have."""
    settings = settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock", "mineral"]},
            "crawl": {"world": "synthetic:pages=300,hosts=6,mean_links=4,trap=ring", "strategy": "breadth-first"},
            "budget": {"fetches": 500},
        }
    )
    path = tmp_path_factory.mktemp("ring") / "run"
    crawl(path, settings, vectors=hashed_vectors()).close()
    return path


def test_one_trap_is_one_entry_with_its_cost_parts_links_and_pages_to_look_at(
    ringed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(printed(capsys, "traps", ringed, "--json", "--pages"))
    ring, *others = [trap for trap in document["traps"] if "/tour/" in trap["examples"][0]]
    assert not others
    assert document["traps"][0] == ring, "the most costly first"
    assert list(ring) == TRAP_KEYS
    assert [list(part) for part in ring["parts"]] == [["kind", "about", "pages"]] * len(ring["parts"])
    assert list(ring["links"]) == ["lowered", "raised", "dropped"]
    assert (ring["kind"], ring["pages"]) == ("session-id", sum("/tour/" in page["url"] for page in document["pages"]))
    assert ring["links"]["lowered"] > 10
    assert sum(part["pages"] for part in ring["parts"]) == ring["pages"] >= 3
    out = printed(capsys, "traps", ringed)
    moved = f"; links: {ring['links']['lowered']:,} lowered"
    assert f"cost {ring['pages']} pages" in out
    assert f"steps {ring['first_step']} to {ring['last_step']}{moved}" in out
    shown = [line.partition("> ")[2] for line in out.splitlines() if "> " in line]
    assert shown[:3] == ring["examples"]


def test_the_evidence_of_a_copy_names_an_earlier_page_that_the_run_has(
    ringed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = json.loads(printed(capsys, "traps", ringed, "--json", "--pages", "--kind", "session-id"))["pages"]
    assert pages
    with open_run(ringed) as run:
        stored = run.crawled_pages()
        step_by_url = {page.url.text: page.step for page in stored.all()}
        for page in pages:
            earlier = page["like"]
            assert earlier in page["evidence"]
            assert step_by_url[earlier] < page["step"]
            assert earlier.partition("?")[0] == page["url"].partition("?")[0]
            prints = [stored.fingerprint(each) for each in stored.at_steps([step_by_url[earlier], page["step"]])]
            one, other = (Fingerprint.unpack(print_) for print_ in prints if print_ is not None)
            assert one.exact == other.exact


@pytest.mark.parametrize("host", ["_", "s__e", "*.example", "s"])
def test_a_host_is_a_host_and_no_pattern(trapped: Path, capsys: pytest.CaptureFixture[str], host: str) -> None:
    document = json.loads(printed(capsys, "traps", trapped, "--json", "--pages", "--host", host))
    assert (document["pages_found"], document["traps"], document["pages"], document["moves"]) == (0, [], [], [])
    assert document["links"]["waiting_behind"] == 0


@pytest.mark.parametrize("host", ["http://a.example/", "a.example/b", "a.example?c", "%", "a b", "//"])
def test_what_is_no_host_is_refused_in_a_line(trapped: Path, capsys: pytest.CaptureFixture[str], host: str) -> None:
    assert main(["traps", str(trapped), "--host", host]) == 2
    told = f"honeyguide: --host is {host!r}: write the name of a host alone, as in example.org\n"
    assert capsys.readouterr().err == told


def test_a_host_may_be_written_in_capitals(trapped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(printed(capsys, "traps", trapped, "--json", "--pages"))
    host = document["traps"][0]["about"]
    small, capital = (
        json.loads(printed(capsys, "traps", trapped, "--json", "--pages", "--host", name))
        for name in (host, host.upper())
    )
    assert small == capital
    assert len(small["pages"]) == small["pages_found"] > 0
    assert small["moves"]
    assert 0 < small["links"]["waiting_behind"] < document["links"]["waiting_behind"]


class _Mazes(RestlessGuard):
    """Names the kinds of findings that its reasons go with."""

    def level(self, url: Url, carried: int) -> LinkLevel:
        level = super().level(url, carried).level
        kind = FindingKind.MAZE if level % 2 else FindingKind.VARIANT
        return LinkLevel(level, Reason(Cause.OVER_BUDGET, "it", kind) if level else None)


def test_a_kind_narrows_down_the_links_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = made(tmp_path / "run", _Mazes)
    for kind in ("maze", "variant"):
        document = json.loads(printed(capsys, "traps", run, "--json", "--kind", kind))
        assert {(move["kind"], move["reason"]) for move in document["moves"]} == {(kind, "it has spent its budget")}
        assert document["links"]["lowered"] == sum(move["lowered"] for move in document["moves"])
        assert document["links"]["waiting_behind"] is None
        out = printed(capsys, "traps", run, "--kind", kind)
        assert "was let wait behind others" in out
        assert "wait behind now" not in out
    assert json.loads(printed(capsys, "traps", run, "--json", "--kind", "calendar"))["moves"] == []


@pytest.mark.parametrize("is_guarded", [True, False])
def test_restarts_are_listed_with_their_reasons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], is_guarded: bool
) -> None:
    run = made(tmp_path / "run", restart__every_fetches=15, guard__on=is_guarded)
    first, second = json.loads(printed(capsys, "traps", run, "--json"))["restarts"]
    assert first["reason"] == second["reason"] == "15 fetches have passed"
    out = printed(capsys, "traps", run)
    assert f"  after step {first['after_steps']:<7} 15 fetches have passed; from unexplored:\n" in out
    assert first["urls"][0] in out
    assert "Restarts" not in printed(capsys, "traps", run, "--kind", "maze")


def test_a_kind_that_does_not_exist_is_refused(tmp_path: Path, refusal: Refusal) -> None:
    assert "--kind is 'moon': choose one of duplicate, " in refusal("traps", str(tmp_path / "run"), "--kind", "moon")


def test_where_nothing_was_found_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = made(tmp_path / "run", IdleGuard)
    out = printed(capsys, "traps", run)
    assert out.startswith("No page was judged part of a loop or a trap, or a duplicate; the guard looked at ")
    assert out.count("\n") == 1


def test_where_nobody_looked_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = made(tmp_path / "run", guard__on=False)
    assert "made without a guard (guard.on = false)" in printed(capsys, "traps", run)
    assert json.loads(printed(capsys, "traps", run, "--json"))["guard"] is False


def test_the_summary_tells_of_traps_and_restarts_and_where_to_look(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    flags = ["--world", "synthetic:pages=600,hosts=6", "--topic", "geology", "--keyword", "rock", "--budget", "40"]
    with guarded_by():
        told = printed(capsys, "crawl", "run", *flags, "--set", "restart.every_fetches=15")
    assert "in loops or traps, or duplicates" in " ".join(told.split())
    assert "honeyguide traps run" in told
    assert "  restarts      2 times the crawl started again elsewhere" in told
    with guarded_by():
        document = json.loads(printed(capsys, "crawl", "other", *flags, "--json", "--no-guard"))
    assert document["traps"] == {"pages": 0, "links_lowered": 0, "links_raised": 0, "links_dropped": 0}
