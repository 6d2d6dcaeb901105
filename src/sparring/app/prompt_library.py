"""Prompts by name: in folders, of installed chatbots, of the user and the judge, and saved in a store."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparring.app.config import AppConfig
from sparring.app.sources import ChosenPrompts
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
from sparring.core.prompts import SHORT, PlayerRole, Prompts
from sparring.core.text import did_you_mean, suggest
from sparring.judges import model as judge
from sparring.judges.rubric_files import PROMPT, check_prompt
from sparring.llm.client.late_transport import LateTransport
from sparring.llm.model import Completion, Request, UnpricedModel
from sparring.llm.plugin_context import LLMConfig, PluginContext
from sparring.runner.players import chatbot_prompts
from sparring.store.store import StoreReader
from sparring.users import simulated

_TEXT = "prompt.md"
_HASH = re.compile(f"[0-9a-f]{{{SHORT},64}}")
_CHATBOTS = "sparring.chatbots"


@dataclass(frozen=True, slots=True)
class Shipped:
    """Bundled prompts, and the name of the chatbot that uses them."""

    where: str
    prompts: Prompts


def found(which: str, *, chatbot: str = "") -> tuple[Prompts, ...]:
    """Return the prompts in a folder, of a chatbot, or of that name; tools are those of `chatbot`."""
    if Path(which).is_dir():
        return in_folder(Path(which), chatbot=chatbot)
    named = [each.prompts for each in shipped() if each.prompts.name == which]
    if named:
        return tuple(named)
    if plugins.is_known(_CHATBOTS, which):
        if prompts := _connected(which).capabilities.prompts:
            return prompts
        raise InputError(f"{which} is not made of a prompt, so its prompts are unknown")
    names = [*dict.fromkeys(name for each in shipped() for name in (each.prompts.name, each.where))]
    hint = did_you_mean(which, names) or f"give a folder, or one of: {', '.join(names)}"
    raise InputError(f"there are no prompts called {which!r}, and there is no such folder", hint=hint)


def shipped() -> list[Shipped]:
    """Return the prompts of everything that is installed."""
    return offered([where for name in plugins.names(_CHATBOTS) for where in _with_specs(name)])


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
    """Return the versions used by batches whose hashes start with this prefix; none without a store."""
    if path is None:
        return []
    async with open_store_at(path, must_exist=True) as store:
        return await store.prompts(hash)


async def used(path: Address | None) -> list[tuple[str, Prompts]]:
    """Return every version used by a batch, with the batch's id, newest first."""
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
    """Return every saved version with its name, newest first."""
    if path is None:
        return []
    async with open_store_at(path, must_exist=True) as store:
        versions = {each.hash: each for each in await store.prompts()}
        return [(each.name, versions[each.hash]) for each in await store.saved_prompts() if each.hash in versions]


def offered(chatbots: Sequence[str]) -> list[Shipped]:
    """Return the prompts of these chatbots, and the bundled ones of the user and the judge."""
    return [*(each for name in chatbots for each in _of_chatbot(name)), *_others()]


async def chosen_prompts(names: Mapping[PlayerRole, str], store: StoreReader) -> ChosenPrompts:
    """Return the versions with these names or hashes. Raise InputError with all that do not exist."""
    found: dict[PlayerRole, Prompts] = {}
    problems: list[Problem] = []
    for role, name in names.items():
        try:
            found |= {role: await _version(role, name, store)} if name else {}
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    own = {role: each for role, each in found.items() if each.hash not in _bundled()}
    text = own["judge"].agents["judge"].prompt if "judge" in own else PROMPT if "judge" in found else None
    return ChosenPrompts(tuple(each for role, each in own.items() if role != "judge"), text)


