"""Rubrics that a scenario names for its judge; they are read by whoever appoints one."""

from pathlib import Path

from sparring.scenarios.nearby import nearby
from sparring.scenarios.part import Part

_ENDINGS = (".md", ".yaml", ".yml")


def rubrics(part: Part) -> tuple[str, ...]:
    """Files in the folder of the scenario or in one above it, or the names of rubrics that come along."""
    items = part.items() if isinstance(part.data, list) else [part]
    return tuple(found for item in items if (found := _rubric(item)))


def _rubric(part: Part) -> str:
    written = part.text()
    if Path(written).suffix not in _ENDINGS:
        return written
    found = nearby(Path(part.source.file), Path(written))
    if found is None:
        part.wrong("there is no such rubric", "it should be a path from the folder of this file, or from one above it")
        return ""
    return str(found)
