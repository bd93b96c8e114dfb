"""The list of runs, and the page of one: as they are, and as they change."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from shutil import rmtree
from threading import Event, Thread, current_thread
from time import sleep
from typing import TYPE_CHECKING

import httpx
import pytest

import honeyguide
from honeyguide.crawler import RunToAnswer
from honeyguide.runs import RunFolder, RunLock, is_being_crawled, open_run
from honeyguide.web.answering import QUESTION_VIEWS
from honeyguide.web.app import VIEWS
from honeyguide.web.library import Library
from web.conftest import Serve, settings_of

if TYPE_CHECKING:
    from pathlib import Path


def test_runs_below_a_folder_are_listed_with_their_state(serve: Serve, run: Path) -> None:
    (run.parent / "deeper").mkdir()
    other = run.parent / "deeper" / "half done"
    honeyguide.crawl(other, settings_of(20), is_interrupted=lambda: True).close()
    client = serve(run.parent)
    found = {card["name"]: card for card in client.get("/api/runs").json()}
    assert {name: card["state"] for name, card in found.items()} == {
        "geology": "finished",
        "deeper~half done": "stopped",
    }
    with open_run(run) as opened:
        assert found["geology"]["relevant"] == opened.progress.relevant > 0
        assert found["geology"]["spark"][-1] == opened.progress.relevant
    page = client.get("/").text
    assert "2 runs" in page
    assert 'href="/runs/deeper~half%20done"' in page
    assert client.get("/runs/deeper~half%20done").status_code == 200


def test_a_run_that_is_being_crawled_is_running(serve: Serve, run: Path) -> None:
    client = serve(run)
    with RunLock(RunFolder(run)):
        assert client.get("/api/runs/geology").json()["state"] == "running"
    assert client.get("/api/runs/geology").json()["state"] == "finished"


def test_a_run_that_takes_answers_is_not_running(serve: Serve, run: Path) -> None:
    client = serve(run)
    with RunToAnswer(run):
        assert client.get("/api/runs/geology").json()["state"] == "finished"
    with RunLock(RunFolder(run)):
        assert client.get("/api/runs/geology").json()["state"] == "running"


def test_the_folder_of_new_runs_is_shown_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Library([tmp_path.relative_to(tmp_path)]).home == tmp_path.resolve()


def test_asking_whether_a_run_is_crawled_never_keeps_a_crawl_out(run: Path) -> None:
    library = Library([run])
    with ThreadPoolExecutor(1) as asker:
        asking = asker.submit(lambda: [library.cards()[0].name for _ in range(50)])
        while not asking.done():
            RunLock(RunFolder(run)).close()  # RunBusy where it is kept out
    assert asking.result() == ["geology"] * 50


def test_nor_where_whoever_asks_is_held_up_by_a_busy_machine(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared, close = Event(), os.close
    asker = current_thread()

    def close_late(handle: int) -> None:
        if current_thread() is not asker:
            shared.set()
            sleep(0.05)
        close(handle)

    monkeypatch.setattr("honeyguide.runs.folder.os.close", close_late)
    with ThreadPoolExecutor(1) as other:
        asking = other.submit(is_being_crawled, run)
        assert shared.wait(10)
        RunLock(RunFolder(run)).close()  # RunBusy where it is kept out
        assert not asking.result()


def damage(run: Path) -> str:
    (run / "crawl.sqlite").write_bytes(b"no database" * 1000)
    return "crawl.sqlite"


def make_older(run: Path) -> str:
    about = json.loads((run / "honeyguide.json").read_text())
    (run / "honeyguide.json").write_text(json.dumps({**about, "format": 3}))
    return "has run format 3"


def take_settings(run: Path) -> str:
    (run / "settings.toml").unlink()
    return "has no settings.toml"


@pytest.mark.parametrize("harm", [damage, make_older, take_settings])
def test_a_run_that_cannot_be_read_is_shown_with_the_reason(serve: Serve, run: Path, harm: object) -> None:
    client = serve(run.parent)
    assert client.get("/runs/geology").status_code == 200
    reason = harm(run)  # type: ignore[operator]
    (card,) = client.get("/api/runs").json()
    assert card["state"] == "unreadable"
    assert reason in card["problem"]
    assert "unreadable" in client.get("/").text
    page = client.get("/runs/geology")
    assert page.status_code == 409
    assert "That is not possible" in page.text
    assert reason in client.get("/api/runs/geology/figures").json()["detail"]


def test_a_run_that_vanishes_is_gone_from_the_list_and_its_page_says_so(serve: Serve, run: Path) -> None:
    client = serve(run.parent)
    assert "geology" in client.get("/").text
    rmtree(run)
    assert client.get("/api/runs").json() == []
    assert "No run was found here" in client.get("/").text
    for path in ("/runs/geology", "/runs/geology/parts?names=figures", "/api/runs/geology/figures"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "moved or deleted" in answer.text


@pytest.mark.parametrize("name", ["..~..~etc", "~", "geology~..~geology", "%2e%2e~runs~geology"])
def test_a_name_leads_to_no_folder_outside(serve: Serve, run: Path, name: str) -> None:
    assert serve(run.parent).get(f"/api/runs/{name}").status_code == 404


def test_two_runs_of_one_name_can_be_told_apart(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "geology"
    honeyguide.crawl(other, settings_of(5)).close()
    assert Library([run, other]).paths() == {"geology": run, "geology-2": other}
    assert Library([run, other]).path("geology-2") == other


def test_every_view_is_a_part_of_the_page_and_has_a_json_twin_that_openapi_describes(serve: Serve, run: Path) -> None:
    client = serve(run)
    page = client.get("/runs/geology").text
    described = client.get("/api/openapi.json").json()["paths"]
    for view in VIEWS:
        assert f'data-part="{view.name}"' in page
        answer = client.get(f"/api/runs/geology/{view.name}")
        assert answer.status_code == 200, answer.text
        assert set(answer.json()) == {field.name for field in fields(view.shape)}
        assert f"/api/runs/{{name}}/{view.name}" in described
    assert "openapi.json" in client.get("/api").text
    names = ",".join(view.name for view in VIEWS)
    assert set(client.get(f"/runs/geology/parts?names={names}").json()) == set(names.split(","))
    assert client.get("/runs/geology/parts?names=nothing").status_code == 404


def test_figures_and_curve_are_those_of_the_run(serve: Serve, run: Path) -> None:
    client = serve(run)
    figures = client.get("/api/runs/geology/figures").json()
    curve = client.get("/api/runs/geology/harvest").json()["points"]
    with open_run(run) as opened:
        progress = opened.progress
    assert (figures["fetches"], figures["pages"], figures["relevant"]) == (120, progress.pages, progress.relevant)
    assert curve[0] == [0, 0]
    assert curve[-1] == [120, progress.relevant]


def test_an_answer_changes_the_curve_that_was_kept(serve: Serve, run: Path) -> None:
    client = serve(run)
    before = client.get("/api/runs/geology/harvest").json()["points"][-1]
    with open_run(run) as opened:
        page = next(page for page in opened.pages(best_first=True) if page.is_relevant)
    honeyguide.answer(run, page.url.text, "no")
    with open_run(run) as opened:
        now = opened.progress.relevant
    assert client.get("/api/runs/geology/harvest").json()["points"][-1] == [120, now]
    assert now < before[1]


def test_events_name_the_parts_that_changed_while_a_crawl_goes_on(serve: Serve, tmp_path: Path) -> None:
    run = tmp_path / "geology"
    honeyguide.crawl(run, settings_of(30)).close()
    client = serve(run)
    with client.stream("GET", "/api/runs/geology/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.iter_lines()
        every = {view.name for view in (*VIEWS, *QUESTION_VIEWS)}
        assert set(next_parts(lines)) == every  # whoever begins to listen sees all anew
        crawl = Thread(target=lambda: honeyguide.resume(run, budget=200).close())
        crawl.start()
        changed = next_parts(lines)
        crawl.join()
    assert "figures" in changed
    assert client.get("/api/runs/geology/figures").json()["fetches"] == 200


def next_parts(lines: object) -> list[str]:
    """Return the parts that the next event names."""
    for line in lines:  # type: ignore[attr-defined]
        if line.startswith("data: "):
            return json.loads(line.removeprefix("data: "))["parts"]
    raise AssertionError("no event came")


def test_two_readers_see_the_same(serve: Serve, run: Path) -> None:
    first, second = serve(run), serve(run)
    assert first.get("/runs/geology").text.replace("ours", "") == second.get("/runs/geology").text.replace("ours", "")
    assert isinstance(first, httpx.Client)
