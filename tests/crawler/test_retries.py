"""Trouble that may pass: the link waits again as it was, its host is left alone, and only the last outcome counts."""

from __future__ import annotations

import heapq
import random
from typing import TYPE_CHECKING

import pytest

from crawler.driving import ByAnchorNumber, HandWired, everything, script_settings
from deep_strategies import strategies_by_frontier, thorough
from honeyguide.crawler import Dispatch, FetchFailed, LinkPutBack, LinkRefused, PageJudged, Stop, StopReason
from honeyguide.model import Answer, Failed, FailureReason, LinkId, LinkState, RefusalReason, Refused, Url
from honeyguide.runs import open_run
from scripted_world import ScriptedWorld, page_with, redirect_to, taking

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.crawler import Event
    from honeyguide.learn import Strategy
    from honeyguide.settings import Settings
    from scripted_world import Script

SEED = "http://s.test/"
LINK = "http://h.test/"
BUSY = Failed(FailureReason.HTTP_STATUS, "503 Service Unavailable", 503)
GONE = Failed(FailureReason.HTTP_STATUS, "410 Gone", 410)
CLOSED = Refused(RefusalReason.ROBOTS, "robots.txt cannot be had")


class LiveByHand:
    """A live core driven in simulated time. `troubles` come first, in order by URL; then what the script says."""

    def __init__(
        self,
        path: Path,
        script: Script,
        settings: Settings,
        strategy: Strategy | None = None,
        troubles: dict[str, list[Answer]] | None = None,
    ) -> None:
        self.wired = HandWired(path, ScriptedWorld(script), settings, strategy, is_live=True)
        self.core, self.store = self.wired.core, self.wired.store
        self.troubles = troubles or {}
        self.now = self.wired.clock.now()
        self.events: list[Event] = []
        self._due = sorted(map(self._begun, self.wired.in_flight))

    def run(self, steps: int = 10**9) -> StopReason | None:
        """Crawl so many steps further, or to the end. Between two steps it may be killed."""
        while steps:
            choice = self.core.choose(self.now)
            if isinstance(choice, Dispatch):
                heapq.heappush(self._due, self._begun(choice))
            elif isinstance(choice, Stop):
                return choice.reason
            elif self._due and self._due[0][0] <= choice.until:
                ended_at, _, dispatch = heapq.heappop(self._due)
                self.now = max(self.now, ended_at)
                step = self.core.apply(dispatch, self._answer(dispatch), self.now)
                self.store.record(step.record)
                self.events += step.events
                steps -= 1
            else:
                self.now = choice.until
        return None

    def tries(self, url: str) -> int:
        return self.core.retries.tries_by_link.get(self.wired.link(url), 0)

    def _begun(self, dispatch: Dispatch) -> tuple[float, int, Dispatch]:
        began_at = dispatch.record.chosen_at
        return began_at + self._answer(dispatch).elapsed_s, dispatch.record.number, dispatch

    def _answer(self, dispatch: Dispatch) -> Answer:
        troubles = self.troubles.get(dispatch.url.text, [])
        tries = self.tries(dispatch.url.text)
        return troubles[tries] if tries < len(troubles) else self.wired.world.answer(dispatch.url)


def troubles_of(live: LiveByHand) -> list[int]:
    """Temporary failures in a row, by host."""
    schedule, links = live.wired.parts.schedule, live.wired.parts.links
    hosts = sorted({links.url(LinkId(link)).host for link in range(len(links))})
    return [schedule.saved(host, 0.0).troubles for host in hosts]


def live_settings(strategy: str = "breadth-first", **overrides: object) -> Settings:
    chosen = {"politeness__delay_s": 1.0, "fetch__backoff_s": 10.0, "fetch__max_retry_after_s": 100.0}
    return script_settings(strategy, **(chosen | overrides))


def trouble(outcome: Failed | Refused = BUSY, *, elapsed_s: float = 0.5, retry_after_s: float = 0.0) -> Answer:
    return Answer(outcome, elapsed_s, retry_after_s=retry_after_s)


def story_of(path: Path) -> list[tuple[str, str, float | None]]:
    with open_run(path) as run:
        return [(step.url.text, step.outcome, step.reward) for step in run.steps()]


def kinds(events: list[Event], url: str) -> list[type]:
    return [type(event) for event in events if getattr(event, "url", None) == Url.parse(url)]


def test_a_link_whose_trouble_passes_brings_its_page_and_the_learner_hears_only_of_that(tmp_path: Path) -> None:
    strategy = ByAnchorNumber()
    script: Script = {SEED: page_with(**{"5": LINK}), LINK: "a rock"}
    live = LiveByHand(tmp_path / "run", script, live_settings(), strategy, {LINK: [trouble(), trouble()]})
    assert live.run() is StopReason.EXHAUSTED
    assert kinds(live.events, LINK) == [LinkPutBack, LinkPutBack, PageJudged]
    assert [told.url.text for told in strategy.told] == [SEED, LINK]
    assert story_of(tmp_path / "run") == [
        (SEED, "fetched", strategy.told[0].reward), (LINK, "failed", None), (LINK, "failed", None),
        (LINK, "fetched", strategy.told[1].reward),
    ]  # fmt: skip
    progress = live.core.progress
    assert (progress.fetches, progress.retries, progress.pages, progress.waiting) == (4, 2, 2, 0)


