"""Prompts by name: in folders, of installed chatbots, of the user and the judge, and saved in a store."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sparring.app.config import AppConfig
from sparring.app.stores import open_store_at
from sparring.app.wiring import connect, player_names, players
from sparring.chatbots.chatbot import Chatbot
from sparring.chatbots.prompted import spec as specs
from sparring.chatbots.prompted.chatbot import from_folder
from sparring.chatbots.prompted.spec import SPEC
from sparring.chatbots.prompted.tools import Toolbox
from sparring.core import plugins
from sparring.core.addresses import Address
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError, Problem
from sparring.core.prompts import SHORT, Prompts
from sparring.core.text import did_you_mean, suggest
from sparring.judges import model as judge
from sparring.llm.client.late_transport import LateTransport
from sparring.llm.model import Completion, Request, UnpricedModel
from sparring.llm.plugin_context import LLMConfig, PluginContext
from sparring.runner.prompts import chatbot_told
from sparring.store.store import StoreReader
from sparring.users import simulated

_TEXT = "prompt.md"
_HASH = re.compile(f"[0-9a-f]{{{SHORT},64}}")
_CHATBOTS = "sparring.chatbots"


@dataclass(frozen=True, slots=True)
class Shipped:
    """Bundled prompts, and the name by which a chatbot with them is chosen."""

    where: str
    prompts: Prompts


def found(which: str, *, chatbot: str = "") -> tuple[Prompts, ...]:
    """Return the prompts in a folder, of a chatbot, or of that name; tools are those of `chatbot`."""
    if Path(which).is_dir():
        return in_folder(Path(which), chatbot=chatbot)
    named = [each.prompts for each in shipped() if each.prompts.name == which]
    if named:
        return tuple(named)
    if which.partition(":")[0] in plugins.names(_CHATBOTS):
        if prompts := _connected(which).capabilities.prompts:
            return prompts
        raise InputError(f"what {which} is told is not known here: it is not made of a prompt")
    names = [*dict.fromkeys(name for each in shipped() for name in (each.prompts.name, each.where))]
    hint = did_you_mean(which, names) or f"give a folder, or one of: {', '.join(names)}"
    raise InputError(f"there are no prompts called {which!r}, and there is no such folder", hint=hint)


def shipped() -> list[Shipped]:
    """Return the prompts of everything that is installed."""
    others = [Shipped("user", simulated.prompts()), Shipped("judge", judge.prompts())]
    return [*(each for name in plugins.names(_CHATBOTS) for each in _of_chatbot(name)), *others]


def in_folder(folder: Path, *, chatbot: str = "") -> tuple[Prompts, ...]:
    """Return the prompts in a folder or its folders. Raise InputError with the problems of all of them."""
    if chatbot:
        prompts_of_chatbot = _connected(f"{chatbot}:spec={folder}").capabilities.prompts
        if not prompts_of_chatbot:
            raise InputError(f"{chatbot} is not made of a prompt")
        return prompts_of_chatbot
    folders = [folder] if _has_prompts(folder) else sorted(each for each in folder.iterdir() if _has_prompts(each))
    if not folders:
        raise InputError(f"{folder} has no {SPEC} and no {_TEXT}", hint="one of them makes a chatbot of it")
    prompts: list[Prompts] = []
    problems: list[Problem] = []
    for each in folders:
        try:
            prompts += _alone(each)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return tuple(prompts)


async def kept(path: Address | None, hash: str) -> list[Prompts]:
    """Return the versions used by batches whose hashes begin so; none without a store."""
    if path is None:
        return []
    async with open_store_at(path, must_exist=True) as store:
        return await store.prompts(hash)


async def used(path: Address | None) -> list[tuple[str, Prompts]]:
    """Return every version in a store with the id of each batch that used it, newest first."""
    if path is None:
        return []
    found: list[tuple[str, Prompts]] = []
    async with open_store_at(path, must_exist=True) as store:
        versions = {each.hash: each for each in await store.prompts()}
        before = ""
        while heads := await store.batches(before=before):
            found += [(head.id, versions[hash]) for head in heads for hash in head.prompts.values() if hash in versions]
            before = heads[-1].id
    return found


async def saved(path: Address | None) -> list[tuple[str, Prompts]]:
    """Return every version that was saved in a store with its name, newest first."""
    if path is None:
        return []
    async with open_store_at(path, must_exist=True) as store:
        versions = {each.hash: each for each in await store.prompts()}
        return [(each.name, versions[each.hash]) for each in await store.saved_prompts() if each.hash in versions]


async def saved_version(name: str, store: StoreReader) -> Prompts:
    """Return the newest version of this name, or the one whose hash begins so. Raise InputError if there is none."""
    saved = await store.saved_prompts(name)
    found = await store.prompts(saved[0].hash if saved else name) if saved or _HASH.fullmatch(name) else []
    if len(found) != 1:
        names = dict.fromkeys(each.name for each in await store.saved_prompts())
        raise InputError(
            Problem(
                path="prompts", message=f"there are no prompts called {name[:100]!r}", hint=suggest(name, list(names))
            )
        )
    return found[0]


async def checked_version(prompts: Prompts, config: AppConfig) -> Prompts:
    """Return a version with the tools of the chosen chatbot. Raise InputError with everything that is wrong with it."""
    async with players(player_names(config), config, told=prompts) as (cast, _):
        return chatbot_told(cast.chatbot)[0]


def _alone(folder: Path) -> tuple[Prompts, ...]:
    if (folder / "tools.py").exists() or not (folder / SPEC).exists():
        return from_folder(folder, _context()).capabilities.prompts
    return (specs.read(folder, Toolbox()).prompts,)


def _has_prompts(folder: Path) -> bool:
    return (folder / SPEC).is_file() or (folder / _TEXT).is_file()


def _of_chatbot(name: str) -> Iterator[Shipped]:
    try:
        made = _connected(name)
    except InputError:
        return  # it needs to be told something, so it brings nothing along
    for each in [name, *(f"{name}:spec={spec}" for spec in made.capabilities.specs)]:
        told = made if each == name else _connected(each)
        yield from (Shipped(each, prompts) for prompts in told.capabilities.prompts)


def _connected(name: str) -> Chatbot:
    return connect(name, _context())


def _context() -> PluginContext:
    return PluginContext(LLMConfig(), SystemClock(), LateTransport(), models={"chatbot": _UnusedModel()})


class _UnusedModel(UnpricedModel):
    """A placeholder for a model that is not called."""

    async def complete(self, request: Request) -> Completion:
        raise AssertionError("nobody talks while prompts are read")
