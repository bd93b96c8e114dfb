"""URLs, hosts and registered domains. `Url.parse` is the one door through which text becomes a URL.

Canonicalisation policy, applied on top of WHATWG parsing (which already lower-cases scheme and host, resolves `.` and
`..`, punycodes international names and drops default ports):

- only `http` and `https`; credentials are stripped; a URL longer than `MAX_LENGTH` characters is not usable;
- the fragment is dropped, and so is an empty query;
- parameters that only track the visitor (`TRACKING_PARAMETERS`, `utm_*`) are dropped, the others keep their order;
- percent-encoding is unified: unreserved characters are decoded, every other escape has upper-case digits.

Nothing else is touched: trailing slashes, `index.html` and parameter order can matter, and a blind rule would break
the site for which they do. Canonicalising twice equals canonicalising once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, NewType, cast

import ada_url

from honeyguide.errors import InvalidUrl

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

_PORT = re.compile(r":\d+")
_MORE_THAN_A_HOST = re.compile(r"[/?#@\\\s]|^$")


def linear_pattern(text: str) -> re.Pattern[str]:
    """Compile a regular expression of a user's with RE2, whose time grows with the text alone: no pattern hangs.

    ValueError, on one line, for what RE2 does not take: look-around, references to groups, counts over 1000.
    """
    import re2  # noqa: PLC0415 - few crawls have patterns

    options = re2.Options()
    options.log_errors = False
    try:
        return cast("re.Pattern[str]", re2.compile(text, options=options))
    except re2.error as error:
        reason = error.args[0]
        raise ValueError(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)) from None


def has_login(text: str) -> bool:
    """Whether a text is a URL with a user's name or password in it, which `Url.parse` strips."""
    try:
        parts = ada_url.parse_url(text, attributes=("username", "password"))
    except ValueError:
        return False
    return any(parts.values())


def host_pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern of host keys, to be matched in full: `*` is anything, a name without a port is at every port.

    Case and international letters are unified as in a URL. Raises `InvalidUrl` for text that is not a host.
    """
    try:
        name = None if _MORE_THAN_A_HOST.search(text) else Url.parse(f"http://{text}/").host
    except InvalidUrl:
        name = None
    if name is None:
        raise InvalidUrl(f"not a host: {text!r}; write its name alone, as in example.org or *.example.org")
    any_port = "" if _PORT.search(name.rpartition("]")[2]) else f"(?:{_PORT.pattern})?"
    return linear_pattern(".*".join(map(re.escape, name.split("*"))) + any_port)


_ANY_PORT = re.compile(r":\d+$")
_LAST_LABEL_OF_AN_ADDRESS = re.compile(r"\]$|(?:^|\.)\d+$")


@lru_cache(maxsize=65_536)
def registered_domain(host: HostKey) -> str:
    """Return the registered domain of a host, without port; of an address, or a name without one, the host itself."""
    name = _ANY_PORT.sub("", host).rstrip(".")
    if _LAST_LABEL_OF_AN_ADDRESS.search(name):
        return name
    return _public_suffixes().privatesuffix(name) or name


def is_public_suffix(domain: str) -> bool:
    """Whether anybody may register names right below a domain, as below co.uk."""
    return bool(_public_suffixes().is_public(domain))


def domain_pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern of the hosts at or below a domain, at any port. InvalidUrl for no domain."""
    if "*" in text or _ANY_PORT.search(text):
        raise InvalidUrl(f"not a domain: {text!r}; write it without * and port, as in example.org")
    return linear_pattern(rf"(?:.+\.)?{host_pattern(text).pattern}")


@cache
def _public_suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415 - reads a list of 10,000 suffixes

    return PublicSuffixList()


HostKey = NewType("HostKey", str)
"""Host name, with the port when it is not the scheme's own: what politeness counts as one server."""

HostId = NewType("HostId", int)
"""Number of a host in one run, in order of discovery from 0."""

MAX_LENGTH: Final = 4096

TRACKING_PARAMETERS: Final = frozenset(
    {
        "_ga", "_gl", "_hsenc", "_hsmi", "dclid", "fbclid", "gbraid", "gclid", "gclsrc", "igshid", "li_fat_id",
        "mc_cid", "mc_eid", "mkt_tok", "msclkid", "oly_anon_id", "oly_enc_id", "ttclid", "twclid", "vero_id", "wbraid",
        "wickedid", "yclid",
    }
)  # fmt: skip

