"""What the library and the system say, and what kind of failure it is to a crawl."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import struct
import subprocess
from typing import TYPE_CHECKING

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from honeyguide.fetch import HttpFetcher
from honeyguide.model import Failed, FailureReason, Url
from honeyguide.model.clock import RealClock
from honeyguide.settings import FetchSettings

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path


class Failing(AbstractResolver):
    """A resolver that has one answer to everything."""

    def __init__(self, errno: int) -> None:
        self._errno = errno

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        raise socket.gaierror(self._errno, "no address")

    async def close(self) -> None:
        pass


def failure_of(fetching: Coroutine[None, None, Failed]) -> Failed:
    failed = asyncio.run(fetching)
    assert isinstance(failed, Failed)
    return failed


async def asked(url: str, resolver: AbstractResolver | None = None) -> Failed:
    fetcher = HttpFetcher(FetchSettings(allow_private=True, timeout_s=5), RealClock(), resolver)
    try:
        outcome = (await fetcher.fetch(Url.parse(url))).outcome
    finally:
        await fetcher.close()
    assert isinstance(outcome, Failed)
    return outcome


@pytest.mark.parametrize(
    ("errno", "reason", "is_temporary"),
    [
        (socket.EAI_NONAME, FailureReason.DNS, False),
        (socket.EAI_AGAIN, FailureReason.CONNECTION, True),
        (socket.EAI_FAIL, FailureReason.CONNECTION, True),
    ],
)
def test_a_name_that_is_not_there_is_told_from_a_name_server_in_trouble(
    errno: int, reason: FailureReason, is_temporary: bool
) -> None:
    failed = failure_of(asked("http://a.test/", Failing(errno)))

    assert (failed.reason, failed.is_temporary) == (reason, is_temporary)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl to make a certificate with")
def test_a_certificate_that_nobody_vouches_for_is_a_lasting_failure_of_tls(tmp_path: Path) -> None:
    key, made = tmp_path / "key", tmp_path / "certificate"
    made_by = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(made)]
    subprocess.run([*made_by, "-subj", "/CN=a.test", "-days", "2"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)

    async def scenario() -> Failed:
        server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=context)
        async with server:
            return await asked(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/")

    failed = failure_of(scenario())

    assert (failed.reason, failed.is_temporary) == (FailureReason.TLS, False)
    assert "certificate" in failed.detail


def test_a_connection_that_breaks_within_the_handshake_may_heal() -> None:
    def break_off(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        broken: socket.socket = writer.get_extra_info("socket")
        broken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    async def scenario() -> Failed:
        async with await asyncio.start_server(break_off, "127.0.0.1", 0) as server:
            return await asked(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/")

    failed = failure_of(scenario())

    assert (failed.reason, failed.is_temporary) == (FailureReason.CONNECTION, True)
