"""`honeyguide explain`: why a page of a run was fetched, and why it was judged so."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer

from honeyguide.cli.judge import evidence_lines
from honeyguide.cli.options import JsonFlag, RunArgument, TrustFlag
from honeyguide.cli.output import folded, one_line, print_json
from honeyguide.crawler import explain as explain_page
from honeyguide.model.counts import count_of
from honeyguide.runs.fields import text_of_field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.crawler import Explanation
    from honeyguide.runs import FetchOfUrl, LinkHistory, PageJudgement

_REASONS_SHOWN: Final = 12


def explain(
    run: RunArgument,
    url: Annotated[str, typer.Argument(metavar="URL", show_default=False, help="A URL that the run has met.")],
    trust: TrustFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Say why a page of a run was fetched, and why it was judged so.

    Shows the path from a seed, the link that it was found by, its predicted value with what spoke for it, what came,
    and the evidence of the judge. Everything comes from the run; nothing is fetched.

    [bold]Example[/bold]

      honeyguide explain my-run https://en.wikipedia.org/wiki/Basalt
    """
    why = explain_page(run, url, trust=trust)
    if as_json:
        print_json(asdict(why))
    else:
        print("\n".join(folded(line, indent=13) for line in _lines(why)))


def _lines(why: Explanation) -> Iterator[str]:
    history = why.history
    yield (one_line(history.page.title) if history.page else "") or "(no title)"
    yield one_line(history.url)
    if history.led_to:
        yield f"redirects to {one_line(history.led_to)}"
    yield ""
    yield "why it was fetched" if history.fetches else f"it was not fetched: {one_line(history.state)}"
    yield from _path_lines(history)
    for fetch in history.fetches:
        yield from _fetch_lines(fetch)
    if not history.fetches:
        yield f"  score      {history.score:.3f}, when it was last written"
        if history.skipped_because:
            yield f"  skipped    {one_line(history.skipped_because)}"
    yield from _reason_lines(why)
    if history.page is not None:
        yield ""
        yield "why it was judged so"
        yield from _judgement_lines(history.page)
    if why.evidence is not None:
        yield ""
        yield from evidence_lines(why.evidence)
    if why.answers:
        yield ""
        yield "answers about the nearest pages, and how near (1 is the same)"
        yield from (
            f"  {near.nearness:5.2f}  {near.answer:3}  {one_line(near.title) or '(no title)'}  {near.url}"
            for near in why.answers
        )
    for each in why.missing:
        yield ""
        yield f"no {one_line(each)}"


def _path_lines(history: LinkHistory) -> Iterator[str]:
    for number, step in enumerate(history.path):
        how = f"“{one_line(step.anchor)}” to " if step.anchor else ""
        relevance = "" if step.relevance is None else f"  ({step.relevance:.2f})"
        yield f"  {'seed' if number == 0 else 'link':9}  {how}{one_line(step.url)}{relevance}"
    if history.is_seed:
        yield "  it is a seed"
    else:
        yield f"  {'link':9}  “{one_line(history.anchor)}” to this page"


def _fetch_lines(fetch: FetchOfUrl) -> Iterator[str]:
    drawn = "; drawn at random" if fetch.explored else ""
    yield f"  chosen     as step {fetch.step:,}, when {count_of(fetch.after_steps, 'fetch', 'fetches')} had ended"
    yield f"  expected   {fetch.predicted:.3f}{drawn}"
    came = [fetch.outcome, *([f"status {fetch.status}"] if fetch.status else []), *filter(None, [fetch.reason])]
    came += [one_line(each) for each in (fetch.detail, fetch.target) if each]
    reward = "nothing to learn from" if fetch.reward is None else f"reward {fetch.reward:.3f}"
    yield f"  came       {reward}; {', '.join(came)}, {fetch.body_bytes:,} bytes after {fetch.elapsed_s:.2f} s"


def _reason_lines(why: Explanation) -> Iterator[str]:
    if why.link is None or not why.link.reasons:
        return
    yield ""
    yield (
        f"what spoke for the link, by the weights of {one_line(why.link.strategy)} after "
        f"{count_of(why.link.learned_until, 'fetch', 'fetches')} (adds to {why.link.predicted:.3f})"
    )
    for reason in why.link.reasons[:_REASONS_SHOWN]:
        value = "" if reason.value is None else f" ({reason.value:.2f})"
        yield f"  {reason.contribution:+.3f}  {reason.words}{value}"
    answers = why.link.answers
    if answers is not None:
        yield (
            f"  × {answers.chance:.3f}  chance of an answer; by now {answers.host_pages:,g} of "
            f"{answers.host_asked:,g} links of its host that were asked for brought a page"
        )
    if why.link.standing:
        yield f"  {why.link.standing}"


def _judgement_lines(page: PageJudgement) -> Iterator[str]:
    yield f"  relevance  {page.relevance:.3f}, {'relevant' if page.is_relevant else 'not relevant'}"
    if page.relevance != page.crawl_relevance:
        yield f"  then       {page.crawl_relevance:.3f}, when it was crawled; answers have changed that"
    if page.answer:
        yield f"  answer     {page.answer}"
    if page.finding:
        yield f"  guard      {page.finding}"
    for name, value in page.fields.items():
        yield f"  {name:9}  {one_line(text_of_field(value))}"
    if page.is_unindexed:
        yield "  it asked not to be indexed"
