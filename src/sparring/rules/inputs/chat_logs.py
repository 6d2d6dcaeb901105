"""Logs of conversations: OpenAI messages and Sparring's own format in JSON lines, messages in rows.

Rows come from CSV files or JSON lines. All other fields of a line or row become names for rules.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from sparring.core.case import Case, Goal, OutputSpec, Persona
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import InputError, Problem
from sparring.core.message import Message, Role, ToolCall, message
from sparring.core.outcome import ConversationWithVerdicts
from sparring.core.text import did_you_mean
from sparring.core.value import MAX_DEPTH, JsonValue, Value, is_deeper
from sparring.rules.inputs import NotARecording, is_within_limits
from sparring.rules.recording import RecordedMessage, Recording, rule_names

_MOST_VALUES = 200_000
_ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "customer", "human", "client", "visitor"), "user"),
    **dict.fromkeys(("chatbot", "assistant", "bot", "agent", "ai", "model"), "chatbot"),
}
_IDS = ("id", "conversation_id", "session_id", "thread_id")


def parse_chat_log_line(entry: Mapping[str, Any], number: int) -> Recording:
    """Return the recording in a line with `messages`. Without an id, it is called by its line number."""
    messages = _listed_messages(entry)
    about = {key: value for key, value in entry.items() if key not in ("messages", "metadata", "variables", "tools")}
    calls = any(message.get("tool_calls") for message in messages)
    return Recording(
        id=_id(entry, number),
        names=rule_names(_mapping(entry.get("variables")), {}, about | _mapping(entry.get("metadata"))),
        messages=tuple(_messages(messages)),
        reports_tools=calls or "tools" in entry,
    )


def _listed_messages(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    if not is_within_limits(entry, _MOST_VALUES):
        raise NotARecording("contains too many values, or is nested too deeply")
    messages = entry.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise NotARecording("is not a chat log: 'messages' should be a list of messages")
    return messages


class _PlainGoal(Value, extra="ignore"):
    text: str
    variables: tuple[str, ...] = ()


class _PlainOutput(Value, extra="ignore"):
    name: str
    type: str = "string"
    description: str = ""


class _PlainConversation(Value, extra="ignore"):
    """A chat log's keys besides its messages, as far as readers use them."""

    goals: tuple[_PlainGoal, ...] = ()
    outputs: tuple[_PlainOutput, ...] = ()
    variables: dict[str, JsonValue] = {}
    language: str | None = None
    fallback: str | None = None


def parse_conversation_line(entry: Mapping[str, Any], number: int) -> Conversation:
    """Return the conversation in a line with `messages`, with the goals and outputs that the line names."""
    messages = _listed_messages(entry)
    try:
        plain = _PlainConversation.model_validate(entry)
    except ValidationError as error:
        raise NotARecording(f"is not a conversation: {_first(error)}") from None
    case = Case(
        id=_id(entry, number),
        persona=Persona(language=plain.language or "English"),
        goals=tuple(Goal(**goal.model_dump()) for goal in plain.goals),
        variables=plain.variables,
        outputs=tuple(OutputSpec(**output.model_dump()) for output in plain.outputs),
        fallbacks=(plain.fallback,) if plain.fallback else (),
    )
    said = tuple(message(each.role, each.text, tool_calls=each.tool_calls) for each in _messages(messages))
    return Conversation(case=case, messages=said, ending=Ending.USER_DONE)


def _id(entry: Mapping[str, Any], number: int) -> str:
    return next((str(entry[key]) for key in _IDS if isinstance(entry.get(key), str | int)), f"line {number}")


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place + ': ' if place else ''}{first['msg']}"


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _messages(messages: list[dict[str, Any]]) -> Iterator[RecordedMessage]:
    """Yield messages of users and chatbots; a tool's result belongs to the call it answers."""
    results = {
        message.get("tool_call_id"): message.get("content") for message in messages if message.get("role") == "tool"
    }
    for each in messages:
        text = _text(each.get("content", each.get("text")))
        role = _ROLES.get(str(each.get("role")))
        if role == "user":
            yield RecordedMessage("user", text)
        elif role == "chatbot":
            yield RecordedMessage("chatbot", text, tuple(_calls(each.get("tool_calls"), results)))


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and "text" in part)


