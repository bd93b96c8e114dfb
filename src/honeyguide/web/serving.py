"""Serves the dashboard until Ctrl-C: the address, its token, and the browser that shows it."""

from __future__ import annotations

import errno
import socket
import webbrowser
from contextlib import contextmanager
from ipaddress import ip_address
from secrets import token_urlsafe
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING, Final

from honeyguide.errors import RunDamaged, ServeError
from honeyguide.extras import install_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import uvicorn

    from honeyguide.web.safety import Access

DEFAULT_PORT: Final = 8642
_GRACE_S: Final = 3  # for answers under way when the server is stopped


def serve(
    places: Sequence[Path],
    *,
    host: str = "127.0.0.1",
    port: int = DEFAULT_PORT,
    token: str = "",
    read_only: bool = False,
    allow_crawls: bool = False,
    browser: bool = True,
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve the dashboard over these folders until the process is told to stop.

    Any `host` but this machine's own gets a token, unless `token` gives one. Port 0 takes a free one. Assistants may
    start crawls with `allow_crawls`. `say` is told the address. ServeError where the port is taken or
    something is not installed.
    """
    _check_places(places)
    try:
        from honeyguide.web.safety import Access  # noqa: PLC0415 - of the extra, as all that this one needs
    except ImportError as error:
        raise ServeError(f"the dashboard needs {error.name}, which is not installed: {install_hint('web')}") from None
    token = token or ("" if _is_loopback(host) else token_urlsafe(18))
    names = frozenset({"localhost", host.lower(), socket.gethostname().lower()})
    access = Access(names, token, read_only, allow_crawls)
    with listening(host, port) as sock:
        address = _address(host, sock.getsockname()[1], token)
        say(address)
        if browser:
            open_browser(address)
        server_of(places, access).run(sockets=[sock])


@contextmanager
def serving_beside(places: Sequence[Path], access: Access | None = None) -> Iterator[str]:
    """Serve the dashboard in a thread of its own while the context is open; yields its address, at a free port."""
    with listening("127.0.0.1", 0) as sock:
        server = server_of(places, access)
        thread = Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
        thread.start()
        while thread.is_alive() and not server.started:
            sleep(0.01)
        try:
            yield _address("127.0.0.1", sock.getsockname()[1], access.token if access else "")
        finally:
            server.should_exit = True
            thread.join(_GRACE_S + 5)


def open_browser(address: str) -> None:
    """Show an address in the reader's browser; nothing happens where there is none."""
    Thread(target=webbrowser.open, args=(address,), daemon=True).start()  # it may be slow


def server_of(places: Sequence[Path], access: Access | None = None) -> uvicorn.Server:
    """Return a server of the dashboard over these folders, to be run on sockets that listen."""
    try:
        import uvicorn  # noqa: PLC0415

        from honeyguide.web.app import build_app  # noqa: PLC0415
    except ImportError as error:
        raise ServeError(f"the dashboard needs {error.name}, which is not installed: {install_hint('web')}") from None

    def is_ending() -> bool:
        return server.should_exit

    config = uvicorn.Config(
        build_app(places, access, is_ending), log_level="warning", lifespan="off", timeout_graceful_shutdown=_GRACE_S,
        server_header=False,
    )  # fmt: skip
    server = uvicorn.Server(config)
    return server


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens; ServeError with the remedy where it cannot."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=100)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            remedy = "give another with --port, or --port 0 for any that is free"
            raise ServeError(f"port {port} of {host} is taken; {remedy}") from None
        raise ServeError(
            f"cannot listen on {host}, port {port} ({error.strerror}); give an address of this machine with --host"
        ) from None
    except OverflowError:
        raise ServeError(f"{port} is no port: give one from 0 to 65535") from None


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _address(host: str, port: int, token: str) -> str:
    shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)  # noqa: S104 - compared
    shown = f"[{shown}]" if ":" in shown else shown
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")


def _check_places(places: Sequence[Path]) -> None:
    """RunDamaged for a place that does not exist: most likely a mistyped name."""
    for place in places:
        if not place.is_dir():
            raise RunDamaged(f"{place} is no folder; name run folders, or a folder with runs below it")
