"""Secrets by which hosts know us: headers and credentials for single origins, and cookies.

They stand in files of the user's, or in variables of the environment that such a file names, and are kept nowhere else:
not in the run, not in its archive, not in a log. Headers are sent to their very origin alone (scheme, host and port),
and looked up anew for every request; so a redirect, a robots.txt elsewhere or a script takes none of them along.
Cookies go where their domain says, as in a browser.
"""

from __future__ import annotations

import logging
import os
import re
import tempfile
import tomllib
from base64 import b64encode
from contextlib import suppress
from http.cookiejar import Cookie, MozillaCookieJar
from math import inf
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import aiohttp
from aiohttp._cookie_helpers import parse_set_cookie_headers  # see pyproject.toml
from yarl import URL

from honeyguide.errors import InvalidUrl, SettingsError
from honeyguide.model import Url
from honeyguide.model.url import is_public_suffix

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aiohttp.abc import AbstractCookieJar

    from honeyguide.settings import FetchSettings

log = logging.getLogger(__name__)

_NEVER_KEPT: Final = frozenset({"authorization", "proxy-authorization", "cookie"})
_OURS: Final = frozenset({"host", "user-agent", "cookie", "content-length", "transfer-encoding", "connection"})
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
_SAVED_EVERY_S: Final = 60.0
_KEYS: Final = ("basic", "bearer", "headers")


class Logins:
    """Headers by origin, and the cookies of one fetcher."""

    def __init__(
        self,
        headers_by_origin: Mapping[str, Mapping[str, str]] | None = None,
        cookie_file: Path | None = None,
        *,
        keeps_cookies: bool = False,
    ) -> None:
        self._headers = headers_by_origin or {}
        self._cookie_file = cookie_file
        self._keeps_cookies = keeps_cookies or cookie_file is not None
        self._jar: _Jar | None = None
        self._save_from = -inf  # by the clock of the fetcher
        names = {name.lower() for headers in self._headers.values() for name in headers}
        self.never_kept: frozenset[str] = _NEVER_KEPT | names

    @classmethod
    def read(cls, settings: FetchSettings) -> Logins:
        """Read the files that the settings name. SettingsError where one of them cannot be used."""
        headers = read_logins(settings.logins) if settings.logins else {}
        # Resolved, so that a link to a file stays one when the file is replaced.
        file = Path(settings.cookie_file).expanduser().resolve() if settings.cookie_file else None
        if file is not None:
            _stored_cookies(file)
        return cls(headers, file, keeps_cookies=settings.cookies)

    def headers(self, url: Url) -> Mapping[str, str]:
        """Return the headers for the origin of a URL."""
        return self._headers.get(url.origin, {})

    def is_known_at(self, url: Url) -> bool:
        """Whether a request for this URL would carry a secret."""
        has_cookies = self._jar is not None and len(self._jar.filter_cookies(URL(url.text, encoded=True))) > 0
        return url.origin in self._headers or has_cookies

    def jar(self) -> AbstractCookieJar:
        """Return the cookies, those of the file among them; one that keeps none where there are to be none."""
        if not self._keeps_cookies:
            return aiohttp.DummyCookieJar()
        if self._jar is None:
            self._jar = _Jar(unsafe=True, quote_cookie=False)  # also of hosts that are named by their address
            for cookie in () if self._cookie_file is None else _stored_cookies(self._cookie_file):
                _put(self._jar, cookie)
            self._jar.is_changed = False
        return self._jar

    def save_changes(self, now: float) -> None:
        """Write new cookies, once a minute at most, so that a crawl that is killed keeps its session."""
        if self._jar is not None and self._jar.is_changed and now >= self._save_from:
            self._save_from = now + _SAVED_EVERY_S
            self.save()

    def save(self) -> None:
        """Write the cookies to their file, readable by nobody else; what goes wrong is logged."""
        if self._jar is None or self._cookie_file is None:
            return
        self._jar.is_changed = False
        stored = MozillaCookieJar()
        for cookie in _cookies_in(self._jar):
            stored.set_cookie(cookie)
        draft = ""
        try:
            handle, draft = tempfile.mkstemp(prefix=f".{self._cookie_file.name}-", dir=self._cookie_file.parent)
            os.close(handle)
            stored.save(draft, ignore_discard=True, ignore_expires=True)  # 0 is for those of a session
            Path(draft).replace(self._cookie_file)
        except OSError as error:
            log.warning("cookies could not be saved in %s: %s", self._cookie_file, error.strerror)
            with suppress(OSError):
                Path(draft).unlink()


