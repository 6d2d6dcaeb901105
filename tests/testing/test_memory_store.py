import pytest

from sparring.testing.memory_store import MemoryStore
from store_facts import EVERY


@pytest.mark.slow
@pytest.mark.parametrize("fact", EVERY, ids=lambda fact: fact.__name__)
async def test_a_memory_store_does_what_every_store_must(fact):
    store = MemoryStore()

    await fact(lambda: store)
