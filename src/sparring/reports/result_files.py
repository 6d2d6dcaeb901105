"""Reader for result files as CSV, NDJSON or JSON, by Sparring and by the simulation service."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Literal

import orjson
from pydantic import (
    AliasChoices,
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    ValidationError,
    field_validator,
)

from sparring.core.errors import InputError, Problem
from sparring.core.outcome import ConversationWithVerdicts, decide
from sparring.core.seeding import session_id
from sparring.core.text import csv_rows
from sparring.core.value import Value
from sparring.reports.csv_report import plain
from sparring.reports.service_results import scenario_name

_MOST = 20
_COLUMNS = ("scenario", "status")
"""Without these a table holds no results."""


class Row(Value):
    """The result of one scenario in a file. Other fields are ignored."""

    model_config = ConfigDict(extra="ignore")

    batch_id: str = ""
    session_id: str = ""
    scenario: str
    status: Literal["completed", "failed", "timeout"]
    score: float | None = None
    total_turns: NonNegativeInt | None = Field(None, validation_alias=AliasChoices("total_turns", "turns"))
    duration_seconds: NonNegativeFloat | None = None
    evaluation_status: str | None = None
    outcome: str | None = None
    attempts: PositiveInt = 1
    checked: bool = True
    """False for a conversation without verdicts."""

    @field_validator("score", "total_turns", "duration_seconds", mode="before")
    @classmethod
    def _nothing(cls, written: object) -> object:
        return None if written == "" else written

    @field_validator("status", mode="before")
    @classmethod
    def _known(cls, written: object) -> object:
        """Map the service's own status for replies that its provider blocked."""
        return "failed" if written == "failed_api_blocked" else written

    @property
    def counted(self) -> "Row":
        """The row without a placeholder score: the service gives 1 if the conversation or its judge failed."""
        meant = self.status == "completed" and self.evaluation_status != "failed"
        return self if meant or self.score is None else self.model_copy(update={"score": None})


def rows(path: Path) -> Iterator[Row]:
    """Yield the results in a file. Raise InputError with all problems at its end."""
    problems: list[Problem] = []
    try:
        with path.open("rb") as file:
            for line, found in _found(file, str(path)):
                try:
                    yield _row(found).counted
                except ValidationError as error:
                    problems += _misfits(error, str(path), line)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text") from error
    except csv.Error as error:
        raise InputError(f"{path}: is not CSV: {error}") from error
    if problems:
        more = len(problems) - _MOST
        shown = [*problems[:_MOST], *([Problem(file=str(path), message=f"and {more:,} more")] if more > 0 else [])]
        raise InputError(shown)


def _found(file: BinaryIO, name: str) -> Iterator[tuple[int, object]]:
    """Yield line number and content of each result. A file that starts with a bracket is JSON."""
    start = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    file.seek(0)
    if not start:
        raise InputError(f"{name}: is empty", hint="sparring fetch BATCH --format ndjson --output FILE writes results")
    if start == b"[":
        yield from _listed(_document(file.read(), name), name)
    elif start == b"{":
        yield from _lines(file, name)
    else:
        yield from _table(file, name)


def _table(file: BinaryIO, name: str) -> Iterator[tuple[int, object]]:
    table = csv_rows(line.decode() for line in _without_mark(file))
    columns = table.fieldnames or ()
    if missing := [column for column in _COLUMNS if column not in columns]:
        raise InputError(
            f"{name}: has no column {' and no column '.join(map(repr, missing))}",
            hint="results are CSV with the documented columns, NDJSON, or JSON",
        )
    for row in table:
        # Cells of ours that a spreadsheet would take for a formula have a quote in front.
        yield table.line_num, {key: plain(value) for key, value in row.items() if isinstance(value, str)}


def _without_mark(file: BinaryIO) -> Iterator[bytes]:
    for number, line in enumerate(file):
        yield line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line


def _lines(file: BinaryIO, name: str) -> Iterator[tuple[int, object]]:
    """Yield one result for each line, or those of a single document over all lines."""
    for number, line in enumerate(_without_mark(file), 1):
        if not line.strip():
            continue
        try:
            found = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            if number == 1:
                file.seek(0)
                found = _document(file.read(), name)
                yield from _listed(found, name)
                return
            raise InputError(Problem(file=name, line=number, message=f"is not JSON: {error.msg}")) from error
        if isinstance(found, dict) and isinstance(found.get("results"), list):
            yield from _listed(found, name)
        else:
            yield number, found


def _document(content: bytes, name: str) -> object:
    try:
        return orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        raise InputError(Problem(file=name, line=error.lineno, column=error.colno, message=f"{error.msg}")) from error


def _listed(document: object, name: str) -> Iterator[tuple[int, object]]:
    results = document.get("results") if isinstance(document, dict) else document
    if not isinstance(results, list):
        raise InputError(f"{name}: holds no results", hint="a list of results, or {batch_id, results, total_results}")
    head = {"batch_id": document["batch_id"]} if isinstance(document, dict) and "batch_id" in document else {}
    yield from ((0, {**head, **each} if isinstance(each, dict) else each) for each in results)


def _row(found: object) -> Row:
    """Return a result, or a whole conversation as a result without a score.

    Without verdicts, a conversation that came to its end is undecided.
    """
    if not isinstance(found, dict) or "case" not in found or "messages" not in found:
        return Row.model_validate(found)
    conversation = ConversationWithVerdicts.model_validate(found)
    timing, known = conversation.timing, conversation.first_outcome or conversation.outcome
    return Row.model_validate(
        {
            "session_id": session_id(conversation.case),
            "scenario": scenario_name(conversation.case),
            "status": conversation.ending.status if conversation.ending else "failed",
            "total_turns": conversation.turns,
            "duration_seconds": round(timing.seconds, 3) if timing else None,
            "outcome": known or decide(conversation, conversation.verdicts).outcome,
            "checked": bool(known or conversation.verdicts),
        }
    )


def _misfits(error: ValidationError, file: str, line: int) -> Iterable[Problem]:
    for each in error.errors(include_input=False, include_url=False):
        path = ".".join(map(str, each["loc"]))
        yield Problem(file=file, line=line or None, path=path, message=each["msg"].replace("Input should", "should"))
