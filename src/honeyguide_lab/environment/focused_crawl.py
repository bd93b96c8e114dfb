"""The Gymnasium environment `honeyguide/FocusedCrawl-v0`: an agent chooses the next link, the judge rewards it.

An agent sees a table of waiting links: the newest, the best by a named scorer, and some drawn at random. An action is a
row of it; rows without a link are masked and never sampled. See docs/explanation/environment.md.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import InvalidAction, ResetNeeded
from threadpoolctl import ThreadpoolController

from honeyguide.crawler import Builder, open_world, with_examples_read
from honeyguide.errors import HoneyguideError, SettingsError, WorldError
from honeyguide.model import LinkId
from honeyguide.model.counts import count_of
from honeyguide.settings import settings_from, validate, with_overrides
from honeyguide_lab.environment.episode import STATE_COLUMNS, WIDTH, CrawlState, Episode, at_once, state_after

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.crawler.links import LinkTable
    from honeyguide.model import Rows, Url
    from honeyguide.runs import StepRecord
    from honeyguide.settings import Settings
    from honeyguide.text import WordVectors
    from honeyguide.worlds import World

    Mask = NDArray[np.int8]


class OpenActions(spaces.Discrete[np.int64]):
    """`Discrete`, whose `sample` without a mask draws uniformly from the actions that are open now.

    What is drawn right after `seed` must depend on the seed alone, and not on how far an earlier episode had got: until
    the environment says again what is open, only actions that were so at the beginning, too, are drawn.
    """

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self._at_first = np.ones(count, dtype=np.int8)
        self._open = self._at_first

    def begin(self, mask: Mask) -> None:
        """An episode begins with these actions open."""
        self._at_first = mask.copy()
        self._open = self._at_first

    def update(self, mask: Mask) -> None:
        """These actions are open now."""
        self._open = mask.copy()

    def seed(self, seed: int | None = None) -> int:
        at_both = self._open & self._at_first
        if at_both.any():
            self._open = at_both
        return super().seed(seed)

    def sample(self, mask: Mask | None = None, probability: NDArray[Any] | None = None) -> np.int64:
        if mask is None and probability is None:
            mask = self._open
        return super().sample(mask, probability)


@dataclass(frozen=True, slots=True)
class TableSpec:
    """The table of candidates. What `newest` and `best` leave of it is drawn uniformly from the other waiting links."""

    rows: int = 64
    newest: float = 0.25  # share of the rows for the links found last
    best: float = 0.5  # share of the rows for the links with the highest scores
    scorer: str = "best-first"  # the strategy that gives the scores; it learns, where it is one that learns

    def __post_init__(self) -> None:
        mistakes = []
        if self.rows < 1:
            mistakes.append(f"rows is {self.rows}: a table needs at least one")
        if not (self.newest >= 0 and self.best >= 0 and self.newest + self.best <= 1):
            mistakes.append(
                f"newest is {self.newest:g} and best {self.best:g}: shares are at least 0 and together at most 1"
            )
        if mistakes:
            raise SettingsError(mistakes)

    @property
    def newest_rows(self) -> int:
        return round(self.newest * self.rows)

    @property
    def best_rows(self) -> int:
        return min(round(self.best * self.rows), self.rows - self.newest_rows)

    @property
    def sampled_rows(self) -> int:
        return self.rows - self.newest_rows - self.best_rows


def shortlist(scores: NDArray[np.float64], spec: TableSpec, chance: np.random.Generator) -> NDArray[np.int64]:
    """Places of the links to show, given the scores of all waiting links in order of discovery. No place comes twice.

    First the newest, newest first; then the best of the others, best first, first come first among equals; then a
    uniform sample of the rest. All of them while they fit into the table.
    """
    newest = np.arange(len(scores))[::-1][: spec.newest_rows]
    others = scores[: len(scores) - len(newest)]
    best = _highest(others, spec.best_rows)
    rest = np.delete(np.arange(len(others)), best)
    if len(rest) > spec.rows - len(newest) - len(best):
        rest = chance.choice(rest, spec.sampled_rows, replace=False)
    return np.concatenate((newest, best, rest))


def _highest(scores: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Places of the highest scores, highest first, the earlier of equals first."""
    if count < len(scores):
        lowest_in = np.partition(scores, len(scores) - count)[len(scores) - count] if count else np.inf
        contenders = np.flatnonzero(scores >= lowest_in)
    else:
        contenders = np.arange(len(scores))
    return contenders[np.argsort(-scores[contenders], kind="stable")][:count]


Observation: TypeAlias = dict[str, "NDArray[Any]"]
Info: TypeAlias = dict[str, Any]