class _Jar(aiohttp.CookieJar):
    """Cookies as browsers keep them: sent back as they came, and none for all hosts below a public suffix."""

    is_changed = False  # since they were last saved

    def update_cookies_from_headers(self, headers: Sequence[str], response_url: URL) -> None:
        """Take the cookies of Set-Cookie headers."""
        taken = []
        for name, morsel in parse_set_cookie_headers(headers):
            domain = morsel["domain"].lstrip(".").lower()
            if domain and is_public_suffix(domain):
                if domain != response_url.raw_host:
                    continue
                domain = ""  # for that host alone
            morsel["domain"] = domain
            sent = {"key": name, "value": morsel.coded_value, "coded_value": morsel.coded_value}
            morsel.__setstate__(sent)  # type: ignore[attr-defined] # set() refuses names that browsers take
            taken.append((name, morsel))
        self.update_cookies(taken, response_url)
        self.is_changed = self.is_changed or bool(taken)


def read_logins(file: str) -> dict[str, dict[str, str]]:
    """Read a TOML file of headers and credentials, a table an origin. SettingsError, which never quotes a secret."""
    path = Path(file).expanduser()
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError([f"fetch.logins: cannot read {file}: {error.strerror}"]) from None
    except ValueError:  # whose message may quote the line
        raise SettingsError([f"fetch.logins: {file} is not a TOML file in UTF-8"]) from None
    if path.stat().st_mode & 0o077:
        log.warning("%s can be read by others on this machine: chmod 600 %s", file, file)
    found: dict[str, dict[str, str]] = {}
    mistakes: list[str] = []
    for name, table in document.items():
        try:
            origin, headers = _origin(name), dict(_headers_in(table))
        except ValueError as error:
            mistakes.append(f"fetch.logins: {file}: [{name!r}] {error}")
            continue
        if origin in found:
            mistakes.append(f"fetch.logins: {file}: [{name!r}] is a second table for {origin}: leave one out")
        found[origin] = headers
    if mistakes:
        raise SettingsError(mistakes)
    return found


def _origin(name: str) -> str:
    """Return the origin that a name stands for; one without a scheme is asked over HTTPS."""
    try:
        url = Url.parse(name if "://" in name else f"https://{name}")
    except InvalidUrl:
        url = None
    if url is None or url.text != f"{url.origin}/":
        raise ValueError("is no host; write it as example.org or http://localhost:8080")
    return url.origin


