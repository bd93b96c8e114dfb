"""What an address looks like, whatever it is about: the signs of Lim (2016), section 5.2.4, that a fetch may be wasted.

Lim names them without numbers. `UrlRules` has ours, chosen by looking at 47,194 outside links of Wikipedia articles: of
those four in 1,000 are longer and two in 1,000 deeper. What is gibberish is told by
`LetterModel`, from the host without its last label and from the path, never from the query.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from honeyguide.text.letter_model import english_letters, plain_runs

if TYPE_CHECKING:
    from honeyguide.domain import HostKey, Url

MEDIA_TYPES: Final = frozenset(
    {
        "avif", "bmp", "eps", "gif", "heic", "ico", "jpe", "jpeg", "jpg", "png", "psd", "svg", "tif", "tiff", "webp",
        "aac", "aif", "aiff", "au", "flac", "m3u", "m4a", "mid", "midi", "mp3", "oga", "ogg", "opus", "ra", "ram",
        "wav", "wma",
        "3gp", "asf", "avi", "flv", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "ogv", "rm", "swf", "webm", "wmv",
    }
)  # fmt: skip
"""File endings of pictures, sound and film."""

BINARY_TYPES: Final = frozenset(
    {
        "7z", "bin", "bz2", "cab", "css", "deb", "dll", "dmg", "eot", "exe", "gz", "img", "iso", "jar", "js", "kmz",
        "lha", "msi", "otf", "pkg", "rar", "rpm", "tar", "tgz", "torrent", "ttf", "woff", "woff2", "wrl", "xpi", "xz",
        "zip", "zst",
    }
)  # fmt: skip
"""File endings of archives, programs, fonts and the parts of a page that are not its text."""

DOCUMENT_TYPES: Final = frozenset(
    {
        "djvu", "doc", "docx", "dvi", "epub", "mobi", "odp", "ods", "odt", "pdf", "pps", "ppt", "pptx", "ps", "rtf",
        "tex", "xls", "xlsx",
    }
)  # fmt: skip
"""File endings of documents that have words, but none that the parser reads."""


@dataclass(frozen=True, slots=True)
class UrlRules:
    """What is too much in an address, and which file endings promise no words."""

    longest: int = 150  # characters of the whole address
    deepest: int = 8  # parts of the path between slashes
    file_types: frozenset[str] = MEDIA_TYPES | BINARY_TYPES | DOCUMENT_TYPES  # lower case, without the dot


@dataclass(frozen=True, slots=True)
class UrlShape:
    """The signs in one address."""

    is_too_long: bool
    is_too_deep: bool
    has_non_text_type: bool
    has_query: bool
    has_gibberish_host: bool
    has_gibberish_path: bool

    @property
    def is_suspicious(self) -> bool:
        """Whether there is any sign at all."""
        return (
            self.is_too_long
            or self.is_too_deep
            or self.has_non_text_type
            or self.has_query
            or self.has_gibberish_host
            or self.has_gibberish_path
        )


DEFAULT_RULES: Final = UrlRules()


@lru_cache(maxsize=8192)  # a site's menu is on every page of it
def url_shape(url: Url, rules: UrlRules = DEFAULT_RULES) -> UrlShape:
    """The signs in an address. Depends on nothing but the address and the rules."""
    path = url.path
    parts = [part for part in path.split("/") if part]
    file_name = path.rpartition("/")[2]
    return UrlShape(
        is_too_long=len(url.text) > rules.longest,
        is_too_deep=len(parts) > rules.deepest,
        has_non_text_type=_file_type(file_name) in rules.file_types,
        has_query="?" in url.text,
        has_gibberish_host=has_gibberish_host(url.host),
        has_gibberish_path=_is_gibberish(unquote(path, errors="replace")),
    )


@lru_cache(maxsize=8192)
def has_gibberish_host(host: HostKey) -> bool:
    """Whether a label of the host before its last one is more likely chance than a name."""
    # The port stands in the last label; the parts of an IP address are too short to tell.
    return any(_is_gibberish(_readable_label(label)) for label in host.split(".")[:-1])


def _is_gibberish(text: str) -> bool:
    letters = english_letters()
    return any(letters.is_gibberish(run) for run in plain_runs(text))


def _readable_label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label.removeprefix("xn--").encode("ascii").decode("punycode")
    except UnicodeError:
        return ""  # nothing to read, so nothing to tell


def _file_type(file_name: str) -> str:
    name, dot, ending = file_name.rpartition(".")
    if not dot or ":" in name:
        return ""  # "File:Basalt.jpg" is a wiki's page about the picture
    return ending.lower()
