"""Both schemas are one, written twice. What needs no server is tested without one."""

import sqlite3
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest

from sparring.store.sqlite import database

_FIRST = "014.sql"
"""The schema that PostgreSQL began with."""


def _schemas(kind: str) -> list[str]:
    return sorted(file.name for file in (files(f"sparring.store.{kind}") / "schema").iterdir())


def test_each_schema_of_sqlite_has_a_counterpart():
    assert [name for name in _schemas("sqlite") if name >= _FIRST] == [
        name for name in _schemas("postgres") if name[:3].isdigit()
    ]


async def test_both_databases_have_the_same_tables_and_columns(postgres_url: str, tmp_path: Path):
    psycopg = pytest.importorskip("psycopg")
    from sparring.store.postgres.store import PostgresStore

    async with PostgresStore(postgres_url):
        with psycopg.connect(postgres_url) as connection:
            query = (
                "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
            )
            found = set(connection.execute(query))
    with closing(database.connect(tmp_path / "sparring.db", busy_seconds=0)) as file:
        database.prepare(file, tmp_path / "sparring.db", busy_seconds=0)
        wanted = set(_columns(file))

    assert wanted <= found, wanted - found
    tables = {table for table, _ in wanted}
    assert {each for each in found if each[0] in tables} == wanted


def _columns(file: sqlite3.Connection) -> list[tuple[str, str]]:
    query = """
        SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
        WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'
    """
    return file.execute(query).fetchall()
