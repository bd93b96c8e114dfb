"""A strategy brought back is told everything again, decisions and transitions, in the order in which it happened."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from crawler.driving import ByAnchorNumber, HandWired, script_settings
from crawler.test_resume import tangled_script
from honeyguide.crawler import Dispatch, StopReason, Wait
from honeyguide.model import Skipped
from honeyguide.runs import open_run
from scripted_world import ScriptedWorld, page_with, redirect_to

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from honeyguide.model import Decision, Row, Transition, Url


class Diarist(ByAnchorNumber):
    """Writes down all it is told, and what its diary was when it was asked; skips and leaves pages alone by chance."""

    def __init__(self) -> None:
        super().__init__()
        self.diary: list[list[object]] = []

    def skip(self, url: Url, row: Row, chance: np.random.Generator) -> Skipped | None:
        return Skipped("by chance") if chance.random() < 0.25 else None

    def expands(self, url: Url) -> bool:
        return (len(self.diary) + len(url.text)) % 5 != 2

    def notice(self, decision: Decision) -> None:
        self.diary.append(["decided", decision.url.text, decision.row.tolist(), decision.is_skipped])

    def learn(self, transition: Transition) -> bool:
        rows = transition.next_rows.tolist()
        self.diary.append(["learned", transition.step, transition.url.text, transition.row.tolist(), rows])
        return False

    def save(self) -> bytes:
        return json.dumps(self.diary).encode()

    def load(self, state: bytes) -> None:
        self.diary = json.loads(state)


def crawl_until_killed(wired: HandWired, steps: int) -> None:
    """Crawl so many steps, several fetches at once, and end there without a word in the store."""
    now, pending = 0.0, list[tuple[float, int, Dispatch]]()
    while wired.core.progress.steps < steps:
        choice = wired.core.choose(now)
        if isinstance(choice, Dispatch):
            pending.append((now + wired.world.answer(choice.url).elapsed_s, choice.record.number, choice))
            continue
        assert isinstance(choice, Wait)
        next_answer = min(pending, default=(float("inf"),))[0]
        now = min(choice.until, next_answer)
        if next_answer <= now:
            dispatch = pending.pop(pending.index(min(pending)))[2]
            wired.store.record(wired.core.apply(dispatch, wired.world.answer(dispatch.url), now).record)


@pytest.mark.parametrize(("steps", "concurrency"), [(1, 4), (10, 1), (11, 4), (28, 4)])
def test_a_killed_crawl_goes_on_with_the_diary_of_the_whole_one(tmp_path: Path, steps: int, concurrency: int) -> None:
    chosen = script_settings(crawl__concurrency=concurrency, fetch__max_redirects=2, store__snapshot_every=5)
    script = tangled_script(6)
    whole, first, second = Diarist(), Diarist(), Diarist()
    wired = HandWired(tmp_path / "whole", ScriptedWorld(script), chosen, whole)
    assert wired.run() is StopReason.EXHAUSTED
    kinds = {(entry[0], entry[-1] is True) for entry in whole.diary}
    assert kinds == {("decided", False), ("decided", True), ("learned", False)}
    assert wired.core.progress.pages_not_followed > 0

    killed = HandWired(tmp_path / "killed", ScriptedWorld(script), chosen, first)
    crawl_until_killed(killed, steps)
    killed.close()
    back = HandWired(tmp_path / "killed", ScriptedWorld(script), chosen, second)
    told_again = len(second.diary)
    assert second.diary == whole.diary[:told_again]
    assert sum(entry[0] == "learned" for entry in second.diary) >= steps // 2
    assert back.run() is StopReason.EXHAUSTED
    assert second.diary == whole.diary
    with open_run(tmp_path / "killed") as one, open_run(tmp_path / "whole") as other:
        assert list(one.steps()) == list(other.steps())
        assert one.progress == other.progress


def test_a_decision_after_the_last_transition_is_told_again_too(tmp_path: Path) -> None:
    seed, leading, target = "http://s.test/", "http://r.test/", "http://t.test/"
    world = ScriptedWorld({seed: page_with(leading), leading: redirect_to(target)})
    first, second = Diarist(), Diarist()
    killed = HandWired(tmp_path / "run", world, script_settings(), first)
    for url in (seed, leading):
        killed.follow(url)
    killed.close()
    HandWired(tmp_path / "run", world, script_settings(), second).close()
    assert [entry[0] for entry in second.diary] == ["decided", "learned", "decided"]
    assert second.diary == first.diary
