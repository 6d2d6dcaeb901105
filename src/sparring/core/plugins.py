"""Everything with more than one kind is found by name, through entry points; built-in kinds get no favours."""

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from sparring.core.errors import InputError
from sparring.core.spelling import meant


def find(group: str, name: str) -> Any:
    """The plug-in called `name` in `group`, such as ("sparring.chatbots", "pizzeria")."""
    return _entry(group, name).load()


def module(group: str, name: str) -> str:
    """The module that the plug-in called `name` comes from."""
    return _entry(group, name).module


def names(group: str) -> list[str]:
    """What there is in `group`, sorted."""
    return sorted(entry_points(group=group).names)


def _entry(group: str, name: str) -> EntryPoint:
    known = entry_points(group=group)
    if name in known.names:
        return known[name]
    kind = group.rpartition(".")[2].removesuffix("s")
    raise InputError(f"unknown {kind} {name!r}", hint=meant(name, names(group)))
