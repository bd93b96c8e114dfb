"""`honeyguide learner`: what the learner of a run has found to pay, and its weights as a file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from honeyguide.cli.options import JsonFlag, RunArgument, TrustFlag
from honeyguide.cli.output import folded, one_line, print_json
from honeyguide.crawler import learned_weights, what_pays
from honeyguide.crawler.reporting import failing_words
from honeyguide.errors import SettingsError
from honeyguide.model.counts import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.crawler import AnswersBySign, WhatPays

_SHOWN: Final = 16
_SIGNS_SHOWN: Final = 8


def learner(
    run: RunArgument,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", show_default=False, help="Save what was learned in this new .npz file."
        ),
    ] = None,
    trust: TrustFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Say what the learner of a run has found to pay.

    Shows what about a link raises or lowers its expected reward, by how much that counts among the links met; how well
    rewards were foreseen; and which addresses bring no page. Works while the crawl is going on, too.
    [bold]crawl --learn-from RUN[/bold] begins another crawl with what was learned here, or with a file that -o wrote;
    [bold]--learn-from shipped[/bold] begins with what many crawls have learned.

    [bold]Example[/bold]

      honeyguide learner my-run -o geology.npz
    """
    learned = what_pays(run, trust=trust)
    if out is not None:
        _save(run, out)
    if as_json:
        print_json({**asdict(learned), "file": None if out is None else str(out)})
        return
    print("\n".join(folded(line, indent=10) for line in _lines(learned)))
    if out is not None:
        print(f"\nSaved in {out}. Begin another crawl with it: --learn-from {out}")


def _save(run: Path, out: Path) -> None:
    learned = learned_weights(run).save()
    try:
        with out.open("xb") as file:
            file.write(learned)
    except FileExistsError:
        raise SettingsError([f"{out} is there already; choose another name"]) from None
    except OSError as error:
        raise SettingsError([f"{out} cannot be written: {error.strerror}"]) from None


def _lines(learned: WhatPays) -> Iterator[str]:
    yield f"{one_line(learned.strategy)} after step {learned.step:,}"
    if learned.is_of_one_shard:
        yield "  each shard has learned by itself; this is the one with the most steps"
    yield ""
    if learned.columns:
        yield "what a usual difference between two links does to the expected reward"
        for each in learned.columns[:_SHOWN]:
            sign = "±" if each.weight is None else ""
            weight = "" if each.weight is None else f" (weight {each.weight:+.3g}, spread {each.spread:.3g})"
            yield f"  {sign}{each.effect:{'.3f' if sign else '+.3f'}}  {one_line(each.words)}{weight}"
        yield f"  spreads are those of {count_of(learned.links, 'link')} that the crawl has met"
    else:
        yield "scores are no sums of weights, so nothing about a link has an effect of its own"
    if learned.agreement:
        yield ""
        yield f"{'fetches':>15}  {'expected':>8}  {'came':>6}  correlation"
        for part in learned.agreement:
            steps = f"{part.first_step:,} to {part.last_step:,}"
            correlation = "" if part.correlation is None else f"{part.correlation:+.2f}"
            yield f"{steps:>15}  {part.expected:8.3f}  {part.came:6.3f}  {correlation:>11}".rstrip()
    yield from _sign_lines("links that mostly bring no page", learned.failing)
    yield from _sign_lines("hosts that answer", learned.answering)
    if any(each.pages % 1 for found in (learned.failing, learned.answering) for each in found[:_SIGNS_SHOWN]):
        yield "a redirect counts as half a page"


def _sign_lines(title: str, found: Sequence[AnswersBySign]) -> Iterator[str]:
    if not found:
        return
    yield ""
    yield title
    for each in found[:_SIGNS_SHOWN]:
        yield f"  {one_line(failing_words(each))}"
    if len(found) > _SIGNS_SHOWN:
        yield f"  … and {len(found) - _SIGNS_SHOWN:,} more; --json has all"
