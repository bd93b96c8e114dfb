"""Lines of wikitext to blocks of HTML: headings, lists, tables, paragraphs. Links and templates are gone before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_LIST_MARKS: Final = "*#:;"
_MOST_TABLES: Final = 40  # inside one another


def blocks_of(text: str, asides: Sequence[str]) -> str:
    """The text as HTML, and after it a list of what templates had to say."""
    writer = _BlockWriter()
    for line in text.split("\n"):
        writer.write(line)
    writer.end_table(all_open=True)
    for aside in asides:
        writer.item(" ".join(aside.split()))
    writer.end_block()
    return "\n".join(writer.html)


class _BlockWriter:
    """Writes one line after another. At most one paragraph or list is open; tables may be nested."""

    def __init__(self) -> None:
        self.html: list[str] = []
        self._paragraph: list[str] = []
        self._is_in_list = False
        self._open_tables = 0

    def write(self, line: str) -> None:
        stripped = line.strip()
        mark = stripped[:1]
        if not stripped:
            self.end_block()
        elif mark == "=" and stripped[-1] == "=" and len(stripped) > 2:
            self._heading(stripped)
        elif mark in _LIST_MARKS and line[0] == mark and not stripped.lstrip(": ").startswith("{|"):
            self.item(stripped.lstrip(_LIST_MARKS).strip())
        elif mark in "{:" and stripped.lstrip(": ").startswith("{|"):
            self._start_table()
        elif self._open_tables and mark in "|!":
            self._table_line(stripped)
        elif stripped.startswith("----"):
            self.end_block()
        else:
            if self._is_in_list:
                self.end_block()
            self._paragraph.append(stripped)

    def item(self, text: str) -> None:
        if not self._is_in_list:
            self.end_block()
            self.html.append("<ul>")
            self._is_in_list = True
        if text:
            self.html.append(f"<li>{text}</li>")

    def end_block(self) -> None:
        if self._is_in_list:
            self.html.append("</ul>")
            self._is_in_list = False
        if self._paragraph:
            self.html.append(f"<p>{' '.join(self._paragraph)}</p>")
            self._paragraph.clear()

    def end_table(self, *, all_open: bool = False) -> None:
        self.end_block()
        closed = self._open_tables if all_open else min(1, self._open_tables)
        self.html += ["</table>"] * closed
        self._open_tables -= closed

    def _heading(self, stripped: str) -> None:
        self.end_block()
        text = stripped.strip("=").strip()
        level = min(6, max(2, len(stripped) - len(stripped.lstrip("="))))
        if text:
            self.html.append(f"<h{level}>{text}</h{level}>")

    def _start_table(self) -> None:
        """Its first line holds attributes alone."""
        self.end_block()
        if self._open_tables < _MOST_TABLES:
            self.html.append("<table>")
            self._open_tables += 1

    def _end_tables(self, stripped: str) -> None:
        """One table for each mark; what follows the last is text."""
        while self._open_tables and stripped.startswith("|}"):
            self.end_table()
            stripped = stripped[2:].lstrip()
        if stripped:
            self._paragraph.append(stripped)

    def _table_line(self, stripped: str) -> None:
        self.end_block()
        if stripped.startswith("|}"):
            self._end_tables(stripped)
        elif stripped.startswith("|-"):
            self.html.append("<tr>")
        elif stripped.startswith("|+"):
            self.html.append(f"<caption>{_cell(stripped[2:])}</caption>")
        else:
            tag = "th" if stripped[0] == "!" else "td"
            cells = (stripped.replace("!!", "||") if tag == "th" else stripped)[1:].split("||")
            self.html += [f"<{tag}>{_cell(cell)}" for cell in cells]


def _cell(text: str) -> str:
    """The content of a cell; what stands before a single bar are its attributes."""
    attributes, bar, content = text.partition("|")
    return (content if bar and "\x02" not in attributes else text).strip()
