"""What reads like a word and what like chance: costs by hand, the shipped table, generated gibberish."""

from __future__ import annotations

import math
from importlib import resources

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chance_strings import KINDS, strings_of
from honeyguide.text import LetterModel, english_letters, plain_runs
from honeyguide.text.url_shape import SHORTEST

CELLS = 28 * 28 * 27
ALL_ALIKE = LetterModel("8" * CELLS)  # "8" is 8 eighths of a nat: every letter costs 1


@pytest.mark.parametrize(
    ("word", "nats_of_chance"),
    [("granite", math.log(26)), ("rock101", math.log(36)), ("defaced", math.log(16)), ("0ff1ce5", math.log(16))],
)
def test_surplus_is_the_cost_of_the_letters_less_that_of_the_cheapest_chance(word: str, nats_of_chance: float) -> None:
    assert ALL_ALIKE.surplus(word) == pytest.approx(7 * 1.0 - 7 * nats_of_chance)


def test_a_letter_is_priced_by_the_two_before_it() -> None:
    def cell(before: int, last: int, symbol: int) -> int:
        return (before * 28 + last) * 27 + symbol

    cells = ["0"] * CELLS
    start, a, b, c, digit = 27, 0, 1, 2, 26
    cells[cell(start, start, a)] = "8"  # 1 nat for an a in front
    cells[cell(start, a, b)] = "@"  # 2 nats for a b after it
    cells[cell(a, b, c)] = "H"  # 3 nats for a c after a and b
    cells[cell(b, c, digit)] = "P"  # 4 nats for a digit after b and c
    model = LetterModel("".join(cells))
    assert model.surplus("abc7") == pytest.approx(1 + 2 + 3 + 4 - 4 * math.log(16))
    assert model.surplus("bc7") == pytest.approx(0 + 0 + 4 - 3 * math.log(16))


def test_the_shipped_costs_are_those_of_chances() -> None:
    lines = (resources.files("honeyguide.text") / "letter_costs.txt").read_text(encoding="ascii").splitlines()[1:]
    costs = (np.frombuffer("".join(lines).encode(), dtype=np.uint8).reshape(28, 28, 27) - 48.0) / 8
    ways = np.array([1.0] * 26 + [10.0])  # the last symbol stands for ten digits
    assert np.abs((np.exp(-costs) * ways).sum(axis=2) - 1).max() < 0.07  # a cost is rounded to an eighth of a nat


@pytest.mark.parametrize("text", ["", "8" * (CELLS - 1), "8" * (CELLS + 1), "é" * CELLS, " " * CELLS, "~" * CELLS])
def test_a_table_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"letter costs|ascii"):
        LetterModel(text)


def test_the_shipped_table_is_small() -> None:
    assert len((resources.files("honeyguide.text") / "letter_costs.txt").read_bytes()) < 30_000


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("Basalt-Säulen_2", ["basalt", "saulen", "2"]),
        ("Straße Łódź Æsir", ["strasse", "lodz", "aesir"]),
        ("геология 地質学", []),
        ("İstanbul", ["istanbul"]),
        ("ｆｕｌｌ width", ["full", "width"]),
        ("", []),
    ],
)
def test_runs_are_plain_letters_and_digits(text: str, runs: list[str]) -> None:
    assert plain_runs(text) == runs


@settings(deadline=None)
@given(st.text())
def test_any_text_has_runs_that_the_model_can_price(text: str) -> None:
    for run in plain_runs(text):
        assert math.isfinite(english_letters().surplus(run))


@settings(deadline=None)
@given(st.text("abcdefghijklmnopqrstuvwxyz0123456789", max_size=SHORTEST - 1))
def test_a_short_run_is_too_little_to_tell(run: str) -> None:
    assert not english_letters().is_gibberish(run)


@pytest.mark.parametrize(
    "word",
    [
        "geology", "wikipedia", "rhythms", "schwarzenegger", "thermodynamics", "nationalgeographic", "worldwarii",
        "twentythousandleaguesunderthesea", "20061231", "1234567890", "covid19vaccines", "jyllandsposten",
        "zeitschrift", "rzeczpospolita", "universiteit", "hokkaidouniversity", "programmation", "przedsiebiorstwo",
        "paivalehti",
    ],
)  # fmt: skip
def test_words_names_and_numbers_are_not_gibberish(word: str) -> None:
    assert not english_letters().is_gibberish(word)


# Measured by benchmarks/gibberish.py on 2,000 strings of each kind and length; the floors leave room for the draw.
FLOOR_BY_KIND = {"letters": 0.85, "hexadecimal": 0.9, "base32": 0.9, "consonants": 0.97, "keyboard": 0.85}


@pytest.mark.parametrize("kind", KINDS)
def test_strings_made_by_chance_are_gibberish(kind: str) -> None:
    strings = strings_of(kind, np.random.default_rng(1), 400, length=10)
    share = np.mean([english_letters().is_gibberish(string) for string in strings])
    assert share >= FLOOR_BY_KIND[kind]
