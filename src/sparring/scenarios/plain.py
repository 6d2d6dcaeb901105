"""Data as JSON, with placeholders in its texts."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date

from sparring.core.value import Json
from sparring.parsing import Data
from sparring.scenarios.part import Part
from sparring.scenarios.phrases import alone


def plain(data: Data) -> Json:
    """Data as JSON: a date is its text."""
    if isinstance(data, list):
        return [plain(item) for item in data]
    if isinstance(data, dict):
        return {name: plain(item) for name, item in data.items()}
    return data.isoformat() if isinstance(data, date) else data


def texts(part: Part) -> Iterator[tuple[Part, str]]:
    """Every text in a part, with its place."""
    if isinstance(part.data, str):
        yield part, part.data
    elif isinstance(part.data, dict):
        for _, item in part.entries():
            yield from texts(item)
    elif isinstance(part.data, list):
        for item in part.items():
            yield from texts(item)


def filled(value: Json, values: Mapping[str, Json], said: Callable[[str], str]) -> Json:
    """JSON with every text as `said`; a text that is one placeholder and nothing else becomes the value behind it."""
    if isinstance(value, list):
        return [filled(item, values, said) for item in value]
    if isinstance(value, dict):
        return {name: filled(item, values, said) for name, item in value.items()}
    if not isinstance(value, str):
        return value
    name = alone(value)
    return values[name] if name in values else said(value)
