"""Calling code that blocks, without anything else having to wait for it."""

import asyncio
import contextvars
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


async def in_thread(call: Callable[..., T], *arguments: Any) -> T:
    """What `call` returns, called in a thread of its own.

    asyncio's own threads are few and shared, and the program cannot end before they do: calls that hang would take
    them from everybody else. This one is left alone when it is given up, and ends with the program.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Callable[[], T]] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            result = context.run(call, *arguments)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it belongs to whoever waits
            _deliver(loop, done, _raising(error))
        else:
            _deliver(loop, done, lambda: result)

    Thread(target=work, name="sparring-chatbot", daemon=True).start()
    return (await done)()


def _raising(error: BaseException) -> Callable[[], Any]:
    def raise_it() -> None:
        raise error

    return raise_it


def _deliver(loop: asyncio.AbstractEventLoop, done: asyncio.Future[T], outcome: T) -> None:
    def set_unless_given_up() -> None:
        if not done.done():
            done.set_result(outcome)

    with suppress(RuntimeError):  # the loop is closed, so that nobody waits any longer
        loop.call_soon_threadsafe(set_unless_given_up)
