"""A world's graph is kept beside the comparison it was made for, so that it is explored once."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from honeyguide.experiments.provenance import data_files
from honeyguide.experiments.world_graph import WorldGraph

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from honeyguide.domain import Url

_FORMAT: Final = 1


def graph_key(world: str, roots: Sequence[Url], words: Iterable[str], code: str) -> str:
    """What a graph depends on, in a few letters: name and data of the world, where it was entered, and our code."""
    parts = [str(_FORMAT), world, *data_files(world), *sorted(url.text for url in roots), *sorted(words), code]
    return xxhash.xxh3_64("\n".join(parts).encode()).hexdigest()


def save_graph(graph: WorldGraph, file: Path) -> None:
    """Write a graph, in whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".draft.npz")
    about = json.dumps({"data_hash": graph.data_hash, "words": list(graph.has_word)})
    np.savez_compressed(
        draft,
        urls=np.frombuffer("\n".join(graph.urls).encode(), dtype=np.uint8),
        is_page=graph.is_page,
        starts=graph.starts,
        targets=graph.targets,
        has_word=np.array(list(graph.has_word.values()), dtype=np.bool_),
        about=np.frombuffer(about.encode(), dtype=np.uint8),
    )
    draft.replace(file)


def load_graph(file: Path) -> WorldGraph | None:
    """A graph saved earlier; None where there is none that can be read."""
    try:
        # Opened here: numpy leaves a file open that turns out to be none of its own.
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as saved:
            about = json.loads(saved["about"].tobytes())
            text = saved["urls"].tobytes().decode()
            return WorldGraph(
                urls=tuple(text.split("\n")) if text else (),
                is_page=saved["is_page"],
                starts=saved["starts"],
                targets=saved["targets"],
                has_word=dict(zip(about["words"], saved["has_word"], strict=True)),
                data_hash=about["data_hash"],
            )
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
