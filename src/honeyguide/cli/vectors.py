"""`honeyguide vectors`: look at word vectors, and train some of one's own."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from honeyguide.cli.options import JsonFlag
from honeyguide.cli.output import command, duration, megabytes, one_line, print_json, progress_bar
from honeyguide.crawler import all_pages
from honeyguide.model.clock import RealClock
from honeyguide.model.counts import count_of
from honeyguide.settings import VectorSettings, settings_from
from honeyguide.text import EnglishVectors, WordllamaVectors, WordVectors, neighbours, open_vectors, words_of
from honeyguide.text.training import TrainingModel, TrainingSettings, train_vectors

if TYPE_CHECKING:
    from honeyguide.text.english import OpenedVectors
    from honeyguide.text.training import TrainedVectors

_NEIGHBOURS: Final = 10
_STAGES: Final = {"read": "reading pages", "train": "training"}

app = typer.Typer(
    rich_markup_mode="rich",
    add_completion=False,
    no_args_is_help=True,
    help="Look at word vectors, and train some of your own.\n\n"
    "A crawl uses those that come with the program, or a GloVe, word2vec or fastText .vec "
    "file with [bold]--vectors FILE[/bold].",
)


@app.command("info")
def info(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A file of vectors, english or wordllama.", show_default=False)
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
    """Describe a file of vectors, and show which words are near one another.

    The format is recognised from the content: GloVe text, word2vec text or binary, fastText .vec; plain, gzip, bzip2,
    xz, zstd or zip. The file is checked and converted once.

    [bold]Example[/bold]

      honeyguide vectors info glove.6B.100d.txt --near rock --near river
    """
    with progress_bar("reading vectors") as show:
        opened = open_vectors(
            source,
            VectorSettings(cache_folder=cache_folder).cache_path,
            lambda now: show(now.bytes_read, now.size_bytes, detail=f"{now.words:,} words"),
        )
    document = _facts(source, opened) | {"near": {word: _near(opened, word) for word in near or ()}}
    if as_json:
        print_json(document)
    else:
        print(_info_text(document))


@app.command("train")
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
    model: Annotated[
        TrainingModel, typer.Option(help="Predict the words around each word (skip-gram), or a word from them (cbow).")
    ] = TrainingModel.SKIP_GRAM,
    as_json: JsonFlag = False,
) -> None:
    r"""Train vectors on the pages of a run or of an offline world.

    Needs gensim: pip install 'honeyguide\[vectors]'. The file is in word2vec's binary format; equal pages and seeds
    give equal files.

    [bold]Example[/bold]

      honeyguide vectors train --world wiki:simple simple.vectors
    """
    if (run is None) == (world is None):
        raise typer.BadParameter("give either --run RUN or --world WORLD: what to train on")
    name = f"replay:{run}" if world is None else world
    texts = (page.main_words for page in all_pages(settings_from({"crawl": {"world": name}})))
    clock = RealClock()
    started = clock.now()
    with progress_bar() as show:
        trained = train_vectors(
            texts,
            out,
            TrainingSettings(dimension, epochs, min_count, window, seed, model),
            on_progress=lambda now: show(now.done, now.total, _STAGES[now.stage], f"{now.done:,}"),
        )
    seconds = clock.now() - started
    if as_json:
        print_json(asdict(trained) | {"path": str(out), "trained_on": name, "seconds": round(seconds, 3)})
    else:
        print(_training_text(trained, seconds))


def _facts(source: str, opened: OpenedVectors) -> dict[str, Any]:
    """Describe the vectors; the bundled ones lie in no cache."""
    if isinstance(opened, EnglishVectors | WordllamaVectors):
        about: dict[str, Any] = {"format": opened.about, "words": len(opened.words())}
        return {"source": source} | about | {"dimension": opened.dimension, "digest": opened.digest}
    about = asdict(opened.about)
    del about["state"]
    return {"source": source} | about | {"cache": str(opened.folder), "cache_bytes": opened.size_bytes()}


def _near(opened: OpenedVectors, text: str) -> list[dict[str, Any]]:
    """Return the words nearest to a word, or to several together; none where it has no vector."""
    own = words_of(text)
    found = neighbours(opened, WordVectors(opened).vector(own), _NEIGHBOURS + len(own))
    others = [(word, cosine) for word, cosine in found if word.lower() not in own][:_NEIGHBOURS]
    return [{"word": word, "cosine": round(cosine, 4)} for word, cosine in others]


def _info_text(document: dict[str, Any]) -> str:
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


def _training_text(trained: TrainedVectors, seconds: float) -> str:
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
