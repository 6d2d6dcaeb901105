"""The event loop a command runs in."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_in_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end, on uvloop where it exists."""
    try:
        import uvloop
    except ImportError:  # it has no build for Windows
        return asyncio.run(work)
    return uvloop.run(work)
