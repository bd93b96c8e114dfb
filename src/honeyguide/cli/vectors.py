"""`honeyguide vectors`: look at word vectors, and train some of one's own."""

from __future__ import annotations

import shlex
import sys
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from honeyguide.cli.options import JsonFlag
from honeyguide.cli.summary import command, duration, megabytes, one_line
from honeyguide.model.counts import count_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress

    from honeyguide.text.training import TrainedVectors, TrainingProgress
    from honeyguide.text.vector_files import Converting
    from honeyguide.text.wordllama import OpenedVectors

HELP: Final = (
    "Look at word vectors, and train some of your own.\n\n"
    "A crawl uses those that come with the program, or a GloVe, word2vec or fastText .vec file with "
    "[bold]--vectors FILE[/bold].\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide vectors info glove.6B.100d.txt --near basalt"
)
INFO_HELP: Final = (
    "Say what is in a file of vectors, and which words are near one another.\n\n"
    "The format is told from what stands in the file: GloVe text, word2vec text or binary, fastText .vec; plain, gzip, "
    "bzip2, xz, zstd or zip. It is checked and converted once; the next time it is there at once.\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide vectors info glove.6B.100d.txt --near rock --near river"
)
TRAIN_HELP: Final = (
    "Train vectors on the pages of a run or of an offline world.\n\n"
    "Needs gensim: pip install 'honeyguide\\[vectors]'. The file is in word2vec's binary format; equal pages and seeds "
    "give equal files.\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide vectors train --world wiki:simple simple.vectors\n\n"
    "  honeyguide crawl my-run --world wiki:simple --topic geology --vectors simple.vectors"
)
_NEIGHBOURS: Final = 10
_STAGES: Final = {"read": "reading pages", "train": "training"}

app = typer.Typer(help=HELP, rich_markup_mode="rich")


@app.callback(invoke_without_command=True)
def _without_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("info", help=INFO_HELP, short_help="Say what is in a file of vectors.")
def info(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A file of vectors, or wordllama.", show_default=False)
    ],
    near: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD", show_default=False, help="Show its nearest words; may be given several times."),
    ] = None,
    cache_folder: Annotated[
        str, typer.Option(metavar="FOLDER", show_default=False, help="Where converted files are kept.")
    ] = "",
    as_json: JsonFlag = False,
) -> None:
    from honeyguide.settings import VectorSettings  # noqa: PLC0415
    from honeyguide.text import open_vectors  # noqa: PLC0415 - numpy takes a while to load

    with _conversion_bar() as on_progress:
        opened = open_vectors(source, VectorSettings(cache_folder=cache_folder).cache_path, on_progress)
    document = _facts(source, opened) | {"near": {word: _near(opened, word) for word in near or ()}}
    if as_json:
        _print_json(document)
    else:
        print(_told_info(document))


@app.command("train", help=TRAIN_HELP, short_help="Train vectors on a run or a world.")
def train(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="A new file for the vectors.", show_default=False)],
    run: Annotated[
        Path | None, typer.Option(metavar="RUN", show_default=False, help="Train on the pages of this run.")
    ] = None,
    world: Annotated[
        str | None,
        typer.Option(metavar="WORLD", show_default=False, help="Train on all pages of this offline world."),
    ] = None,
    dimension: Annotated[int, typer.Option(metavar="N", help="Numbers a word.")] = 100,
    epochs: Annotated[int, typer.Option(metavar="N", help="Times over all pages.")] = 5,
    min_count: Annotated[int, typer.Option(metavar="N", help="A word that is rarer gets no vector.")] = 5,
    window: Annotated[int, typer.Option(metavar="N", help="Words on either side that go with a word.")] = 5,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the training.")] = 0,
    as_json: JsonFlag = False,
) -> None:
    from honeyguide.crawler import all_pages  # noqa: PLC0415 - the engine takes a while to load
    from honeyguide.model.clock import RealClock  # noqa: PLC0415
    from honeyguide.settings import settings_from  # noqa: PLC0415
    from honeyguide.text.training import TrainingSettings, train_vectors  # noqa: PLC0415

    if (run is None) == (world is None):
        raise typer.BadParameter("give either --run RUN or --world WORLD: what to train on")
    name = f"replay:{run}" if world is None else world
    texts = (page.main_words for page in all_pages(settings_from({"crawl": {"world": name}})))
    clock = RealClock()
    started = clock.now()
    with _training_bar() as on_progress:
        trained = train_vectors(
            texts, out, TrainingSettings(dimension, epochs, min_count, window, seed), on_progress=on_progress
        )
    seconds = clock.now() - started
    if as_json:
        _print_json(asdict(trained) | {"path": str(out), "trained_on": name, "seconds": round(seconds, 3)})
    else:
        print(_told_training(trained, seconds))


