"""No test leaves the machine: whoever tries to call or look up another one is stopped, and the test fails.

Nor does a property test fail because the machine is busy: Hypothesis has no deadline. It tries 30 examples of a
property that names no number; `.ci/run` has it try 100 (`-m hypothesis --hypothesis-profile many`). Nor is anything
noted in the home of whoever runs the tests. Where Python may write no bytecode beside the sources, the processes that
tests start share some in a folder of their own: else each of them would compile everything again, which takes a
second. Ctrl-C counts, also where a shell has started the tests in the background, which would have them ignore it.
"""

from __future__ import annotations

import os
import signal
import sys
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES_OF_THIS_MACHINE = ("localhost", "")


def _stay_here(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        _check(str(arguments[1][0]))
    elif event == "socket.getaddrinfo" and arguments[0] is not None:
        host = arguments[0]
        _check(host.decode("ascii", "replace") if isinstance(host, bytes) else str(host))


def _check(host: str) -> None:
    if host in NAMES_OF_THIS_MACHINE:
        return
    try:
        is_here = ip_address(host).is_loopback or ip_address(host).is_unspecified
    except ValueError:
        is_here = False
    if not is_here:
        # Nothing that deals with trouble of the network takes this for one.
        raise AssertionError(f"a test asks for {host}: give it a world or a resolver of its own")


sys.addaudithook(_stay_here)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
settings.register_profile("few", deadline=None, max_examples=30)
settings.register_profile("many", deadline=None, max_examples=100)
settings.load_profile("few")


def pytest_xdist_auto_num_workers() -> int:
    """Two processes a core: many tests wait for processes, servers and pauses, and leave a core idle meanwhile."""
    return 2 * (os.cpu_count() or 1)


@pytest.fixture(scope="session", autouse=True)
def _files_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        if sys.dont_write_bytecode:
            shared = tmp_path_factory.getbasetemp()
            shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
            patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
            patch.setenv("PYTHONPYCACHEPREFIX", str(shared / "bytecode"))
        yield
