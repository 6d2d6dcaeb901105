"""Write the reference pages that are generated from code (`make docs-write`). A test fails if they are outdated."""

import inspect
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer

import sparring
from sparring.app.file_kinds import schemas
from sparring.cli import COMMANDS, usage
from sparring.cli.commands.init import TEMPLATES
from sparring.cli.help import command_help, described
from sparring.cli.process import command_app
from sparring.core.checks import Gate
from sparring.core.value import Value
from sparring.core.webhook import WebhookConfig
from sparring.rules.functions import collections, dialogue, goals, model, state, text, tools
from sparring.rules.functions.aggregates import AGGREGATES
from sparring.rules.functions.function import functions_in
from sparring.rules.functions.registry import METHOD_NAMES
from sparring.settings import NESTED, Serve, Settings
from sparring.testing.memory_store import MemoryStore
from sparring.web.api.openapi import build_openapi
from sparring.web.app import application

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs/reference"


def command_line() -> str:
    """Return docs/reference/command-line.md."""
    pages = ["# Command line", "Generated from the code.", f"```text\n{usage()}\n```"]
    for name, command in described().items():
        line = COMMANDS[name][1]
        title = f"## sparring {name}\n\n{line[0].upper()}{line[1:]}."
        pages.append(f"{title}\n\n```text\n{command_help([name], everything=True, width=80)}\n```")
        for inner in command.get("commands", {}):
            shown = command_help([name, inner], everything=True, width=80)
            pages.append(f"### sparring {name} {inner}\n\n```text\n{shown}\n```")
    return "\n\n".join(pages) + "\n"


def command_options() -> str:
    """Return src/sparring/cli/options.json: the help of every command, one option a line."""
    commands = {name: typer.main.get_command(command_app(target)) for name, (target, _) in COMMANDS.items()}
    return _one_a_line({name: _command(each, name) for name, each in commands.items()}) + "\n"


def _one_a_line(value: Any, depth: int = 0) -> str:
    """Return JSON with a line for each innermost object, so that changes of two options do not meet."""
    nested = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    if not any(isinstance(each, dict | list) for each in nested):
        return json.dumps(value, ensure_ascii=False)
    keys = [f"{json.dumps(key)}: " for key in value] if isinstance(value, dict) else [""] * len(nested)
    inner = ",\n".join(
        f"{' ' * (depth + 1)}{key}{_one_a_line(each, depth + 1)}" for key, each in zip(keys, nested, strict=True)
    )
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return f"{begin}\n{inner}\n{' ' * depth}{end}"


HELP = tomllib.loads((ROOT / "src/sparring/cli/help.toml").read_text(encoding="utf-8"))
"""Help of options and arguments by command; that under `*` is of every command without its own."""


def _command(command: Any, name: str) -> dict[str, Any]:
    shown = [each for each in command.params if not getattr(each, "hidden", False) and "--help" not in each.opts]
    helps = HELP["*"] | HELP.get(name, {})
    arguments = [_argument(each, helps) for each in shown if not each.opts[0].startswith("-")]
    described = {
        "usage": [each.pop("usage") for each in arguments],
        "help": [" ".join(each.split()) for each in (command.help or "").split("\n\n")],
        "arguments": arguments,
        "options": [_option(each, helps) for each in shown if each.opts[0].startswith("-")],
    }
    if inner := getattr(command, "commands", {}):
        described["commands"] = {part: _command(each, f"{name} {part}") for part, each in inner.items()}
    return described


def _argument(parameter: Any, helps: dict[str, str]) -> dict[str, Any]:
    name = parameter.metavar or parameter.name.upper()
    usage = name if parameter.required else f"[{name}]"
    values = VALUES[name]() if name in VALUES else _values(parameter)
    completed = {"values": values} if values else {"complete": _completed(name)}
    described = {"name": name, "metavar": "", "help": helps[name], **completed}
    return {**described, "usage": usage + "..." * (parameter.nargs == -1)}


def _option(parameter: Any, helps: dict[str, str]) -> dict[str, Any]:
    values, inner = _values(parameter), _inner(parameter)
    metavar = "" if parameter.is_flag else parameter.metavar or "|".join(values) or _METAVARS.get(inner, "TEXT")
    default = f"  [default: {parameter.default}]" if parameter.default not in (None, False, "", [], ()) else ""
    described = {"name": parameter.opts[0], "metavar": metavar, "help": f"{helps[parameter.opts[0]]}{default}"}
    if group := next((group for group, names in LESS_COMMON.items() if parameter.opts[0] in names), None):
        described["group"] = group
    if not parameter.is_flag:
        described |= {"values": values} if values else {"complete": _completed(parameter.opts[0], metavar)}
    return described


