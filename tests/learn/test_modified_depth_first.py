"""Modified depth-first turns away from a host that had all the last steps."""

from __future__ import annotations

import numpy as np
import pytest

from honeyguide.errors import StrategyError
from honeyguide.learn import ModifiedDepthFirst, ModifiedDepthFirstSettings
from honeyguide.model import Transition, Url

NO_ROW = np.empty(0, dtype=np.float16)


def after(hosts: str, patience: int = 3) -> ModifiedDepthFirst:
    """The strategy after one step on each of these hosts."""
    strategy = ModifiedDepthFirst(ModifiedDepthFirstSettings(patience))
    for step, host in enumerate(hosts):
        url = Url.parse(f"http://{host}.test/{step}")
        assert not strategy.learn(Transition(step + 1, url, NO_ROW, 0.0, 0.0, False, NO_ROW.reshape(0, 0)))
    return strategy


@pytest.mark.parametrize(
    ("hosts", "expands"),
    [
        ("", True),
        ("aa", True),
        ("aaa", False),
        ("aaaaaa", False),
        ("baaa", False),
        ("aaab", True),
        ("aba", True),
        ("abaa", True),
        ("bbb", True),
    ],
)
def test_a_page_gives_links_unless_its_host_had_the_last_three_steps(hosts: str, expands: bool) -> None:
    strategy = after(hosts)
    assert strategy.expands(Url.parse("http://a.test/next")) is expands
    assert strategy.expands(Url.parse("http://a.test/next")) is expands, "asking changes nothing"


@pytest.mark.parametrize(("patience", "steps"), [(1, 1), (2, 2), (5, 5)])
def test_the_number_of_steps_is_a_setting(patience: int, steps: int) -> None:
    here = Url.parse("http://a.test/")
    assert after("a" * (steps - 1), patience).expands(here)
    assert not after("a" * steps, patience).expands(here)


def test_another_port_is_another_host() -> None:
    assert after("aaa").expands(Url.parse("http://a.test:8080/"))


def test_what_was_saved_comes_back() -> None:
    strategy = ModifiedDepthFirst(ModifiedDepthFirstSettings())
    strategy.load(after("baa").save())
    here = Url.parse("http://a.test/")
    assert strategy.expands(here)
    strategy.learn(Transition(4, here, NO_ROW, 0.0, 0.0, False, NO_ROW.reshape(0, 0)))
    assert not strategy.expands(here)


@pytest.mark.parametrize("state", [b"", b"{", b"{}", b"[1]", b"\xff"])
def test_what_is_no_saved_state_is_refused(state: bytes) -> None:
    with pytest.raises(StrategyError, match="not a saved state of modified-depth-first"):
        ModifiedDepthFirst(ModifiedDepthFirstSettings()).load(state)
