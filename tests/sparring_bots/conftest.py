"""What all reference bots have in common: the files that they come with."""

from collections.abc import Iterator

import pytest

from sparring import parsing


@pytest.fixture(scope="module", autouse=True)
def read_once() -> Iterator[None]:
    """Grammars and scenarios are read once by each module: the bots are made again and again, and their files stay."""
    with parsing.once():
        yield
