"""Write the pages of the reference that follow from the code: `make docs-write`. A test says when they are behind."""

import os
from importlib import import_module
from pathlib import Path

import typer

from sparring.checking.function import functions_in
from sparring.checking.library import collections, dialogue, language, model, numbers, similarity, texts, tools
from sparring.checking.library.aggregates import AGGREGATES
from sparring.checking.library.methods import METHOD_NAMES
from sparring.cli import COMMANDS, usage
from sparring.settings import Settings

REFERENCE = Path(__file__).parent / "reference"


def command_line() -> str:
    """docs/reference/command-line.md"""
    os.environ["COLUMNS"] = "80"  # or the help is as wide as whoever writes it
    pages = ["# The command line", "Generated from the code.", f"```text\n{usage()}\n```"]
    for name, (module, line) in COMMANDS.items():
        command = typer.main.get_command(import_module(module).app)
        context = command.make_context(f"sparring {name}", [], resilient_parsing=True)
        pages.append(
            f"## sparring {name}\n\n{line[0].upper()}{line[1:]}.\n\n```text\n{_help(command.get_help(context))}\n```"
        )
        for inner, its in getattr(command, "commands", {}).items():
            context = its.make_context(f"sparring {name} {inner}", [], resilient_parsing=True)
            pages.append(f"### sparring {name} {inner}\n\n```text\n{_help(its.get_help(context))}\n```")
    return "\n\n".join(pages) + "\n"


def _help(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def settings() -> str:
    """docs/reference/settings.md"""
    rows = [
        f"| `{name}` | `SPARRING_{name.upper()}` | {field.description} | {_default(field.default)} |"
        for name, field in Settings.model_fields.items()
    ]
    return "\n".join([SETTINGS_HEAD, *rows, "", SETTINGS_TAIL])


def _default(value: object) -> str:
    return "" if value in ("", None) else f"`{value}`"


SETTINGS_HEAD = """\
# Settings

Generated from the code.

A setting is taken from the first of these that has it: the command line, the environment, `.env`, `sparring.yaml` in the
current folder, the default.

| in `sparring.yaml` | in the environment or `.env` | what it is | default |
|---|---|---|---|"""

SETTINGS_TAIL = """\
`OPENAI_MODEL` (a model of OpenAI's), `MAX_TURNS`, `TIMEOUT_SEC` and `CONCURRENCY` are read too; Sparring's own names beat
them. Any other name that begins with `SPARRING_` is refused, so that nothing is believed to be set that was misspelt.

Keys are no settings. They are read from the environment or from `.env` under the names providers gave them
(`OPENAI_API_KEY`, `OPENROUTER_API_KEY`, ...; `SPARRING_API_KEY` for `BASE_URL#MODEL`), by the model that needs them, when
it is chosen. They are never stored, logged or shown, and a key in `sparring.yaml` is refused.
"""


def rule_functions() -> str:
    """docs/reference/rule-functions.md"""
    pages = [RULE_FUNCTIONS_HEAD]
    for title, module in RULE_FUNCTIONS.items():
        pages += [f"## {title}", *(_function(each.usage, each.doc) for each in functions_in(module))]
    pages += ["## Over all conversations", RULE_AGGREGATES]
    for each in AGGREGATES.values():
        pages.append(_function(f"{each.name}(x{', q' if each.arguments == 2 else ''})", each.doc))
    methods = ", ".join(f"`.{name}()`" for name in sorted(METHOD_NAMES))
    return "\n\n".join([*pages, "## Methods", f"Of texts, lists and mappings: {methods}."]) + "\n"


def _function(usage: str, doc: str) -> str:
    return f"**`{usage}`**\n\n{doc}"


RULE_FUNCTIONS = {
    "What was said": dialogue,
    "Tools": tools,
    "Numbers in texts": numbers,
    "Texts": texts,
    "Repetition": similarity,
    "Languages": language,
    "Answered by a language model": model,
    "Lists and values": collections,
}

RULE_FUNCTIONS_HEAD = """\
# Functions of the rule language

Generated from the code. How rules are written is in [rules](rules.md).

Functions of a conversation are asked about `conv[0]` in a rule over one; in a rule over several, the first argument says
about which: `turns(conv[1])`."""

RULE_AGGREGATES = """\
Only in `then` and `yields` of a rule with `conversations: all`. `x` is any expression over one conversation, with or
without quotes around it; what it is in each of those that `when` and `if` leave is put together. `min`, `max` and `sum` of
a list, or of several things, are the plain functions."""

PAGES = {"command-line.md": command_line, "rule-functions.md": rule_functions, "settings.md": settings}


def main() -> None:
    """Write all of them."""
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