def _headers_in(table: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - TOML
    """Yield the headers that a table asks for. ValueError, without the secret, for what is wrong in it."""
    if not isinstance(table, dict) or not table or not table.keys() <= set(_KEYS):
        raise ValueError(f"holds {', '.join(_KEYS[:-1])} or {_KEYS[-1]}, and nothing else")
    if "basic" in table and "bearer" in table:
        raise ValueError("has both basic and bearer: leave one out")
    if "basic" in table:
        login = _secret("basic", table["basic"])
        if ":" not in login:
            raise ValueError("basic is not user:password")
        yield "Authorization", f"Basic {b64encode(login.encode()).decode()}"
    if "bearer" in table:
        yield "Authorization", f"Bearer {_secret('bearer', table['bearer'])}"
    headers = table.get("headers", {})
    if not isinstance(headers, dict):
        raise ValueError("headers is no table of names and values")  # noqa: TRY004 - told with the other mistakes
    given = {"authorization"} if table.keys() & {"basic", "bearer"} else set()
    for name, value in headers.items():
        if name.lower() in given:
            raise ValueError(f"gives the header {name.lower()} twice: leave one out")
        given.add(name.lower())
        if not _NAME.fullmatch(name) or name.lower() in _OURS:
            raise ValueError(f"{name!r} is no header that can be set")
        yield name, _secret(name, value)


def _secret(name: str, value: object) -> str:
    """Return a value, or that of the variable which it names with a $ in front."""
    if isinstance(value, str) and value.startswith("$") and not value.startswith("$$"):
        variable = value[1:]
        value = os.environ.get(variable, "")
        if not value:
            raise ValueError(f"{name} is in the variable {variable}, which is empty or not set")
    elif isinstance(value, str):
        value = value.removeprefix("$") if value.startswith("$$") else value
    if not isinstance(value, str) or not value or not (value.isascii() and value.isprintable()):
        raise ValueError(f"{name} must be printable ASCII on one line")
    return value


class _Stored(NamedTuple):
    """A cookie as a file has it."""

    host: str
    is_wide: bool  # also for the hosts below
    path: str
    is_secure: bool
    expires: int  # 0 for one of a session
    name: str
    value: str


def _stored_cookies(file: Path) -> list[_Stored]:
    """Read a file in Netscape's format; one that is not there yet has none. SettingsError for any other."""
    if not file.parent.is_dir():
        raise SettingsError([f"fetch.cookie_file: there is no folder {file.parent} to keep it in"])
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise SettingsError([f"fetch.cookie_file: cannot read {file}: {error.strerror}"]) from None
    except ValueError:
        raise SettingsError([f"fetch.cookie_file: cannot read {file}: it is not text"]) from None
    found = []
    for number, line in enumerate(lines, start=1):
        written = line.removeprefix("#HttpOnly_")
        if written.startswith("#") or not written.strip():
            continue
        try:
            domain, is_wide, path, is_secure, expires, name, value = written.split("\t")
            is_wide_too = is_wide == "TRUE" or domain.startswith(".")
            moment = int(float(expires or 0))
        except (ValueError, OverflowError):  # told without the line, which may hold a secret
            reason = f"line {number} is not in Netscape's format, which has 7 parts with tabs between them"
            raise SettingsError([f"fetch.cookie_file: cannot read {file}: {reason}"]) from None
        found.append(_Stored(domain.lstrip("."), is_wide_too, path, is_secure == "TRUE", moment, name, value))
    return found


def _put(jar: _Jar, cookie: _Stored) -> None:
    left_s = int(cookie.expires - time()) if cookie.expires else None
    if left_s is not None and left_s <= 0:
        return
    header = f"{cookie.name}={cookie.value}; Path={cookie.path}"
    header += f"; Domain={cookie.host}" if cookie.is_wide else ""
    header += "; Secure" if cookie.is_secure else ""
    header += "" if left_s is None else f"; Max-Age={left_s}"
    before = len(jar)
    with suppress(ValueError):  # no host
        jar.update_cookies_from_headers([header], URL.build(scheme="https", host=cookie.host, path=cookie.path or "/"))
    if len(jar) == before:
        log.warning("a cookie of %s is not one that can be sent, and is left out", cookie.host)


def _cookies_in(jar: _Jar) -> Iterator[Cookie]:
    for morsel in jar:
        domain, path = morsel["domain"], morsel["path"] or "/"
        key = (domain, path.rstrip("/"), morsel.key)  # as the library keeps them
        is_host_only = key in jar._host_only_cookies  # noqa: SLF001 - see pyproject.toml
        expires = jar._expirations.get(key)  # noqa: SLF001
        yield Cookie(
            0, morsel.key, morsel.value, None, False, domain if is_host_only else f".{domain}", not is_host_only,  # noqa: FBT003
            not is_host_only, path, True, bool(morsel["secure"]), int(expires or 0),  # noqa: FBT003
            expires is None, None, None, {},
        )  # fmt: skip
