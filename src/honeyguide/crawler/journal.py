"""The parts of a crawl that remember what they are told: strategy, judge and guard.

Every input goes through `JournaledStages`, which notes it in a journal. A run keeps a snapshot of the three every so
often and the journal since then. A resumed crawl loads the snapshot and replays the journal through the same methods,
so that it stands where the killed one stood, to the last bit.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from honeyguide.crawler.preparing import judge_safely
from honeyguide.errors import GuardError
from honeyguide.guard import Fingerprint, SeenPage, Target
from honeyguide.learn import SharedSums
from honeyguide.model import Decision, LinkId, Transition, Url, WordCounts
from honeyguide.runs import JournalEntry
from honeyguide.runs.records import join_snapshot, split_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from honeyguide.crawler.parts import Parts
    from honeyguide.crawler.preparing import Unjudged
    from honeyguide.guard import Judgement
    from honeyguide.model import HostKey, Page, Row, Verdict


class News(NamedTuple):
    """What the other shards of a run have learned and seen."""

    sums: SharedSums | None  # of all of them together
    prints: tuple[tuple[Url, bytes], ...] = ()  # fingerprints of their pages since the last news
    words: WordCounts | None = None  # of the pages of all of them


class JournaledStages:
    """Tells strategy, judge and guard what happens, and keeps `journal`, the inputs that are not yet stored."""

    def __init__(self, parts: Parts) -> None:
        self._strategy = parts.strategy
        self._judge = parts.judge
        self._guard = parts.guard
        self._links = parts.links
        self.journal: list[JournalEntry] = []

    def notice(self, link: LinkId, row: Row, *, is_skipped: bool) -> None:
        """Tell the strategy of a link whose turn came."""
        self.journal.append(JournalEntry("skip" if is_skipped else "fetch", link, row.tobytes()))
        self._strategy.notice(Decision(self._links.url(link), row, is_skipped))

    def judge(self, link: LinkId, page: Page, description: NDArray[np.float16] | None = None) -> Verdict | Unjudged:
        """Show the judge a page of which nobody has said yet how relevant it is."""
        if self._judge.keeps_statistics:
            self.journal.append(JournalEntry("judge", link))
        return judge_safely(self._judge, page, description)

    def learn(self, link: LinkId, transition: Transition) -> bool:
        """Tell the strategy what following a link brought. True when waiting links now have other scores."""
        facts = transition.step, transition.reward, transition.relevance, transition.is_relevant, transition.answered
        rows = transition.next_rows.tobytes() if self._strategy.reads_next_rows else None
        self.journal.append(JournalEntry("learn", link, transition.row.tobytes(), json.dumps(facts), rows))
        return self._strategy.learn(transition)

    def observe(self, page: SeenPage, targets: Sequence[Target]) -> Judgement:
        """Show the guard a page and its links."""
        assert self._guard is not None
        facts = {
            "page": [page.parent, page.moment, page.is_relevant],
            "targets": [[target.link, target.url.text] if target.is_new else target.link for target in targets],
        }
        self.journal.append(JournalEntry("see", page.link, page.fingerprint.pack(), json.dumps(facts)))
        return self._guard.observe(page, targets)

    def hear(self, page: LinkId, targets: Sequence[Target]) -> Sequence[HostKey]:
        """Tell the guard of links on a page of another shard; the hosts of which links may have a better level now."""
        assert self._guard is not None
        facts = {"targets": [[target.link, target.url.text] if target.is_new else target.link for target in targets]}
        self.journal.append(JournalEntry("hear", page, facts=json.dumps(facts)))
        return self._guard.hear(self._links.url(page), targets)

    def take_news(self, news: News, moment: float) -> None:
        """Tell the strategy what others have learned, and judge and guard of the pages that they have seen."""
        pages = [(url.text, packed.hex()) for url, packed in news.prints]
        sums = None if news.sums is None else news.sums.pack()
        facts = json.dumps([moment, pages, news.words])
        self.journal.append(JournalEntry("news", LinkId(0), facts=facts, next_rows=sums))
        if news.words is not None:
            self._judge.take_shared(news.words)
        if news.sums is not None:
            self._strategy.take_shared(news.sums)
        if self._guard is not None and news.prints:
            self._guard.remember([(url, Fingerprint.unpack(packed)) for url, packed in news.prints], moment)

    def replay(self, entry: JournalEntry, page_of: Callable[[LinkId], Page]) -> None:
        """Tell an input of a killed crawl again. `page_of` reads a stored page."""
        link, row = entry.link, np.frombuffer(b"" if entry.kind in ("see", "news") else entry.row, dtype=np.float16)
        match entry.kind:
            case "fetch" | "skip":
                self.notice(link, row, is_skipped=entry.kind == "skip")
            case "judge":
                self._judge.see(page_of(link))
            case "learn":
                step, reward, relevance, is_relevant, answered = json.loads(entry.facts)
                rows = np.empty((0, self._strategy.row_width), dtype=np.float16)
                if entry.next_rows:
                    rows = np.frombuffer(entry.next_rows, dtype=np.float16).reshape(-1, self._strategy.row_width)
                url = self._links.url(link)
                self.learn(link, Transition(step, url, row, reward, relevance, is_relevant, rows, answered))
            case "see":
                self.observe(*self._seen(entry))
            case "news":
                moment, pages, *words = json.loads(entry.facts)
                prints = tuple((Url(url), bytes.fromhex(packed)) for url, packed in pages)
                sums = SharedSums.unpack(entry.next_rows) if entry.next_rows else None
                counts = WordCounts(*words[0]) if words and words[0] else None
                self.take_news(News(sums, prints, counts), moment)
            case "hear":
                self.hear(link, self._targets(json.loads(entry.facts)))
            case _:
                raise ValueError(f"{entry.kind!r} is no kind of journal entry")

    def _seen(self, entry: JournalEntry) -> tuple[SeenPage, list[Target]]:
        facts = json.loads(entry.facts)
        parent, moment, is_relevant = facts["page"]
        fingerprint = Fingerprint.unpack(entry.row)
        page = SeenPage(entry.link, self._links.url(entry.link), parent, moment, fingerprint, is_relevant)
        return page, self._targets(facts)

    def _targets(self, facts: dict[str, Any]) -> list[Target]:
        targets = []
        for shown in facts["targets"]:
            if isinstance(shown, list):
                targets.append(Target(LinkId(shown[0]), Url(shown[1]), is_new=True))
            else:
                targets.append(Target(LinkId(shown), self._links.url(LinkId(shown)), is_new=False))
        return targets

    def snapshot(self) -> bytes:
        """The states of all three; from now on the journal starts anew."""
        self.journal.clear()
        states = [self._strategy.save(), self._judge.save()]
        if self._guard is not None:
            states.append(self._guard.save())
        return join_snapshot(states)

    def load(self, snapshot: bytes) -> None:
        """Go back to a snapshot; a guard of which it knows nothing stays as it is.

        GuardError with a way to go on where the guard cannot.
        """
        of_strategy, of_judge, of_guard = split_snapshot(snapshot)
        self._strategy.load(of_strategy)
        self._judge.load(of_judge)
        if self._guard is not None and of_guard is not None:
            try:
                self._guard.load(of_guard)
            except GuardError as error:
                raise GuardError(
                    "the guard of this run was saved by another version of the program, or is damaged: to go on "
                    "without it, write on = false under [guard] in the run's settings.toml"
                ) from error
