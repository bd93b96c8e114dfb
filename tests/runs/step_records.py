"""Steps made by hand, as a core would make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honeyguide.model import Answer, Fetched, HostRest, LinkId, Url, Verdict
from honeyguide.runs import CompletionRecord, DispatchRecord, FoundLink, Progress, StepRecord, VisitRecord
from pages import page_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.model import Row

SEED = Url.parse("http://s.test/")
SEED_LINK = FoundLink(LinkId(0), SEED, None, "", b"seed", 0.5)
FIRST = StepRecord(Progress(waiting=1), new_links=(SEED_LINK,), learner=b"fresh")


def target(number: int) -> Url:
    return Url.parse(f"http://t.test/{number}")


def row(*numbers: float) -> Row:
    return np.array(numbers, dtype=np.float16)


def found(number: int, page: int = 0, *, anchor: str = "a link", score: float = 0.1) -> FoundLink:
    """A link found on a page, described by its anchor."""
    return FoundLink(LinkId(number), target(number), LinkId(page), anchor, anchor.encode(), score)


def dispatch(link: int, number: int) -> DispatchRecord:
    return DispatchRecord(LinkId(link), number, number, float(number), 0.25, True, number, row(number))


def visit(
    link: int,
    step: int,
    new_links: Sequence[FoundLink] = (),
    *,
    body: bytes = b"<p>rock</p>",
    title: str = "",
    learner: bytes | None = None,
) -> StepRecord:
    """The fetch of a page as one step: chosen, answered, judged, its links found."""
    url = SEED if link == 0 else target(link)
    page = page_of("rock", url)
    page = type(page)(url, "text/html", "utf-8", title, page.text, page.words, page.main_spans, ())
    chosen = dispatch(link, step - 1)
    targets = tuple(new.link for new in new_links)
    return StepRecord(
        Progress(steps=step, dispatches=step, now=float(step), pages=step, body_bytes=len(body) * step),
        dispatches=(chosen,),
        completion=CompletionRecord(
            chosen,
            Answer(Fetched(200, "text/html", body), 0.5),
            finished_at=float(step),
            reward=0.7,
            visit=VisitRecord(page, Verdict(0.7, is_relevant=True, reward=0.7), link, 0, targets),
        ),
        new_links=tuple(new_links),
        hosts=(HostRest(str(url.host), step + 1.0),),
        learner=learner,
    )
