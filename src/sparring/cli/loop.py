"""The event loop a command runs in."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_GRACE = 1.0


def run_in_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end, on uvloop where it exists; whoever else is still at it has a second to end."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(_to_its_end(work))


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
    """Cancel what is left, and forget who swallows its cancellation: it would keep the program for ever."""
    for task in tasks:
        task.cancel()
    stubborn = (await asyncio.wait(tasks, timeout=_GRACE))[1] if tasks else set()
    for task in stubborn:
        asyncio.tasks._unregister_task(task)
    if stubborn:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)  # it would tell of each of them