def _inner(parameter: Any) -> Any:
    """Return the type of one value of an option or argument."""
    kind = parameter.type_descriptor.annotation
    return get_args(kind)[0] if get_origin(kind) is list else kind


def _values(parameter: Any) -> list[str]:
    """Return the values that an option or argument can have; empty if there are others."""
    inner = _inner(parameter)
    if inspect.isclass(inner) and issubclass(inner, StrEnum):
        return [each.value for each in inner]
    return [str(each) for each in get_args(inner)] if get_origin(inner) is Literal else []


VALUES: dict[str, Callable[[], list[str]]] = {
    "TEMPLATE": lambda: [*TEMPLATES],
    "KIND": lambda: [*schemas(), "settings", "json"],
}
"""Values of arguments that are known although any text is accepted."""

LESS_COMMON = {
    "Who": ("--user", "--user-prompt", "--reader", "--chatbot-model", "--single", "--allow-code", "--workers"),
    "Judging": ("--decides", "--rubric", "--judge-prompt", "--no-null-bots", "--crash", "--audit", "--cache"),
    "Budget": ("--max-cost", "--max-tokens", "--max-seconds", "--max-conversations", "--until"),
    "Output": ("--tag", "--output-dir", "--format", "--junit", "--github", "--force", "--progress", "--no-stream"),
    "Recording": (
        "--store",
        "--resume",
        "--retry-failed",
        "--record",
        "--replay",
        "--replay-mode",
        "--traces",
        "--otlp",
    ),
}
"""Options that help only names where describing all of them would not fit a screen, by group."""

_METAVARS = {int: "N", float: "X", Path: "PATH"}


def _completed(*names: str) -> str:
    """Return what completes the value of an option or argument: batches, conversations, chatbots, or files."""
    known = {
        "BATCH": "batch",
        "BEFORE": "batch",
        "AFTER": "batch",
        "CONVERSATION": "conversation",
        "ID": "conversation",
    }
    known |= {"--chatbot": "chatbot", "CHATBOT": "chatbot", "TARGET": "chatbot", "--conversations": "batch"}
    known |= {
        "--model": "model",
        "--chatbot-model": "model",
        "--user": "user",
        "--reader": "reader",
        "--judge": "judge",
    }
    return next((known[name] for name in names if name in known), "file")


def settings() -> str:
    """Return docs/reference/settings.md."""
    rows = [
        f"| `{name}` | `SPARRING_{name.upper()}` | {field.description} | {_default(field.default)} |"
        for name, field in Settings.model_fields.items()
        if name not in NESTED
    ]
    serve, gate, webhook = _under(Serve), _under(Gate), _under(WebhookConfig)
    nested = [SERVE_HEAD, *serve, "", SERVE_TAIL, WEBHOOK_HEAD, *webhook, "", GATE_HEAD, *gate, ""]
    return "\n".join([SETTINGS_HEAD, *rows, "", SETTINGS_TAIL, *nested])


def _under(part: type[Value]) -> list[str]:
    return [f"| `{name}` | {each.description} | {_default(each.default)} |" for name, each in part.model_fields.items()]


def _default(value: object) -> str:
    return "" if value in ("", None, (), {}) else f"`{value}`"


SETTINGS_HEAD = """\
# Settings

Generated from the code.

The first source that has a setting wins: the command line, the environment, `.env`, `sparring.yaml` in the current folder, the
default.

| in `sparring.yaml` | in the environment or `.env` | meaning | default |
|---|---|---|---|"""

SETTINGS_TAIL = """\
`OPENAI_MODEL` (an OpenAI model), `MAX_TURNS`, `TIMEOUT_SEC`, `CONCURRENCY`, `LOGS_DIR` and `RESULTS_DIR` are accepted, too;
Sparring's own names override them. Any other name that begins with `SPARRING_` is rejected, so a misspelled setting is never ignored.

API keys are not settings. A chosen model reads its key from the environment or `.env`, under the provider's name (`OPENAI_API_KEY`,
`OPENROUTER_API_KEY`, ...; `SPARRING_API_KEY` for `BASE_URL#MODEL`). Keys are never stored, logged or shown, and a key in
`sparring.yaml` is rejected.

## Proxies and certificates

Connections to chatbots, models and webhooks follow these names in the environment or `.env`:

| name | meaning |
|---|---|
| `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` | the proxy, `http://NAME:PASSWORD@HOST:PORT`; lower case wins over upper case |
| `NO_PROXY` | hosts that are reached directly, as this computer's own addresses always are |
| `SSL_CERT_FILE` | trusted certificates that replace those of the system |
| `SPARRING_CLIENT_CERT`, `SPARRING_CLIENT_KEY` | a certificate for servers that ask for one, and its key if it is in another file |
"""


