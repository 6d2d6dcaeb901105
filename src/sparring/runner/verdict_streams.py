"""Streams of what is recorded about a batch, read side by side with its conversations and in portions."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Generic, TypeVar

from sparring.store import names

T = TypeVar("T")

_AT_A_TIME = 64


class Beside(Generic[T]):
    """A stream in the order of the conversations that it is about, read as far as they are."""

    def __init__(self, stream: AsyncIterator[tuple[str, T]], positions: Mapping[str, int]) -> None:
        self._stream, self._positions = stream, positions
        self._next: tuple[tuple[int, int], T] | None = None
        self._begun = False

    async def at(self, place: tuple[int, int]) -> list[T]:
        """Return what is about the conversation at this place; what is about earlier ones is dropped."""
        if not self._begun:
            self._begun, self._next = True, await self._read()
        found = []
        while self._next is not None and self._next[0] <= place:
            found += [self._next[1]] if self._next[0] == place else []
            self._next = await self._read()
        return found

    async def _read(self) -> tuple[tuple[int, int], T] | None:
        read = await anext(self._stream, None)
        if read is None:
            return None
        id, item = read
        positions = self._positions
        places = [(positions[case], repeat) for case, repeat in names.places(id) if case in positions]
        return (places[0] if places else (-1, 0)), item


async def portions(source: AsyncIterator[T]) -> AsyncIterator[list[T]]:
    """Yield the items of a stream in lists of at most 64, and let other tasks run after each."""
    some: list[T] = []
    async for each in source:
        some.append(each)
        if len(some) == _AT_A_TIME:
            yield some
            some = []
            await asyncio.sleep(0)
    if some:
        yield some
