"""Candidates for a word of a command line.

A shell runs this at every key press, so little is imported.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sparring.cli.help import described

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
