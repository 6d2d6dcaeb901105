"""What `make` does before it does anything."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
THIS = f"Python {sys.version.split()[0]}"


def made(folder: Path, version: str, *arguments: str) -> tuple[int, str]:
    """How `make` ends beside an environment that has a Python of this version, and what it says of it."""
    program = folder / ".venv" / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho {version}\n")
    program.chmod(0o755)
    command = ["make", "-s", "-f", ROOT / "Makefile", "same-python", *arguments]
    # What a `make` around these tests was told is not for this one.
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr.split("\nmake:")[0].strip()


def test_another_python_than_the_one_that_is_there_is_not_passed_over(tmp_path: Path):
    assert made(tmp_path, "Python 2.7.18", f"PYTHON={sys.executable}") == (
        2,
        f".venv has Python 2.7.18, not {THIS}: another Python needs another place, such as VENV=.venv-other",
    )


@pytest.mark.parametrize(
    ("version", "arguments"),
    [
        (THIS, [f"PYTHON={sys.executable}"]),
        ("Python 2.7.18", []),
        ("Python 2.7.18", [f"PYTHON={sys.executable}", "VENV=b"]),
    ],
)
def test_the_python_that_is_there_will_do(version: str, arguments: list[str], tmp_path: Path):
    assert made(tmp_path, version, *arguments) == (0, "")
