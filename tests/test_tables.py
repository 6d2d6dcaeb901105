"""A table runs all its rows, and a failure names each row that fails."""

from collections.abc import Callable
from typing import Any

import pytest

from tables import table

ROWS = [(1, 1), (2, 3), (4, 4), (5, "x" * 1000)]


def _sync(number: int, other: int, seen: list[int]) -> None:
    seen.append(number)
    assert number == other


async def _async(number: int, other: int, seen: list[int]) -> None:
    _sync(number, other, seen)


@pytest.mark.parametrize("test", [_sync, _async])
async def test_every_row_runs_and_each_that_fails_is_named(test: Callable[..., Any]):
    seen: list[int] = []
    tabled = table("number, other", ROWS)(test)

    async def run() -> None:
        result = tabled(seen=seen)
        if result is not None:
            await result

    with pytest.raises(BaseExceptionGroup, match="2 of 4 rows fail") as caught:
        await run()
    assert seen == [1, 2, 4, 5]
    notes = [note for error in caught.value.exceptions for note in error.__notes__]
    assert notes[0] == "row 1: (2, 3)"
    assert notes[1].startswith("row 3: (5, 'xxx")
    assert len(notes[1]) < 420


def test_a_table_without_rows_is_a_mistake():
    with pytest.raises(AssertionError, match="without rows"):
        table("number", [])


@table("word", ["ab", ("a", "b")])
def test_one_name_takes_the_row_as_it_is(word: Any, monkeypatch: pytest.MonkeyPatch):
    assert len(word) == 2
    assert monkeypatch
