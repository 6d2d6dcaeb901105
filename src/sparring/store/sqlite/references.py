"""References to batches and conversations in a SQLite file, for completion.

It imports nothing else of Sparring.
"""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

MOST = 200
"""Batches, or conversations, among which a word is completed."""


def batches(store: Path) -> list[tuple[str, str]]:
    """Return the ids of the newest batches with their names."""
    return _rows(store, "SELECT id, name FROM batches ORDER BY id DESC LIMIT ?", (MOST,))


def conversations(store: Path, batch: str, beginning: str) -> list[tuple[str, str]]:
    """Return the first conversations of a batch whose ids begin so, with their outcomes."""
    query = """
        WITH named AS (
            SELECT batch_cases.id || CASE repeat WHEN 1 THEN '' ELSE '#' || repeat END AS id, listed.first
            FROM listed JOIN batch_cases USING (batch, position)
            WHERE listed.batch = (
                SELECT id FROM batches WHERE ?1 IN (id, name, 'latest') ORDER BY id = ?1 DESC, id DESC LIMIT 1
            )
        )
        SELECT id, first FROM named WHERE substr(id, 1, length(?2)) = ?2 LIMIT ?3
    """
    return _rows(store, query, (batch, beginning, MOST))


def _rows(store: Path, query: str, values: tuple[object, ...]) -> list[tuple[str, str]]:
    """Return rows; none if the file is missing, locked, or has another schema."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as file:
        return file.execute(query, values).fetchall()
    return []
