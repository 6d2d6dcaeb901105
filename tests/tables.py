"""Tests of a table: one test runs all rows and names each row that fails. Thousands of tests cost more than they do."""

import functools
import inspect
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import pytest


def table(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Run a test once for each row, like `pytest.mark.parametrize`, as one test. For rows that need nothing fresh."""
    keys = [each.strip() for each in names.split(",")] if isinstance(names, str) else [*names]
    cells = [(row,) if len(keys) == 1 else tuple(row) for row in rows]
    assert cells, "a table without rows"

    def decorated(test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        async def run(**fixtures: Any) -> None:
            failed: list[BaseException] = []
            for number, row in enumerate(cells):
                try:
                    result = test(**dict(zip(keys, row, strict=True)), **fixtures)
                    if inspect.isawaitable(result):
                        await result
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"row {number}: {row!r:.400}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(cells)} rows fail", failed)

        @functools.wraps(test)
        def run_at_once(**fixtures: Any) -> None:
            with suppress(StopIteration):
                run(**fixtures).send(None)

        signature = inspect.signature(test)
        left = [value for name, value in signature.parameters.items() if name not in keys]
        chosen: Any = run if inspect.iscoroutinefunction(test) else run_at_once
        chosen.__signature__ = signature.replace(parameters=left)
        return chosen

    return decorated
