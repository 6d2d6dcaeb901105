"""Plug-ins by name, found through entry points. Built-in kinds are registered the same way."""

import sys
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any, TypeVar, cast

from sparring.core.errors import InputError
from sparring.core.text import suggest

T = TypeVar("T")


def find(group: str, name: str) -> Any:
    """Return the plug-in `name` of `group`, such as ("sparring.chatbots", "pizzeria")."""
    return _entry(group, name).load()


def module_of(group: str, name: str) -> str:
    """Return the name of the module that defines the plug-in `name`."""
    return _entry(group, name).module


def with_defaults(made: object, defaults: T) -> T:
    """Return what a plug-in made; an attribute that it lacks is that of `defaults`."""
    return made if isinstance(made, type(defaults)) else cast("T", _WithDefaults(made, defaults))


class _WithDefaults:
    """An object of a plug-in that need not have every attribute of its kind."""

    __slots__ = ("_defaults", "_made")

    def __init__(self, made: object, defaults: object) -> None:
        self._made = made
        self._defaults = defaults

    def __getattr__(self, name: str) -> Any:
        if hasattr(self._made, name):
            return getattr(self._made, name)
        default = getattr(self._defaults, name)
        method = getattr(default, "__func__", None)
        return default if method is None else method.__get__(self)  # a default method acts on this object


def names(group: str) -> list[str]:
    """Return the names of all plug-ins in `group`, sorted."""
    return sorted(entries(group).names)


def entries(group: str) -> EntryPoints:
    """Return the entry points of `group`."""
    return _installed(tuple(sys.path))(group=group)


@lru_cache(maxsize=4)
def _installed(path: tuple[str, ...]) -> Callable[..., EntryPoints]:
    """Return a selector for the entry points along `path`, cached: scanning reads a file of every package."""
    return entry_points().select


def _entry(group: str, name: str) -> EntryPoint:
    known = entries(group)
    if name in known.names:
        return known[name]
    kind = group.rpartition(".")[2].removesuffix("s")
    raise InputError(f"unknown {kind} {name!r}", hint=suggest(name, names(group)))
