"""TARGET of `try` and `init`: an address, a curl command, a preset or a name; secrets in `.env`."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import typer

from sparring.app.config import AppConfig
from sparring.app.detect import detect, reply_in
from sparring.app.recognize import recognized
from sparring.cli.console import notify
from sparring.core.errors import InputError, Problem
from sparring.core.plugins import preset_chatbot
from sparring.integrations.curl.command import read_curl
from sparring.integrations.curl.preset import draft, with_reply
from sparring.parsing import load, parse
from sparring.settings import environment

_LARGEST = 1_000_000
_SCHEMES = ("http", "https", "ws", "wss")
_LOOPBACK = ("localhost", "127.0.0.1", "::1", "0.0.0.0")


def ask_first(target: str, most: str, *, yes: bool) -> None:
    """Ask before talking to a remote server, where orders may be real."""
    host = urlsplit(target).hostname if "://" in target else None
    if host is None or host in _LOOPBACK or yes:
        return
    about = f"{most} go to {host}; it may take orders for real"
    if not sys.stdin.isatty():
        raise InputError(about, hint="--yes, if that is all right")
    if not typer.confirm(f"{about}. Go on?"):
        raise InputError("stopped before anything was sent")


async def preset_of(target: str, config: AppConfig) -> tuple[str, Mapping[str, str]]:
    """Return the text of a preset for an address or a curl command, with the secrets for `.env`.

    The text is empty if the target needs no preset.
    """
    if target.startswith(("http://", "https://")):
        return await _detected(target, config), {}
    if target.startswith(("ws://", "wss://")):
        from sparring.app.detect_websocket import detect_websocket  # heavy

        return await detect_websocket(target, config.environment), {}
    if (command := _curl_in(target)) is not None:
        return await _of_curl(command, config)
    return "", {}


def chatbot_of(preset: str, path: Path | str) -> str:
    """Return the name of the chatbot whose preset is at a path."""
    return f"{preset_chatbot(parse(preset).data)}:{path}"


def name_of(target: str) -> str:
    """Return the name of the chatbot that a target means: a preset file, or a name."""
    scheme, _, rest = target.partition(":")
    if scheme in _SCHEMES and rest.startswith("/") and not rest.endswith((".yaml", ".yml")):
        raise InputError(f"{target} is no address", hint=f"did you mean {f'{scheme}:/{rest}'!r}?")
    named = ":" in target  # http:bot.yaml
    is_preset = Path(target).is_file() if named else target.endswith((".yaml", ".yml")) or Path(target).is_file()
    if not is_preset or target.endswith(".py"):
        return target
    from sparring.scenarios.kinds import OTHER_KEYS, scenario_keys  # heavy

    data = load(target).data
    if isinstance(data, dict) and data.keys() & scenario_keys() and data.keys().isdisjoint(OTHER_KEYS["preset"]):
        hint = f"sparring try TARGET --scenario {target}, or sparring run {target} --chatbot TARGET"
        raise InputError(f"{target} is a scenario, not a chatbot", hint=hint)
    return f"{preset_chatbot(data)}:{target}"


def read_text(path: Path) -> str:
    """Return the beginning of a text file. Raise InputError if it cannot be read."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            return file.read(_LARGEST)
    except OSError as error:
        raise InputError(Problem(file=str(path), message=f"cannot be read: {error.strerror}")) from error
    except UnicodeDecodeError as error:
        raise InputError(Problem(file=str(path), message="is not UTF-8 text")) from error


def read_input(path: str) -> str:
    """Return the text of a file, or of standard input for `-`."""
    return sys.stdin.read(_LARGEST) if path == "-" else read_text(Path(path))


def _curl_in(target: str) -> str | None:
    if target.startswith("curl "):
        return target
    if target != "-" and not Path(target).is_file():
        return None
    text = read_input(target)
    return text if target == "-" or text.lstrip().startswith("curl ") else None


async def _detected(url: str, config: AppConfig) -> str:
    from sparring.llm.client.http_transport import HttpTransport  # heavy

    async with HttpTransport(config.environment) as transport:
        try:
            return (await detect(url, transport)).preset
        except InputError:
            if await recognized(url, transport) == f"mcp:{url}":
                raise InputError(f"{url}: {MCP_SERVER}", hint=mcp_hint(url)) from None
            raise


MCP_SERVER = "this is an MCP server, which has tools but does not talk"


def mcp_hint(url: str) -> str:
    """Return how the tools of an MCP server are reached."""
    return f"write `server: {{url: {url}}}` to FOLDER/mcp.yaml, for --chatbot prompted:FOLDER"


async def _of_curl(command: str, config: AppConfig) -> tuple[str, Mapping[str, str]]:
    """Draft the preset of a curl command, with the path at which the reply was found."""
    from sparring.llm.client.http_transport import HttpTransport  # heavy

    drafted = draft(read_curl(command))
    async with HttpTransport(config.environment) as transport:
        path = await reply_in(drafted.text, transport, {**config.environment, **drafted.values})
    text = drafted.text if path is None else with_reply(drafted.text, path)
    return text or drafted.text, drafted.values


ENV = Path(".env")


def add_to_env(secrets: Mapping[str, str]) -> list[str]:
    """Add secrets to `.env` of the current folder, and return the names that were new.

    Raise InputError before anything is written if one of them has another value there.
    """
    known = environment(Path(), {})
    if others := [name for name, value in secrets.items() if known.get(name, value) != value]:
        problems = [Problem(file=str(ENV), message=f"{name} has another value already") for name in others]
        raise InputError(problems, hint=f"remove it from {ENV}, if it is no longer needed")
    new = {name: value for name, value in secrets.items() if name not in known}
    if new:
        try:
            before = ENV.read_bytes() if ENV.exists() else b""
            with os.fdopen(os.open(ENV, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
                os.chmod(ENV, 0o600)
                lines = "".join(f"{name}={_quoted(value)}\n" for name, value in new.items())
                file.write((b"\n" if before and not before.endswith(b"\n") else b"") + lines.encode())
        except OSError as error:
            raise InputError(Problem(file=str(ENV), message=f"cannot be written: {error.strerror}")) from error
    return list(new)


def notify_moved(names: Sequence[str]) -> None:
    """Report which variables were written, without their values."""
    if names:
        ignored = Path(".gitignore")
        known = ignored.is_file() and str(ENV) in ignored.read_text(encoding="utf-8", errors="replace").split()
        hint = "" if known or not Path(".git").exists() else f"; add {ENV} to .gitignore"
        notify(f"written: {ENV}: {', '.join(names)}{hint}")


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
