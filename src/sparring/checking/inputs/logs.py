"""Logs of real conversations, one message a row: CSV, or JSON objects line by line."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import InputError, Problem
from sparring.core.message import Message, Role, message
from sparring.core.text import close

_NEEDED = ("id", "role", "text")
_ROLES: dict[str, Role] = {
    **dict.fromkeys(("user", "customer", "human", "client", "visitor"), "user"),
    **dict.fromkeys(("chatbot", "assistant", "bot", "agent", "ai", "model"), "chatbot"),
}
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column of a log holds what."""

    id: str
    role: str
    text: str


@dataclass(slots=True)
class Log:
    """What a log holds: conversations in the order in which they begin, and the rows that were passed over."""

    conversations: list[Conversation] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)


def columns_of(text: str) -> Columns:
    """`id=session,role=speaker,text=content` as columns."""
    pairs = [part.partition("=")[::2] for part in text.split(",") if part.strip()]
    given = {name.strip(): column.strip() for name, column in pairs}
    problems = [
        Problem(message=f"--map: unknown {name!r}", hint=close(name, _NEEDED) or f"it maps {', '.join(_NEEDED)}")
        for name in given
        if name not in _NEEDED
    ]
    problems += [Problem(message=f"--map: {name!r} is missing") for name in _NEEDED if not given.get(name)]
    if problems:
        raise InputError(problems, hint="--map id=COLUMN,role=COLUMN,text=COLUMN")
    return Columns(**given)


def read_log(path: Path, columns: Columns) -> Log:
    """The conversations of a log. What else a row holds is a variable of its conversation, by the first row's value."""
    log = Log()
    begun: dict[str, tuple[dict[str, Any], list[Message]]] = {}
    for line, row in _rows(path, log):
        problem = _problem(path, line, row, columns)
        if problem is not None:
            log.skipped.append(problem)
            continue
        conversation = begun.setdefault(str(row[columns.id]), (_others(row, columns), []))
        conversation[1].append(message(_ROLES[str(row[columns.role]).strip().lower()], str(row[columns.text] or "")))
    log.conversations = [
        Conversation(case=Case(id=id, variables=variables), messages=tuple(messages), ending=Ending.USER_DONE)
        for id, (variables, messages) in begun.items()
    ]
    return log


def _rows(path: Path, log: Log) -> Iterator[tuple[int, Row]]:
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


def _problem(path: Path, line: int, row: Row, columns: Columns) -> Problem | None:
    for column in (columns.id, columns.role, columns.text):
        if column not in row:
            return Problem(file=str(path), line=line, message=f"has no {column!r}", hint=close(column, map(str, row)))
    role = str(row[columns.role]).strip().lower()
    if role not in _ROLES:
        return Problem(file=str(path), line=line, message=f"{role!r} is neither a user nor a chatbot")
    return None if str(row[columns.id] or "").strip() else Problem(file=str(path), line=line, message="has no id")


def _others(row: Row, columns: Columns) -> dict[str, Any]:
    own = {columns.id, columns.role, columns.text}
    return {name: value for name, value in row.items() if name and name not in own}
