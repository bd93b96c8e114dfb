"""Pages as Markdown: a folder with a file a page, as retrieval pipelines take it, or all pages in one file.

A file has front matter (YAML, as Jekyll and most readers of Markdown know it) and the main content with its headings,
lists, tables, code, links and images; before it the title, where the content does not begin with one. The text of
pages is escaped, so that no HTML or script of a stranger comes alive. In the folder, files lie under their hosts, and
`index.md` lists them all.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import fields
from typing import TYPE_CHECKING, Final

from honeyguide.parse.markdown import escape_markdown
from honeyguide.parse.metadata import PageMetadata
from honeyguide.runs.exports.rows import SHORT_COLUMNS, ExportFormat, chosen_records, iso_time, without_surrogates

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

    from honeyguide.parse.content import PageContent
    from honeyguide.runs.exports.rows import ExportOptions, OnProgress, PageRecord, PagesWritten
    from honeyguide.runs.run import Run

SHORT_METADATA: Final = tuple(
    field.name for field in fields(PageMetadata) if field.name not in ("open_graph", "json_ld", "microdata")
)
"""What pages say of their origin in a word or a line."""
_HEADING: Final = re.compile("#{1,6} ")
_NO_FILE_NAME: Final = re.compile(r"[^a-z0-9]+")
_SLUG_LENGTH: Final = 60


def write_markdown_folder(run: Run, folder: Path, options: ExportOptions, on_progress: OnProgress) -> PagesWritten:
    """Write a file a page into `folder`, which exists, and an index of them."""
    with chosen_records(run, options, on_progress) as records, _new_file(folder / "index.md") as index:
        index.write(f"# {_topic(run)}\n\n")
        for record, content in records.with_content():
            name = f"{_host_folder(record.host)}/{record.step:06}-{_slug(record.title)}.md"
            (folder / name).parent.mkdir(exist_ok=True)
            with _new_file(folder / name) as out:
                _write_page(out, record, content)
            relevance = f"{record.relevance:.3f}{', relevant' if record.is_relevant else ''}"
            index.write(f"- [{escape_markdown(record.heading)}]({name}) {relevance}\n")
        return records.written


def write_markdown_file(run: Run, out: TextIO, options: ExportOptions, on_progress: OnProgress) -> PagesWritten:
    """Write all pages into one file, one after the other."""
    with chosen_records(run, options, on_progress) as records:
        out.write(f"# {_topic(run)}\n")
        for record, content in records.with_content():
            about = f"{iso_time(record.fetched_at)[:10]} · relevance {record.relevance:.3f}"
            about += f"{' (relevant)' if record.is_relevant else ''} · depth {record.depth}"
            out.write(without_surrogates(f"\n---\n\n<{record.url}>\\\n{about}\n\n{_body(record, content)}"))
        return records.written


def _write_page(out: TextIO, record: PageRecord, content: PageContent | None) -> None:
    columns = {name: getattr(record, name) for name in SHORT_COLUMNS}
    columns |= {"fetched_at": iso_time(record.fetched_at), "title": " ".join(record.title.split())}
    if content is not None:
        columns |= {name: getattr(content.metadata, name) for name in SHORT_METADATA}
    if record.fields:
        columns["fields"] = dict(record.fields)
    # A JSON value is a YAML value too, whatever is in it.
    out.write("---\n")
    out.writelines(f"{name}: {json.dumps(value)}\n" for name, value in columns.items())
    out.write(f"---\n\n{_body(record, content)}")


def _body(record: PageRecord, content: PageContent | None) -> str:
    """Return the content of a page, under its title if it does not begin with a heading."""
    body = "" if content is None else f"{content.markdown}\n"
    return body if _HEADING.match(body) else f"# {escape_markdown(record.heading)}\n\n{body}"


def _topic(run: Run) -> str:
    return escape_markdown(run.settings.topic.name or "Pages")


def _slug(title: str) -> str:
    ascii_title = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return _NO_FILE_NAME.sub("-", ascii_title)[:_SLUG_LENGTH].strip("-") or "page"


def _host_folder(host: str) -> str:
    return re.sub(r"[^a-z0-9.-]", "_", host.lower()).strip(".") or "_"


def _new_file(path: Path) -> TextIO:
    return path.open("x", encoding="utf-8", errors="replace")


MARKDOWN: Final = ExportFormat("markdown", write_markdown_file, has_text=True, write_folder=write_markdown_folder)
