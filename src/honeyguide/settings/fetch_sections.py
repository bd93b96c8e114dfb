"""The sections of requests: what one may take, who asks, how gently, and whether a browser runs the page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata
from typing import Final

from honeyguide.settings.declaring import setting

CONTACT_PLACEHOLDER: Final = "set fetch.contact"
LONGEST_REST_S: Final = 24 * 3600.0
"""The longest that a host is left alone because it asked for it."""
MOST_BODY_BYTES: Final = 100_000_000
"""Of any body that a crawl stores; a longer one in a run folder was put there by someone else."""


def _version() -> str:
    try:
        return metadata.version("honeyguide")
    except metadata.PackageNotFoundError:  # run from a source tree that was never installed
        return "0"


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """One request: who asks, and what it may take."""

    user_agent: str = setting(
        f"Honeyguide/{_version()} (focused crawler; {CONTACT_PLACEHOLDER})",
        "the name given to every server; robots.txt is asked about what stands before the slash",
    )
    contact: str = setting("", "where a site's owner can reach you, sent with the user agent", everyday=True)
    accept_language: str = setting("", "languages asked for, as in 'en, de;q=0.5'; empty asks for none")
    connect_timeout_s: float = setting(10.0, "seconds a connection may take, names looked up and TLS agreed", above=0)
    first_byte_timeout_s: float = setting(
        20.0, "seconds a host may take from then on until its headers are in", above=0
    )
    timeout_s: float = setting(
        30.0, "seconds an answer may take, from connecting to the last byte", above=0, everyday=True
    )
    content_types: tuple[str, ...] = setting(
        (
            "text/html",
            "application/xhtml+xml",
            "application/vnd.wap.xhtml+xml",
            "text/plain",
            "text/xml",
            "application/xml",
        ),
        "types whose bodies are read, * for any part; others are given up before",
    )
    max_body_bytes: int = setting(
        5_000_000,
        "bytes of an unpacked body; a longer one is given up",
        at_least=1,
        at_most=MOST_BODY_BYTES,
        everyday=True,
    )
    max_redirects: int = setting(10, "redirects followed in a row from one link", at_least=0)
    retries: int = setting(
        2,
        "times a link is fetched again, live, after a trouble that may pass; each costs a fetch",
        at_least=0,
        everyday=True,
    )
    backoff_s: float = setting(
        10.0, "seconds a host in trouble is left alone at first; doubled at every further trouble in a row", at_least=0
    )
    max_retry_after_s: float = setting(
        600.0, "seconds of backoff, and of Retry-After, at most; where a host asks for more, its link fails", at_least=0
    )
    kept_connections: int = setting(512, "connections kept open at once for the hosts' next pages", at_least=0)
    cookies: bool = setting(default=False, meaning="whether cookies are sent back to the hosts that set them")
    cookie_file: str = setting(
        "", "a file of cookies in Netscape's format, sent and kept up to date; empty for none", names_file=bool
    )
    logins: str = setting(
        "", "a TOML file of headers and credentials by host, which is read and never copied", names_file=bool
    )
    proxies: tuple[str, ...] = setting(
        (), "HTTP proxies that everything is asked through, in turn, as in http://proxy:3128", everyday=True
    )
    proxy_login: str = setting("", "a file that holds user:password for the proxies; empty for none", names_file=bool)
    proxy_rest_s: float = setting(
        10.0, "seconds that a proxy which does not answer rests; doubled each time, 600 at most", above=0
    )
    allow_private: tuple[str, ...] = setting(
        (),
        "networks and hosts that may be called though their addresses are not public, as in 127.0.0.0/8 or "
        "intranet.example.org; metadata services of clouds only by their very address",
        everyday=True,
    )

    @property
    def has_contact(self) -> bool:
        """Whether the user agent says whose crawler this is."""
        return CONTACT_PLACEHOLDER not in self.identity

    @property
    def identity(self) -> str:
        """The user agent as sent: with the contact in it, where one is given."""
        if not self.contact or self.contact in self.user_agent:
            return self.user_agent
        if CONTACT_PLACEHOLDER in self.user_agent:
            return self.user_agent.replace(CONTACT_PLACEHOLDER, self.contact)
        return f"{self.user_agent} ({self.contact})"

    @property
    def product(self) -> str:
        """The name by which a page may address us: what the user agent begins with."""
        return re.split(r"[\s/;()]", self.user_agent.strip(), maxsplit=1)[0]


@dataclass(frozen=True, slots=True)
class RenderSettings:
    """Pages of the live web that are empty until a browser has run their scripts."""

    enabled: bool = setting(
        default=False, meaning="whether such pages are run in headless Chromium (extra: browser)", everyday=True
    )
    browser: str = setting("", "path to Chromium or Chrome; empty looks for one")
    sandbox: bool = setting(
        default=True, meaning="whether the browser is shut in by the system; root and most containers need false"
    )
    timeout_s: float = setting(20.0, "seconds a page may take until it is at rest; then it is taken as it is", above=0)
    max_requests: int = setting(40, "requests that the scripts of one page may make", at_least=0)
    at_once: int = setting(2, "pages rendered at once", at_least=1, at_most=64)


@dataclass(frozen=True, slots=True)
class PolitenessSettings:
    """Pauses between requests to one host."""

    obey_robots: bool = setting(default=True, meaning="whether robots.txt decides what may be fetched", everyday=True)
    delay_s: float = setting(1.0, "seconds between two requests to one host", at_least=0, everyday=True)
    max_delay_s: float = setting(60.0, "seconds a host may ask for at most between requests", at_least=0)
    delay_factor: float = setting(
        1.0,
        "how many times the seconds its last answer took a live host rests, between delay_s and max_delay_s; 0 for off",
        at_least=0,
    )
    per_address: bool = setting(
        default=True,
        meaning="whether hosts that are found at one IP address share one pause, and one request at a time",
    )
    patience_s: float = setting(
        600.0, "seconds that a live crawl waits for hosts when nothing else is to be done, before it stops", at_least=0
    )
    pause_every: int = setting(0, "fetches after which the host asked last rests longer; 0 for never", at_least=0)
    pause_from_s: float = setting(1.0, "seconds of that rest, on top of the usual, at least", at_least=0)
    pause_to_s: float = setting(2.2, "seconds of that rest at most; drawn at random between the two", at_least=0)

    def pause_s(self, response_s: float = 0.0, asked_s: float = 0.0) -> float:
        """Seconds between the end of an answer and the next request, given how long the answer took and what is asked.

        Never below `delay_s`, and above it only up to `max_delay_s`.
        """
        return max(self.delay_s, min(max(self.delay_factor * response_s, asked_s), self.max_delay_s))
