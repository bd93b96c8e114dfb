"""Strings made by chance, of the kinds that stand in addresses: for tests and for `benchmarks/gibberish.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

_ALPHABET_BY_KIND = {
    "letters": "abcdefghijklmnopqrstuvwxyz",
    "hexadecimal": "0123456789abcdef",
    "base32": "abcdefghijklmnopqrstuvwxyz234567",
    "consonants": "bcdfghjklmnpqrstvwxz",
}
_KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
KINDS = (*_ALPHABET_BY_KIND, "keyboard")


def strings_of(kind: str, chance: np.random.Generator, count: int, length: int) -> list[str]:
    """Strings of one kind; `keyboard` is runs of two to four neighbouring keys, now and then backwards."""
    if kind == "keyboard":
        return [_mashed(chance, length) for _ in range(count)]
    alphabet = _ALPHABET_BY_KIND[kind]
    return ["".join(alphabet[number] for number in chance.integers(len(alphabet), size=length)) for _ in range(count)]


def _mashed(chance: np.random.Generator, length: int) -> str:
    text = ""
    while len(text) < length:
        row = _KEYBOARD[chance.integers(3)]
        first = int(chance.integers(len(row) - 2))
        keys = row[first : first + int(chance.integers(2, 5))]
        text += keys[::-1] if chance.random() < 0.3 else keys
    return text[:length]
