"""What of a page counts, on sites whose pages are all laid out alike."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from honeyguide.domain import Url

_COLON: Final = re.compile(":|%3A")


@dataclass(frozen=True, slots=True)
class PageRules:
    """Which part of a page is read, and which of its links are links. As they stand here, all of it and all of them."""

    from_first_paragraph: bool = False  # nothing before the first <p> is read; without one, nothing at all
    articles_in: str = ""  # the folder of the host to which links must lead, without # or : in what follows it

    def let(self, href: str, target: Url, page: Url) -> bool:
        """Whether a link counts that is written as `href` on `page`, where it means `target`."""
        if not self.articles_in:
            return True
        if "#" in href or target.host != page.host:
            return False
        address = target.path_and_query
        return address.startswith(self.articles_in) and not _COLON.search(address, len(self.articles_in))


def rules_of(profile: str) -> PageRules:
    """How the pages of a crawl with this profile are read."""
    return WIKIPEDIA if profile == "wikipedia" else WHOLE_PAGE


WHOLE_PAGE: Final = PageRules()
WIKIPEDIA: Final = PageRules(from_first_paragraph=True, articles_in="/wiki/")
"""As WikiCrawler reads MediaWiki: the text begins at the first <p>, after the navigation; # leads to a section, : to an
image or to something else that is no article."""
