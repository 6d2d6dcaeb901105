"""Sets have no order that repeats from one run to the next, so they are walked and shown in one that does."""

from collections.abc import Iterable
from typing import Any


def in_order(items: Iterable[Any]) -> Iterable[Any]:
    """The items, those of a set sorted by kind and text."""
    if isinstance(items, set | frozenset):
        return sorted(items, key=lambda item: (type(item).__name__, repr(item)))
    return items


def shown(value: Any) -> str:
    """`str(value)`, with the sets inside in order."""
    return value if isinstance(value, str) else str(value) if not _has_set(value) else repr_of(value)


def repr_of(value: Any) -> str:
    """`repr(value)`, with the sets inside in order."""
    if not _has_set(value):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{repr_of(key)}: {repr_of(item)}" for key, item in value.items()) + "}"
    inside = ", ".join(map(repr_of, in_order(value)))
    if isinstance(value, list):
        return f"[{inside}]"
    if isinstance(value, tuple):
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return f"{{{inside}}}" if inside else "set()"


def _has_set(value: Any) -> bool:
    if isinstance(value, set | frozenset):
        return True
    if isinstance(value, dict):
        return any(map(_has_set, value.values()))
    return isinstance(value, list | tuple) and any(map(_has_set, value))
