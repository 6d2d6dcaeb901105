"""Plug-ins by name, found through entry points. Built-in kinds are registered the same way."""

import re
import sys
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any, TypeVar, cast

from sparring.core.errors import InputError
from sparring.core.presets import SCHEMES
from sparring.core.text import suggest

T = TypeVar("T")
_ADDRESS = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:/|$)")

ROLES = {
    "chatbot": ("sparring.chatbots",),
    "model": ("sparring.models",),
    "chatbot_model": ("sparring.models",),
    "user": ("sparring.users", "sparring.models"),
    "reader": ("sparring.readers", "sparring.models"),
    "judge": ("sparring.judges", "sparring.models"),
}
"""The groups in which the player of a role is found. A model can play a user, a reader or a judge, too."""


def find(group: str, name: str) -> Any:
    """Return the plug-in `name` of `group`, such as ("sparring.chatbots", "pizzeria").

    Its argument may follow after a colon. Raise InputError if there is none, or if several packages provide it.
    """
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
    return sorted(_entries(group).names)


@lru_cache(maxsize=4)
def _installed(path: tuple[str, ...]) -> Callable[..., EntryPoints]:
    """Return a selector for the entry points along `path`, cached: scanning reads a file of every package."""
    return entry_points().select


@lru_cache(maxsize=64)
def _grouped(path: tuple[str, ...], group: str) -> EntryPoints:
    return _installed(path)(group=group)  # compares the group of every entry point


def _entries(group: str) -> EntryPoints:
    return _grouped(tuple(sys.path), group)


def _meant(group: str, name: str) -> str:
    """Return what to write in place of a name that is unknown, such as that of a file."""
    if group == "sparring.chatbots":
        if name.endswith(".py"):
            return f"python:{name}:FUNCTION"
        if name.endswith((".yaml", ".yml")):
            return " or ".join(f"{each}:{name}" for each in SCHEMES)
        if _ADDRESS.match(name):
            return f"an address starts with http:// or https://: http://{name}"
    return suggest(name.partition(":")[0], names(group))


def _entry(group: str, name: str) -> EntryPoint:
    kind = group.rpartition(".")[2].removesuffix("s")
    plugin = name.partition(":")[0]
    found = {entry.value: entry for entry in _entries(group) if entry.name == plugin}
    if not found:
        shown = name if _ADDRESS.match(name) else plugin
        raise InputError(f"unknown {kind} {shown!r}", hint=_meant(group, name))
    if len(found) > 1:
        raise InputError(
            f"several packages provide the {kind} {plugin!r}: {' and '.join(sorted(map(_provider, found.values())))}",
            hint="uninstall one of them, or rename its plug-in",
        )
    return found.popitem()[1]


def _provider(entry: EntryPoint) -> str:
    return f"{entry.dist.name} ({entry.value})" if entry.dist else entry.value
