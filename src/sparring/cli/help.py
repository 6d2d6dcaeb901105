"""Help of commands, from `options.json` and `examples.txt`, and candidates that complete a word."""

import json
import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping
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


_EVERYWHERE = {"--help": "show the help of a command", "--color": "auto, always or never"}


def candidates(words: list[str]) -> list[str]:
    """Return the candidates for the last word, each with a tab and its description.

    Without candidates, shells complete file names.
    """
    *before, current = words or [""]
    found = _found(before, current)
    return [f"{name}\t{' '.join(description.split())}" for name, description in found if name.startswith(current)]


def _found(before: list[str], current: str) -> Iterable[tuple[str, str]]:
    commands = described()
    if not before or before == ["help"]:
        return [(name, its["help"][0]) for name, its in commands.items()]
    if before[0] not in commands:
        return []
    command, rest = commands[before[0]], before[1:]
    inner = command.get("commands", {})
    if inner and not rest:
        return [(name, its["help"][0]) for name, its in inner.items()]
    if inner:
        command, rest = inner.get(rest[0], command), rest[1:]
    options = {each["name"]: each for each in command["options"]}
    options["--color"] = {"values": ["auto", "always", "never"]}
    if current.startswith("--") and "=" in current:
        name, _, value = current.partition("=")
        return [(f"{name}={each}", description) for each, description in _values(options.get(name, {}), value, rest)]
    if rest and _takes_value(options.get(rest[-1], {})):
        return _values(options[rest[-1]], current, rest[:-1])
    if current.startswith("-"):
        return [(name, each.get("help", "")) for name, each in options.items()] + [*_EVERYWHERE.items()][:1]
    arguments = command["arguments"]
    given = list(_positional(rest, options))
    at = min(len(given), len(arguments) - 1)
    return _values(arguments[at], current, rest, given) if arguments else []


def _takes_value(option: Mapping[str, Any]) -> bool:
    return "values" in option or "complete" in option


def _positional(words: list[str], options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the arguments among the words, without options and their values."""
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            yield word
        elif _takes_value(options.get(word, {})):
            next(rest, None)


def _values(
    option: Mapping[str, Any], current: str, words: list[str], given: list[str] | None = None
) -> Iterable[tuple[str, str]]:
    from sparring.app import completion

    store = Path(words[words.index("--store") + 1]) if "--store" in words[:-1] else completion.store_file()
    if "values" in option:
        return [(value, "") for value in option["values"]]
    match option.get("complete"):
        case "batch":
            return completion.batches(store)
        case "conversation":
            named = given or [word for word in words if not word.startswith("-")]
            return completion.conversations(store, named[0] if named else "latest", current)
        case "chatbot" | "model" | "user" | "reader" | "judge" as role:
            return completion.players(role, current)
    return []
