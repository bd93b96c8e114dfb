"""All that a guard remembers, each part with its bound, saved and loaded together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from honeyguide.errors import GuardError
from honeyguide.guard.bounded import Bounded, fields_of, many_values, pack, unpack
from honeyguide.guard.folding import Folding
from honeyguide.guard.neighbourhoods import Neighbourhoods
from honeyguide.guard.series import Series
from honeyguide.guard.shares import Shares
from honeyguide.guard.site_budget import Account
from honeyguide.guard.soft_404 import SameTitle
from honeyguide.guard.window import Window

if TYPE_CHECKING:
    from typing import Self

    from honeyguide.model import HostKey, LinkId
    from honeyguide.settings.guard_section import GuardSettings

_GENERATION_BITS: Final = 4
_LAST_GENERATION: Final = (1 << _GENERATION_BITS) - 1


class Tables:
    """Empty at first."""

    def __init__(self, rules: GuardSettings) -> None:
        memory = rules.memory
        self.window = Window(rules.window_pages, rules.window_s)
        self.folding = Folding(pairs=rules.folding_pairs, memory=memory)
        self.groups = Neighbourhoods(rules)
        self._sections: Bounded[str, Account] = Bounded(memory // 4)
        self._seed_sections: dict[str, Account] = {}  # those in which seeds are, which are never forgotten
        self.series: Bounded[str, Series] = Bounded(memory // 16)
        self.led_by: Bounded[LinkId, tuple[str, str]] = Bounded(memory // 16)  # series and section of pages
        self.words: Bounded[int, int] = Bounded(memory)  # in numbered addresses, by section
        self.titles: Bounded[tuple[HostKey, int], SameTitle] = Bounded(memory // 16)
        # Pages with a finding: how many in a row, each found on the one before, have one, and how many repeat others.
        self.chains: Bounded[LinkId, tuple[int, int]] = Bounded(memory)
        self.fetched: Bounded[LinkId, int] = Bounded(memory)  # with the group of its site, and its generation there
        self.again: Bounded[LinkId, int] = Bounded(memory)  # links that were met a second time
        self.shares = Shares(rules.share_credit, memory)

    @many_values()
    def save(self) -> bytes:
        return pack(
            {
                "window": self.window.state(),
                "folding": self.folding.state(),
                "groups": self.groups.state(),
                "sections": [(key, fields_of(account)) for key, account in self._sections.items()],
                "seed sections": [(key, fields_of(account)) for key, account in self._seed_sections.items()],
                "series": [(key, fields_of(series)) for key, series in self.series.items()],
                "led by": list(self.led_by.items()),
                "words": list(self.words.items()),
                "titles": [(key, fields_of(title)) for key, title in self.titles.items()],
                "chains": list(self.chains.items()),
                "fetched": list(self.fetched.items()),
                "again": list(self.again.items()),
                "shares": self.shares.state(),
            }
        )

    @classmethod
    @many_values()
    def saved(cls, rules: GuardSettings, state: bytes) -> Self:
        """What was saved; GuardError if it is not that."""
        saved = unpack(state)
        tables = cls(rules)
        try:
            tables.window.restore(saved["window"])
            tables.folding.restore(saved["folding"])
            tables.groups.restore(saved["groups"])
            tables._sections.replace((key, Account(*fields)) for key, fields in saved["sections"])
            tables._seed_sections = {key: Account(*fields) for key, fields in saved["seed sections"]}
            tables.series.replace((key, Series(*fields)) for key, fields in saved["series"])
            tables.led_by.replace(saved["led by"])
            tables.words.replace(saved["words"])
            tables.titles.replace((key, SameTitle(*fields)) for key, fields in saved["titles"])
            tables.chains.replace(saved["chains"])
            tables.fetched.replace(saved["fetched"])
            tables.again.replace(saved["again"])
            tables.shares.restore(saved["shares"])
        except (KeyError, TypeError, ValueError) as error:
            raise GuardError(f"the saved state of the guard is not one ({error!r}): begin the run anew") from None
        return tables

    def begin_page(self, link: LinkId, parent: LinkId | None, group: int) -> int:
        """Take in that a page was fetched: how many of the pages that led to it, one after the other, are of its
        group.
        """
        before = None if parent is None else self.fetched.get(parent)
        is_led_to = before is not None and before >> _GENERATION_BITS == group
        generation = min(_LAST_GENERATION, (before & _LAST_GENERATION) + 1) if before is not None and is_led_to else 0
        self.fetched.put(link, group << _GENERATION_BITS | generation)
        return generation

    def section(self, key: str) -> Account:
        """The account of a section, new where there is none; the last to be forgotten."""
        account = self._seed_sections.get(key) or self._sections.touch(key)
        if account is None:
            account = Account(is_section=True)
            self._sections.put(key, account)
        return account

    def find_section(self, key: str) -> Account | None:
        """The account of a section, where there is one. Changes nothing."""
        return self._seed_sections.get(key) or self._sections.get(key)

    def trust_section(self, key: str) -> bool:
        """Have a section never be taken for a maze, because a person named a page of it; whether it was."""
        account = self.section(key)
        was_overdrawn = account.level > 0
        account.is_trusted = True
        account.level = 0
        self._sections.remove(key)
        self._seed_sections[key] = account
        return was_overdrawn
