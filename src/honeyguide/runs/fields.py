"""Fields of pages that a user has asked for, as the run has stored them, and conditions on them."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import QueryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from honeyguide.model import FieldValue

    Select = Callable[..., Iterator[tuple[Any, ...]]]

_NUMBERS: Final = frozenset({"integer", "real"})
_CONDITION: Final = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*(<=|>=|!=|=|<|>|~)\s*(.*?)\s*", re.ASCII | re.DOTALL)


def stored_fields(select: Select, step: int) -> dict[str, FieldValue]:
    """Return the fields of the page that a step brought, by name."""
    (text,) = next(select("SELECT fields FROM fields WHERE step = ?", step), ("{}",))
    return {name: tuple(value) if isinstance(value, list) else value for name, value in json.loads(text).items()}


def asked_kinds(specs: Iterable[str]) -> dict[str, str]:
    """Return the names of fields as a user writes them, each with number, list or text."""
    heads = (spec.partition("=")[0].partition(":") for spec in specs)
    return {name.strip(): kind if (kind := each.strip()) in ("number", "list") else "text" for name, _, each in heads}


def field_kinds(select: Select) -> dict[str, str]:
    """Return the names of the fields that pages have, by their first pages, each with number, list or text."""
    rows = select(
        """SELECT e.key, group_concat(DISTINCT e.type) FROM fields f, json_each(f.fields) e
           GROUP BY e.key ORDER BY min(f.step), min(e.id)"""
    )
    return {name: _kind(frozenset(types.split(","))) for name, types in rows}


def _kind(types: frozenset[str]) -> str:
    if types <= _NUMBERS:
        return "number"
    return "list" if types == {"array"} else "text"


def text_of_field(value: FieldValue | None) -> str:
    """Write a value for people, and for columns of text; the entries of a list stand between semicolons."""
    if value is None:
        return ""
    return "; ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def field_line(fields: Mapping[str, FieldValue]) -> str:
    """Write fields on one line, as in `price 12, author Ann`."""
    return ", ".join(f"{name} {text_of_field(value)}" for name, value in fields.items())


@dataclass(frozen=True, slots=True)
class FieldCondition:
    """A condition on a field: `price<100`, `author=Ann`, or `title~rock` for a part of a text, capitals aside.

    Numbers are compared as numbers, and texts with what is written; which of them is less, is asked of numbers alone
    where a number is written, and else of texts alone. Of a list one entry is enough; a page without the field fulfils
    no condition.
    """

    name: str
    operator: str
    value: str  # as written

    @classmethod
    def parse(cls, text: str) -> FieldCondition:
        """Read a condition. QueryError where it is none."""
        found = _CONDITION.fullmatch(text)
        if found is None or not found[3]:
            raise QueryError(f"{text!r} is no condition on a field; write it as price<100, author=Ann or title~rock")
        return cls(*found.groups())

    @property
    def number(self) -> float | None:
        """The number that is written; None where none is."""
        try:
            return number if math.isfinite(number := float(self.value)) else None
        except ValueError:
            return None

    def steps(self, select: Select) -> set[int]:
        """Return the steps that brought pages that fulfil it."""
        found, asks_order = "coalesce(v.value, e.value)", self.operator not in ("=", "!=")
        if self.operator == "~":
            test = f"instr(lower({found}), lower(?2)) > 0"
        elif asks_order and self.number is not None:
            test = f"typeof({found}) <> 'text' AND {found} {self.operator} ?3"
        elif asks_order:  # to SQLite every number is less than every text
            test = f"typeof({found}) = 'text' AND {found} {self.operator} ?2"
        else:
            test = f"{found} {self.operator} CASE typeof({found}) WHEN 'text' THEN ?2 ELSE coalesce(?3, ?2) END"
        rows = select(
            f"""SELECT DISTINCT f.step FROM fields f, json_each(f.fields) e
                LEFT JOIN json_each(CASE e.type WHEN 'array' THEN e.value ELSE '[]' END) v
                WHERE e.key = ?1 AND {test}""",  # noqa: S608 - our own words
            self.name,
            self.value,
            *((self.number,) if "?3" in test else ()),
        )
        return {step for (step,) in rows}


def steps_where(select: Select, conditions: tuple[FieldCondition, ...]) -> list[int]:
    """Return the steps that brought pages that fulfil all of some conditions, in order."""
    return sorted(set.intersection(*(condition.steps(select) for condition in conditions)))
