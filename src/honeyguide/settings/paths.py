"""Settings that name a file, and where the file is looked for: a run must find it again from any folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from honeyguide.settings.merging import merged

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.settings.judge_tables import JudgeSettings
    from honeyguide.settings.schema import Settings

# By table and name; each may also hold something that is no file.
IS_A_FILE: Final[dict[tuple[str, str], Callable[[str], bool]]] = {
    ("fetch", "proxy_login"): bool,
    ("judge", "idf"): lambda value: value not in ("", "seen"),
    ("judge", "classifier"): lambda value: value.endswith(".joblib"),
    ("lfa", "start_weights"): lambda value: bool(value.strip()),
    ("search", "blocked_words"): lambda value: bool(value.strip()),
    ("vectors", "source"): lambda value: bool(value.strip()) and value != "wordllama",
}


def with_paths_seen_from(folder: Path, document: Mapping[str, Any]) -> dict[str, Any]:
    """A parsed TOML document whose files were named as seen from `folder`."""
    seen = dict(document)
    for (table, name), is_a_file in IS_A_FILE.items():
        content = seen.get(table)
        value = content.get(name) if isinstance(content, Mapping) else None
        if isinstance(value, str) and is_a_file(value):
            seen[table] = {**seen[table], name: str(folder / _from_home(value))}
    return seen


def with_absolute_paths(settings: Settings) -> Settings:
    """The settings with every file named from the root of the file system."""
    named = {(table, name): getattr(getattr(settings, table), name) for table, name in IS_A_FILE}
    files = {key: value for key, value in named.items() if IS_A_FILE[key](value)}
    absolute = {f"{table}.{name}": str(_from_home(path).absolute()) for (table, name), path in files.items()}
    return merged(settings, absolute)[0]


def files_of_the_judge(judge: JudgeSettings) -> list[Path]:
    """The files that this judge reads."""
    kinds = {judge.kind} if judge.kind != "combined" else {part.partition(":")[0] for part in judge.parts}
    readers = {"idf": {"tfidf", "embedding-tfidf"}, "classifier": {"classifier"}}
    return [
        Path(getattr(judge, name))
        for name, readers_of_it in readers.items()
        if kinds & readers_of_it and IS_A_FILE["judge", name](getattr(judge, name))
    ]


def _from_home(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:  # nobody of this name has a home, so it is a file's
        return Path(path)
