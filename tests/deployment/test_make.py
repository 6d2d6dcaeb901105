"""What `make` does before it does anything, and from which files it installs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

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


def installs(target: str, folder: Path) -> set[str]:
    """The files of requirements from which a target installs, where nothing is installed yet."""
    command = ["make", "-n", f"VENV={folder / 'new'}", f"PYTHON={sys.executable}", target]
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    told = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"-r requirements/(\w+)\.txt", told))


def test_the_demo_installs_no_tools_and_the_tests_install_them(tmp_path: Path):
    assert installs("demo", tmp_path) == {"build", "runtime"}
    assert installs("test", tmp_path) == installs("test-fast", tmp_path) == {"build", "runtime", "dev"}


def test_the_tools_change_no_version_of_what_runs():
    pins = {
        name: set(re.findall(r"^[\w.-]+==\S+", (ROOT / f"requirements/{name}.txt").read_text("utf-8"), re.MULTILINE))
        for name in ("build", "runtime", "dev")
    }

    assert (pins["runtime"] - pins["dev"], pins["build"] - pins["dev"]) == (set(), set())
