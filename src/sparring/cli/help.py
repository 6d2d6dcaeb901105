"""Help of commands, from `options.json` and `examples.txt`.

Imports nothing of Sparring, so help comes at once. `docs/generate.py` writes `options.json` from
the typer applications.
"""

import json
import os
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

SCREEN = 50
"""Lines of help that fit a screen. Longer help names the less common options without describing them."""

_MAIN = "Options"
_HELP = {"name": "-h, --help", "metavar": "", "help": "Show this help."}


def described() -> Mapping[str, Any]:
    """Return the description of every command: its help, arguments, options, and commands of its own."""
    found: Mapping[str, Any] = json.loads(Path(__file__).with_name("options.json").read_text(encoding="utf-8"))
    return found


def examples(command: str) -> list[str]:
    """Return the examples of a command."""
    lines = Path(__file__).with_name("examples.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if f"{line} ".startswith(f"sparring {command} ")]


def command_help(words: list[str], *, everything: bool = False, width: int | None = None) -> str:
    """Return the help of the command that these words start with, such as `tokens add`."""
    command, path = described()[words[0]], words[:1]
    inner = [each for each in words[1:] if each in command.get("commands", ())][:1]
    for each in inner:
        command, path = command["commands"][each], [*path, each]
    name, width = " ".join(path), width or columns()
    flat = list(_lines(name, command, width, [each | {"group": _MAIN} for each in command["options"]]))
    if len(flat) <= SCREEN:
        return "\n".join(flat)
    return "\n".join(_lines(name, command, width, command["options"], brief=not everything))


def columns() -> int:
    """Return the width of the terminal; 100 for pipes and files."""
    try:
        return int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns) or 100
    except (OSError, ValueError):
        return 100


def _lines(
    name: str, command: Mapping[str, Any], width: int, options: list[Any], *, brief: bool = False
) -> Iterator[str]:
    inner = command.get("commands", {})
    yield " ".join(["Usage: sparring", name, *(["COMMAND"] if inner else []), *command["usage"], "[OPTIONS]"])
    for paragraph in command["help"]:
        yield ""
        yield from textwrap.wrap(paragraph, width)
    groups: dict[str, list[Any]] = {"Arguments": command["arguments"]}
    groups["Commands"] = [{"name": each, "metavar": "", "help": its["help"][0]} for each, its in inner.items()]
    for each in [*options, _HELP | {"group": _MAIN}]:
        groups.setdefault(each.get("group", _MAIN), []).append(each)
    common = ("Arguments", "Commands", _MAIN)
    for title, members in groups.items():
        if members and not (brief and title not in common):
            yield from ("", f"{title}:", *_table([(_spelling(each), each["help"]) for each in members], width))
    if brief:
        less = {title: [each["name"] for each in members] for title, members in groups.items() if title not in common}
        yield from ("", "More options, which `-h --all` describes:")
        yield from _table([(title, "  ".join(names)) for title, names in less.items()], width)
    if shown := examples(name):
        yield from ("", "Examples:", *(f"  {line}" for line in shown))


def _spelling(option: Mapping[str, Any]) -> str:
    return f"{option['name']} {option['metavar']}".strip()


def _table(rows: list[tuple[str, str]], width: int) -> Iterator[str]:
    left = min(max(len(name) for name, _ in rows), 26)
    for name, text in rows:
        first, *more = textwrap.wrap(text, max(30, width - left - 4), break_on_hyphens=False) or [""]
        if len(name) > left:
            yield f"  {name}"
            name = ""
        yield f"  {name:<{left}}  {first}".rstrip()
        yield from (f"  {'':<{left}}  {line}" for line in more)
