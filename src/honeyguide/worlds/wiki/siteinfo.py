"""What a dump says of the wiki it comes from: where it lived, what its namespaces are called, how it writes titles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from honeyguide.domain import Url
from honeyguide.errors import InvalidUrl

if TYPE_CHECKING:
    from collections.abc import Mapping

ARTICLES: Final = 0
FILES: Final = 6
CATEGORIES: Final = 14

# Every wiki understands these names, whatever its own are.
_ENGLISH_NAMES: Final = {
    "media": -2, "special": -1, "talk": 1, "user": 2, "user talk": 3, "project": 4, "project talk": 5,
    "file": FILES, "image": FILES, "file talk": 7, "image talk": 7, "mediawiki": 8, "mediawiki talk": 9,
    "template": 10, "template talk": 11, "help": 12, "help talk": 13, "category": CATEGORIES, "category talk": 15,
}  # fmt: skip
_NO_HOME: Final = "https://wiki.invalid/wiki/"


@dataclass(frozen=True, slots=True)
class SiteInfo:
    """The head of a dump. A namespace's names are in lower case, with spaces."""

    name: str = ""
    base: str = ""  # the address of the main page
    has_capital_titles: bool = True  # whether the first letter of a title is always a capital
    number_by_namespace: Mapping[str, int] = field(default_factory=dict)  # by the wiki's own names

    @property
    def all_namespaces(self) -> dict[str, int]:
        """The wiki's own names over those that every wiki understands; the namespace of articles has no name."""
        names = _ENGLISH_NAMES | dict(self.number_by_namespace)
        return {name: number for name, number in names.items() if name}

    @property
    def home(self) -> str:
        """What the address of every article starts with, a slash at its end."""
        before_title, separator, _ = self.base.partition("/wiki/")
        if not separator:
            before_title = self.base.partition("?")[0].rpartition("/")[0]
            separator = "/wiki/" if "?" in self.base else "/"
        try:
            return Url.parse(f"{before_title}{separator}").text
        except InvalidUrl:
            return _NO_HOME