def test_a_link_is_given_up_after_so_many_tries_and_the_last_one_is_learned(tmp_path: Path) -> None:
    strategy = ByAnchorNumber()
    script: Script = {SEED: page_with(**{"5": LINK}), LINK: BUSY}
    live = LiveByHand(tmp_path / "run", script, live_settings(fetch__retries=2), strategy)
    live.run()
    assert kinds(live.events, LINK) == [LinkPutBack, LinkPutBack, FetchFailed]
    assert [(told.url.text, told.reward) for told in strategy.told][1:] == [(LINK, 0.0)]
    assert live.wired.parts.links.state(live.wired.link(LINK)) is LinkState.DONE
    assert live.core.retries.tries_by_link == {}


@pytest.mark.parametrize(
    ("answer", "retries", "is_tried_again"),
    [
        (trouble(), 2, True),
        (trouble(), 0, False),
        (trouble(GONE), 2, False),
        (trouble(Failed(FailureReason.TIMEOUT, "no answer")), 2, True),
        (trouble(Failed(FailureReason.DNS, "no such host")), 2, False),
        (trouble(retry_after_s=100.0), 2, True),
        (trouble(retry_after_s=101.0), 2, False),
        (trouble(CLOSED), 2, False),
        (trouble(CLOSED, retry_after_s=60.0), 2, True),
        (trouble(CLOSED, retry_after_s=5000.0), 2, True),
    ],
)
def test_what_is_tried_again(tmp_path: Path, answer: Answer, retries: int, is_tried_again: bool) -> None:
    script: Script = {SEED: answer}
    live = LiveByHand(tmp_path / "run", script, live_settings(fetch__retries=retries))
    live.run(steps=1)
    last = FetchFailed if isinstance(answer.outcome, Failed) else LinkRefused
    assert kinds(live.events, SEED) == [LinkPutBack if is_tried_again else last]
    assert len(live.core.frontier) == is_tried_again


def test_offline_nothing_is_tried_again(tmp_path: Path) -> None:
    wired = HandWired(tmp_path / "run", ScriptedWorld({SEED: BUSY}), live_settings())
    wired.run()
    assert story_of(tmp_path / "run") == [(SEED, "failed", 0.0)]


class TestHostClock:
    def ready_after(self, path: Path, answers: list[Answer], **overrides: object) -> list[float]:
        """How long the host rests after each of the answers, whatever becomes of the link."""
        settings = live_settings(fetch__retries=99, **overrides)  # type: ignore[arg-type]
        live = LiveByHand(path, {SEED: "x"}, settings, None, {SEED: answers})
        rests = []
        for _ in answers:
            live.run(steps=1)
            rests.append(float(live.wired.parts.schedule.ready_at(1)[0]) - live.now)
        return rests

    def test_a_host_in_trouble_is_left_alone_twice_as_long_each_time_within_limits(self, tmp_path: Path) -> None:
        rests = self.ready_after(tmp_path / "run", [trouble()] * 8)
        limits = [10, 20, 40, 80, 100, 100, 100, 100]
        assert all(limit / 2 <= rest <= limit for rest, limit in zip(rests, limits, strict=True))
        assert len({round(rest / limit, 6) for rest, limit in zip(rests, limits, strict=True)}) == 8, "jitter"

    def test_what_the_host_asks_for_goes_before(self, tmp_path: Path) -> None:
        (rest,) = self.ready_after(tmp_path / "run", [trouble(retry_after_s=77.0)])
        assert rest == pytest.approx(77.0)

    def test_even_beyond_the_limit_the_host_is_left_alone(self, tmp_path: Path) -> None:
        (rest,) = self.ready_after(tmp_path / "run", [trouble(retry_after_s=5000.0)])
        assert rest == pytest.approx(5000.0)

    def test_the_jitter_is_part_of_the_seed(self, tmp_path: Path) -> None:
        one, same, other = (
            self.ready_after(tmp_path / name, [trouble()] * 3, crawl__seed=seed)
            for name, seed in (("one", 1), ("same", 1), ("other", 2))
        )
        assert one == same != other

    def test_a_host_that_was_not_asked_needs_no_rest(self, tmp_path: Path) -> None:
        refusal = Answer(Refused(RefusalReason.ROBOTS, "disallowed"), 0.0)
        live = LiveByHand(tmp_path / "run", {SEED: refusal}, live_settings())
        live.run(steps=1)
        assert float(live.wired.parts.schedule.ready_at(1)[0]) <= live.now