def rule_functions() -> str:
    """Return docs/reference/rule-functions.md."""
    pages = [RULE_FUNCTIONS_HEAD]
    for title, module in RULE_FUNCTIONS.items():
        pages += [f"## {title}", *(_function(each.usage, each.doc) for each in functions_in(module))]
    pages += ["## Over all conversations", RULE_AGGREGATES]
    for each in AGGREGATES.values():
        pages.append(_function(f"{each.name}(x{', q' if each.arguments == 2 else ''})", each.doc))
    methods = ", ".join(f"`.{name}()`" for name in sorted(METHOD_NAMES))
    return "\n\n".join([*pages, "## Methods", f"Methods of texts, lists and mappings: {methods}."]) + "\n"


def _function(usage: str, doc: str) -> str:
    return f"**`{usage}`**\n\n{doc}"


RULE_FUNCTIONS = {
    "Messages": dialogue,
    "Goals": goals,
    "Tools": tools,
    "State": state,
    "Texts": text,
    "Language models": model,
    "Lists and values": collections,
}

RULE_FUNCTIONS_HEAD = """\
# Functions of the rule language

Generated from the code. [Rules](rules.md) describes how to write rules.

In a rule over one conversation, functions of a conversation apply to `conv[0]`. In a rule over several, the first argument selects the
conversation: `turns(conv[1])`."""

RULE_AGGREGATES = """\
Available only in `then` and `yields` of a rule with `conversations: all`. `x` is any expression over one conversation, with or without
quotes. Its values in all conversations selected by `when` and `if` are aggregated. `min`, `max` and `sum` of a list, or of several
values, are the plain functions."""

SERVE_HEAD = """\
## Server

`serve:` in `sparring.yaml` configures `sparring serve`. The environment variables `SPARRING_HOST`, `HOST`, `SPARRING_PORT` and `PORT`
override it, and the command's options override both.

| under `serve:` | meaning | default |
|---|---|---|"""

SERVE_TAIL = """\
`LOG_LEVEL` (`debug`, `info`, `warning`, `error`) sets the log level, and `DEBUG=1` logs everything. The operator's token is in
`SPARRING_SERVE_TOKEN` or in the file of `--token-file`, never in `sparring.yaml`. `sparring tokens` creates other tokens, each with a
role. A caller is a token, or an address if no token is needed. Requests over the limit get 429 with `Retry-After`; REST, pages and
events are counted separately.
"""


GATE_HEAD = """\
## Gate

With `gate:` in `sparring.yaml`, `sparring run` and `sparring gate` compare a batch with these thresholds. The exit code is 0 if the
batch passes, 1 if it fails, and 4 if the result is inconclusive. Missing keys are strict. Shares are numbers from 0 to 1; whole numbers
count conversations. See [gate a release](../how-to/gate-a-release.md).

| under `gate:` | meaning | default |
|---|---|---|"""


WEBHOOK_HEAD = """\
## Webhook

`webhook:` in `sparring.yaml` configures the [webhook](../how-to/ask-a-webhook-first.md) that each conversation calls before it starts.

| under `webhook:` | meaning | default |
|---|---|---|"""


def rest() -> str:
    """Return docs/reference/rest.md."""
    document = build_openapi(application(MemoryStore(), Settings(), {}))
    pages = [REST_HEAD]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            pages.append("\n\n".join(_operation(method.upper(), path, operation, document["components"]["schemas"])))
    pages.append("## Schemas")
    schemas = document["components"]["schemas"]
    pages += [_schema(name, schema) for name, schema in schemas.items() if schema.get("properties")]
    return "\n\n".join(pages) + "\n"


