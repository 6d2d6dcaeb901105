"""ARCHITECTURE.md names the places that a reader looks for."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
_COMPARED = re.compile(r"ending (?:is|is not|(?:not )?in \() ?.*\bEnding\.[A-Z]|^_\w+ = \{\s*Ending\.", re.MULTILINE)


def _places(question: str) -> list[str]:
    """Return the code spans of the answer to a question."""
    (row,) = re.findall(rf"^\| {re.escape(question)} \| (.*) \|$", PAGE, re.MULTILINE)
    return re.findall(r"`([^`]+)`", row)


def _readers() -> Iterator[str]:
    for path in sorted((ROOT / "src").rglob("*.py")):
        if _COMPARED.search(path.read_text(encoding="utf-8")):
            yield str(path.relative_to(ROOT / "src")).removeprefix("sparring/")


def test_every_module_that_compares_endings_is_named():
    places = _places("Where are endings defined and decided?")

    assert [each for each in _readers() if not each.startswith(tuple(places))] == []


def test_every_path_is_there():
    paths = re.findall(r"`((?:\.?[\w.]+/)+(?:\w+\.\w+)?)`", PAGE)
    roots = (ROOT, ROOT / "src", ROOT / "src/sparring")

    assert [each for each in paths if not any((root / each).exists() for root in roots)] == []
