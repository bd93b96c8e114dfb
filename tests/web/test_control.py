"""Crawls started, stopped, resumed and extended from the dashboard: real processes on the synthetic web."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import httpx
import pytest

import honeyguide
from honeyguide.runs import RunFolder, RunLock, open_run
from honeyguide.web.safety import CSRF_COOKIE, CSRF_HEADER, Access
from web.conftest import Serve, settings_of, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


FORM = {"topic": "geology", "keywords": "rock, mineral", "world": "synthetic", "budget": "100000"}


@pytest.fixture
def home(tmp_path: Path, serve: Serve) -> Iterator[Path]:
    """An empty folder to start crawls in; those that go on at the end of the test are stopped."""
    home = tmp_path / "home"
    home.mkdir()
    yield home
    client = serve(home)
    for card in client.get("/api/runs").json():
        if card["state"] == "running":
            client.post(f"/api/runs/{card['name']}/stop")
            wait_until(lambda card=card: state(client, card["name"]) != "running")  # type: ignore[misc]


def state(client: httpx.Client, name: str) -> str:
    return str(client.get(f"/api/runs/{name}").json()["state"])


def test_a_crawl_started_from_the_form_is_stopped_extended_and_resumed(serve: Serve, home: Path) -> None:
    client = serve(home)
    assert 'href="/new"' in client.get("/").text
    assert client.post("/new", json=FORM | {"seeds": ""}).json() == {"go": "/runs/geology"}
    assert 'data-post="/runs/geology/stop"' in client.get("/parts/runs").text
    run = home / "geology"
    with open_run(run) as opened:
        settings = opened.settings
    assert settings.topic.keywords == ("rock", "mineral")
    assert (settings.budget.fetches, settings.crawl.world) == (100_000, "synthetic")
    assert "order-stop" in client.get("/runs/geology").text
    for _ in range(3):
        assert "500 fetches more" in client.post("/runs/geology/extend", json={"budget": "+500"}).json()["message"]
    wait_until(lambda: client.get("/api/runs/geology").json()["budget"] == 101_500)
    assert client.post("/runs/geology/stop", json={}).status_code == 200
    wait_until(lambda: state(client, "geology") == "stopped")
    before = client.get("/api/runs/geology").json()["fetches"]
    assert "order-resume" in client.get("/runs/geology").text
    assert client.post("/api/runs/geology/resume").json()["message"] == "The crawl goes on."
    wait_until(lambda: client.get("/api/runs/geology").json()["fetches"] > before)
    assert client.post("/runs/geology/stop", json={}).status_code == 200
    wait_until(lambda: state(client, "geology") == "stopped")
    assert client.post("/api/runs/geology/resume").status_code == 200
    assert client.post("/api/runs/geology/stop").status_code == 200, "at once, while the run is being loaded"
    wait_until(lambda: state(client, "geology") == "stopped")
    assert "pages" in (run / "crawl.log").read_text()
    assert sorted(each.name for each in home.iterdir()) == ["geology"]


def test_a_run_that_has_spent_its_budget_goes_on_with_a_larger_one(serve: Serve, home: Path) -> None:
    honeyguide.crawl(home / "geology", settings_of(30)).close()
    client = serve(home)
    assert client.get("/api/runs/geology/control").json() == {
        "can_stop": False,
        "can_resume": False,
        "can_extend": True,
        "log": "",
    }
    answer = client.post("/api/runs/geology/extend", json={"budget": 40})
    assert answer.status_code == 200
    wait_until(lambda: client.get("/api/runs/geology").json()["fetches"] == 40)
    wait_until(lambda: state(client, "geology") == "finished")


@pytest.mark.thorough
def test_a_crawl_goes_on_when_the_dashboard_is_killed(serve: Serve, home: Path) -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "honeyguide", "serve", str(home), "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    with program:
        assert program.stdout is not None
        found = re.search(r"http://\S+", program.stdout.readline())
        assert found is not None
        headers = {CSRF_HEADER: "ours", "Cookie": f"{CSRF_COOKIE}=ours"}
        body = {"topic": "geology", "world": "synthetic", "budget": 100_000}
        assert httpx.post(f"{found[0]}api/runs", json=body, headers=headers, timeout=60).status_code == 201
        os.killpg(program.pid, signal.SIGKILL)
    client = serve(home)
    assert state(client, "geology") == "running"
    before = client.get("/api/runs/geology").json()["fetches"]
    wait_until(lambda: client.get("/api/runs/geology").json()["fetches"] > before)


def test_a_program_starts_a_crawl_with_the_same_fields(serve: Serve, home: Path) -> None:
    client = serve(home)
    body = {"topic": "-x geology", "like": ["rocks of a volcano"], "world": "synthetic", "budget": 20, "name": "my run"}
    card = client.post("/api/runs", json=body)
    assert (card.status_code, card.json()["name"], card.json()["topic"]) == (201, "my run", "-x geology")
    wait_until(lambda: state(client, "my run") == "finished")


ALL_WRONG = {
    "topic": "",
    "keywords": "",
    "like": "@/etc/passwd\nhttp://",
    "unlike": "notes.txt",
    "seeds": "file:///etc/passwd\nhttps://example.org/",
    "world": "mars:/etc",
    "budget": "many",
    "stay_on": "mars",
    "pages_per_host": "-1",
    "delay_s": "soon",
    "contact": "me\u00e9",
    "name": "../elsewhere",
}


def test_every_mistake_is_shown_at_its_field_and_nothing_is_lost(serve: Serve, home: Path) -> None:
    client = serve(home)
    page = client.post("/new", json=ALL_WRONG).json()["swap"]["new-crawl"]
    wrong = [name for name in ALL_WRONG if f'aria-describedby="{name}-hint" aria-invalid="true"' in page]
    assert wrong == [name for name in ALL_WRONG if name not in ("topic", "keywords")]  # the examples are a topic
    for value in ("@/etc/passwd", "file:///etc/passwd", "many", "soon", "../elsewhere"):
        assert f'value="{value}"' in page or f"\n{value}" in page
    assert list(home.iterdir()) == []
    assert "topic is empty" in client.post("/new", json=ALL_WRONG | {"like": ""}).json()["swap"]["new-crawl"]
    assert "scope.max_pages_per_host" not in page  # nobody sees keys of settings here


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("topic", "x" * 20_001),
        ("topic", "a\0b"),
        ("topic", "\ud800"),
        ("name", ".hidden"),
        ("name", "a/b"),
        ("name", "a~b"),
        ("name", "geology"),
        ("world", "wiki:/etc"),
        ("world", "synthetic+http"),
        ("seeds", ["ftp://example.org/"]),
        ("budget", 0),
    ],
)
def test_a_program_is_told_the_field_that_is_wrong(serve: Serve, home: Path, field: str, value: Any) -> None:
    (home / "geology").mkdir()
    body = {"topic": "geology", "world": "synthetic", "budget": 20, "name": "other", field: value}
    answer = serve(home).post("/api/runs", content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert list(answer.json()["mistakes"]) == [field]
    assert [each.name for each in home.iterdir()] == ["geology"]


def test_a_world_of_files_is_crawled_from_the_form(serve: Serve, home: Path, run: Path) -> None:
    client = serve(home)
    body = {"topic": "geology", "world": f"replay:{run}", "budget": 20, "name": "again"}
    assert client.post("/api/runs", json=body).status_code == 201
    wait_until(lambda: state(client, "again") == "finished")
    assert client.get("/api/runs/again").json()["pages"] > 0


def test_who_may_look_from_elsewhere_names_no_files(serve: Serve, home: Path, run: Path) -> None:
    client = serve(home, access=Access(token="secret"))
    client.headers["Authorization"] = "Bearer secret"
    answer = client.post("/api/runs", json={"topic": "geology", "world": f"replay:{run}"}, headers={CSRF_HEADER: ""})
    assert list(answer.json()["mistakes"]) == ["world"]
    assert answer.json()["detail"].endswith(": choose live or synthetic")
    assert "replay" not in client.get("/new").text


def test_a_crawl_takes_no_setting_that_the_form_does_not_show(serve: Serve, home: Path) -> None:
    hostile = {"proxies": ["http://evil.test:1"], "fetch.allow_private": ["10.0.0.0/8"], "judge.classifier": "x"}
    body = {"topic": "geology", "world": "synthetic", "budget": 10, **hostile}
    client = serve(home)
    assert client.post("/api/runs", json=body).status_code == 201
    with open_run(home / "geology") as opened:
        settings = opened.settings
    assert (settings.fetch.proxies, settings.fetch.allow_private) == ((), ())
    wait_until(lambda: state(client, "geology") == "finished")


def test_crawls_begin_only_below_a_folder_that_is_shown(serve: Serve, run: Path) -> None:
    client = serve(run)
    assert 'href="/new"' not in client.get("/").text
    answer = client.post("/api/runs", json={"topic": "geology", "world": "synthetic"})
    assert answer.status_code == 422
    assert "start honeyguide serve with a folder" in answer.json()["detail"]
    assert "<form" not in client.get("/new").text


@pytest.mark.parametrize(
    ("order", "body", "status", "reason"),
    [
        ("stop", {}, 409, "nothing to stop"),
        ("extend", {"budget": 120}, 400, "the budget is 120 already"),
        ("extend", {"budget": "lots"}, 400, "give a total such as 2000"),
        ("extend", {"budget": "+99999999999999999999"}, 400, "1,000,000,000 fetches at most"),
        ("extend", {"budget": "+999999999"}, 400, "at most 1,000,000,000"),
        ("extend", {"budget": "9" * 5000}, 400, "1,000,000,000 fetches at most"),
        ("extend", {}, 422, "budget"),
    ],
)
def test_an_order_that_makes_no_sense_is_refused_with_the_reason(
    serve: Serve, run: Path, order: str, body: dict[str, Any], status: int, reason: str
) -> None:
    answer = serve(run).post(f"/api/runs/geology/{order}", json=body)
    assert (answer.status_code, reason in answer.text) == (status, True)


def test_a_run_that_is_held_is_not_resumed_a_second_time(serve: Serve, run: Path) -> None:
    client = serve(run)
    with RunLock(RunFolder(run)):
        answer = client.post("/api/runs/geology/resume")
    assert (answer.status_code, "being crawled already" in answer.text) == (409, True)


def test_a_run_of_a_stranger_is_not_resumed(serve: Serve, run: Path) -> None:
    settings = run / "settings.toml"
    settings.write_text(settings.read_text().replace("proxies = []", 'proxies = ["http://evil.test:3128"]', 1))
    answer = serve(run).post("/api/runs/geology/extend", json={"budget": "+10"})
    assert answer.status_code == 400
    assert "fetch.proxies" in answer.json()["detail"]
    assert not (run / "crawl.log").exists()


def test_a_read_only_dashboard_starts_and_stops_nothing(serve: Serve, home: Path) -> None:
    honeyguide.crawl(home / "geology", settings_of(20)).close()
    client = serve(home, access=Access(read_only=True))
    assert 'href="/new"' not in client.get("/").text
    assert "<form" not in client.get("/new").text
    assert 'id="order-' not in client.get("/runs/geology").text
    for path in ("/new", "/api/runs", "/api/runs/geology/extend", "/runs/geology/stop"):
        assert client.post(path, json={"budget": "+10"}).status_code == 403
