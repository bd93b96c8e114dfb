"""What a run keeps of its guard: pages as it saw them, what it found out, and the links that it moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.domain import LinkState

if TYPE_CHECKING:
    import sqlite3

    from honeyguide.store.records import GuardRecord


def write_guard(database: sqlite3.Connection, record: GuardRecord, step: int) -> None:
    """One step's part; within a transaction, after the links of the step."""
    seen = record.seen
    if seen is not None:
        database.execute(
            "INSERT INTO prints VALUES (?,?,?,?,?,?,?)",
            (step, seen.link, seen.found_on, seen.moment, seen.met, seen.is_same, seen.print),
        )
    if record.findings:
        # Of pages that came before, the step is that of their own print.
        database.executemany(
            """INSERT INTO findings SELECT ?1, coalesce(max(step), ?2), ?2, ?3, ?4, ?5, ?6 FROM prints WHERE link = ?1
               ON CONFLICT (link) DO NOTHING""",
            [(each.link, step, each.kind, each.about, each.evidence, each.demotion) for each in record.findings],
        )
    for column, values in (("level", record.level_by_link), ("carried", record.carried_by_link)):
        if values:
            statement = f"UPDATE links SET {column} = ? WHERE id = ?"  # noqa: S608
            database.executemany(statement, [(value, link) for link, value in values.items()])
    if record.shown_again:
        database.executemany("INSERT OR REPLACE INTO shown_again VALUES (?,?)", record.shown_again.items())
    if record.moves:
        database.executemany(
            """INSERT INTO moves VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT (host, reason) DO UPDATE SET
               lowered = lowered + ?3, raised = raised + ?4, dropped = dropped + ?5, last_step = ?6""",
            [
                (move.host, move.reason, move.lowered, move.raised, move.dropped, move.after_steps)
                for move in record.moves
            ],
        )
    if record.drops:
        database.executemany(
            "UPDATE links SET state = ? WHERE id = ?", [(LinkState.DROPPED, drop.link) for drop in record.drops]
        )
        database.executemany(
            "INSERT OR REPLACE INTO drops VALUES (?,?,?)",
            [(drop.link, drop.after_steps, drop.reason) for drop in record.drops],
        )
