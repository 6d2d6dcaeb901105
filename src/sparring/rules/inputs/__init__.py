"""Readers of recordings, one module for each file format. The formats do not know each other."""

from typing import Any

_MAX_DEPTH = 50


class NotARecording(Exception):
    """A file or line without a conversation; the message is the reason."""


def is_within_limits(value: Any, values: int) -> bool:
    """Return True if a parsed value is small and shallow enough with all its aliases expanded."""
    todo, seen = [(value, 0)], 0
    while todo:
        container, depth = todo.pop()
        seen += len(container)
        if seen > values or depth > _MAX_DEPTH:
            return False
        parts = container.values() if isinstance(container, dict) else container
        todo.extend((part, depth + 1) for part in parts if isinstance(part, dict | list))
    return True
