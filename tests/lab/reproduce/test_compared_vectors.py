"""Which vectors a reproduction is made with, and what they are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from honeyguide_lab.reproduce import StudyOptions
from honeyguide_lab.reproduce.study import Study, vector_sources, vectors_name, vectors_slug


@pytest.mark.parametrize(
    ("given", "sources"),
    [
        ("", ("wordllama",)),
        ("a/glove.txt", ("a/glove.txt", "wordllama")),
        ("wordllama", ("wordllama",)),
    ],
)
def test_the_bundled_vectors_are_always_tried_and_once(given: str, sources: tuple[str, ...]) -> None:
    assert vector_sources(Study(Path("out"), (), options=StudyOptions(vectors=given))) == sources


@pytest.mark.parametrize(
    ("source", "name", "slug"),
    [
        ("wordllama", "bundled vectors", "bundled-vectors"),
        ("a/glove-100d.txt.gz", "glove-100d", "glove-100d"),
        ("my vectors.vec", "my vectors", "my-vectors"),
    ],
)
def test_vectors_have_one_name_for_people_and_one_for_files(source: str, name: str, slug: str) -> None:
    assert (vectors_name(source), vectors_slug(source)) == (name, slug)
