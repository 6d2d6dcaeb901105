"""Everything with more than one kind is found by name, through entry points; built-in kinds get no favours."""

import sys
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any

from sparring.core.errors import InputError
from sparring.core.text import meant


def find(group: str, name: str) -> Any:
    """The plug-in called `name` in `group`, such as ("sparring.chatbots", "pizzeria")."""
    return _entry(group, name).load()


def module(group: str, name: str) -> str:
    """The module that the plug-in called `name` comes from."""
    return _entry(group, name).module


def names(group: str) -> list[str]:
    """What there is in `group`, sorted."""
    return sorted(entries(group).names)


def entries(group: str) -> EntryPoints:
    """What there is in `group`."""
    return _installed(tuple(sys.path))(group=group)


@lru_cache(maxsize=4)
def _installed(path: tuple[str, ...]) -> Callable[..., EntryPoints]:
    """What chooses from all plug-ins along `path`: to find them is to read a file of every package there."""
    return entry_points().select


def _entry(group: str, name: str) -> EntryPoint:
    known = entries(group)
    if name in known.names:
        return known[name]
    kind = group.rpartition(".")[2].removesuffix("s")
    raise InputError(f"unknown {kind} {name!r}", hint=meant(name, names(group)))
