"""Every file name has one URL, and that URL leads back to the file and nowhere else."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from honeyguide.errors import InvalidUrl
from honeyguide.model import Fetched, Redirected, Unknown, Url
from honeyguide.worlds.frozen import FolderWorld
from honeyguide.worlds.frozen.folder import name_of, url_of
from worlds.frozen.folders import BASE, PAGE, outcome_of

# Any bytes that a file system takes as one name.
PARTS = st.binary(min_size=1, max_size=40).filter(
    lambda name: not set(name) & {0, 47} and name not in (b".", b"..")
).map(os.fsdecode) | st.text(st.sampled_from("ab .%?#\\ä&+\n\t^|\u202e"), min_size=1, max_size=12).filter(
    lambda name: name not in (".", "..")
)  # fmt: skip
NAMES = st.lists(PARTS, min_size=1, max_size=4).map("/".join)


@given(NAMES)
@settings(deadline=None)
@example("a%20b.html")
@example("100%.html")
@example("what?.html")
@example("c#.html")
@example("back\\slash.html")
@example("line\nbreak ")
@example("%2e%2e/%2fx")
@example(os.fsdecode(b"latin-\xe9.html"))
def test_a_name_comes_back_from_its_url(name: str) -> None:
    url = url_of(name, BASE)

    assert name_of(url.text.removeprefix(BASE.text)) == name


@given(NAMES)
@settings(deadline=None)
def test_the_url_of_a_name_is_canonical(name: str) -> None:
    url = url_of(name, BASE)

    assert Url.parse(url.text) == url
    assert "?" not in url.text


@given(st.sets(NAMES, min_size=2, max_size=6))
@settings(deadline=None)
def test_two_names_never_share_a_url(names: set[str]) -> None:
    assert len({url_of(name, BASE) for name in names}) == len(names)


@settings(max_examples=60, deadline=None)
@given(st.sets(PARTS, min_size=1, max_size=5))
def test_a_file_of_any_name_is_served_at_its_url(names: set[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            Path(folder, name).write_bytes(PAGE + os.fsencode(name))
        Path(folder, "page.html").write_bytes(PAGE)
        world = FolderWorld(Path(folder), BASE)
        for name in names:
            outcome = outcome_of(world, url_of(name, BASE))
            assert isinstance(outcome, Fetched)
            assert outcome.body == PAGE + os.fsencode(name)


STEPS = st.sampled_from(
    [
        "..",
        ".",
        "%2e%2e",
        "%2E.",
        "..%2f",
        "%2f",
        "%5c..",
        "..%00",
        "%252e%252e",
        "in",
        "out",
        "secret.html",
        "",
        "a.html",
    ]
)


@given(st.lists(STEPS, min_size=1, max_size=8).map("/".join))
@settings(deadline=None)
def test_no_path_however_spelled_escapes_the_folder(address: str) -> None:
    with tempfile.TemporaryDirectory() as top:
        root = Path(top, "root")
        (root / "in").mkdir(parents=True)
        Path(top, "secret.html").write_bytes(b"<html>secret")
        (root / "out").symlink_to(top)
        (root / "in" / "a.html").write_bytes(PAGE)
        world = FolderWorld(root, BASE)
        try:
            asked = Url.parse(BASE.text + address)
        except InvalidUrl:
            return
        outcome = outcome_of(world, asked)
        if isinstance(outcome, Fetched):
            assert outcome.body == PAGE
        else:
            assert isinstance(outcome, Unknown | Redirected)
