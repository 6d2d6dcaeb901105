"""`sparring init`: create the files of a project."""

import json
import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.first_files import RULE, SCENARIO, first_files
from sparring.app.models import OFFLINE
from sparring.app.try_chatbot import learn_chatbot
from sparring.cli import options
from sparring.cli.console import answer, called, say
from sparring.cli.process import PASSED, UNDECIDED
from sparring.cli.targets import add_to_env, ask_first, chatbot_of, name_of, notify_moved, preset_of, read_input
from sparring.core.errors import InputError, Problem
from sparring.core.text import visible
from sparring.integrations.curl.command import read_curl
from sparring.integrations.curl.preset import PresetDraft, draft
from sparring.llm.client.transport import TransportError

_RUN = "{me} run scenarios --rules rules"
_SERVE = "{python} -m sparring_bots.pizzeria --port 5005  # in a terminal of its own"
TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "pizzeria": ("{me} validate", _RUN, "{me} show latest order/1"),
    "service": ("{me} validate", _RUN, "{me} show latest orders/track/1"),
    "phone_orders": ("{me} validate", _RUN, "{me} run scenarios/sample_scenarios.json --single 0"),
    "http": (_SERVE, "{me} doctor --chatbot http:chatbot.yaml", _RUN),
    "empty": ("{me} validate", _RUN),
}
"""Templates, and the next command for each."""

_OF_CHATBOT = ("{me} validate", _RUN, "{me} show latest first/first")


_SETTINGS = """# Settings of every `sparring` command in this folder. The command line and the environment beat them.
chatbot: {chatbot}
model: offline       # no model, no key; or openai:gpt-4o-mini, ollama:llama3.2, BASE_URL#NAME
seed: 1              # equal seeds give equal conversations
concurrency: 4       # how many conversations the server gets at once
"""
_PRESET = "sparring/chatbot.yaml"


class CI(StrEnum):
    """CI services with a job template."""

    GITHUB = "github"
    GITLAB = "gitlab"


_CI_FILES = {CI.GITHUB: ".github/workflows/sparring.yml", CI.GITLAB: ".gitlab-ci.yml"}


@dataclass(frozen=True, kw_only=True)
class InitOptions:
    """What to write besides the files of the chatbot, and over what."""

    from_curl: Annotated[str, typer.Option("--from-curl", metavar="FILE")] = ""
    ci: Annotated[CI | None, typer.Option("--ci")] = None
    force: Annotated[bool, typer.Option("--force")] = False
    yes: Annotated[bool, typer.Option("--yes")] = False


@options.configured("model", "chatbot_model")
async def init(
    *,
    target: Annotated[str, typer.Argument(metavar="TARGET")] = "",
    wanted: InitOptions,
    config: AppConfig,
    chosen: options.Chosen,
    as_json: options.Json = False,
) -> int:
    """Create sparring.yaml, a scenario, a rule and related files in this folder.

    For a chatbot, talk to it first, and write what it offers. Exit codes: 0 written, 2 not understood or a file exists,
    3 not reachable.
    """
    if target and wanted.from_curl:
        raise InputError("--from-curl goes without a target", hint="sparring init --from-curl FILE")
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        texts, commands = await _contents(target, wanted, config)
    following = [command.format(me=called(), python=_python()) for command in commands]
    lines = ["", "Next:", *(f"  {command}" for command in following)] if texts else []
    answer("written", {"written": list(texts), "next": [*following]}, lines, as_json=as_json)
    return PASSED if texts else UNDECIDED