def _facts(source: str, opened: OpenedVectors) -> dict[str, Any]:
    """What is known of the vectors; the bundled ones lie in no cache."""
    from honeyguide.text import WordllamaVectors  # noqa: PLC0415

    if isinstance(opened, WordllamaVectors):
        about: dict[str, Any] = {"format": "bundled, of parts of words", "words": len(opened.words())}
        return {"source": source} | about | {"dimension": opened.dimension, "digest": opened.digest}
    about = asdict(opened.about)
    del about["state"]
    return {"source": source} | about | {"cache": str(opened.folder), "cache_bytes": opened.size_bytes()}


def _near(opened: OpenedVectors, text: str) -> list[dict[str, Any]]:
    """The words nearest to a word, or to several together; none where it has no vector."""
    from honeyguide.text import WordVectors, neighbours, words_of  # noqa: PLC0415

    own = words_of(text)
    found = neighbours(opened, WordVectors(opened).vector(own), _NEIGHBOURS + len(own))
    others = [(word, cosine) for word, cosine in found if word.lower() not in own][:_NEIGHBOURS]
    return [{"word": word, "cosine": round(cosine, 4)} for word, cosine in others]


def _told_info(document: dict[str, Any]) -> str:
    packed = f", {document['compression']}" if document.get("compression") else ""
    lines = [
        f"source      {document['source']}",
        f"format      {document['format']}{packed}",
        f"words       {document['words']:,}",
        f"dimension   {document['dimension']:,}",
    ]
    if "cache" in document:
        lines += [
            f"left out    {document['duplicates']:,} repeated, {document['skipped']:,} empty or not UTF-8",
            f"scale       {document['scale']:g}",
            f"cache       {document['cache']} ({megabytes(document['cache_bytes'])})",
        ]
    for word, found in document["near"].items():
        nearest = ", ".join(f"{each['word']} {each['cosine']:.2f}" for each in found) or "it has no vector"
        lines += ["", f"near {one_line(word)}: {one_line(nearest)}"]
    return "\n".join(lines)


def _told_training(trained: TrainedVectors, seconds: float) -> str:
    lines = [
        f"  pages       {trained.texts:,}, with {count_of(trained.words_read, 'word')}",
        f"  vectors     {trained.words:,}, of {count_of(trained.dimension, 'number')} each",
        f"  time        {duration(seconds)}",
        f"  file        {trained.path} ({megabytes(trained.path.stat().st_size)})",
        "",
        "Next:",
        f"  {command('vectors info', trained.path, '--near WORD')}",
        f"  honeyguide crawl RUN --topic TEXT --vectors {shlex.quote(str(trained.path))}",
    ]
    return "\n".join(["Trained.", "", *lines])


@contextmanager
def _conversion_bar() -> Iterator[Callable[[Converting], None]]:
    """How far a conversion is, on stderr and only if that is a terminal."""
    with _bars("words") as bars:
        if bars is None:
            yield lambda _: None
            return
        task = bars.add_task("reading vectors", count=0, visible=False)

        def show(progress: Converting) -> None:
            bars.update(
                task, completed=progress.bytes_read, total=progress.size_bytes, count=progress.words, visible=True
            )

        yield show


@contextmanager
def _training_bar() -> Iterator[Callable[[TrainingProgress], None]]:
    """A bar for each stage of a training."""
    with _bars("") as bars:
        if bars is None:
            yield lambda _: None
            return
        task_by_stage: dict[str, Any] = {}

        def show(progress: TrainingProgress) -> None:
            if progress.stage not in task_by_stage:
                task_by_stage[progress.stage] = bars.add_task(_STAGES[progress.stage], count=0)
            task = task_by_stage[progress.stage]
            bars.update(task, completed=progress.done, total=progress.total or None, count=progress.done)

        yield show


@contextmanager
def _bars(counted: str) -> Iterator[Progress | None]:
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn(f"{{task.fields[count]:,}} {counted}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield bars


def _print_json(document: dict[str, Any]) -> None:
    from honeyguide.cli.summary import print_json  # noqa: PLC0415

    print_json(document)