async def _version(role: PlayerRole, name: str, store: StoreReader) -> Prompts:
    """Return the newest version of this name, or the one whose hash starts with it."""
    saved = await store.saved_prompts(name)
    hash = saved[0].hash if saved else name if _HASH.fullmatch(name) else None
    path = "prompts" if role == "chatbot" else f"{role}_prompts"
    versions = {} if hash is None else {each.hash: each for each in await store.prompts(hash)}
    versions |= {own: each for own, each in _bundled().items() if hash and own.startswith(hash)}
    if len(versions) != 1:
        roles = {each.hash: each.role for each in await store.prompts()}
        names = [each.name for each in await store.saved_prompts() if roles.get(each.hash) == role]
        hint = suggest(name, list(dict.fromkeys(names))) if names else f"no prompt for the {role} is saved"
        raise InputError(Problem(path=path, message=f"there are no prompts called {name[:100]!r}", hint=hint))
    (version,) = versions.values()
    if version.role != role:
        raise InputError(Problem(path=path, message=f"the prompts {name[:100]!r} are those of a {version.role}"))
    return version


async def checked_version(prompts: Prompts, config: AppConfig) -> Prompts:
    """Return a version as it is sent: a chatbot's has the tools of the chosen chatbot.

    Raise InputError with everything that is wrong with it.
    """
    if prompts.role != "chatbot":
        return _checked_player(prompts)
    async with players(player_names(config), config, prompts={"chatbot": prompts}) as (resolved, _):
        return chatbot_prompts(resolved.chatbot)[0]


def _checked_player(prompts: Prompts) -> Prompts:
    """Return a version of the user or the judge: one text with placeholders."""
    path, alone = f"agents.{prompts.role}.prompt", f"the {prompts.role} has one prompt, and nothing else"
    if {prompts.entry, *prompts.agents} != {prompts.role}:
        raise InputError(Problem(path="agents", message=alone))
    agent = prompts.agents[prompts.role]
    try:
        if prompts.role == "judge":
            check_prompt(agent.prompt)
        standard = simulated.prompts(agent.prompt) if prompts.role == "user" else judge.prompts(agent.prompt)
    except InputError as error:
        raise InputError(each.model_copy(update={"path": path}) for each in error.problems) from error
    plain = agent.model_copy(update={"prompt": agent.prompt.strip(), "tools": standard.agents[prompts.role].tools})
    if prompts.model_copy(update={"agents": {prompts.role: plain}, "tools": standard.tools}).hash != standard.hash:
        raise InputError(Problem(path=path, message=alone))
    return standard.model_copy(update={"name": prompts.name})


def _others() -> list[Shipped]:
    return [Shipped("user", simulated.prompts()), Shipped("judge", judge.prompts())]


def _bundled() -> dict[str, Prompts]:
    return {each.prompts.hash: each.prompts for each in _others()}


def _alone(folder: Path) -> tuple[Prompts, ...]:
    if (folder / "tools.py").exists() or not (folder / SPEC).exists():
        return from_folder(folder, _context()).capabilities.prompts
    return (specs.read(folder, Toolbox()).prompts,)


def _has_prompts(folder: Path) -> bool:
    return (folder / SPEC).is_file() or (folder / _TEXT).is_file()


def _with_specs(name: str) -> list[str]:
    try:
        return [name, *(f"{name}:spec={spec}" for spec in _connected(name).capabilities.specs)]
    except InputError:
        return []


def _of_chatbot(name: str) -> tuple[Shipped, ...]:
    try:
        return tuple(Shipped(name, prompts) for prompts in _connected(name).capabilities.prompts)
    except InputError:
        return ()  # it needs to be told something, so it brings nothing along


def _connected(name: str) -> Chatbot:
    return connect(name, _context())


def _context() -> PluginContext:
    return PluginContext(LLMConfig(), SystemClock(), LateTransport(), models={"chatbot": _UnusedModel()})


class _UnusedModel(UnpricedModel):
    """A placeholder for a model that is not called."""

    async def complete(self, request: Request) -> Completion:
        raise AssertionError("no model is called while prompts are read")
