"""The display and the log: two listeners that say how a crawl comes along and cost it nothing."""

from __future__ import annotations

import io
import logging
import os
import pty
import re
import select
from typing import TYPE_CHECKING

import pytest
from rich.console import Console
from rich.live import Live

from honeyguide.cli.progress import (
    CrawlLog,
    CrawlScreen,
    ProgressDisplay,
    ProgressLines,
    RecentFinds,
    RecentYield,
    Speedometer,
    spent_line,
)
from honeyguide.cli.watching import logging_to
from honeyguide.crawler import CrawlStarted, CrawlStopped, PageJudged, StopReason
from honeyguide.model import Url, Verdict
from honeyguide.model.clock import SimulatedClock
from honeyguide.runs import Progress, forecast
from honeyguide.settings import BudgetSettings, Settings

if TYPE_CHECKING:
    from pathlib import Path

BUDGET = BudgetSettings(fetches=1000)


def judged(steps: int) -> PageJudged:
    progress = Progress(steps=steps, pages=steps, relevant=steps // 2, waiting=7000)
    url = Url.parse(f"http://rock.test/{steps}")
    return PageJudged(url, "Basalt", Verdict(0.5, True, 0.5), 0.4, False, 3, progress)


def test_time_left_follows_the_speed_of_the_last_seconds() -> None:
    speed = Speedometer()
    for second in range(31):
        steps = second if second <= 20 else 20 + (second - 20) * 10
        speed.note(float(second), Progress(steps=steps, pages=steps))
    assert speed.pages_per_s == pytest.approx(10)
    assert speed.seconds_left(BudgetSettings(fetches=220)) == pytest.approx(10)


def test_time_left_is_that_of_the_limit_reached_first() -> None:
    speed = Speedometer()
    speed.note(0.0, Progress())
    speed.note(10.0, Progress(steps=100, spent_seconds=10.0, body_bytes=1_000_000))
    assert speed.seconds_left(BudgetSettings(fetches=1000)) == pytest.approx(90)
    assert speed.seconds_left(BudgetSettings(fetches=1000, seconds=30)) == pytest.approx(20)
    assert speed.seconds_left(BudgetSettings(fetches=1000, megabytes=2)) == pytest.approx(10)


def test_nobody_knows_the_time_left_before_anything_has_moved() -> None:
    speed = Speedometer()
    assert speed.seconds_left(BUDGET) is None
    speed.note(0.0, Progress())
    speed.note(3.0, Progress())
    assert speed.seconds_left(BUDGET) is None


class CountingLive(Live):
    drawn = 0

    def refresh(self) -> None:
        self.drawn += 1
        super().refresh()


def test_the_display_draws_at_most_eight_times_a_second_and_shows_everything() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    clock = SimulatedClock()
    with CountingLive(console=console, auto_refresh=False) as live:
        display = ProgressDisplay(live, clock, BUDGET, "fetches")
        display(CrawlStarted(Progress(), is_resumed=False))
        before = live.drawn
        for step in range(1, 501):
            clock.advance_to(step / 100)
            display(judged(step))
        assert 30 <= live.drawn - before <= 41
        display(CrawlStopped(StopReason.FETCHES, judged(500).progress._replace(steps=1000)))
    shown = console.file.getvalue() if isinstance(console.file, io.StringIO) else ""
    for words in ("1,000/1,000", "pages 500", "relevant 250", "harvest", "waiting 7,000", "pages/s", "left"):
        assert words in shown


def drawn_on(keyboard: int) -> bytes:
    drawn = b""
    while select.select([keyboard], [], [], 0.1)[0]:
        drawn += os.read(keyboard, 10_000)
    return drawn


def test_nothing_is_drawn_over_the_shell_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    keyboard, screen = pty.openpty()
    with os.fdopen(screen, "w", encoding="utf-8") as file:
        shown = CrawlScreen(console=Console(file=file, force_terminal=True), auto_refresh=False)
        monkeypatch.setattr(os, "tcgetpgrp", lambda _: os.getpgrp())
        with shown:
            shown.show_question("Is it about rocks?")
            assert b"rocks?" in drawn_on(keyboard)
            monkeypatch.setattr(os, "tcgetpgrp", lambda _: os.getpgrp() + 1)  # bg
            shown.show_question("Is it about reefs?")
            assert drawn_on(keyboard) == b""
            monkeypatch.setattr(os, "tcgetpgrp", lambda _: os.getpgrp())  # fg
            shown.refresh()
            assert b"reefs?" in drawn_on(keyboard)
    os.close(keyboard)


def test_the_display_tells_what_the_next_fetches_may_bring() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    with Live(console=console, auto_refresh=False) as live:
        display = ProgressDisplay(live, SimulatedClock(), BUDGET, "fetches")
        display(CrawlStarted(Progress(), is_resumed=False))
        for step in range(1, 201):
            display(judged(step))
        display(CrawlStopped(StopReason.FETCHES, judged(200).progress))
    told = forecast([bool(step % 2) for step in range(200)], 200, 100)
    assert told is not None
    assert isinstance(console.file, io.StringIO)
    assert f"next 100 fetches: {told.relevant.low} to {told.relevant.high} relevant" in console.file.getvalue()


def test_pages_that_are_judged_again_are_no_yield_of_a_fetch() -> None:
    seen = RecentYield()
    for step in range(101):
        seen.note(Progress(steps=step, waiting=500))
    before = seen.words()
    seen.note(Progress(steps=100, relevant=90, waiting=500))  # by an answer
    seen.note(Progress(steps=100, relevant=90, waiting=500))
    assert seen.words() == before != ""


def test_a_resumed_crawl_tells_nothing_before_it_has_seen_enough() -> None:
    seen = RecentYield()
    for step in range(1000, 1333):  # 332 flags, of which a quarter of 1,332 is asked
        seen.note(Progress(steps=step, waiting=500))
    assert seen.words() == ""
    for step in range(1333, 1336):
        seen.note(Progress(steps=step, waiting=500))
    assert seen.words() != ""


def test_no_more_fetches_are_told_of_than_links_wait() -> None:
    seen = RecentYield()
    for step in range(151):
        seen.note(Progress(steps=step, relevant=step, waiting=7, behind=4))
    assert re.fullmatch(r"next 3 fetches: \d to 3 relevant", seen.words())
    seen.note(Progress(steps=151, relevant=151))
    assert seen.words() == ""


def test_without_a_terminal_there_is_a_line_every_few_seconds() -> None:
    written = io.StringIO()
    clock = SimulatedClock()
    lines = ProgressLines(Console(file=written), clock, BUDGET)
    lines(CrawlStarted(Progress(), is_resumed=False))
    for step in range(1, 121):
        clock.advance_to(step / 10)
        lines(judged(step))
    assert len(written.getvalue().splitlines()) == 2
    assert "50/1,000 fetches" in written.getvalue()


def told_by(story: CrawlLog) -> None:
    story(CrawlStarted(Progress(), is_resumed=False))
    for step in range(1, 1001):
        story(judged(step))
    story(CrawlStopped(StopReason.FETCHES, judged(1000).progress))


@pytest.mark.parametrize(("verbosity", "lines"), [(0, 0), (1, 12), (2, 1012)])
def test_the_story_fits_on_a_screen_and_debug_follows_every_url(verbosity: int, lines: int) -> None:
    written = io.StringIO()
    with logging_to(Console(file=written, width=200), verbosity, None):
        told_by(CrawlLog(Settings(budget=BUDGET)))
    assert len(written.getvalue().splitlines()) == lines


def test_a_log_file_has_the_story_without_being_asked_for_more(tmp_path: Path) -> None:
    with logging_to(Console(file=io.StringIO()), 0, tmp_path / "log.txt"):
        told_by(CrawlLog(Settings(budget=BUDGET)))
    assert len((tmp_path / "log.txt").read_text(encoding="utf-8").splitlines()) == 12


def test_a_log_line_shortens_every_url_of_a_stranger(tmp_path: Path) -> None:
    written = io.StringIO()
    url = "http://a.test/" + "x" * 1500
    with logging_to(Console(file=written, width=5000), 0, tmp_path / "log.txt"):
        logging.getLogger("honeyguide.test").warning("seed %s brought no page: %s is gone", url, url)
    for text in (written.getvalue(), (tmp_path / "log.txt").read_text(encoding="utf-8")):
        assert text.count("http://a.test/xxx") == 2
        assert len(text) < 600
        assert text.endswith("… is gone\n")


def test_logging_is_left_as_it_was_found() -> None:
    logger = logging.getLogger("honeyguide")
    before = (logger.level, logger.propagate, list(logger.handlers))
    with logging_to(Console(file=io.StringIO()), 2, None):
        pass
    assert (logger.level, logger.propagate, list(logger.handlers)) == before


def test_the_display_names_the_best_host_the_last_finds_and_where_the_budget_went() -> None:
    finds = RecentFinds()
    for step in range(1, 6):
        finds.note(judged(step))
    finds.note(CrawlStarted(Progress(), is_resumed=False))
    assert list(finds.lines()) == ["best host rock.test: 5 of 5 pages relevant", "found Basalt; Basalt; Basalt"]
    spent = Progress(steps=20, pages=15, relevant=5)
    assert spent_line(spent) == "spent on relevant pages 25%, other pages 50%, no page 25%"
    assert not list(RecentFinds().lines())


def test_the_outlook_of_a_run_that_goes_on_rests_on_its_last_fetches() -> None:
    recent = RecentYield([True] * 200)
    recent.note(Progress(steps=200, pages=200, relevant=200, waiting=7000))
    assert recent.words().startswith("next 100 fetches: ")
    assert not RecentYield().words()
