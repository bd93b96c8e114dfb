"""`honeyguide learner`: what linear SARSA has learned in a run, for people and for the next crawl."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from honeyguide.cli.options import JsonFlag, RunArgument
from honeyguide.errors import SettingsError

if TYPE_CHECKING:
    from honeyguide.crawler import LearnedWeights

HELP: Final = (
    "Show what a run of lfa-sync, lfa-async or lfa-moderated has learned.\n\n"
    "The value of a link is the sum of its numbers, each times its weight: those that count most come first. "
    "Works while the crawl is going on, too. The next crawl begins with these weights if "
    "[bold]--set lfa.start_weights=RUN[/bold] names the run, or a file that -o wrote.\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide learner my-run -o geology.npy\n\n"
    "  honeyguide crawl next-run --preset geology --profile han2018 \\\n"
    "      --set lfa.start_weights=geology.npy"
)


def learner(
    run: RunArgument,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", show_default=False, help="Save the weights in this new .npy file, too."
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    from honeyguide.crawler import learned_weights  # noqa: PLC0415 - numpy, SQLite and the rest take a while to load

    learned = learned_weights(run)
    if out is not None:
        _save(learned, out)
    if as_json:
        _print_json(learned, run, out)
    else:
        _print_table(learned, out)


def _save(learned: LearnedWeights, out: Path) -> None:
    import numpy as np  # noqa: PLC0415

    try:
        with out.open("xb") as file:
            np.save(file, learned.weights, allow_pickle=False)
    except FileExistsError:
        raise SettingsError([f"{out} is there already; choose another name"]) from None


def _by_size(learned: LearnedWeights) -> list[tuple[str, float]]:
    pairs = zip(learned.columns, learned.weights.tolist(), strict=True)
    return sorted(pairs, key=lambda pair: -abs(pair[1]))


def _print_table(learned: LearnedWeights, out: Path | None) -> None:
    print(f"{learned.strategy} after step {learned.step:,}, lfa.features = {learned.features}")
    for column, weight in _by_size(learned):
        print(f"{weight:>+12.4g}  {column}")
    if out is not None:
        print(f"Saved in {out}. Go on from there with: --set lfa.start_weights={out}")


def _print_json(learned: LearnedWeights, run: Path, out: Path | None) -> None:
    from honeyguide.cli.summary import print_json  # noqa: PLC0415

    print_json(
        {
            "run": str(run),
            "strategy": learned.strategy,
            "features": learned.features,
            "step": learned.step,
            "file": None if out is None else str(out),
            "weights": [{"column": column, "weight": weight} for column, weight in _by_size(learned)],
        }
    )
