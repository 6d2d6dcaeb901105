"""The command line: a table of commands. The module of a command is imported when it is called.

Exit codes: 0 all passed, 1 something failed, 2 bad usage or input, 3 undecided (nothing failed), 4 gate inconclusive,
130 interrupted.
"""

import gc
import json
import os
import sys
from collections.abc import Mapping, Sequence

from sparring.cli.color import MODES, coloring, plain_signs, without_color

with open(os.path.join(os.path.dirname(__file__), "commands.json"), encoding="utf-8") as _table:  # pathlib is slow
    GROUPS: Mapping[str, Mapping[str, Sequence[str]]] = json.load(_table)
"""Commands by group: name, its place as `module:name` in `cli/commands/`, and a line of help."""

COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}


def main() -> None:
    """Run the `sparring` command. A closed output pipe is not an error.

    Garbage collection runs rarely, because importing a command creates no cycles.
    """
    gc.set_threshold(50_000, 20, 50)
    plain_signs()
    try:
        code = call(sys.argv[1:])
    except KeyboardInterrupt:  # while a command is imported
        code = 130
    except OSError as error:  # of help; commands tell their own
        code = _unwritten(error)
    try:
        sys.stdout.flush()
    except OSError as error:
        code = _unwritten(error) or code
    sys.exit(code)


def _unwritten(error: OSError) -> int:
    """Return the exit code for output that cannot be written: 0 for a closed pipe, else 2 with a message."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains at exit
    if isinstance(error, BrokenPipeError):
        return 0
    print(f"error: stdout: cannot be written: {error.strerror}", file=sys.stderr)
    return 2


def call(arguments: list[str]) -> int:
    """Run one command line without the leading `sparring`. Return the exit code."""
    if arguments[:1] == ["_complete"]:
        from sparring.cli.help import candidates

        sys.stdout.writelines(f"{line}\n" for line in candidates(arguments[1:]))
        return 0
    others, mode = without_color(arguments)
    if mode not in MODES:
        print(f"error: --color: expected {', '.join(MODES)}, got {mode!r}", file=sys.stderr)
        return 2
    with coloring(mode):
        return _call(*others) if others else _call("help")


def _call(name: str, *rest: str) -> int:
    asked = rest[: rest.index("--")] if "--" in rest else rest
    if name == "help" and rest:
        name, rest, asked = rest[0], rest[1:], ("--help",)
    if name in ("--help", "-h", "help"):
        print(usage())
        return 0
    if name in ("--version", "version"):
        from sparring.core.version import __version__

        print(f"sparring {__version__}")
        return 0
    if name in COMMANDS and ("-h" in asked or "--help" in asked):
        from sparring.cli.help import command_help

        print(command_help([name, *rest], everything="--all" in rest))
        return 0
    from sparring.cli.process import call_command, unknown_command

    if name not in COMMANDS:
        return unknown_command(name, list(COMMANDS), rest)
    return call_command(name, COMMANDS[name][0], list(rest))


def usage() -> str:
    """Return the help text. Imports nothing."""
    width = max(map(len, COMMANDS))
    commands = "\n\n".join(
        "\n".join([f"{group}:", *(f"  {name:<{width}}  {line}" for name, (_, line) in members.items())])
        for group, members in GROUPS.items()
    )
    return f"""Usage: sparring COMMAND [OPTIONS]

The test bench for chatbots that tells you whether to trust the result.

{commands}

  -h, --help                 help on a command, such as `sparring run -h`; `-h --all` describes every option
  --color auto|always|never  when to use color; NO_COLOR and FORCE_COLOR also apply
  --version                  version of Sparring

No chatbot at hand? Start here; it needs no key and no network:

  sparring demo"""