LIVE_WORLDS: Final = frozenset({"live", "synthetic+http"})  # they answer in real time
NO_LINK: Final = -1  # in `info["links"]`, where a row of the table is empty

PRACTICE: Final = settings_from(
    {
        "topic": {"name": "geology", "keywords": ["rock", "mineral", "fossil"]},
        "crawl": {"world": "synthetic:pages=5000"},
        "budget": {"fetches": 200},
    }
)
"""What is crawled when nothing else is said: geology, in a synthetic web of 5,000 pages, with 200 fetches."""


@dataclass(frozen=True, slots=True, eq=False)
class FrontierView:
    """Every waiting link, in order of discovery: its number, its features as in a table's row, the scorer's score."""

    links: NDArray[np.int64]
    rows: Rows
    scores: NDArray[np.float64]


class FocusedCrawlEnv(gymnasium.Env[Observation, np.int64]):
    """A focused crawl; an action is a row of the table of candidates.

    With `run`, episode n leaves a run folder `run/episode-000n`. `world` takes the place of the one the settings name,
    `vectors` are word vectors loaded already; several environments may share them.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012 - as gymnasium declares it

    def __init__(
        self,
        settings: Settings = PRACTICE,
        table: TableSpec = TableSpec(),
        *,
        world: World | None = None,
        vectors: WordVectors | None = None,
        run: Path | str | None = None,
        render_mode: str | None = None,
    ) -> None:
        is_asked_for = "guard.on" in settings.set_keys and settings.guard.on
        self.settings = with_overrides(settings, {"crawl.strategy": table.scorer, "guard.on": is_asked_for})
        self.table = table
        self.render_mode = render_mode
        self._run = None if run is None else Path(run)
        _check(self.settings, world, is_kept=run is not None)
        self._episodes = 0
        self._episode: Episode | None = None
        self._opened = AsyncExitStack()
        self._world = world or at_once(self._opened.enter_async_context(open_world(self.settings)))
        try:
            self.settings = at_once(with_examples_read(self.settings, self._world))
        except HoneyguideError:
            at_once(self._opened.aclose())
            raise
        self._builder = Builder(self.settings, vectors)
        self._threads = ThreadpoolController()
        self._state = CrawlState()
        self._links = np.empty(0, dtype=np.int64)  # by row of the table
        self._last: Info = {}
        self._actions = OpenActions(table.rows)
        self.action_space = self._actions
        parts = {
            "state": spaces.Box(0.0, 1.0, (len(STATE_COLUMNS),), np.float32),
            "candidates": spaces.Box(-1.0, 1.0, (table.rows, WIDTH), np.float32),
            "mask": spaces.MultiBinary(table.rows),
        }
        self.observation_space = cast("spaces.Space[Observation]", spaces.Dict(parts))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Start a new crawl from the seed URLs. There are no options."""
        super().reset(seed=seed, options=options)
        self._end_episode()
        self._episodes += 1
        run = None if self._run is None else self._run / f"episode-{self._episodes:04}"
        with self._one_blas_thread():
            self._episode = Episode(self._builder, self.settings, self._world, self.np_random, run)
        self._state = state_after(CrawlState(), self._episode.first, self.settings.budget)
        observation, info = self._look(self._episode, self._episode.first)
        self._actions.begin(observation["mask"])
        return observation, info

    def step(self, action: int | np.integer[Any]) -> tuple[Observation, float, bool, bool, Info]:
        """Follow the link in this row of the table. InvalidAction if the row is masked."""
        self._running()
        return self.step_link(self.link_in(action))

    def step_link(self, link: LinkId) -> tuple[Observation, float, bool, bool, Info]:
        """Follow any waiting link, whether the table shows it or not. InvalidAction if it does not wait."""
        episode = self._running()
        try:
            with self._one_blas_thread():
                record = episode.follow(link)
        except KeyError:
            raise InvalidAction(f"link {link} does not wait; choose one of frontier_view().links") from None
        self._state = state_after(self._state, record, self.settings.budget)
        completion = record.completion
        reward = 0.0 if completion is None or completion.reward is None else float(completion.reward)
        is_truncated = episode.limit is not None
        observation, info = self._look(episode, record)
        self._actions.update(observation["mask"])
        return observation, reward, episode.is_exhausted, is_truncated, info

    def frontier_view(self) -> FrontierView:
        """Every waiting link, without padding: for agents that want to see more than the table."""
        return _view(self._begun())

    def link_in(self, row: int | np.integer[Any]) -> LinkId:
        """The number of the link in a row of the table. InvalidAction if the row is masked."""
        if not 0 <= row < len(self._links):
            raise InvalidAction(f"action {row} is masked: {len(self._links)} of {self.table.rows} rows hold a link")
        return LinkId(int(self._links[row]))

    def url(self, link: LinkId) -> Url:
        """The address behind a link's number."""
        return self._begun().core.links.url(link)

    def render(self) -> str | None:
        """The last step in three lines of text, in mode "ansi"."""
        if self.render_mode is None:
            return None
        progress, last = self._begun().core.progress, self._last
        mark = "*" if last["is_relevant"] else " "
        fetched = f"{mark} {last['relevance']:.2f}  {last['outcome']}  {last['url']}" if last["url"] else "  not begun"
        return (
            f"fetch {progress.fetches} of {self.settings.budget.fetches}, "
            f"{count_of(progress.relevant, 'relevant page')}\n"
            f"{fetched}\n"
            f"{count_of(progress.waiting, 'link')} waiting, {len(self._links)} in the table\n"
        )

    def close(self) -> None:
        """End the episode and close the world, unless it was given; may be called twice."""
        self._end_episode()
        at_once(self._opened.aclose())

    def _one_blas_thread(self) -> AbstractContextManager[object]:
        # Around a step only, because the agent may want all threads. The products of a crawl are small: 330 steps a
        # second so, 90 with two threads on two busy cores.
        return cast("AbstractContextManager[object]", self._threads.limit(limits=1, user_api="blas"))

    def _begun(self) -> Episode:
        if self._episode is None:
            raise ResetNeeded("no crawl has begun; call reset first")
        return self._episode

    def _running(self) -> Episode:
        episode = self._begun()
        if (reason := episode.stop_reason) is not None:
            raise ResetNeeded(f"the crawl is over: {reason.value}; call reset")
        return episode

    def _end_episode(self) -> None:
        if self._episode is not None:
            self._episode.close()
            self._episode = None

    def _look(self, episode: Episode, record: StepRecord) -> tuple[Observation, Info]:
        """Return the observation and `info`, with a new table; also when the crawl is over, to learn its value."""
        view = _view(episode)
        places = shortlist(view.scores, self.table, self.np_random)
        self._links = view.links[places]
        candidates = np.zeros((self.table.rows, WIDTH), dtype=np.float32)
        candidates[: len(places)] = view.rows[places]
        mask = np.zeros(self.table.rows, dtype=np.int8)
        mask[: len(places)] = 1
        links = np.full(self.table.rows, NO_LINK, dtype=np.int64)
        links[: len(places)] = self._links
        self._last = _told(episode.core.links, record) | {"action_mask": mask.copy(), "links": links}
        return {"state": self._state.as_row(), "candidates": candidates, "mask": mask}, dict(self._last)


