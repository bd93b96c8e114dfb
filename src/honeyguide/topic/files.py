"""A topic in a file of its own: TOML with a table [topic], and where to start under [crawl] if the topic says so.

It is a part of the settings, so the same file may be given as a config file. Paths of examples in it are seen from its
own folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import SettingsError
from honeyguide.settings.reading import read_toml, toml_value, with_examples_seen_from
from honeyguide.settings.schema import Settings, is_table, merged

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

SEED_URLS: Final = "seed_urls"


def load_topic(path: str | Path) -> dict[str, Any]:
    """Read a topic file into settings by dotted key. SettingsError with all that is wrong in it."""
    document = read_toml(path)
    mistakes = _find_misplaced(document)
    values: dict[str, Any] = {}
    if not mistakes:
        topic = with_examples_seen_from(Path(path).parent, document["topic"])
        values = {f"topic.{name}": value for name, value in topic.items()}
        values |= {f"crawl.{name}": value for name, value in document.get("crawl", {}).items()}
        _, mistakes = merged(Settings(), values)
    if mistakes:
        raise SettingsError([f"{path}: {mistake}" for mistake in mistakes])
    return values


def topic_file(
    topic: Mapping[str, Any],
    seed_urls: Sequence[str] = (),
    notes: Mapping[str, str] | None = None,
    offered: Collection[str] = (),
) -> str:
    """Write a topic file. `notes` are remarks by keyword or category; lists stand one item a line.

    The items of the lists that are `offered` are comments, to be chosen by taking the sign of comments away.
    """
    notes = notes or {}
    lines = ["[topic]"]
    for name, value in topic.items():
        if name in offered:
            lines.append(f"# Take the first # of a line away to have it among the {name}.")
        lines += _write_value(name, value, notes, "# " if name in offered else "")
    if seed_urls:
        lines += ["", "[crawl]", *_write_value(SEED_URLS, tuple(seed_urls), notes)]
    return "\n".join(lines) + "\n"


def _find_misplaced(document: Mapping[str, Any]) -> list[str]:
    """List what has no place in a topic file, and a missing topic."""
    mistakes = []
    if not isinstance(document.get("topic"), dict):
        mistakes.append("no table [topic] in it: write [topic], and below it name and keywords")
    for table, content in document.items():
        others = [table] if table != "topic" else []
        if table == "crawl" and isinstance(content, dict):
            others = [f"crawl.{name}" for name in content if name != SEED_URLS]
        remedy = "put it into a file for --config" if is_table(table) else f"there may be [topic] and crawl.{SEED_URLS}"
        mistakes += [f"{name} has no place in a topic file: {remedy}" for name in others]
    return mistakes


def _write_value(name: str, value: object, notes: Mapping[str, str], before: str = "") -> list[str]:
    if not isinstance(value, tuple | list) or not value:
        return [f"{name} = {toml_value(value)}"]
    items = [f"{toml_value(item)}," for item in value]
    width = max(map(len, items))
    remarks = [_comment(notes.get(item, "")) for item in value]
    rows = [f"  {before}{item:{width}}  {remark}".rstrip() for item, remark in zip(items, remarks, strict=True)]
    return [f"{name} = [", *rows, "]"]


def _comment(note: str) -> str:
    """Return a comment on one line, without what TOML allows in none."""
    printable = "".join(letter if letter.isprintable() else " " for letter in note)
    return f"# {' '.join(printable.split())}" if printable.strip() else ""
