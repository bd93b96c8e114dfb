"""Which pages only lead to another one, and where a chain of them ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.worlds.wiki.key_table import Keys, KeyTable, Numbers

# The magic word in the languages of the larger wikis; English works in all of them.
_WORDS: Final = (
    "redirect", "redirección", "redireccion", "redirection", "redirecionamento", "weiterleitung", "rinvia", "rinvio",
    "doorverwijzing", "przekieruj", "patrz", "tam", "přesměruj", "presmeruj", "omdirigering", "omdiriger", "ohjaus",
    "uudelleenohjaus", "yönlendirme", "yönlendir", "átirányítás", "redirectează", "перенаправление", "перенапр",
    "перенаправлення", "преусмери", "пренасочване", "виж", "ανακατευθυνση", "ανακατεύθυνση", "đổi", "alih", "lencong",
    "تحويل", "تغییر_مسیر", "تغییرمسیر", "הפניה", "転送", "リダイレクト", "重定向", "重新導向", "넘겨주기",
)  # fmt: skip
_REDIRECT = re.compile(rf"\s*#\s*(?:{'|'.join(_WORDS)})[\s:]*\[\[([^\[\]|\n]+)", re.IGNORECASE)


def redirect_target(wikitext: str) -> str | None:
    """The title, as it is written, that a page leads to by its text; None where it is a page of its own."""
    found = _REDIRECT.match(wikitext)
    return found[1] if found is not None else None


def resolve(own: Keys, targets: Keys, articles: KeyTable) -> tuple[Numbers, NDArray[np.bool_]]:
    """Where each redirect ends: the number of an article, or -1; and whether that is because it runs in a circle.

    `own` and `targets` are keys of titles. Every round doubles the length of the hops, so that the longest chain
    takes as many rounds as its length has binary digits.
    """
    count = len(own)
    if not count:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.bool_)
    order = np.argsort(own, kind="stable")
    slots = np.minimum(np.searchsorted(own[order], targets), count - 1)
    candidates = order[slots]
    leads_on = own[candidates] == targets
    after_one = np.where(leads_on, candidates, np.arange(count))
    last = after_one
    for _ in range(count.bit_length() + 1):
        further = last[last]
        if np.array_equal(further, last):
            break
        last = further
    is_circle = leads_on[last]
    ends = articles.numbers_of(targets[last])
    ends[is_circle] = -1
    return ends, is_circle
