"""Pages as a corpus for language models: JSON Lines, or Parquet where the file is named so.

A row is a page: its main content as Markdown, what it says of its origin, how many tokens it has, and where, when and
under which rules it was had. Pages without text are left out. So are near-duplicates (`text.minhash`), of which the
first is kept; with `keep_duplicates` all stay, and `cluster` says which belong together. Tokens are those of Llama 2,
whose tokenizer is installed with the vectors; counts by others differ by a tenth or two.
"""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import ExportError
from honeyguide.parse.metadata import PageMetadata
from honeyguide.runs.exports.parquet import import_pyarrow, write_row_groups
from honeyguide.runs.exports.rows import (
    SHORT_COLUMNS,
    CorpusWritten,
    ExportFormat,
    chosen_records,
    iso_time,
    without_surrogates,
)
from honeyguide.text import WordllamaVectors, words_of
from honeyguide.text.minhash import TextClusters

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import BinaryIO, TextIO

    from honeyguide.parse.content import PageContent
    from honeyguide.runs.exports.rows import ExportOptions, OnProgress, PageRecord
    from honeyguide.runs.run import Run

_OF_THE_CRAWL: Final = frozenset(
    ("score", "crawl_relevance", "was_relevant", "reward", "parent_count", "words", "url", "host", "title")
)
_OF_THE_TEXT: Final = ("url", "host", "title", "text", "tokens", "words", "cluster", "text_sha256")
_METADATA: Final = tuple(field.name for field in fields(PageMetadata))
NESTED: Final = ("open_graph", "json_ld", "microdata", "fields")
CORPUS_COLUMNS: Final = (
    *_OF_THE_TEXT,
    *(name for name in SHORT_COLUMNS if name not in _OF_THE_CRAWL),
    *_METADATA,
    "fields",
)
"""The columns of a corpus, in their order."""


def write_corpus(run: Run, out: TextIO, options: ExportOptions, on_progress: OnProgress) -> CorpusWritten:
    """Write a page a line as a JSON object."""
    corpus = _Corpus(options)
    with closing(corpus.rows(run, on_progress)) as found:  # also when `out` takes no more, while the run is open
        rows = (row | {"fetched_at": iso_time(row["fetched_at"])} for row in found)
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return corpus.written


def write_corpus_parquet(run: Run, out: BinaryIO, options: ExportOptions, on_progress: OnProgress) -> CorpusWritten:
    """Write a page a row; what is nested is JSON. ExportError where pyarrow is not installed."""
    arrow, _ = import_pyarrow()
    whole, text = arrow.int64(), arrow.string()
    types = {
        **dict.fromkeys(("tokens", "words", "cluster", "step", "body_bytes"), whole),
        **dict.fromkeys(("status", "depth"), arrow.int32()),
        "relevance": arrow.float64(), "is_relevant": arrow.bool_(), "fetched_at": arrow.timestamp("us", tz="UTC"),
        "licences": arrow.list_(text),
    }  # fmt: skip
    corpus = _Corpus(options)
    with closing(corpus.rows(run, on_progress)) as found:
        rows = (row | {name: json.dumps(row[name], ensure_ascii=False) for name in NESTED} for row in found)
        write_row_groups(out, arrow.schema([(name, types.get(name, text)) for name in CORPUS_COLUMNS]), rows)
    return corpus.written


class _Corpus:
    """The rows of a corpus, and how many there were."""

    def __init__(self, options: ExportOptions) -> None:
        self._options = options
        self._clusters = TextClusters()
        self._pages = self._tokens = self._near_duplicates = self._without_text = 0

    @property
    def written(self) -> CorpusWritten:
        return CorpusWritten(self._pages, self._tokens, self._near_duplicates, self._without_text)

    def rows(self, run: Run, on_progress: OnProgress) -> Generator[dict[str, Any], None, None]:
        """Yield the pages that belong into the corpus, as values by column. ExportError where there is none."""
        tokenizer = WordllamaVectors()
        with chosen_records(run, self._options, on_progress) as records:
            for record, content in records.with_content():
                if content is None or not content.markdown:
                    self._without_text += 1
                    continue
                row = _row(record, content)
                row["cluster"] = self._clusters.place(record.step, row["text"])
                if row["cluster"] != record.step:
                    self._near_duplicates += 1
                    if not self._options.keep_duplicates:
                        continue
                row["tokens"] = tokenizer.token_count(row["text"])
                self._pages += 1
                self._tokens += row["tokens"]
                yield row
            if not self._pages:
                raise ExportError(f"{run.path} has no page with text; take another format, as jsonl")


def _row(record: PageRecord, content: PageContent) -> dict[str, Any]:
    row = dict.fromkeys(CORPUS_COLUMNS)
    row |= {name: _clean(getattr(record, name)) for name in SHORT_COLUMNS if name in row}
    row |= {name: _clean(getattr(content.metadata, name)) for name in _METADATA}
    row["fields"] = _clean(dict(record.fields))
    text = without_surrogates(content.markdown)
    row |= {"text": text, "words": len(words_of(text)), "text_sha256": sha256(text.encode()).hexdigest()}
    return row


def _clean(value: Any) -> Any:  # noqa: ANN401 - of a column
    """Return a value that UTF-8 can write, however deep a text stands in it."""
    match value:
        case str():
            return without_surrogates(value)
        case list() | tuple():
            return [_clean(each) for each in value]
        case dict():
            return {_clean(name): _clean(each) for name, each in value.items()}
        case _:
            return value


CORPUS: Final = ExportFormat(
    "corpus",
    write_corpus,
    by_suffix={".parquet": ExportFormat("corpus", write_corpus_parquet, is_binary=True)},
)
