"""`/mcp`: what an assistant can do with runs, through the protocol's own client."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from honeyguide.runs import open_run
from honeyguide.web.safety import Access
from search.small_runs import html, run_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from web.conftest import Serve

mcp = pytest.importorskip("mcp", reason="needs the extra mcp")


def asked(client: httpx.Client, talk: Callable[[Any], Awaitable[Any]]) -> Any:
    """Let the protocol's own client talk to the server that a client of ours knows."""

    async def connected() -> Any:
        async with mcp.Client(str(client.base_url.join("/mcp"))) as assistant:
            return await talk(assistant)

    return asyncio.run(connected())


def called(client: httpx.Client, tool: str, **arguments: object) -> Any:
    return asked(client, lambda assistant: assistant.call_tool(tool, arguments))


def named(client: httpx.Client) -> set[str]:
    return {tool.name for tool in asked(client, lambda assistant: assistant.list_tools()).tools}


def test_an_assistant_gets_the_tools_that_are_allowed(serve: Serve, run: Path) -> None:
    assert named(serve(run.parent)) == {"search", "page", "answer"}
    assert named(serve(run.parent, access=Access(read_only=True))) == {"search", "page"}
    assert named(serve(run.parent, access=Access(allow_crawls=True))) == {"search", "page", "answer", "start_crawl"}
    assert named(serve(run.parent, access=Access(read_only=True, allow_crawls=True))) == {"search", "page"}


def test_an_assistant_searches_and_reads(serve: Serve, run: Path) -> None:
    run_of(run.parent / "small", {"http://only.test/": html("Small", "rock zebra")})
    client = serve(run.parent, access=Access(read_only=True))
    found = called(client, "search", query="rock", per_page=100).structured_content
    assert {hit["run"] for hit in found["hits"]} == {"geology", "small"}
    (hit,) = called(client, "search", query="zebra", run="small").structured_content["hits"]
    page = called(client, "page", url=hit["url"]).structured_content
    assert (page["title"], page["text"]) == ("Small", "rock zebra")
    assert called(client, "page", url=hit["url"], longest=4).structured_content["text"] == "rock"


def test_an_assistant_answers_and_its_answer_counts(serve: Serve, run: Path) -> None:
    with open_run(run) as opened:
        page = next(page for page in opened.pages(best_first=True) if not page.is_relevant)
    client = serve(run.parent)
    assert "judged again" in called(client, "answer", url=page.url.text, answer="yes").content[0].text
    with open_run(run) as opened:
        (answer,) = opened.answers()
        now = opened.page(page.url)
    assert (answer.answer, answer.by, answer.name) == ("yes", "model", "mcp")
    assert now is not None
    assert now.is_relevant


def test_an_assistant_starts_a_crawl_where_it_may(serve: Serve, tmp_path: Path) -> None:
    client = serve(tmp_path, access=Access(allow_crawls=True))
    card = called(
        client, "start_crawl", topic="geology", keywords=["rock"], budget=5, world="synthetic"
    ).structured_content
    assert (card["name"], card["budget"]) == ("geology", 5)
    refused = called(client, "start_crawl", topic="", world="synthetic")
    assert refused.is_error
    assert "topic" in refused.content[0].text


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("search", {"query": "(rock"}, "a ( is not closed"),
        ("search", {"query": "rock", "run": "none"}, "there is no run 'none'"),
        ("page", {"url": "http://nowhere.test/"}, "no run has a page http://nowhere.test/"),
        ("page", {"url": "nowhere"}, "not a URL"),
        ("answer", {"url": "http://nowhere.test/", "answer": "yes", "run": "geology"}, "has no page"),
    ],
)
def test_mistakes_are_told_in_one_line(
    serve: Serve, run: Path, tool: str, arguments: dict[str, str], said: str
) -> None:
    told = called(serve(run.parent), tool, **arguments)
    assert told.is_error
    assert said in told.content[0].text


LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
PROGRAM = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": "http://evil.test"}, 403),  # a page of another site, in the reader's browser
        ({"content-type": "text/plain"}, 403),  # what a page of another site may send without being asked
        ({"host": "evil.test"}, 421),
    ],
)
def test_no_other_site_speaks_for_an_assistant(serve: Serve, run: Path, headers: dict[str, str], status: int) -> None:
    address = serve(run.parent).base_url
    answer = httpx.post(address.join("/mcp"), content=json.dumps(LIST), headers=PROGRAM | headers, timeout=20)
    assert answer.status_code == status


def test_there_is_no_stream_to_listen_to(serve: Serve, run: Path) -> None:
    assert serve(run.parent).get("/mcp", headers=PROGRAM).status_code == 405


def test_an_assistant_needs_the_token_where_there_is_one(serve: Serve, run: Path) -> None:
    address = serve(run.parent, access=Access(token="sesame")).base_url
    for headers, status in (({}, 401), ({"authorization": "Bearer sesame"}, 200)):
        answer = httpx.post(address.join("/mcp"), content=json.dumps(LIST), headers=PROGRAM | headers, timeout=20)
        assert answer.status_code == status
