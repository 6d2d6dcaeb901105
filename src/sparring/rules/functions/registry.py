"""Every function there is: the language's own, and those that installed packages add under `sparring.functions`.

The methods a rule may call, by the exact type of what they are called on.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from sparring.core import plugins
from sparring.core.errors import InputError
from sparring.rules.functions import collections, dialogue, model, text, tools
from sparring.rules.functions.collections import in_order
from sparring.rules.functions.function import Function, functions_in
from sparring.rules.limits import TEXT, bounded, cost
from sparring.rules.undecided import LimitReached

_OWN = {
    function.name: function
    for module in (collections, dialogue, model, text, tools)
    for function in functions_in(module)
}


def lookup(name: str) -> Function | None:
    """The function called `name`, if there is one."""
    return _OWN.get(name) or _installed().get(name)


def names() -> list[str]:
    """What every function is called, sorted."""
    return sorted({*_OWN, *_installed()})


@cache
def _installed() -> dict[str, Function]:
    found: dict[str, Function] = {}
    for entry in plugins.entries("sparring.functions"):
        function = entry.load()
        if not isinstance(function, Function):
            raise InputError(f"the plug-in {entry.value} is not a rule function", hint="decorate it with @function()")
        if entry.name != function.name:
            raise InputError(f"the plug-in {entry.value} is entered as {entry.name!r} but called {function.name!r}")
        found[entry.name] = function
    return found


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
    """`owner.name(...)`, if that is a method rules may call on such a value."""
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
    for item in in_order(items):
        parts.append(item)
        size += len(item) + len(separator)
        if size > TEXT:
            raise LimitReached("join() makes too long a text")
    return separator.join(parts)


def _refuse_growth(text: str, arguments: list[Any]) -> None:
    if len(arguments) > 1 and isinstance(arguments[1], str) and (len(text) + 1) * (1 + len(arguments[1])) > TEXT:
        raise LimitReached("replace() makes too long a text")