def _view(episode: Episode) -> FrontierView:
    links = episode.core.links.waiting()
    scores, rows = episode.core.frontier.peek(cast("Sequence[LinkId]", links))
    return FrontierView(links, rows[:, :WIDTH], scores)


def _told(links: LinkTable, record: StepRecord) -> Info:
    """Return the `info` entries about the last fetch; empty values after a reset, when there was none."""
    completion, progress = record.completion, record.progress
    visit = None if completion is None else completion.visit
    return {
        "url": "" if completion is None else links.url(completion.dispatch.link).text,
        "outcome": "" if completion is None else type(completion.answer.outcome).__name__.lower(),
        "relevance": 0.0 if visit is None else visit.verdict.relevance,
        "is_relevant": visit is not None and visit.verdict.is_relevant,
        "steps": progress.steps,
        "relevant": progress.relevant,
        "waiting": progress.waiting,
    }


def _check(settings: Settings, world: World | None, *, is_kept: bool) -> None:
    """Check what an environment needs besides valid settings: an offline world, a topic, no merging in a kept run."""
    validate(settings)
    name = settings.crawl.world
    # By name, because opening a live world takes an event loop.
    is_offline = name.partition(":")[0] not in LIVE_WORLDS if world is None else world.is_offline
    if not is_offline:
        raise WorldError(f"{'the world given' if world else name} is not offline; choose one that is, as synthetic")
    if not (settings.topic.name or settings.topic.keywords or settings.topic.like):
        raise SettingsError(["topic is empty: give topic.name, topic.keywords or topic.like"])
    if is_kept and settings.frontier.found_again == "merge":
        # The merged rows in the folder would be those of the agent, which no strategy reads.
        raise SettingsError(["frontier.found_again is 'merge': a run cannot be kept with it; choose 'best' or 'first'"])