def test_the_pause_begins_when_the_answer_was_in_not_when_it_was_looked_at(tmp_path: Path) -> None:
    live = LiveByHand(tmp_path / "run", {SEED: "x"}, live_settings())
    dispatch = live.core.choose(0.0)
    assert isinstance(dispatch, Dispatch)
    live.core.apply(dispatch, taking(0.25, "x"), now=7.0, ended_at=5.0)
    assert float(live.wired.parts.schedule.ready_at(1)[0]) == 6.0
    live.wired.close()


def test_nothing_is_waited_for_longer_than_the_patience_lasts(tmp_path: Path) -> None:
    live = LiveByHand(tmp_path / "run", {SEED: trouble(retry_after_s=90.0)}, live_settings(politeness__patience_s=80.0))
    assert live.run() is StopReason.RESTING
    assert live.core.progress.waiting == 1
    assert not StopReason.RESTING.is_final


def test_a_tried_link_is_not_decided_on_again(tmp_path: Path) -> None:
    noticed, asked = [], []

    class Watching(ByAnchorNumber):
        def notice(self, decision: object) -> None:
            noticed.append(decision.url.text)  # type: ignore[attr-defined]

        def skip(self, url: Url, row: object, chance: object) -> None:
            asked.append(url.text)

    live = LiveByHand(tmp_path / "run", {SEED: "x"}, live_settings(), Watching(), {SEED: [trouble()] * 2})
    live.run()
    assert noticed == asked == [SEED]


def troubled_script(seed: int) -> tuple[Script, dict[str, list[Answer]]]:
    """Pages on a few hosts that link and redirect to one another; two in five bring trouble first, some for ever."""
    chance = random.Random(seed)
    urls = [SEED, *(f"http://h{chance.randrange(5)}.test/{n}" for n in range(50))]
    script: dict[str, object] = {}
    troubles: dict[str, list[Answer]] = {}
    for url in urls:
        shown = {f"{chance.randrange(50)} {n}": chance.choice(urls) for n in range(chance.randrange(9))}
        moved = chance.random() < 0.2 and url != SEED
        script[url] = taking(chance.uniform(0, 3), redirect_to(chance.choice(urls)) if moved else page_with(**shown))
        if chance.random() < 0.4:
            troubles[url] = [
                chance.choice([trouble(), trouble(retry_after_s=30.0), trouble(CLOSED, retry_after_s=20.0)])
                for _ in range(chance.randrange(1, 5))
            ]
    script[SEED] = page_with(**{str(n): url for n, url in enumerate(urls[1:9])})
    return script, troubles  # type: ignore[return-value]


@pytest.mark.parametrize("strategy", ["by-number", *strategies_by_frontier()])
@pytest.mark.parametrize("seed", [2, thorough(1)])
def test_a_crawl_killed_amid_retries_goes_on_to_the_last_bit(tmp_path: Path, strategy: str, seed: int) -> None:
    own = strategy == "by-number"
    settings = live_settings(
        "best-first" if own else strategy,
        crawl__concurrency=3,
        fetch__max_redirects=2,
        online_ridge__exploration=0.3,
        beam__width=15,
        modified_depth_first__patience=1,
        parse_or_skip__skip_penalty=5.0,  # else it would skip everything
        parse_or_skip_q__reserve=15,
        random_skip__share=0.1,
        store__snapshot_every=7,
    )
    script, troubles = troubled_script(seed)
    kills = [3, 4, 5, 6, 7, 8, 9]

    def opened(name: str) -> LiveByHand:
        return LiveByHand(tmp_path / name, script, settings, ByAnchorNumber() if own else None, troubles)

    whole = opened("whole")
    for steps in kills:
        before = opened("killed")
        before.run(steps)
        whole.run(steps)
        before.wired.close()
        assert everything(before.wired) == everything(whole.wired)
        assert before.core.retries.tries_by_link == whole.core.retries.tries_by_link
        back = opened("killed")
        back.wired.close()
        # Choices made since the last step are lost with the process; they are made again.
        assert troubles_of(back) == troubles_of(before)
        assert back.core.progress.steps == before.core.progress.steps
    whole.run()
    after = opened("killed")
    after.run()
    whole.wired.close()
    after.wired.close()
    assert whole.core.progress.retries > 3
    assert story_of(tmp_path / "killed") == story_of(tmp_path / "whole")
    assert everything(after.wired) == everything(whole.wired)


def test_a_link_that_waits_to_be_tried_again_stays_as_it_was_whoever_shows_it(tmp_path: Path) -> None:
    other = "http://o.test/"
    script: Script = {SEED: page_with(**{"5": LINK, "1": other}), LINK: "x", other: page_with(**{"50": LINK})}
    settings = live_settings(crawl__hurry=1.0)
    live = LiveByHand(tmp_path / "run", script, settings, ByAnchorNumber(), {LINK: [trouble()]})
    live.run(steps=3)
    scores, _ = live.core.frontier.peek([live.wired.link(LINK)])
    live.wired.close()
    assert scores.tolist() == [5.0]
