"""The functions and methods that rules may call.

Functions are plug-ins of the group `sparring.functions`, or registered by the program itself.
"""

import sys
from collections.abc import Callable
from functools import lru_cache
from keyword import iskeyword
from typing import Any

from sparring.core import plugins
from sparring.core.errors import InputError
from sparring.rules.functions.aggregates import AGGREGATES
from sparring.rules.functions.collections import ordered
from sparring.rules.functions.function import RuleFunction
from sparring.rules.limits import MAX_TEXT, bounded, cost
from sparring.rules.undecided import LimitReached

GROUP = "sparring.functions"


def lookup(name: str) -> RuleFunction | None:
    """Return the function called `name`, or None. Only its own module is imported."""
    return _registered.get(name) or _loaded(tuple(sys.path), name)


def names() -> list[str]:
    """Return the names of all functions, sorted."""
    return sorted({*_installed(tuple(sys.path)), *_registered})


def are_brought() -> bool:
    """Return True if there are functions of the program or of another package."""
    return bool(_registered) or _are_foreign(tuple(sys.path))


@lru_cache(maxsize=4)
def _are_foreign(path: tuple[str, ...]) -> bool:
    return any(not plugins.module_of(GROUP, name).startswith("sparring.") for name in _installed(path))


_registered: dict[str, RuleFunction] = {}
"""Functions that the program registered. A decorator has no other place to put them."""


def register(function: RuleFunction) -> None:
    """Make a function callable in the rules of this process.

    A function with the same module and qualified name replaces its earlier version, as in a notebook cell that runs
    again. Raise InputError if the name belongs to another function.
    """
    name = function.name
    if not name.isidentifier() or iskeyword(name):
        raise InputError(f"{name!r} cannot be the name of a rule function", hint="names are letters, digits and _")
    known = _registered.get(name)
    if name in AGGREGATES or name in _RESERVED:
        other = "the rule language"
    elif name in _installed(tuple(sys.path)):
        other = plugins.module_of(GROUP, name)
    elif known is not None and _home(known) != _home(function):
        other = _home(known)
    else:
        _registered[name] = function
        return
    raise InputError(f"{other} has a rule function {name!r} already, so {_home(function)} cannot be it", hint=_RENAME)


_RESERVED = frozenset({"hasattr", "conv"})
_RENAME = 'choose another name: @sparring.rule_function(name="...")'


def _home(function: RuleFunction) -> str:
    return f"{function.call.__module__}.{function.call.__qualname__}"


@lru_cache(maxsize=4)
def _installed(path: tuple[str, ...]) -> frozenset[str]:
    return frozenset(plugins.names(GROUP))


@lru_cache(maxsize=1024)
def _loaded(path: tuple[str, ...], name: str) -> RuleFunction | None:
    if name not in _installed(path):
        return None
    function = plugins.find(GROUP, name)
    home = plugins.module_of(GROUP, name)
    if not isinstance(function, RuleFunction):
        raise InputError(f"the plug-in {name!r} of {home} is not a rule function", hint="decorate it with @function()")
    if function.name != name:
        raise InputError(f"the plug-in {name!r} of {home} is called {function.name!r}: the names must agree")
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
