"""Write the pages of the reference that follow from the code: `make docs-write`. A test says when they are behind."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from sparring.cli import COMMANDS, usage
from sparring.cli.process import command_app
from sparring.core.checks import Gate
from sparring.core.value import Value
from sparring.rules.functions import collections, dialogue, model, text, tools
from sparring.rules.functions.aggregates import AGGREGATES
from sparring.rules.functions.function import functions_in
from sparring.rules.functions.registry import METHOD_NAMES
from sparring.settings import NESTED, Serve, Settings, Webhook
from sparring.testing.memory_store import MemoryStore
from sparring.web.api.openapi import openapi
from sparring.web.app import application

REFERENCE = Path(__file__).parent / "reference"


def command_line() -> str:
    """docs/reference/command-line.md"""
    os.environ["COLUMNS"] = "80"  # or the help is as wide as whoever writes it
    pages = ["# The command line", "Generated from the code.", f"```text\n{usage()}\n```"]
    for name, (target, line) in COMMANDS.items():
        command = typer.main.get_command(command_app(target))
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
        if name not in NESTED
    ]
    serve, gate, webhook = _under(Serve), _under(Gate), _under(Webhook)
    of_their_own = [SERVE_HEAD, *serve, "", SERVE_TAIL, WEBHOOK_HEAD, *webhook, "", GATE_HEAD, *gate, ""]
    return "\n".join([SETTINGS_HEAD, *rows, "", SETTINGS_TAIL, *of_their_own])


def _under(part: type[Value]) -> list[str]:
    return [f"| `{name}` | {each.description} | {_default(each.default)} |" for name, each in part.model_fields.items()]


def _default(value: object) -> str:
    return "" if value in ("", None, (), {}) else f"`{value}`"


SETTINGS_HEAD = """\
# Settings

Generated from the code.

A setting is taken from the first of these that has it: the command line, the environment, `.env`, `sparring.yaml` in the
current folder, the default.

