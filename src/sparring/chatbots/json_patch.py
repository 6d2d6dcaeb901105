"""JSON Patch (RFC 6902) on values that are never changed in place."""

import copy
from typing import Any

from sparring.core.value import Json


def patched(value: Json, operations: Json) -> Json:
    """Return the value after all operations. Raise ValueError for the first that fails."""
    if not isinstance(operations, list):
        raise ValueError("is no list of operations")
    made: Any = {"": copy.deepcopy(value)}
    for operation in operations:
        try:
            _apply(made, operation)
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise ValueError(f"has an operation that fails: {type(error).__name__}: {error}") from None
    result: Json = made[""]
    return result


def _apply(made: Any, operation: Any) -> None:
    kind, path = operation["op"], operation["path"]
    if kind == "test":
        if _at(made, path) != operation["value"]:
            raise ValueError(f"wants another value at {path!r}")
        return
    if kind in ("add", "replace"):
        new = copy.deepcopy(operation["value"])
    elif kind in ("move", "copy"):
        new = copy.deepcopy(_at(made, operation["from"]))
    elif kind == "remove":
        new = None
    else:
        raise ValueError(f"has the unknown operation {kind!r}")
    if kind == "move":
        _remove(made, operation["from"])
    if kind == "remove":
        _remove(made, path)
    elif kind == "replace":
        parent, name = _parent(made, path)
        parent[name]  # it must be there
        parent[name] = new
    else:
        _add(made, path, new)


def _add(made: Any, path: str, new: Any) -> None:
    parent, name = _parent(made, path, adding=True)
    if isinstance(parent, list):
        parent.insert(name, new)
    else:
        parent[name] = new


def _remove(made: Any, path: str) -> None:
    parent, name = _parent(made, path)
    del parent[name]


def _at(made: Any, path: str) -> Any:
    parent, name = _parent(made, path)
    return parent[name]


def _parent(made: Any, path: str, *, adding: bool = False) -> tuple[Any, Any]:
    """Return the container of the place that a JSON Pointer names, and its name or index there."""
    *outer, last = [name.replace("~1", "/").replace("~0", "~") for name in path.split("/")]
    for name in outer:
        made = made[_index(made, name)]
    return made, _index(made, last, adding=adding)


def _index(container: Any, name: str, *, adding: bool = False) -> Any:
    if not isinstance(container, list):
        return name
    at = len(container) if adding and name == "-" else int(name)
    if not 0 <= at < len(container) + adding:
        raise IndexError(name)
    return at
