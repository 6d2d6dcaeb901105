"""Where recordings come from: folders and files of several kinds, none of which knows the others.

Files that are not what was looked for.
"""

from typing import Any

_MAX_DEPTH = 50


class NotARecording(Exception):
    """A file, or a line of one, that holds no conversation; the message says why."""


def is_within_limits(value: Any, values: int) -> bool:
    """Whether something read stays small when everything an alias stands for is written out, and is not too deep."""
    todo, seen = [(value, 0)], 0
    while todo:
        container, depth = todo.pop()
        seen += len(container)
        if seen > values or depth > _MAX_DEPTH:
            return False
        parts = container.values() if isinstance(container, dict) else container
        todo.extend((part, depth + 1) for part in parts if isinstance(part, dict | list))
    return True