async def _contents(target: str, wanted: InitOptions, config: AppConfig) -> tuple[dict[str, str], tuple[str, ...]]:
    """Write the files, and return them with the next commands; none if the chatbot is unreachable."""
    extra = {_CI_FILES[wanted.ci]: _text_for(wanted.ci)} if wanted.ci else {}
    drafted = draft(read_curl(read_input(wanted.from_curl))) if wanted.from_curl else None
    commands: tuple[str, ...]
    if _is_chatbot(target):
        _require_new([*extra, "sparring.yaml", _PRESET, SCENARIO, RULE], wanted.force)
        ask_first(target, "Ten conversations or more", yes=wanted.yes)
        try:
            texts, commands = await _made_for(target, config), _OF_CHATBOT
        except TransportError as error:
            say(f"STOPPED: the chatbot could not be reached: {visible(str(error))}")
            return {}, ()
    elif drafted:
        texts, commands = _files("http") | {"chatbot.yaml": drafted.text}, TEMPLATES["http"][1:]
    else:
        texts, commands = _files(target or "pizzeria"), TEMPLATES[target or "pizzeria"]
    _write(texts | extra, wanted.force)
    if drafted:
        _explain(drafted)
        notify_moved(add_to_env(drafted.values))
    return texts | extra, commands


def _is_chatbot(target: str) -> bool:
    """Return True for anything but the name of a template."""
    return target not in TEMPLATES and (":" in target or target == "-" or Path(target).is_file())


async def _made_for(target: str, config: AppConfig) -> dict[str, str]:
    """Return the files for a chatbot, based on a conversation. Raise TransportError if it does not reply.

    Secrets of a curl command are added to `.env`.
    """
    if not (config.players.model or config.players.chatbot_model):
        config = config.with_players(model=OFFLINE)
    preset, secrets = await preset_of(target, config)
    notify_moved(add_to_env(secrets))
    config = replace(config, environment={**config.environment, **secrets})
    with TemporaryDirectory() as folder:
        place = Path(folder) / "chatbot.yaml"
        place.write_text(preset, encoding="utf-8")
        name = chatbot_of(preset, place) if preset else name_of(target)
        learned = await learn_chatbot(name, config)
    if learned.unreachable:
        raise TransportError(learned.unreachable)
    chatbot = chatbot_of(preset, _PRESET) if preset else name
    texts = {"sparring.yaml": _SETTINGS.format(chatbot=json.dumps(chatbot))}
    return texts | ({_PRESET: preset} if preset else {}) | first_files(learned)


def _text_for(ci: CI) -> str:
    (text,) = (each for _, each in _inside(files("sparring.cli") / "templates" / "ci" / ci.value, ""))
    return text


def _python() -> str:
    """Return the Python that has the reference bots, by its name if that is enough."""
    found = shutil.which("python")
    return "python" if found and Path(found).parent == Path(sys.executable).parent else sys.executable


def _files(template: str) -> dict[str, str]:
    """Return the paths and contents of a template's files."""
    if template not in TEMPLATES:
        raise InputError(f"there is no template {template[:40]!r}", hint=f"there are: {', '.join(TEMPLATES)}")
    return dict(_inside(files("sparring.cli") / "templates" / template, ""))


def _inside(folder: Traversable, path: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_file() and not each.name.endswith(".pyc"):
            found.append((path + each.name, each.read_text(encoding="utf-8")))
        elif each.is_dir():
            found += _inside(each, f"{path}{each.name}/")
    return found


def _require_new(paths: Iterable[str], force: bool) -> None:
    """Raise InputError if one of these files exists."""
    if not force and (there := [path for path in paths if Path(path).exists()]):
        raise InputError(
            [Problem(file=path, message="already exists and is not overwritten") for path in there],
            hint="use --force to overwrite, or another folder",
        )


def _write(texts: Mapping[str, str], force: bool) -> None:
    """Write all of these files, or none of them if one exists."""
    _require_new(texts, force)
    for path, text in texts.items():
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            with open(path, "w" if force else "x", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:
            raise InputError(Problem(file=path, message=f"cannot be written: {error.strerror}")) from error
        say(f"written: {path}")


def _explain(drafted: PresetDraft) -> None:
    """Explain how the curl command was read, without its secrets."""
    say()
    say(f"The user's words go to: {drafted.spoken}")
    nowhere = "nowhere; if the chatbot needs one, write {{new_session}}"
    say(f"The conversation's name goes to: {drafted.session or nowhere}")
    for variable, where in drafted.secrets.items():
        if variable not in drafted.values:  # the shell has it
            say(f"Not written, as it may be secret: {where}. Set it: export {variable}=...")
