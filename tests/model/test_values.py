"""Topics, links and failures answer simple questions about themselves."""

from __future__ import annotations

import pytest

from honeyguide.model import Failed, FailureReason, Link, Occurrence, Topic, Url


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


HOME = Occurrence("home", 0, 1, in_main=False)
MORE = Occurrence("read more", 5, 7, in_main=True)
IMAGE = Occurrence("", 3, 3, in_main=True)
FOOT = Occurrence("imprint", 90, 91, in_main=False)


@pytest.mark.parametrize(
    ("occurrences", "telling"),
    [
        ((HOME, IMAGE, MORE), MORE),
        ((IMAGE, HOME, FOOT), HOME),
        ((IMAGE,), IMAGE),
        ((FOOT,), FOOT),
    ],
)
def test_words_in_the_main_text_tell_most(occurrences: tuple[Occurrence, ...], telling: Occurrence) -> None:
    link = Link(Url.parse("http://h/x"), Url.parse("http://h/"), occurrences)
    assert link.telling_occurrence == telling


def test_a_link_carries_no_rel_unless_it_is_told() -> None:
    assert Link(Url.parse("http://h/x"), Url.parse("http://h/"), (MORE,)).rel == frozenset()


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_host_in_trouble_may_be_asked_again(status: int) -> None:
    assert Failed(FailureReason.HTTP_STATUS, "", status).is_temporary


@pytest.mark.parametrize("status", [304, 400, 401, 403, 404, 410, 451, 501, 505, 511])
def test_a_host_that_has_made_up_its_mind_is_not_asked_again(status: int) -> None:
    assert not Failed(FailureReason.HTTP_STATUS, "", status).is_temporary


@pytest.mark.parametrize("reason", [reason for reason in FailureReason if reason is not FailureReason.HTTP_STATUS])
def test_only_time_and_connection_heal_by_themselves(reason: FailureReason) -> None:
    is_temporary = reason in (FailureReason.TIMEOUT, FailureReason.CONNECTION)

    assert Failed(reason, "", 200).is_temporary is is_temporary
