"""Isolation of foreign code: a plug-in can end its own conversation and nothing else."""

import asyncio
from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from sparring.chatbots.chatbot import Chatbot, Session
from sparring.core.case import Case
from sparring.core.errors import ChatbotError

GRACE = 1.0
"""Seconds that a cancelled task has to end before it is abandoned."""

T = TypeVar("T")


class PluginMisbehaved(Exception):
    """Foreign code raised something other than an error."""


async def guard_exceptions(call: Awaitable[T]) -> T:
    """Await foreign code and translate exceptions that would end more than its conversation.

    SystemExit in a task ends the program, and a task that cancels itself ends without a reason.
    """
    begun = asyncio.current_task()
    try:
        return await call
    except (Exception, KeyboardInterrupt):
        raise
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise PluginMisbehaved("it was cancelled from inside") from None
    except BaseException as error:
        if isinstance(error, GeneratorExit) and not _is_current(begun):  # it was left behind, and is thrown away
            raise
        raise PluginMisbehaved(f"it raised {type(error).__name__}") from error


def _is_current(task: "asyncio.Task[object] | None") -> bool:
    try:
        return asyncio.current_task() is task
    except RuntimeError:  # there is no running loop
        return False


async def run_isolated(call: Awaitable[T]) -> T:
    """Await foreign code in a task of its own.

    Code that swallows its cancellation is abandoned, and code that cancels itself has failed.
    """
    task = asyncio.ensure_future(guard_exceptions(call))
    try:
        await _over(task)
    except asyncio.CancelledError:
        await cancel_task(task)
        raise
    if task.cancelled():
        raise ChatbotError("its reply was cancelled from inside")
    return task.result()


async def _over(task: "asyncio.Future[T]") -> None:
    """Wait until a task is done, however it ends. This is faster than `asyncio.wait`."""
    over: asyncio.Future[None] = task.get_loop().create_future()

    def on_done(_: "asyncio.Future[T]") -> None:
        if not over.done():
            over.set_result(None)

    task.add_done_callback(on_done)
    try:
        await over
    finally:
        task.remove_done_callback(on_done)


async def cancel_task(task: "asyncio.Future[T]", seconds: float | None = None) -> None:
    """Cancel foreign code, and wait a limited time for its end."""
    task.cancel()
    await asyncio.wait({task}, timeout=GRACE if seconds is None else seconds)
    if task.done() and not task.cancelled():
        task.exception()  # marks it as retrieved


class IsolatedSession:
    """A session of a chatbot, opened and closed in a task of its own, so that it can be abandoned."""

    __slots__ = ("_case", "_chatbot", "_done", "_opened", "_task")

    def __init__(self, chatbot: Chatbot, case: Case) -> None:
        self._chatbot = chatbot
        self._case = case
        loop = asyncio.get_running_loop()
        self._opened: asyncio.Future[Session] = loop.create_future()
        self._done: asyncio.Future[None] = loop.create_future()
        self._task = asyncio.create_task(guard_exceptions(self._hold()))
        self._task.add_done_callback(self._ended)

    async def open(self) -> Session:
        """Return the session as soon as it is open."""
        try:
            return await self._opened
        except asyncio.CancelledError:
            await cancel_task(self._task)
            raise

    async def close(self) -> None:
        """Close the session, raising its errors."""
        if not self._done.done():
            self._done.set_result(None)
        try:
            await _over(self._task)
        except asyncio.CancelledError:
            await cancel_task(self._task)
            raise
        self._task.result()

    async def abandon(self, seconds: float) -> None:
        """Cancel the session, and wait at most this many seconds for its end."""
        await cancel_task(self._task, seconds)

    async def _hold(self) -> None:
        manager: AbstractAsyncContextManager[Session] = self._chatbot.connect(self._case)
        async with manager as session:
            if not self._opened.done():
                self._opened.set_result(session)
            await self._done

    def _ended(self, task: "asyncio.Future[None]") -> None:
        if self._opened.done():
            return
        if task.cancelled():
            self._opened.cancel()
        else:
            self._opened.set_exception(task.exception() or ChatbotError("its session ended before it began"))
