"""Ctrl-C once finishes what is running and saves it; twice stops."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from sparring.cli.console import tell


@contextmanager
def interruptible(stop: asyncio.Event) -> Iterator[None]:
    """Inside the block the first Ctrl-C sets `stop`, and the second cancels the running task."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def interrupt() -> None:
        if stop.is_set() and task is not None:
            task.cancel()
        else:
            tell("\nfinishing the conversations under way; Ctrl-C again stops at once")
            stop.set()

    try:
        loop.add_signal_handler(signal.SIGINT, interrupt)
    except (NotImplementedError, RuntimeError):  # Windows, or not the main thread: Ctrl-C stops at once
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
