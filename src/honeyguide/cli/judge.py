"""`honeyguide judge`: the relevance of pages, with the evidence."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from honeyguide.cli.options import (
    ENCODER,
    LANGUAGE,
    TOPIC_FLAGS,
    VECTORS,
    AnySetting,
    Flag,
    JsonFlag,
    PresetName,
    TopicFile,
    TrustFlag,
    overrides_of,
    settings_of,
    takes_flags,
    topic_values,
)
from honeyguide.cli.output import one_line, print_json
from honeyguide.crawler import UnreadablePage, judge_pages
from honeyguide.errors import SettingsError
from honeyguide.runs import RunFolder, settings_to_build
from honeyguide.settings import JUDGES, with_overrides

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.crawler import JudgedPage
    from honeyguide.model import Evidence

BAD_PAGES: Final = 2
_HOW: Final = "How to judge"
_TERMS_SHOWN: Final = 12
_TERMS_IN_A_TABLE: Final = 4


FLAGS: Final = (
    *TOPIC_FLAGS,
    Flag("--judge", "judge.kind", "NAME", _HOW, f"How relevance is measured: {', '.join(JUDGES)}."),
    Flag("--world", "crawl.world", "WORLD", _HOW, "Where URLs are looked up, as in honeyguide crawl."),
    LANGUAGE,
    VECTORS,
    ENCODER,
)


Links: TypeAlias = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=0,
        rich_help_panel=_HOW,
        help="Show so many of a page's links, those first that best-first crawling would follow first.",
    ),
]
SettingsFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        show_default=False,
        rich_help_panel=_HOW,
        help="A TOML file of settings, such as that of a run; flags override it.",
    ),
]
RunToJudgeAs: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="RUN",
        show_default=False,
        rich_help_panel=_HOW,
        help="Judge as this run does, taught by the answers about its pages; shows the answers nearest to a page.",
    ),
]


@takes_flags(FLAGS)
def judge(
    pages: Annotated[
        list[str], typer.Argument(metavar="PAGE", help="Files or URLs; - reads stdin.", show_default=False)
    ],
    given: Mapping[str, Any],
    topic_file: TopicFile = None,
    preset: PresetName = None,
    links: Links = 0,
    config: SettingsFile = None,
    run: RunToJudgeAs = None,
    set_: AnySetting = None,
    trust: TrustFlag = False,
    as_json: JsonFlag = False,
) -> None:
    r"""Judge pages for a topic, with the evidence.

    A page is a file of HTML or text, - for standard input, or a URL: of the world that --world names, else of the web,
    asked politely. Only the main text is judged. A judge that learns from the pages it has seen sees them in the order
    given. Pages that cannot be read are named on stderr, and the status is then 2.

    [bold]Examples[/bold]

      honeyguide judge --topic geology page.html

      honeyguide judge --topic-file reefs.toml --judge keyword page.html

      honeyguide judge --run my-run https://example.org/reef

      honeyguide judge --preset geology --world wiki:simple --links 10 \
          https://simple.wikipedia.org/wiki/Basalt
    """
    if config is not None and run is not None:
        raise SettingsError([f"--config {config} and --run {run} each name settings: give one of them"])
    topic = topic_values(topic_file, preset)
    if run is None:
        settings = settings_of(config, set_, given, topic)
    else:
        overrides = overrides_of(set_, given, topic)
        settings = with_overrides(settings_to_build(RunFolder.open(run), overrides, trust=trust), overrides)
    found = judge_pages(pages, settings, links=links, run=run)
    unreadable = [page for page in found if isinstance(page, UnreadablePage)]
    _print_judged([page for page in found if not isinstance(page, UnreadablePage)], unreadable, as_json=as_json)
    sys.stdout.flush()
    for page in unreadable:
        print(f"honeyguide: {one_line(page.reason)}", file=sys.stderr)
    raise typer.Exit(BAD_PAGES if unreadable else 0)


def _print_judged(judged: Sequence[JudgedPage], unreadable: Sequence[UnreadablePage], *, as_json: bool) -> None:
    """Print one page in full, several as a table."""
    if as_json:
        documents = [_document(page) for page in judged]
        print_json({"pages": documents, "unreadable": [asdict(page) for page in unreadable]})
    elif len(judged) + len(unreadable) == 1:
        print("\n".join(line for page in judged for line in _page_lines(page)), end="\n" if judged else "")
    else:
        _print_table(judged)


def _page_lines(page: JudgedPage) -> Iterator[str]:
    """Describe one page in full."""
    verdict, evidence = page.verdict, page.evidence
    yield one_line(page.title) or "(no title)"
    yield one_line(page.name)
    yield ""
    digits = _decimals(verdict.relevance)
    yield f"  relevance  {verdict.relevance:.{digits}f} by {evidence.kind}"
    threshold = f"{evidence.threshold:.{max(digits, _decimals(evidence.threshold))}f}"
    yield f"  relevant   {'yes' if verdict.is_relevant else 'no'}; threshold {threshold}"
    yield f"  reward     {verdict.reward:.3f}"
    yield f"  words      {page.words:,} in the main text"
    if page.cut_by:
        yield f"  cut by     {', '.join(page.cut_by)}; limits of [parse]"
    yield ""
    yield from evidence_lines(evidence)
    if page.answers:
        yield ""
        yield "answers about the nearest pages, and how near (1 is the same)"
        yield from (
            f"  {near.nearness:5.2f}  {near.answer:3}  {one_line(near.title) or '(no title)'}  {near.url}"
            for near in page.answers
        )
    if page.links:
        yield ""
        yield "links, by best-first score"
        yield from (f"  {link.score:6.3f}  {one_line(link.anchor) or '(no anchor)'}  {link.url}" for link in page.links)


def evidence_lines(evidence: Evidence) -> Iterator[str]:
    """Describe the terms that made a relevance."""
    if not evidence.rows and not evidence.parts:
        yield f"no evidence by {evidence.kind}: no word of the page has to do with the topic"
        return
    yield f"evidence by {evidence.kind} ({_meaning(evidence)})"
    shown, others = evidence.rows[:_TERMS_SHOWN], evidence.rows[_TERMS_SHOWN:]
    width = max((len(one_line(row.term)) for row in shown), default=0)
    digits = _decimals(max((abs(row.contribution) for row in shown), default=0.0))
    for row in shown:
        near = f", nearest to {one_line(row.compared_with)} ({row.similarity:.2f})" if row.compared_with else ""
        times = "" if not row.count else "once" if row.count == 1 else f"{row.count:,} times"
        yield f"  {row.contribution:+.{digits}f}  {one_line(row.term):{width}}  {times}{near}".rstrip()
    rest = evidence.rest + sum(row.contribution for row in others)
    if evidence.is_sum and round(rest, digits):
        yield f"  {rest:+.{digits}f}  all other words"
    for part in evidence.parts:
        yield ""
        yield from evidence_lines(part)


def _meaning(evidence: Evidence) -> str:
    if not evidence.is_sum:
        return "the relevance loses without it"
    total = evidence.rest + sum(row.contribution for row in evidence.rows)
    return "adds to the relevance" if total > -0.0005 else f"adds to {total:.3f}; below 0 is a relevance of 0"


def _decimals(largest: float) -> int:
    """Return three, or as many as show three digits of a number below 0.01."""
    return 3 if not 0 < largest < 0.01 else min(12, 2 - math.floor(math.log10(largest)))


def _print_table(pages: Sequence[JudgedPage]) -> None:
    if not pages:
        return
    print(f"# {pages[0].evidence.kind}, threshold {pages[0].evidence.threshold:.3f}")
    print("relevance  relevant  reward   words  page and strongest terms")
    for page in pages:
        verdict = page.verdict
        relevant = "yes" if verdict.is_relevant else "no"
        print(f"{verdict.relevance:9.3f}  {relevant:8}{verdict.reward:8.3f}{page.words:8,}  {one_line(page.name)}")
        terms = ", ".join(one_line(row.term) for row in page.evidence.rows[:_TERMS_IN_A_TABLE])
        title = one_line(page.title)
        if title or terms:
            print(f"{'':37}{': '.join(filter(None, (title, terms)))}")
        for link in page.links:
            print(f"{'':37}{link.score:6.3f}  {one_line(link.anchor) or '(no anchor)'}  {link.url}")


def _document(page: JudgedPage) -> dict[str, Any]:
    document = asdict(page)
    del document["verdict"]["matches"]
    if page.evidence.kind == "rake":
        document["matches"] = [{**match._asdict(), "url": match.url.text} for match in page.verdict.matches]
    return {"name": document.pop("name"), **document.pop("verdict"), **document}
