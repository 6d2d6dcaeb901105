"""The programs in benchmarks/, run in this process: what they import is there already."""

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

_FOLDER = Path(__file__).parents[1] / "benchmarks"


def benchmark(name: str, *arguments: str) -> None:
    """Run a program with arguments, as `python benchmarks/NAME ARGUMENTS` does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(_FOLDER))
        patch.setattr(sys, "argv", [name, *arguments])
        runpy.run_path(str(_FOLDER / name), run_name="__main__")


def functions(name: str) -> dict[str, Any]:
    """Return what a program defines, without running it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(_FOLDER))
        return runpy.run_path(str(_FOLDER / name))
