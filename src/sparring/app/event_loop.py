"""The event loop for callers that have none: commands, and the blocking functions of the public API."""

import asyncio
import contextvars
from collections.abc import Callable, Coroutine
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")

_GRACE = 1.0
"""Seconds that remaining tasks have to end."""


def run_in_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to completion, on uvloop if available; other tasks then have a second to end."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(_to_its_end(work))


def run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to completion, in a thread of its own if an event loop runs, as in a notebook.

    An interrupt (Ctrl-C, the stop button of a notebook) cancels `work`, waits for it, and is raised.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run_in_loop(work)
    started: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []
    results: list[Callable[[], T]] = []

    async def noted() -> T:
        task = asyncio.current_task()
        assert task is not None, "a coroutine that runs has a task"
        started.append((asyncio.get_running_loop(), task))
        return await work

    def run() -> None:
        try:
            result = run_in_loop(noted())
        except BaseException as error:  # noqa: BLE001 - raised in the thread that waits
            results.append(_raising(error))
        else:
            results.append(lambda: result)

    thread = Thread(target=contextvars.copy_context().run, args=(run,), name="sparring", daemon=True)
    thread.start()
    try:
        thread.join()
    except BaseException:
        for loop, task in started:
            loop.call_soon_threadsafe(task.cancel)
        thread.join()
        raise
    return results[0]()


def _raising(error: BaseException) -> Callable[[], Any]:
    def raise_it() -> None:
        raise error

    return raise_it


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # it has no build for Windows
        return None
    return uvloop.new_event_loop


async def _to_its_end(work: Coroutine[Any, Any, T]) -> T:
    try:
        return await work
    finally:
        await _leave_behind(asyncio.all_tasks() - {asyncio.current_task()})


async def _leave_behind(tasks: set[asyncio.Task[Any]]) -> None:
    """Cancel the remaining tasks; drop those that swallow it, or they would keep the program alive."""
    for task in tasks:
        task.cancel()
    stubborn = (await asyncio.wait(tasks, timeout=_GRACE))[1] if tasks else set()
    for task in stubborn:
        asyncio.tasks._unregister_task(task)
    if stubborn:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)  # it would report each of them
