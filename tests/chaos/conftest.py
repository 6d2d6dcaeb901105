"""`make test-chaos` asks for the long form of these tests; everybody else gets the short one."""

import os
import sys
from collections.abc import Callable

import pytest


@pytest.fixture(scope="session")
def long() -> bool:
    return os.environ.get("SPARRING_CHAOS") == "long"


@pytest.fixture(scope="session")
def report() -> Callable[[str], None]:
    """Return a function that prints a figure if the tests run with `-s`."""

    def write(line: str) -> None:
        sys.stdout.write(f"\n{line}\n")

    return write
