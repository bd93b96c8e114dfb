"""What the log says of seeds that bring no page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.driving import script_settings
from honeyguide.crawler import crawl, refresh
from honeyguide.crawler.events import MOST_TOLD
from honeyguide.model import Failed, FailureReason, Redirected, RefusalReason, Refused, Url
from scripted_world import NOT_FOUND, ScriptedWorld, page_with
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from honeyguide.settings import Settings
    from scripted_world import Script

GOOD, MISSING, FORBIDDEN, MOVED, BUSY = (f"http://{host}.test/" for host in ("good", "missing", "no", "moved", "busy"))
SCRIPT: Script = {
    GOOD: page_with("http://missing.test/too"),
    MISSING: NOT_FOUND,
    "http://missing.test/too": NOT_FOUND,
    FORBIDDEN: Refused(RefusalReason.ROBOTS, "robots.txt forbids it"),
    MOVED: Redirected(301, Url.parse("http://moved.test/away")),
    "http://moved.test/away": NOT_FOUND,
    BUSY: Failed(FailureReason.TIMEOUT, "no answer"),
}


def settings(*seeds: str) -> Settings:
    return script_settings(
        crawl__seed_urls=list(seeds), politeness__delay_s=0.0, fetch__backoff_s=0.01, fetch__retries=2
    )


def warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "honeyguide.crawler.events"]


def test_a_seed_that_brings_no_page_is_warned_of_once_with_its_reason(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world = ScriptedWorld(SCRIPT, latency_s=0.0, is_offline=False)
    crawl(
        tmp_path / "run",
        settings(GOOD, MISSING, FORBIDDEN, MOVED, BUSY),
        world=world,
        vectors=hashed_vectors(),
    ).close()
    assert world.fetches[BUSY] == 3, "it was tried again, and only the last time counts"
    assert sorted(warned(caplog)) == [
        "seed http://busy.test/ brought no page: no answer (timeout)",
        f"seed http://missing.test/ brought no page: {NOT_FOUND.detail} (http-status)",
        f"seed http://moved.test/away brought no page: {NOT_FOUND.detail} (http-status)",
        "seed http://no.test/ brought no page: robots.txt forbids it (robots)",
    ]
    assert all(record.levelname == "WARNING" for record in caplog.records)


def test_of_very_many_seeds_only_the_first_are_told_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    seeds = [f"http://h{number}.test/" for number in range(MOST_TOLD + 5)]
    world = ScriptedWorld(dict.fromkeys(seeds, NOT_FOUND))
    crawl(tmp_path / "run", settings(*seeds), world=world, vectors=hashed_vectors()).close()
    assert len(warned(caplog)) == MOST_TOLD + 1
    assert warned(caplog)[-1].startswith("more seeds")


def test_a_page_that_is_gone_when_it_is_looked_at_again_is_no_seed_to_warn_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    crawl(tmp_path / "old", settings(GOOD), world=ScriptedWorld(SCRIPT), vectors=hashed_vectors()).close()
    assert not warned(caplog), "what a page links to is no seed"
    refresh(
        tmp_path / "old", new_run=tmp_path / "new", world=ScriptedWorld({GOOD: NOT_FOUND}), vectors=hashed_vectors()
    ).close()
    assert not warned(caplog)
