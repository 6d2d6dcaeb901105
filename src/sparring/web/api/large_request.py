"""Requests that take long to parse, in a process of their own.

A parser in a thread would stop the server for up to half a second.
"""

import asyncio
import pickle
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from sparring.app.launch import BatchPlan

LARGE = 1_000_000
"""Bytes of a request that takes long to parse."""

_AT_A_TIME = 100
"""Cases that are read together: some milliseconds, in which nothing else runs."""

T = TypeVar("T")
PackedPlan = tuple[bytes, list[bytes]]
"""A plan without its cases, and its cases in portions."""


async def in_process(function: Callable[..., T], *arguments: object) -> T:
    """Call a function of a module in a new process; return what it returns, or raise what it raises."""
    sent = await asyncio.to_thread(pickle.dumps, (function, arguments))
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", __name__, stdin=pipe, stdout=pipe)
    try:
        answer, _ = await process.communicate(sent)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise RuntimeError(f"parsing a request ended with code {process.returncode}")
    returned, raised = pickle.loads(answer)  # of our own process
    if raised is not None:
        raise raised
    found: T = returned
    return found


async def planned(plan: Callable[[], BatchPlan], size: int) -> BatchPlan:
    """Return the plan of a request of so many bytes; that of a large one is made in a process."""
    if size <= LARGE:
        return await asyncio.to_thread(plan)
    return await asyncio.to_thread(unpacked, await in_process(_packed_plan, plan))


def _packed_plan(plan: Callable[[], BatchPlan]) -> PackedPlan:
    return packed(plan())


def packed(plan: BatchPlan) -> PackedPlan:
    """Return a plan in portions that are read in a few milliseconds each."""
    places = range(0, len(plan.cases), _AT_A_TIME)
    cases = [pickle.dumps(plan.cases[first : first + _AT_A_TIME]) for first in places]
    return pickle.dumps(replace(plan, cases=())), cases


def unpacked(plan: PackedPlan) -> BatchPlan:
    """Return the plan that was packed."""
    whole, portions = plan
    found: BatchPlan = pickle.loads(whole)  # of our own process
    return replace(found, cases=tuple(case for portion in portions for case in pickle.loads(portion)))


def _answer() -> None:
    """Call the function that stands in the input, and write what it returns or raises."""
    function, arguments = pickle.load(sys.stdin.buffer)
    output, sys.stdout = sys.stdout.buffer, sys.stderr
    returned, raised = None, None
    try:
        returned = function(*arguments)
    except Exception as error:  # noqa: BLE001 - the server raises it
        raised = error.with_traceback(None)
    output.write(pickle.dumps((returned, raised)))


if __name__ == "__main__":
    _answer()
