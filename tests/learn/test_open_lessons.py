"""Lessons are learned once each, when reward and following state are both known, in whatever order they come."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.learn import parse_or_skip_q as open_lessons
from honeyguide.learn.parse_or_skip_q import Lesson, OpenLessons
from honeyguide.model import Url

A, B, C = (Url.parse(f"http://{letter}.test/") for letter in "abc")
SKIP, PARSE = 0, 1


def test_one_fetch_at_a_time_the_reward_comes_first() -> None:
    lessons = OpenLessons()
    assert lessons.decided(A, 3, PARSE, None) is None
    assert lessons.rewarded(A, 0.5) is None
    assert lessons.decided(B, 7, PARSE, None) == Lesson(3, PARSE, 0.5, following=7)
    assert len(lessons) == 1


def test_with_several_at_once_the_following_state_comes_first() -> None:
    lessons = OpenLessons()
    lessons.decided(A, 3, PARSE, None)
    lessons.decided(B, 7, PARSE, None)
    lessons.decided(C, 1, PARSE, None)
    assert lessons.rewarded(B, 0.25) == Lesson(7, PARSE, 0.25, following=1)
    assert lessons.rewarded(A, 0.5) == Lesson(3, PARSE, 0.5, following=7)
    assert lessons.rewarded(C, 1.0) is None, "nothing has followed it yet"


def test_a_skip_waits_for_the_next_decision_only() -> None:
    lessons = OpenLessons()
    lessons.decided(A, 3, SKIP, -0.1)
    assert lessons.decided(B, 5, SKIP, -0.1) == Lesson(3, SKIP, -0.1, following=5)


def test_a_reward_that_nobody_waits_for_teaches_nothing() -> None:
    assert OpenLessons().rewarded(A, 1.0) is None


def test_fetches_that_never_pay_are_forgotten_in_time() -> None:
    lessons = OpenLessons()
    urls = [Url.parse(f"http://r.test/{number}") for number in range(open_lessons.MOST_OPEN + 50)]
    for url in urls:
        lessons.decided(url, 0, PARSE, None)
    assert len(lessons) == open_lessons.MOST_OPEN
    assert lessons.rewarded(urls[49], 1.0) is None
    assert lessons.rewarded(urls[50], 1.0) == Lesson(0, PARSE, 1.0, following=0)


@given(st.data())
def test_any_interleaving_teaches_every_lesson_once_and_survives_saving_anywhere(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 8))
    urls = [Url.parse(f"http://h.test/{number}") for number in range(count)]
    due = data.draw(st.permutations(range(count)))
    lessons, taught = OpenLessons(), []
    made, unpaid = 0, list(due)
    while made < count or unpaid:
        payable = [number for number in unpaid if number < made]
        if made < count and (not payable or data.draw(st.booleans())):
            taught.append(lessons.decided(urls[made], made, PARSE, None))
            made += 1
        else:
            unpaid.remove(payable[0])
            taught.append(lessons.rewarded(urls[payable[0]], float(payable[0])))
        if data.draw(st.booleans()):
            lessons = OpenLessons.loaded(lessons.saved())
    learned = sorted((lesson for lesson in taught if lesson is not None), key=lambda lesson: lesson.state)
    assert learned == [Lesson(n, PARSE, float(n), following=n + 1) for n in range(count - 1)]
    assert len(lessons) == 1, "the last decision has no follower"