def _calls(calls: Any, results: Mapping[Any, Any]) -> Iterator[ToolCall]:
    for call in calls if isinstance(calls, list) else ():
        function = _mapping(_mapping(call).get("function"))
        arguments, error = _arguments(function.get("arguments"))
        fields = {"name": str(function.get("name", "")), "arguments": arguments, "error": error}
        if call.get("id") in results:
            fields["result"] = _json(results[call["id"]])
        elif results and not error:
            fields["status"] = "attempted"  # the log has results, and none of this call
        yield ToolCall.model_validate(fields)


def _arguments(written: Any) -> tuple[dict[str, Any], str]:
    value = _json(written) if written else {}
    return (value, "") if isinstance(value, dict) else ({}, "the arguments are not a JSON object")


def _json(text: Any) -> Any:
    """Return a text parsed as JSON, or the text itself if it is not JSON or too deep to be stored."""
    try:
        value = orjson.loads(text) if isinstance(text, str) else text
    except orjson.JSONDecodeError:
        return text
    return text if isinstance(text, str) and is_deeper(value, MAX_DEPTH) else value


def parse_ndjson_line(line: bytes) -> Conversation:
    """Return the conversation in a line of Sparring's own format, without its verdicts."""
    try:
        return ConversationWithVerdicts.model_validate_json(line)
    except ValidationError as error:
        raise NotARecording(f"is not a conversation: {_first(error)}") from None


_REQUIRED = ("id", "role", "text")
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """Names of the columns of a log."""

    id: str
    role: str
    text: str


@dataclass(slots=True)
class ChatLog:
    """Conversations of a log in order of their first row, and a problem for each skipped row."""

    conversations: list[Conversation] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)


def columns_of(text: str) -> ColumnNames:
    """Parse `id=session,role=speaker,text=content`."""
    pairs = [part.partition("=")[::2] for part in text.split(",") if part.strip()]
    given = {name.strip(): column.strip() for name, column in pairs}
    problems = [
        Problem(
            message=f"--map: unknown {name!r}", hint=did_you_mean(name, _REQUIRED) or f"allowed: {', '.join(_REQUIRED)}"
        )
        for name in given
        if name not in _REQUIRED
    ]
    problems += [Problem(message=f"--map: {name!r} is missing") for name in _REQUIRED if not given.get(name)]
    if problems:
        raise InputError(problems, hint="--map id=COLUMN,role=COLUMN,text=COLUMN")
    return ColumnNames(**given)


def read_log(path: Path, columns: ColumnNames) -> ChatLog:
    """Read the conversations of a log. Other fields of the first row become variables of a conversation."""
    log = ChatLog()
    begun: dict[str, tuple[dict[str, Any], list[Message]]] = {}
    for line, row in _rows(path, log):
        problem = _problem(path, line, row, columns)
        if problem is not None:
            log.skipped.append(problem)
            continue
        conversation = begun.setdefault(str(row[columns.id]), (_extra_fields(row, columns), []))
        conversation[1].append(message(_ROLES[str(row[columns.role]).strip().lower()], str(row[columns.text] or "")))
    log.conversations = [
        Conversation(case=Case(id=id, variables=variables), messages=tuple(messages), ending=Ending.USER_DONE)
        for id, (variables, messages) in begun.items()
    ]
    return log


def _rows(path: Path, log: ChatLog) -> Iterator[tuple[int, Row]]:
    if not path.is_file():
        raise InputError(Problem(file=str(path), message="there is no such file"))
    if path.suffix == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as stream:
            table = csv.DictReader(stream, restkey="")
            yield from ((table.line_num, row) for row in table)
        return
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            row = _object(line)
            if row is None:
                log.skipped.append(Problem(file=str(path), line=number, message="is not a JSON object"))
            else:
                yield number, row


def _object(line: bytes) -> Row | None:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return row if isinstance(row, dict) else None


def _problem(path: Path, line: int, row: Row, columns: ColumnNames) -> Problem | None:
    for column in (columns.id, columns.role, columns.text):
        if column not in row:
            return Problem(
                file=str(path), line=line, message=f"has no {column!r}", hint=did_you_mean(column, map(str, row))
            )
    role = str(row[columns.role]).strip().lower()
    if role not in _ROLES:
        return Problem(file=str(path), line=line, message=f"unknown role {role!r}")
    return None if str(row[columns.id] or "").strip() else Problem(file=str(path), line=line, message="has no id")


def _extra_fields(row: Row, columns: ColumnNames) -> dict[str, Any]:
    own = {columns.id, columns.role, columns.text}
    return {name: value for name, value in row.items() if name and name not in own}
