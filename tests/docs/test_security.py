"""SECURITY.md names the tests that hold what it says: all of them are there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [row.split("|")[1:-1] for row in (ROOT / "SECURITY.md").read_text("utf-8").splitlines() if "`tests/" in row]


@pytest.mark.slow
@pytest.mark.parametrize(("feared", "control", "cell"), ROWS, ids=[row[0].strip() for row in ROWS])
def test_every_test_that_is_named_is_there(feared: str, control: str, cell: str):
    file, missing = Path(), []
    for path, name in re.findall(r"`(?:(tests/[\w/]+\.py)::)?(test_\w+)`", cell):
        file = ROOT / path if path else file
        defined = {
            node.name
            for node in ast.walk(ast.parse(file.read_text("utf-8")))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        missing += [] if name in defined else [name]

    assert missing == []


def test_every_threat_has_a_row():
    assert len(ROWS) > 15
