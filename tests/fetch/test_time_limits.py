"""Every stage of an answer has its time, and a failure says which stage took too long."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

import pytest

from fetch.serving import answer_to, fetched, opened, serving
from honeyguide.model import Answer, Failed, FailureReason, Fetched, Url

if TYPE_CHECKING:
    from fetch.serving import Behaviour

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n"


async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    await asyncio.sleep(5)


async def half_a_body(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(HEAD + b"half")
    await writer.drain()
    await asyncio.sleep(5)


async def slow_header(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A byte now and then, none of them the last of the headers."""
    await reader.readuntil(b"\r\n\r\n")
    for byte in HEAD * 10:
        writer.write(bytes([byte]).replace(b"\n", b" ").replace(b"\r", b" "))
        await writer.drain()
        await asyncio.sleep(0.05)


async def now_and_then(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Always about to answer, with all the time in the world."""
    await reader.readuntil(b"\r\n\r\n")
    while True:
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(0.05)


async def slow_but_whole(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    await asyncio.sleep(0.1)
    writer.write(HEAD)
    for _ in range(10):
        await asyncio.sleep(0.05)
        writer.write(b"x")
        await writer.drain()


@pytest.mark.parametrize(
    ("behaviour", "limits", "told"),
    [
        (silence, {"first_byte_timeout_s": 0.2}, "no answer within 0.2 s"),
        (silence, {"timeout_s": 0.2}, "no answer within 0.2 s"),
        (slow_header, {"first_byte_timeout_s": 0.2}, "no answer within 0.2 s"),
        (now_and_then, {"first_byte_timeout_s": 0.2}, "no answer within 0.2 s"),
        (now_and_then, {"timeout_s": 0.2}, "no answer within 0.2 s"),
        (half_a_body, {"timeout_s": 0.3, "first_byte_timeout_s": 0.2}, "no whole answer within 0.3 s"),
        (half_a_body, {"timeout_s": 0.3, "connect_timeout_s": 0.2}, "no whole answer within 0.3 s"),
    ],
)
def test_a_failure_names_the_stage_and_its_limit(behaviour: Behaviour, limits: dict[str, float], told: str) -> None:
    answer = answer_to(behaviour, **limits)
    assert answer.outcome == Failed(FailureReason.TIMEOUT, told)
    assert 0.15 < answer.elapsed_s < 3
    assert answer.address == "127.0.0.1"


def test_a_stage_that_is_over_no_longer_counts() -> None:
    answer = answer_to(slow_but_whole, connect_timeout_s=0.09, first_byte_timeout_s=0.3, timeout_s=5)
    assert isinstance(answer.outcome, Fetched)
    assert answer.elapsed_s > 0.55


def test_a_host_that_takes_no_connection_is_given_up() -> None:
    async def scenario() -> Answer:
        with socket.socket() as deaf:
            deaf.bind(("127.0.0.1", 0))
            deaf.listen(0)
            url = Url.parse(f"http://127.0.0.1:{deaf.getsockname()[1]}/")
            waiting = []
            for _ in range(4):  # the system takes a few calls by itself before it lets others wait
                caller = socket.socket()
                caller.setblocking(False)
                caller.connect_ex(deaf.getsockname())
                waiting.append(caller)
            try:
                return await fetched(url, connect_timeout_s=0.2)
            finally:
                for caller in waiting:
                    caller.close()

    assert asyncio.run(scenario()).outcome == Failed(FailureReason.TIMEOUT, "no connection within 0.2 s")


def test_tls_that_is_never_agreed_on_is_no_connection() -> None:
    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(5)

    async def scenario() -> Answer:
        async with serving(never) as url:
            return await fetched(url.text.replace("http:", "https:"), connect_timeout_s=0.2)

    assert asyncio.run(scenario()).outcome == Failed(FailureReason.TIMEOUT, "no connection within 0.2 s")


def test_a_fetch_that_is_cancelled_is_not_taken_for_a_late_one() -> None:
    async def scenario() -> None:
        async with serving(silence) as url, opened() as fetcher:
            fetching = asyncio.create_task(fetcher.fetch(url))
            await asyncio.sleep(0.1)
            fetching.cancel()
            with pytest.raises(asyncio.CancelledError):
                await fetching

    asyncio.run(scenario())
