"""Ctrl-C once finishes what is running and saves it; twice stops, as do whoever ends programs and closes terminals."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from sparring.cli.console import tell

_ENDS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def interruptible(stop: asyncio.Event) -> Iterator[None]:
    """Inside the block the first Ctrl-C sets `stop`; the second, SIGTERM and SIGHUP cancel the running task."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def interrupt() -> None:
        if stop.is_set() and task is not None:
            task.cancel()
        else:
            tell("\nfinishing the conversations under way; Ctrl-C again stops at once")
            stop.set()

    def end() -> None:
        if task is not None and not task.cancelling():
            task.cancel()

    try:
        loop.add_signal_handler(signal.SIGINT, interrupt)
    except (NotImplementedError, RuntimeError):  # Windows, or not the main thread: Ctrl-C stops at once
        yield
        return
    ends = [each for each in _ENDS if signal.getsignal(each) is signal.SIG_DFL]  # nohup has SIGHUP ignored
    for each in ends:
        loop.add_signal_handler(each, end)
    try:
        yield
    finally:
        for each in (signal.SIGINT, *ends):
            loop.remove_signal_handler(each)