| in `sparring.yaml` | in the environment or `.env` | what it is | default |
|---|---|---|---|"""

SETTINGS_TAIL = """\
`OPENAI_MODEL` (a model of OpenAI's), `MAX_TURNS`, `TIMEOUT_SEC`, `CONCURRENCY`, `LOGS_DIR` and `RESULTS_DIR` are read
too; Sparring's own names beat
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
    "Texts": text,
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

SERVE_HEAD = """\
## What a server offers

`serve:` in `sparring.yaml` holds what `sparring serve` needs to know; its options beat it. `SPARRING_HOST`, `HOST`,
`SPARRING_PORT` and `PORT` in the environment stand between the two.

| under `serve:` | what it is | default |
|---|---|---|"""

SERVE_TAIL = """\
`DEBUG=1` makes the server say everything, `LOG_LEVEL` (`debug`, `info`, `warning`, `error`) how much it says. The operator's
own token is in `SPARRING_SERVE_TOKEN`, or in the file that `--token-file` names, and never in `sparring.yaml`; `sparring
tokens` makes others, each with a role. A caller is a token, or an address where none is needed. Pages, events and REST are
counted apart; who asks too often is answered 429, and when to come back (`Retry-After`).
"""


GATE_HEAD = """\
## What a batch has to reach

With `gate:` in `sparring.yaml`, `sparring run` and `sparring gate` hold a batch against it: exit code 0 if it gets through, 1 if
not, 4 if that cannot be told. A gate is strict where it says nothing. Shares are from 0 to 1; a whole number is one of
conversations. [How to gate a release](../how-to/gate-a-release.md) shows it at work.

| under `gate:` | what it is | default |
|---|---|---|"""


WEBHOOK_HEAD = """\
## A webhook

`webhook:` in `sparring.yaml` names [who is asked about every conversation](../how-to/ask-a-webhook-first.md) before it
begins.

| under `webhook:` | what it is | default |
|---|---|---|"""


def rest() -> str:
    """docs/reference/rest.md"""
    described = openapi(application(MemoryStore(), Settings(), {}))
    pages = [REST_HEAD]
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            pages.append("\n\n".join(_operation(method.upper(), path, operation)))
    pages.append("## Shapes")
    pages += [_shape(name, schema) for name, schema in described["components"]["schemas"].items() if _is_shape(schema)]
    return "\n\n".join(pages) + "\n"


def _operation(method: str, path: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"## {method} {path}"
    yield " ".join(operation["description"].split())
    if asked := [each for each in operation.get("parameters", []) if each["in"] != "path"]:
        rows = [f"| `{each['name']}` | {each['in']} | {each.get('description', '')} |" for each in asked]
        yield "\n".join(["| parameter | in | what it is |", "|---|---|---|", *rows])
    if "requestBody" in operation:
        (content,) = operation["requestBody"]["content"].values()
        if "$ref" in content["schema"]:
            name = _kind(content["schema"])
            yield f"The body is a [{name}](#{name.lower()})."
    if "requestBody" in operation and "$ref" not in content["schema"]:
        fields = content["schema"]["anyOf"][1]["properties"]
        rows = [f"| `{name}` | {each.get('description', 'the scenarios')} |" for name, each in fields.items()]
        yield "\n".join(["| beside `scenarios` | what it is |", "|---|---|", *rows[1:]])
        for example in content["examples"].values():
            yield f"For example {example['summary']}:"
            yield f"```json\n{json.dumps(example['value'], indent=2)}\n```"
    answers = [f"`{status}` {each['description']}" for status, each in operation["responses"].items()]
    yield f"Answers: {'; '.join(answers).replace('Successful Response', _answered(operation))}."


def _answered(operation: dict[str, Any]) -> str:
    """The shape of a good answer, as a link."""
    good = next(each for status, each in operation["responses"].items() if status.startswith("2"))
    schema = good.get("content", {}).get("application/json", {}).get("schema", {}).get("$ref", "")
    name = schema.rpartition("/")[2]
    return f"[{name}](#{name.lower()})" if name else "what was asked for"


def _is_shape(schema: dict[str, Any]) -> bool:
    return bool(schema.get("properties"))


def _shape(name: str, schema: dict[str, Any]) -> str:
    rows = [f"| `{field}` | {_kind(each)} |" for field, each in schema["properties"].items()]
    said = " ".join(schema.get("description", "").split())
    return "\n".join([f"### {name}", "", said, "", "| field | what it holds |", "|---|---|", *rows])


def _kind(schema: dict[str, Any]) -> str:
    """What a field holds, in a word or two."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(each) for each in schema["anyOf"]))
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if "items" in schema:
        return f"list of {_kind(schema['items'])}"
    return str(schema.get("format", schema.get("type", "anything")))


REST_HEAD = """\
# The REST service

Generated from the code. [How to run the server](../how-to/run-the-server.md) shows how it is used.

Everything is JSON without NaN; times are UTC. Every error is `{"error": ...}`, with `hint` where there is one,
`current_status` where a batch is in the wrong state, and `problems` with everything that is wrong with what was sent. With
a token, every request needs `Authorization: Bearer TOKEN`: one whose role is `read` may send what begins with GET here, one
with `run` POST too, and `admin` everything. Whoever asks too often is answered `429`, with `Retry-After`.

A batch is `pending` until its first conversation begins, then `running`; `completed` means finished, however its
conversations ended; `failed` that it could not be played to its end (`error_message` says why); `cancelled` that it was
stopped, by somebody, by a limit, or since its program was killed (`error_message` says which). A launch is answered with `launched`, which is no status
of a batch. A conversation is `completed`, `failed` or `timeout`; one that failed has no score.

Events are Server-Sent Events: `batch_started`, `conversation_started`, `message`, `conversation_ended`,
`verdict_given`, `batch_finished`, and at the end `done` with the status of the batch. All but `message` and `done` have a number as their id;
`Last-Event-ID`, or `after`, goes on behind it. A line that begins with a colon says that the connection is alive."""

PAGES = {
    "command-line.md": command_line,
    "rest.md": rest,
    "rule-functions.md": rule_functions,
    "settings.md": settings,
}


def main() -> None:
    """Write all of them."""
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
