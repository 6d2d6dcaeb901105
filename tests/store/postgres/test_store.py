"""A store in PostgreSQL does what every store must. Without a server these tests are skipped, and say so."""

import pytest

from store_facts import EVERY

pytest.importorskip("psycopg", reason="the extra `cluster` is not installed")

from sparring.store.postgres.store import PostgresStore


@pytest.mark.slow
@pytest.mark.parametrize("fact", EVERY, ids=lambda fact: fact.__name__)
async def test_a_postgres_store_does_what_every_store_must(fact, postgres_url: str):
    await fact(lambda: PostgresStore(postgres_url))
