"""The functions and methods that rules may call. Functions are plug-ins of the group `sparring.functions`."""

import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from sparring.core import plugins
from sparring.core.errors import InputError
from sparring.rules.functions.collections import ordered
from sparring.rules.functions.function import RuleFunction
from sparring.rules.limits import MAX_TEXT, bounded, cost
from sparring.rules.undecided import LimitReached

GROUP = "sparring.functions"


def lookup(name: str) -> RuleFunction | None:
    """Return the function called `name`, or None. Only its own module is imported."""
    return _loaded(tuple(sys.path), name)


def names() -> list[str]:
    """Return the names of all functions, sorted."""
    return sorted(_entries(tuple(sys.path)))


@lru_cache(maxsize=4)
def _entries(path: tuple[str, ...]) -> Mapping[str, str]:
    """Return the object reference of every function that is installed along `path`."""
    found: dict[str, str] = {}
    for entry in plugins.entries(GROUP):
        if found.setdefault(entry.name, entry.value) != entry.value:
            raise InputError(
                f"two packages provide the rule function {entry.name!r}: {found[entry.name]} and {entry.value}",
                hint="uninstall one of them, or rename its function",
            )
    return found


@lru_cache(maxsize=1024)
def _loaded(path: tuple[str, ...], name: str) -> RuleFunction | None:
    if name not in _entries(path):
        return None
    value = _entries(path)[name]
    function = plugins.find(GROUP, name)
    if not isinstance(function, RuleFunction):
        raise InputError(f"the plug-in {value} is not a rule function", hint="decorate it with @function()")
    if function.name != name:
        raise InputError(f"the plug-in {value} is entered as {name!r} but called {function.name!r}")
    return function


_TEXT = (
    *("lower", "upper", "title", "casefold", "strip", "lstrip", "rstrip", "startswith", "endswith", "split"),
    *("splitlines", "find", "count", "replace", "isdigit", "isnumeric", "isalpha", "join", "removeprefix"),
    *("removesuffix", "isupper", "islower"),
)
_METHODS: dict[type, frozenset[str]] = {
    str: frozenset(_TEXT),
    list: frozenset({"index", "count"}),
    tuple: frozenset({"index", "count"}),
    dict: frozenset({"get", "keys", "values", "items"}),
}
METHOD_NAMES = frozenset().union(*_METHODS.values())


def call_method(owner: Any, name: str, arguments: list[Any], burn: Callable[[int], None]) -> Any:
    """Return `owner.name(...)` if rules may call this method on such a value."""
    if name not in _METHODS.get(type(owner), frozenset()):
        raise AttributeError(f"{type(owner).__name__!r} has no method {name!r}")
    if type(owner) is str:
        burn(1 + cost(owner))
        if name == "join":
            return _join(owner, arguments)
        if name == "replace":
            _refuse_growth(owner, arguments)
    result = getattr(owner, name)(*arguments)
    return list(result) if type(owner) is dict and name != "get" else bounded(result)


def _join(separator: str, arguments: list[Any]) -> str:
    (items,) = arguments
    parts: list[str] = []
    size = 0
    for item in ordered(items):
        parts.append(item)
        size += len(item) + len(separator)
        if size > MAX_TEXT:
            raise LimitReached("join() makes too long a text")
    return separator.join(parts)


def _refuse_growth(text: str, arguments: list[Any]) -> None:
    if len(arguments) > 1 and isinstance(arguments[1], str) and (len(text) + 1) * (1 + len(arguments[1])) > MAX_TEXT:
        raise LimitReached("replace() makes too long a text")