def _operation(method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> Iterator[str]:
    yield f"## {method} {path}"
    yield " ".join(operation["description"].split())
    if parameters := [each for each in operation.get("parameters", []) if each["in"] != "path"]:
        rows = [f"| `{each['name']}` | {each['in']} | {each.get('description', '')} |" for each in parameters]
        yield "\n".join(["| parameter | in | meaning |", "|---|---|---|", *rows])
    if "requestBody" in operation:
        (content,) = operation["requestBody"]["content"].values()
        if "$ref" in content["schema"]:
            name = _type(content["schema"])
            yield f"The body is a [{name}](#{name.lower()})."
    if path == "/api/batches" and "requestBody" in operation:
        fields = schemas["LaunchRequest"]["properties"]
        rows = [f"| `{name}` | {each.get('description', 'the scenarios')} |" for name, each in fields.items()]
        yield "\n".join(["| key besides `scenarios` | meaning |", "|---|---|", *rows[1:]])
        for example in content["examples"].values():
            yield f"Example, {example['summary']}:"
            yield f"```json\n{json.dumps(example['value'], indent=2)}\n```"
    elif "requestBody" in operation and "anyOf" in content["schema"]:
        yield "The body is that of `POST /api/batches`."
    responses = [f"`{status}` {each['description']}" for status, each in operation["responses"].items()]
    yield f"Responses: {'; '.join(responses).replace('Successful Response', _success(operation))}."


def _success(operation: dict[str, Any]) -> str:
    """Return a link to the schema of the successful response, or "success"."""
    success = next(each for status, each in operation["responses"].items() if status.startswith("2"))
    schema = success.get("content", {}).get("application/json", {}).get("schema", {}).get("$ref", "")
    name = schema.rpartition("/")[2]
    return f"[{name}](#{name.lower()})" if name else "success"


def _schema(name: str, schema: dict[str, Any]) -> str:
    rows = [f"| `{field}` | {_type(each)} |" for field, each in schema["properties"].items()]
    description = " ".join(schema.get("description", "").split())
    return "\n".join([f"### {name}", "", description, "", "| field | type |", "|---|---|", *rows])


def _type(schema: dict[str, Any]) -> str:
    """Return the type of a field as text."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(each) for each in schema["anyOf"]))
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if "items" in schema:
        return f"list of {_type(schema['items'])}"
    return str(schema.get("format", schema.get("type", "anything")))


REST_HEAD = """\
# REST API

Generated from the code. [Run the server](../how-to/run-the-server.md) shows its use.

All bodies are JSON without NaN; times are UTC. Every error is `{"error": ...}`, optionally with `hint`, `current_status` if a batch is
in the wrong state, and `problems` with all problems of the request.

With a token, every request needs `Authorization: Bearer TOKEN`. The role `read` permits GET, `run` also POST, and `admin` everything.
Requests over the rate limit get `429` with `Retry-After`.

| status of a batch | meaning |
|---|---|
| `pending` | no conversation has started |
| `running` | conversations are running |
| `completed` | finished, however its conversations ended |
| `failed` | stopped by an error, such as a chatbot that rejects the key; `error_message` gives the reason |
| `cancelled` | stopped on request, by a limit, or because its program was killed; `error_message` states the cause |

The response to a launch has `launched`, which is not a status of a batch. A conversation is `completed`, `failed` or `timeout`; a failed
conversation has no score.

Events are Server-Sent Events: `batch_started`, `conversation_started`, `message`, `conversation_ended`, `verdict_given`,
`batch_finished`, and finally `done` with the status of the batch. All except `message` and `done` have a number as id; `Last-Event-ID`,
or `after`, continues after it. A line that begins with a colon keeps the connection alive.

## Commands without a route

- `try`, `mutate`, `shrink`, `fork` and `experiment` play many conversations that belong to no batch, so a client could neither
  follow nor stop them. The first finds bugs at an address, and the server calls only chatbots that its operator chose.
- `chat` and `demo` are on the pages and for a terminal; `mcp` is a server of its own.
- `serve`, `worker`, `store`, `prune`, `tokens` and `doctor` belong to the operator of the machine.
- `init`, `personas`, `schema` and `completion` write files of a project, or print what is installed."""


def python() -> str:
    """docs/reference/python.md"""
    names = [name for name in sparring.__all__ if name != "__version__"]
    functions = [name for name in names if inspect.isfunction(getattr(sparring, name))]
    errors = [name for name in names if name.endswith(("Error", "Failed", "Timeout", "Warning"))]
    classes = [name for name in ("Results", "ConversationResult", "RunFinished") if name in names]
    values = [name for name in names if name not in {*functions, *errors, *classes}]
    pages = [PYTHON_HEAD]
    for name in functions:
        function = getattr(sparring, name)
        pages.append(f"## {name}\n\n```python\n{_call(name, function)}\n```\n\n{_documented(function)}")
    for name in classes:
        kind = getattr(sparring, name)
        pages.append(f"## {name}\n\n{_documented(kind)}\n\n" + "\n".join(_members(kind)))
    for title, listed in (("Values and protocols", values), ("Errors", errors)):
        rows = [f"| `{name}` | {_first_line(getattr(sparring, name))} |" for name in listed]
        pages.append(f"## {title}\n\n" + "\n".join(["| name | meaning |", "|---|---|", *rows]))
    return "\n\n".join(pages) + "\n"


def _call(name: str, function: Callable[..., object]) -> str:
    """Return a call with all arguments and defaults, one a line if it is long."""
    parameters = inspect.signature(function).parameters.values()
    texts = [str(each.replace(annotation=inspect.Parameter.empty)) for each in parameters]
    keyword = next((at for at, each in enumerate(parameters) if each.kind is each.KEYWORD_ONLY), None)
    if keyword is not None and not any(text.startswith("*") for text in texts[:keyword]):
        texts.insert(keyword, "*")
    short = f"sparring.{name}({', '.join(texts)})"
    return short if len(short) <= 100 else f"sparring.{name}(\n" + "".join(f"    {each},\n" for each in texts) + ")"


def _documented(value: object) -> str:
    """Return a docstring as Markdown: examples and lists of errors in fences of their own."""
    text = inspect.getdoc(value) or ""
    text = re.sub(
        r"((?:^(?:>>>|\.\.\.) .*\n(?:^(?!>>>|\n).+\n?)*)+)", r"```text\n\1```\n", text + "\n", flags=re.MULTILINE
    )
    return re.sub(r"^Raises:\n    (\w+): (.*)$", r"Raises `\1`: \2", text, flags=re.MULTILINE).strip()


def _members(kind: type) -> Iterator[str]:
    for name, member in vars(kind).items():
        if name.startswith("_") or not (isinstance(member, property) or inspect.isfunction(member)):
            continue
        if isinstance(member, property):
            yield f"- `{name}`: {_first_line(member)}"
        else:
            signature = str(inspect.signature(member)).replace("self, ", "").replace("self", "").partition(" -> ")[0]
            signature = re.sub(r"\b(?:\w+\.)+(?=[A-Z])", "", signature)  # modules differ between versions of Python
            yield f"- `{name}{signature}`: {_first_line(member)}"


def _first_line(value: object) -> str:
    """Return the first paragraph of a docstring in one line."""
    if not (isinstance(value, property) or inspect.isclass(value) or inspect.isfunction(value)):
        return "An event of a run: one of the values whose field `event` names it."
    return " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split()).replace("|", "\\|")


PYTHON_HEAD = """\
# Python

Generated from the code.

`import sparring` offers these names; [Test a chatbot in Python](../how-to/test-in-python.md) shows them at work. Modules and names
that this page does not list are private, except `sparring.testing` and `sparring.statistics`. Functions that take `settings` read
`sparring.yaml`, `.env` and the environment without it."""

_SECTIONS = {"how-to": "How-to guides", "reference": "Reference", "explanation": "Explanation"}


def llms() -> str:
    """Return llms.txt: the pages of the documentation for language models, each with its first sentence."""
    lines = ["# Sparring", "", f"> {(ROOT / 'README.md').read_text('utf-8').split(chr(10) * 2)[1]}"]
    for folder, title in _SECTIONS.items():
        lines += ["", f"## {title}", ""]
        lines += [_listed(page) for page in sorted((ROOT / "docs" / folder).glob("*.md"))]
    lines += ["", "## Optional", "", "- [Skill for coding agents](skills/sparring/SKILL.md)"]
    return "\n".join(lines) + "\n"


def _listed(page: Path) -> str:
    title, first = page.read_text("utf-8").split("\n\n")[:2]
    sentence = re.split(r"(?<=[.:])\s", re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", first))[0].replace("\n", " ")
    return f"- [{title.removeprefix('# ')}]({page.relative_to(ROOT).as_posix()}): {sentence}"


PAGES = {
    "../../src/sparring/cli/options.json": command_options,  # first, since the next one reads it
    "../../llms.txt": llms,
    "command-line.md": command_line,
    "python.md": python,
    "rest.md": rest,
    "rule-functions.md": rule_functions,
    "settings.md": settings,
}


def main() -> None:
    """Write all generated pages."""
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
