"""Pages as Markdown: a folder with a file a page, as retrieval pipelines take it, or all pages in one file.

A file has front matter (YAML, as Jekyll and most readers of Markdown know it), the title as its heading and the main
text. Characters that Markdown would obey are escaped, so that what is shown is what the page said and no HTML or link
of a stranger comes alive. In the folder, files lie under their hosts, and `index.md` lists them all.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Final

from honeyguide.runs import iso
from honeyguide.runs.exports.choice import FACTS, chosen_records, heading_of

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

    from honeyguide.runs import PageRecord, Run
    from honeyguide.runs.exports.choice import Choice, PagesWritten, Progress

_OBEYED: Final = re.compile(r"([\\`*_\[\]<>|~$])")
# At the beginning of a line: headings, lists, quotes, rules, numbers of lists.
_OBEYED_FIRST: Final = re.compile(r"^(\s*)([#+=-]|\d+(?=[.)]))")
_NO_FILE_NAME: Final = re.compile(r"[^a-z0-9]+")
_SLUG_LENGTH: Final = 60


def write_markdown_folder(run: Run, folder: Path, choice: Choice, progress: Progress | None = None) -> PagesWritten:
    """Write a file a page into `folder`, which is there, and an index of them."""
    with chosen_records(run, choice, progress) as records, _new_file(folder / "index.md") as index:
        index.write(f"# {_title_of(run)}\n\n")
        for record in records:
            name = f"{_safe_name(record.host)}/{record.step:06}-{_slug(record.title)}.md"
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            with _new_file(path) as out:
                _write_page(out, record)
            relevance = f"{record.relevance:.3f}{', relevant' if record.is_relevant else ''}"
            index.write(f"- [{escaped(heading_of(record))}]({name}) {relevance}\n")
        return records.written


def write_markdown_file(run: Run, out: TextIO, choice: Choice, progress: Progress | None = None) -> PagesWritten:
    """Write all pages into one file, one after the other."""
    with chosen_records(run, choice, progress) as records:
        out.write(f"# {_title_of(run)}\n")
        for record in records:
            about = f"{iso(record.fetched_at)[:10]} · relevance {record.relevance:.3f}"
            about += f"{' (relevant)' if record.is_relevant else ''} · depth {record.depth}"
            out.write(f"\n## {_said(escaped(heading_of(record)))}\n\n<{record.url}>\n{about}\n\n{_said(_body(record))}")
        return records.written


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    text = _OBEYED.sub(r"\\\1", " ".join(text.split()).replace("&", "&amp;"))
    return _OBEYED_FIRST.sub(lambda found: f"{found[1]}{_first_escaped(found[2])}", text)


def _first_escaped(mark: str) -> str:
    return mark + "\\" if mark.isdigit() else "\\" + mark


def _write_page(out: TextIO, record: PageRecord) -> None:
    facts = {name: getattr(record, name) for name in FACTS}
    facts |= {"fetched_at": iso(record.fetched_at), "title": " ".join(record.title.split())}
    # A JSON value is a YAML value too, whatever is in it.
    out.write("---\n")
    out.writelines(f"{name}: {json.dumps(value)}\n" for name, value in facts.items())
    out.write(f"---\n\n# {escaped(heading_of(record))}\n\n{_body(record)}")


def _body(record: PageRecord) -> str:
    return f"{escaped(record.text)}\n" if record.text else ""


def _title_of(run: Run) -> str:
    return escaped(run.settings.topic.name or "Pages")


def _said(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _slug(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return _NO_FILE_NAME.sub("-", plain)[:_SLUG_LENGTH].strip("-") or "page"


def _safe_name(host: str) -> str:
    return re.sub(r"[^a-z0-9.-]", "_", host.lower()).strip(".") or "_"


def _new_file(path: Path) -> TextIO:
    return path.open("x", encoding="utf-8", errors="replace")
