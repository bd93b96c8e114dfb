"""What counts as a topic."""

from __future__ import annotations

import pytest

from honeyguide.model import Topic


@pytest.mark.parametrize("topic", [Topic("geology"), Topic("", ("rock",)), Topic("", like=("Rocks are old.",))])
def test_a_name_a_keyword_or_an_example_is_enough(topic: Topic) -> None:
    assert not topic.is_empty


@pytest.mark.parametrize(
    "topic",
    [
        Topic(""),
        Topic(" ?", ("…", "")),
        Topic("", like=("", " - ")),
        Topic("", unlike=("football",), categories=("Sports",)),
    ],
)
def test_what_does_not_say_what_is_wanted_is_no_topic(topic: Topic) -> None:
    assert topic.is_empty
