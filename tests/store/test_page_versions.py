"""What a run keeps to ask a host later whether a page has changed; runs made before it was kept still open."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from engine.driving import script_settings
from honeyguide.domain import Fetched, Url
from honeyguide.engine import crawl, resume
from honeyguide.store import open_run
from scripted_world import ScriptedWorld, page_with
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

SEED, NEXT, LAST = "http://s.test/", "http://s.test/next", "http://s.test/last"
SCRIPT: Script = {
    SEED: page_with(NEXT),
    NEXT: Fetched(200, "text/html", page_with(LAST).encode(), 'W/"7"', "Wed, 21 Oct 2015 07:28:00 GMT"),
    LAST: Fetched(200, "text/html", b"end", "", "Thu, 22 Oct 2015 07:28:00 GMT"),
}


def crawled(path: Path, fetches: int) -> None:
    settings = script_settings(budget__fetches=fetches)
    crawl(path, settings, world=ScriptedWorld(SCRIPT), vectors=hashed_vectors()).close()


def test_a_run_keeps_what_tells_versions_apart(tmp_path: Path) -> None:
    crawled(tmp_path / "run", fetches=3)
    with open_run(tmp_path / "run") as run:
        versions = list(run.page_versions())
        steps = {step.url: step.step for step in run.steps()}
    assert [(each.url, each.etag, each.last_modified) for each in versions] == [
        (Url(NEXT), 'W/"7"', "Wed, 21 Oct 2015 07:28:00 GMT"),
        (Url(LAST), "", "Thu, 22 Oct 2015 07:28:00 GMT"),
    ]
    assert 0.0 < versions[0].fetched_at < versions[1].fetched_at
    assert steps.keys() == {Url(url) for url in SCRIPT}


def test_an_older_run_is_read_and_resumed(tmp_path: Path) -> None:
    crawled(tmp_path / "run", fetches=1)
    database = sqlite3.connect(tmp_path / "run" / "crawl.sqlite")
    database.execute("DROP TABLE validators")
    database.commit()
    database.close()
    with open_run(tmp_path / "run") as run:
        assert list(run.page_versions()) == []
    resume(tmp_path / "run", budget=3, world=ScriptedWorld(SCRIPT), vectors=hashed_vectors()).close()
    with open_run(tmp_path / "run") as run:
        assert [each.url for each in run.page_versions()] == [Url(NEXT), Url(LAST)]
