"""Shared parts of the store suites."""

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.store.store import Store

T = TypeVar("T")
Make = Callable[[], AbstractAsyncContextManager[Store]]
"""Opens one place, empty at first; every call opens it again."""

Fact = Callable[[Make], Coroutine[Any, Any, None]]
"""An assertion that every store must satisfy."""


async def all_in(values: AsyncIterator[T]) -> list[T]:
    return [value async for value in values]


async def refusal(attempt: Awaitable[object]) -> tuple[str, str]:
    """Return the message and the hint with which an attempt is refused."""
    try:
        await attempt
    except InputError as error:
        return str(error), error.hint
    raise AssertionError("nothing was refused")


def ids(conversations: list[Conversation]) -> list[str]:
    return [conversation.id for conversation in conversations]
