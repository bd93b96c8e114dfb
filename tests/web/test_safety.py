"""Who may ask the dashboard for what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from honeyguide.web.safety import CSRF_COOKIE, CSRF_HEADER, Access

if TYPE_CHECKING:
    from pathlib import Path

    import httpx

    from web.conftest import Serve


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8642", 200),
        ("localhost", 200),
        ("LOCALHOST:1", 200),
        ("[::1]:8642", 200),
        ("10.1.2.3", 200),
        ("evil.test", 421),
        ("localhost.evil.test", 421),
        ("127.0.0.1.evil.test:8642", 421),
        ("", 421),
        ("localhost:80:80", 421),
    ],
)
def test_only_names_of_this_server_are_answered(serve: Serve, run: Path, host: str, status: int) -> None:
    assert serve(run).get("/api/runs", headers={"Host": host}).status_code == status


def test_every_request_must_carry_the_token_where_there_is_one(serve: Serve, run: Path) -> None:
    client = serve(run, access=Access(token="sesame"))
    for path in ("/", "/api/runs", "/static/style.css", "/runs/geology", "/api/runs/geology/events", "/nowhere"):
        assert client.get(path).status_code == 401
    assert client.get("/?token=wrong").status_code == 401
    assert client.get("/api/runs", headers={"Authorization": "Bearer sesame"}).status_code == 200
    first = client.get("/runs/geology?token=sesame&x=1")
    assert (first.status_code, first.headers["location"]) == (303, "/runs/geology?x=1")
    assert "HttpOnly" in first.headers["set-cookie"]
    assert client.get("/runs/geology").status_code == 200  # by the cookie


@pytest.mark.parametrize(("cookie", "header"), [("", ""), ("a", ""), ("", "a"), ("a", "b")])
def test_a_change_without_the_same_value_twice_is_refused(serve: Serve, run: Path, cookie: str, header: str) -> None:
    client = serve(run)
    client.cookies.clear()
    if cookie:
        client.cookies.set(CSRF_COOKIE, cookie)
    answer = client.post("/nowhere", headers={CSRF_HEADER: header})
    assert answer.status_code == 403
    assert CSRF_HEADER in answer.text


def test_a_change_carries_the_value_in_a_header(serve: Serve, run: Path) -> None:
    assert serve(run).post("/nowhere").status_code == 404  # let in: the client's own header says what the cookie says


def test_a_program_that_carries_the_token_needs_no_value_besides(serve: Serve, run: Path) -> None:
    client = serve(run, access=Access(token="secret"))
    client.cookies.clear()
    headers = {CSRF_HEADER: "", "Authorization": "Bearer secret"}
    assert client.post("/nowhere", headers=headers).status_code == 404
    assert client.post("/nowhere?token=secret", headers={CSRF_HEADER: ""}).status_code == 403


def test_a_page_gives_a_new_reader_the_value_that_its_forms_carry(serve: Serve, run: Path) -> None:
    client = serve(run)
    client.cookies.clear()
    page = client.get("/")
    value = client.cookies[CSRF_COOKIE]
    assert f'<meta name="csrf" content="{value}">' in page.text
    assert "SameSite=Strict" in page.headers["set-cookie"]
    assert client.get("/").text.count(value) == 1  # and keeps it


def test_a_read_only_dashboard_changes_nothing(serve: Serve, run: Path) -> None:
    client = serve(run, access=Access(read_only=True))
    assert client.get("/").status_code == 200
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert client.request(method, "/nowhere").status_code == 403


def test_a_request_that_is_too_long_is_refused(serve: Serve, run: Path) -> None:
    assert serve(run).post("/nowhere", content=b"x" * 1_000_001).status_code == 413


@pytest.mark.parametrize("path", ["/", "/runs/geology", "/api/runs", "/static/dashboard.js", "/nowhere"])
def test_every_answer_forbids_what_is_not_ours(serve: Serve, run: Path, path: str) -> None:
    headers = serve(run).get(path).headers
    policy = dict(each.strip().partition(" ")[::2] for each in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


def test_pages_have_no_inline_script_or_style(serve: Serve, run: Path) -> None:
    client: httpx.Client = serve(run)
    for path in ("/", "/runs/geology", "/api", "/nowhere"):
        page = client.get(path).text
        assert "<style" not in page
        assert " style=" not in page
        assert page.count("<script") == page.count('<script src="/static/dashboard.js" defer>') == 1
