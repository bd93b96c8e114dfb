"""`honeyguide doctor`, and hints about extras that fit the installation."""

from __future__ import annotations

import json
import shutil
import socket
from importlib import metadata
from typing import TYPE_CHECKING, Any

import pytest

from honeyguide.crawler import installation
from honeyguide.extras import install_hint, missing_by_extra

if TYPE_CHECKING:
    from cli.conftest import Cli


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name is this machine's."""
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)


def by_name(document: dict[str, Any]) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in document["checks"]}


@pytest.mark.usefixtures("names")
def test_what_is_there_is_ok_and_what_is_missing_is_no_problem(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = {"web": (), "parquet": ("pyarrow",), "dev": ("mypy",)}
    monkeypatch.setattr(installation, "missing_by_extra", lambda: missing)
    document = cli.json("doctor")
    checks = by_name(document)
    assert document["is_ok"]
    assert checks["extra web"]["state"] == "ok"
    assert checks["extra parquet"] == {
        "name": "extra parquet",
        "state": "missing",
        "detail": "needs pyarrow",
        "remedy": install_hint("parquet"),
    }
    assert "extra dev" not in checks
    assert {"Python", "SQLite", "honeyguide", "Chromium", "DNS", "disk"} <= checks.keys()
    shown = cli("doctor")
    assert "missing  extra parquet    needs pyarrow" in shown
    assert max(map(len, shown.splitlines())) <= 80 + len(install_hint("parquet"))


def test_a_name_that_cannot_be_looked_up_is_a_problem(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    document = json.loads(cli("doctor rocks.test --json", status=1))
    assert not document["is_ok"]
    assert by_name(document)["DNS"]["detail"] == "rocks.test cannot be looked up: Name or service not known"
    assert "spelling of rocks.test" in cli("doctor rocks.test", status=1)


def test_a_host_that_is_named_is_connected_to(cli: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert by_name(cli.json(f"doctor http://127.0.0.1:{port}/a"))["host"]["state"] == "ok"
    assert f"127.0.0.1 port {port}: Connection refused" in cli(f"doctor 127.0.0.1:{port}", status=1)


@pytest.mark.parametrize("host", ["http://[::1", "http://x:99999", "x:99999", "ftp://x", "a b"])
def test_text_that_is_no_host_is_refused_in_one_line(cli: Cli, host: str) -> None:
    cli("doctor", host, status=2)
    assert host in cli.err
    assert cli.err.count("\n") == 1


def test_an_address_of_version_6_is_connected_to(cli: Cli) -> None:
    try:
        server = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with server:
        port = server.getsockname()[1]
        assert by_name(cli.json(f"doctor http://[::1]:{port}/"))["host"]["detail"] == f"::1 port {port} answers"


@pytest.mark.usefixtures("names")
def test_a_full_disk_is_a_problem(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "free_disk", lambda _: 100_000_000)
    assert "make room: a crawl stops when 200 MB are left" in " ".join(cli("doctor", status=1).split())


@pytest.mark.usefixtures("names")
def test_a_missing_browser_is_no_problem(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(installation, "_own_browser", lambda: None)
    assert by_name(cli.json("doctor"))["Chromium"]["state"] == "missing"


class Installed:
    """A distribution that was installed from somewhere."""

    def __init__(self, origin: str | None) -> None:
        self._origin = origin

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return self._origin


@pytest.mark.parametrize(
    ("origin", "hint"),
    [
        (None, "pip install 'honeyguide[web]'"),
        ('{"url": "file:///src/h%20g", "dir_info": {"editable": true}}', "pip install -e '/src/h g[web]'"),
        ('{"url": "file:///src/hg", "dir_info": {}}', "pip install '/src/hg[web]'"),
        ('{"url": "file:///hg.whl", "archive_info": {}}', "pip install 'honeyguide[web] @ file:///hg.whl'"),
    ],
)
def test_a_hint_fits_the_way_of_installation(monkeypatch: pytest.MonkeyPatch, origin: str | None, hint: str) -> None:
    monkeypatch.setattr(metadata, "distribution", lambda _: Installed(origin))
    assert install_hint("web") == hint


def test_packages_of_an_extra_are_found_or_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "requires", lambda _: ["numpy>=2", "no-such>=1; extra == 'gym'"])
    assert missing_by_extra()["gym"] == ("no-such",)
    assert not missing_by_extra()["web"]
