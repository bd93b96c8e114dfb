"""Tables as Markdown that also reads well as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


def markdown_table(
    titles: Sequence[str], rows: Sequence[Sequence[str]], *, texts: Collection[int] = frozenset({0})
) -> str:
    """A table whose columns are aligned: to the left those that hold `texts`, by number; figures to the right."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in (titles, *rows)]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(titles))]
    lines = [
        "| "
        + " | ".join(
            cell.ljust(width) if column in texts else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        + " |"
        for row in cells
    ]
    rule = "|" + "|".join(
        ":" + "-" * (width + 1) if column in texts else "-" * (width + 1) + ":" for column, width in enumerate(widths)
    )
    return "\n".join([lines[0], rule + "|", *lines[1:]])
