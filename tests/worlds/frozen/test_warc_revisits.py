"""A revisit says that a page had not changed: it answers with the page it refers to, if that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from honeyguide.model import Failed, Url
from honeyguide.worlds.frozen import WarcWorld
from worlds.frozen.folders import outcome_of
from worlds.frozen.test_warc_world import body_of
from worlds.frozen.warc_files import Made, write_warc

if TYPE_CHECKING:
    from pathlib import Path

ID = "<urn:uuid:00000000-0000-4000-8000-000000000001>"
ORIGINAL = Made("http://a.test/first", b"<html>same", more={"WARC-Record-ID": ID, "WARC-Payload-Digest": "sha1:SAME"})


def revisit(**more: str) -> Made:
    headers = {name.replace("_", "-"): value for name, value in more.items()}
    return Made("http://a.test/again", b"", kind="revisit", date="2024-06-01T00:00:00Z", more=headers)


@pytest.mark.parametrize(
    "again",
    [
        revisit(WARC_Refers_To=ID),
        revisit(WARC_Refers_To_Target_URI="http://a.test/first", WARC_Refers_To_Date="2024-01-01T00:00:00Z"),
        revisit(WARC_Payload_Digest="sha1:SAME"),
        revisit(WARC_Refers_To="<urn:uuid:gone>", WARC_Payload_Digest="sha1:SAME"),
    ],
    ids=["by id", "by place and date", "by digest", "by digest when the id is gone"],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_revisit_answers_with_the_original(tmp_path: Path, again: Made, is_first: bool) -> None:
    files = [write_warc(tmp_path / "1.warc.gz", [ORIGINAL]), write_warc(tmp_path / "2.warc.gz", [again])]
    world = WarcWorld(files[::-1] if is_first else files)

    assert body_of(world, "http://a.test/again") == b"<html>same"


def test_a_revisit_without_its_original_counts_for_nothing(tmp_path: Path) -> None:
    world = WarcWorld(
        [write_warc(tmp_path / "a.warc", [ORIGINAL, revisit(WARC_Payload_Digest="sha1:OTHER"), revisit()])]
    )

    assert isinstance(outcome_of(world, Url.parse("http://a.test/again")), Failed)
    assert [url.path for url in world.urls()] == ["/first"]


def test_a_revisit_brings_an_older_page_back_to_the_top(tmp_path: Path) -> None:
    changed = Made("http://a.test/again", b"<html>changed", date="2024-03-01T00:00:00Z")
    world = WarcWorld([write_warc(tmp_path / "a.warc", [ORIGINAL, changed, revisit(WARC_Refers_To=ID)])])

    assert body_of(world, "http://a.test/again") == b"<html>same"
