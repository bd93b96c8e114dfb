"""Tables of bounded size forget what was touched longest ago."""

from __future__ import annotations

from collections import OrderedDict

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.guard.bounded import Bounded


@given(
    st.integers(0, 5),
    st.lists(st.tuples(st.sampled_from(["put", "touch", "remove", "replace"]), st.integers(0, 9))),
)
def test_the_entry_that_was_touched_longest_ago_goes_first(capacity: int, calls: list[tuple[str, int]]) -> None:
    bounded, expected = Bounded[int, int](capacity), OrderedDict[int, int]()
    for moment, (call, key) in enumerate(calls):
        match call:
            case "put":
                expected[key] = moment
                expected.move_to_end(key)
                gone = expected.popitem(last=False) if len(expected) > capacity else None
                assert bounded.put(key, moment) == gone
            case "touch":
                assert bounded.touch(key) == expected.get(key)
                if key in expected:
                    expected.move_to_end(key)
            case "remove":
                bounded.remove(key)
                expected.pop(key, None)
            case "replace":
                bounded.replace([*expected.items(), (key + 10, moment)])
                kept = {**expected, key + 10: moment}  # a key that is given twice stays where it came first
                expected = OrderedDict([*kept.items()][-capacity:] if capacity else [])
        assert list(bounded.items()) == list(expected.items())


def test_many_entries_go_in_the_order_in_which_they_were_touched() -> None:
    bounded = Bounded[int, int](1000)
    for key in range(1000):
        bounded.put(key, key)
    for key in range(0, 1000, 2):
        bounded.touch(key)
    gone = [bounded.put(1000 + number, number) for number in range(1000)]
    assert [entry[0] for entry in gone if entry] == [*range(1, 1000, 2), *range(0, 1000, 2)]
