"""Plug-ins by name, found through entry points, and how to install what some of them need.

Built-in kinds are registered the same way. A preset names its chatbot by its keys."""

import json
import re
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, EntryPoints, PackageNotFoundError, distribution, entry_points
from pathlib import Path
from typing import Any, TypeVar, cast

from sparring.core.errors import InputError
from sparring.core.text import suggest

PRESET_KEYS = frozenset({"url", "command"})
"""A YAML file with one of these keys is a preset, unless it is a scenario."""

SCHEMES: Mapping[str, str] = {"http": "http", "websocket": "ws", "command": "http"}
"""Chatbots that read presets, with the scheme of their URLs."""


def preset_chatbot(data: object) -> str:
    """Return the chatbot that reads a preset with this content."""
    if not isinstance(data, dict):
        return "http"
    if "command" in data:
        return "command"
    socket = str(data.get("url", "")).startswith("ws") or not data.keys().isdisjoint(("until", "quiet"))
    return "websocket" if socket else "http"


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


def is_known(group: str, name: str) -> bool:
    """Return True if `group` has a plug-in `name`, whose argument may follow after a colon."""
    return name.partition(":")[0] in _entries(group).names


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


def install(*extras: str) -> str:
    """Return the command that installs extras, from the checkout if Sparring came from one."""
    return f"pip install '{_origin() or 'sparring'}[{','.join(extras)}]'"


def _origin() -> str:
    """Return the folder or file that Sparring was installed from, if it is still there."""
    from urllib.parse import urlsplit  # needed only for a hint, and slow to import
    from urllib.request import url2pathname

    try:
        direct = json.loads(distribution("sparring").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return ""
    url = urlsplit(direct.get("url", ""))
    place = Path(url2pathname(url.path))
    if url.scheme != "file" or not place.exists():
        return ""
    return str(place)
