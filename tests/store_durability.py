"""Does a store keep what it said it kept, when its program is killed in the middle of writing?

`python store_durability.py MODULE:FACTORY PLACE` is the program that gets killed.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from itertools import islice

from sparring.core.batch import Batch
from sparring.store.store import Store
from sparring.testing.factories import a_batch, a_conversation

_AT_ONCE = 64


async def check_durable(factory: str, place: str, *, after: int = 200) -> int:
    """Kill a writing program once it has kept `after` conversations, and find everything it had kept.

    `factory` is a store's `module:name`, called with `place`; returns how many conversations were found.
    """
    told = await _kill_a_writer(factory, place, after)
    async with _load(factory)(place) as store:
        found = [conversation async for conversation in store.conversations("latest")]
        batch = await store.batch("latest")
    lost = told - {conversation.repeat for conversation in found}
    assert not lost, f"{len(lost)} of {len(told)} conversations that were kept are gone"
    assert found == [a_conversation(batch.cases[0], repeat=conversation.repeat) for conversation in found]
    return len(found)


async def write_for_ever(store: Store, batch: Batch) -> None:
    """Add one conversation after another, and say on standard output which are kept."""
    numbers = iter(range(1, batch.repeats + 1))

    async def add() -> None:
        for number in numbers:
            await store.add(batch.id, a_conversation(batch.cases[0], repeat=number))
            os.write(sys.stdout.fileno(), b"%d\n" % number)

    await store.create(batch)
    async with asyncio.TaskGroup() as adding:
        for _ in range(_AT_ONCE):
            adding.create_task(add())


async def _kill_a_writer(factory: str, place: str, after: int) -> set[int]:
    program = (sys.executable, __file__, factory, place)
    writer = await asyncio.create_subprocess_exec(*program, stdout=asyncio.subprocess.PIPE)
    assert writer.stdout is not None
    told = [await writer.stdout.readline() for _ in range(after)]
    writer.send_signal(signal.SIGKILL)
    told += [line async for line in writer.stdout]
    await writer.wait()
    return {int(line) for line in told if line.endswith(b"\n")}


def _load(factory: str) -> Callable[[str], AbstractAsyncContextManager[Store]]:
    module, _, name = factory.partition(":")
    made: Callable[[str], AbstractAsyncContextManager[Store]] = getattr(import_module(module), name)
    return made


async def _main(factory: str, place: str) -> None:
    async with _load(factory)(place) as store:
        await write_for_ever(store, a_batch("a", repeats=10**9))


if __name__ == "__main__":
    asyncio.run(_main(*islice(sys.argv, 1, 3)))