# Not after a stray "%" or "%4": decoding there would make an escape out of what was none.
_ESCAPE = re.compile("(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})")
# A relative address in which nothing needs normalising: no escapes, query or scheme, and dot segments only in front.
_PLAIN_PATH = re.compile(r"(?:/|(?:\.\./)*)[A-Za-z0-9_~-][A-Za-z0-9_.~-]*(?:/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)*/?")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


@dataclass(frozen=True, slots=True)
class Url:
    """A canonical, absolute http(s) URL. Equal text is the same page address; build one with `Url.parse`."""

    text: str

    @classmethod
    def parse(cls, text: str, base: Url | None = None) -> Url:
        """Canonical URL of `text`, resolved against `base` when it is relative.

        Raises `InvalidUrl` when there is no http(s) URL in it.
        """
        _check_length(text)
        if base is not None and _PLAIN_PATH.fullmatch(text):
            # Most links of most pages; less than half the cost of full parsing.
            return cls(_check_length(_join_plain(base, text)))
        try:
            absolute = ada_url.join_url(base.text, text) if base is not None else ada_url.normalize_url(text)
        except ValueError:
            raise InvalidUrl(f"not a URL: {text!r}; write it in full, as in https://example.org/page") from None
        return cls(_canonicalise(absolute, text))

    @property
    def scheme(self) -> str:
        return self.text.partition(":")[0]

    @property
    def host(self) -> HostKey:
        return HostKey(self.text.split("/", 3)[2])

    @property
    def origin(self) -> str:
        """Scheme, host and port: what one robots.txt speaks for."""
        return self.text[: self.text.index("/", 8)]

    @property
    def path_and_query(self) -> str:
        return self.text[self.text.index("/", 8) :]

    @property
    def path(self) -> str:
        return self.path_and_query.partition("?")[0]

    @property
    def folder(self) -> str:
        """The URL up to and including the last slash of its path: what relative addresses are relative to."""
        address = self.text.partition("?")[0]
        return address[: address.rindex("/") + 1]

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type[Url], tuple[str]]:
        return Url, (self.text,)  # pages hand over many; a dataclass takes five times as long


def _join_plain(base: Url, path: str) -> str:
    if path[0] == "/":
        return base.origin + path
    folder = base.folder
    while path.startswith("../"):
        path = path[3:]
        above = folder[: folder.rindex("/", 0, -1) + 1]
        folder = above if len(above) > len(base.origin) else folder  # there is nothing above the root
    return folder + path


def _canonicalise(absolute: str, original: str) -> str:
    """Apply the policy to a URL that WHATWG parsing has already normalised."""
    scheme, separator, rest = absolute.partition("://")
    if scheme not in ("http", "https") or not separator:
        raise InvalidUrl(f"not an http or https URL: {original[:200]!r}")
    rest = rest.partition("#")[0]
    authority, slash, tail = rest.partition("/")
    if "@" in authority:
        authority = authority.rpartition("@")[2]
    if "%" in tail:
        tail = _ESCAPE.sub(_unify_escape, tail)
    if "?" in tail:
        path, _, query = tail.partition("?")
        query = _drop_tracking(query)
        tail = f"{path}?{query}" if query else path
    return _check_length(f"{scheme}://{authority}{slash}{tail}")


def _check_length(text: str) -> str:
    if len(text) > MAX_LENGTH:
        raise InvalidUrl(f"URL of {len(text)} characters is longer than {MAX_LENGTH}: {text[:60]!r}…")
    return text


def _unify_escape(match: re.Match[str]) -> str:
    value = int(match[1], 16)
    return chr(value) if value in _UNRESERVED else f"%{match[1].upper()}"


def _drop_tracking(query: str) -> str:
    return "&".join(parameter for parameter in query.split("&") if not _is_tracking(parameter))


def _is_tracking(parameter: str) -> bool:
    name = parameter.partition("=")[0].lower()
    return name.startswith("utm_") or name in TRACKING_PARAMETERS
