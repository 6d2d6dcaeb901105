"""A page costs only its rows, however large its batch is. Without a PostgreSQL this test is skipped, and says so."""

import re
from contextlib import closing
from typing import Any

import pytest

pytest.importorskip("psycopg", reason="the extra `cluster` is not installed")

from sparring.store.postgres.database import PostgresConnection, prepare
from sparring.store.sql import checks
from sparring.store.store import ALL

pytestmark = pytest.mark.slow

_MANY, _PAGE = 20_000, 32
_FILL = f"""
    INSERT INTO batches VALUES ('B1', '', 1, '', 1);
    INSERT INTO cases VALUES (1, '', '{{}}');
    INSERT INTO batch_cases SELECT 'B1', n, 'case-' || n, '[]', 1 FROM generate_series(1, {_MANY}) AS n;
    INSERT INTO recordings SELECT n, 1, '{{}}' FROM generate_series(1, {_MANY}) AS n;
    INSERT INTO conversations SELECT 'B1', n, 1, NULL, NULL, n FROM generate_series(1, {_MANY}) AS n;
    INSERT INTO checked SELECT n, 'check', '{{}}' FROM generate_series(1, {_MANY}) AS n;
    ANALYZE;
"""


class ExplainingConnection(PostgresConnection):
    """A connection that keeps the number of rows that each step of its statements has read."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.read: list[int] = []

    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        for (step,) in super().execute(f"EXPLAIN ANALYZE {sql}", parameters):
            if actual := re.search(r"actual time=\S+ rows=(\d+) loops=(\d+)", step):
                self.read.append(int(actual[1]) * int(actual[2]))
        return super().execute(sql, parameters)


def test_results_are_read_by_their_keys(postgres_url: str):
    with closing((connection := PostgresConnection(postgres_url)).raw):
        prepare(connection, postgres_url, must_exist=False)
        connection.raw.execute(_FILL)
    with closing((connection := ExplainingConnection(postgres_url)).raw):
        checks.page(connection, "B1", ALL, (_MANY // 2, 1), _MANY + 1, _PAGE)
        of_page = len(connection.read)
        checks.results(connection, "B1", [f"case-{n}" for n in range(1, _MANY, _MANY // _PAGE)])

    assert max(connection.read) <= 2 * _PAGE, "as many rows as a page has"
    assert len(connection.read) < 2 * of_page, "the number of statements does not depend on that of conversations"
