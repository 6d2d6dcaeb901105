"""Results as files: made from the store when somebody asks, row by row.

What rules found, as a table for spreadsheets, with the columns that SENSEI's has.

Text in a table that people open in a spreadsheet.
"""

import csv
import io
import re
from collections.abc import AsyncIterator
from datetime import datetime

from pydantic import TypeAdapter

from sparring.core.value import Json, to_json
from sparring.core.verdict import Finding, Findings
from sparring.reports.service_results import ScenarioResult

_FORMULA = re.compile(r"\s*[=+\-@\t\r\n|%\uff1d\uff0b\uff0d\uff20]")
"""The last are = + - and @ in the width of Chinese characters, which spreadsheets in East Asia take for the others."""


def formula(text: str) -> bool:
    """Whether a spreadsheet takes what begins like this for a formula."""
    return _FORMULA.match(text) is not None


def cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if formula(text) else text


def plain(cell: str) -> str:
    """The text of a cell that may have got a quote in front when it was written."""
    return cell[1:] if cell.startswith("'") and formula(cell[1:]) else cell


COLUMNS = (
    "session_id",
    "scenario",
    "prompt_version",
    "score",
    "comment",
    "turns",
    "start_ts",
    "status",
    "duration_seconds",
    "evaluation_status",
)
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What moves a cursor or turns text around: rows are printed on terminals too."""

_ROWS: TypeAdapter[dict[str, Json]] = TypeAdapter(dict[str, Json])


async def as_json(batch: str, results: AsyncIterator[ScenarioResult]) -> AsyncIterator[bytes]:
    """`{batch_id, results, total_results}`, without ever holding all of them."""
    yield b'{"batch_id":"%s","results":[' % batch.encode()
    total = 0
    async for result in results:
        yield (b"," if total else b"") + _document(result)
        total += 1
    yield b'],"total_results":%d}' % total


async def as_ndjson(batch: str, results: AsyncIterator[ScenarioResult], now: datetime) -> AsyncIterator[bytes]:
    """A line for each result, with the batch and when it was exported."""
    head = _ROWS.dump_json({"batch_id": batch, "export_timestamp": now.isoformat()})[:-1]
    async for result in results:
        yield head + b"," + _document(result)[1:] + b"\n"


async def as_csv(results: AsyncIterator[ScenarioResult], prompt_version: str) -> AsyncIterator[bytes]:
    """A row for each result. No cell can be taken for a formula, and every row is one line."""
    yield row(list(COLUMNS))
    async for result in results:
        yield row(
            [
                result.session_id,
                result.scenario,
                prompt_version,
                result.score,
                result.comment,
                result.total_turns,
                result.start_time.isoformat() if result.start_time else None,
                result.status,
                result.duration_seconds,
                result.evaluation_status,
            ]
        )


def _document(result: ScenarioResult) -> bytes:
    return to_json(result, without=frozenset({"conversation_history"} if result.conversation_history is None else ()))


def row(cells: list[str | float | None]) -> bytes:
    """A line of CSV, in which no text can be taken for a formula."""
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n").writerow([_cell(cell) for cell in cells])
    return written.getvalue().encode()


def _cell(cell: str | float | None) -> str | float:
    """Text that a spreadsheet would take for a formula gets a quote in front; numbers stay numbers."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        text = " ".join(_UNSEEN.sub(" ", cell).split())
        return f"'{text}" if formula(cell) or formula(text) else text
    return int(cell) if float(cell).is_integer() else cell


FINDING_COLUMNS = ("rule", "checks", "pass", "fail", "not_applicable", "fail_rate")


def findings_csv(findings: Findings) -> str:
    """One line a rule. What could not be decided is counted as not applicable, as it is there."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(FINDING_COLUMNS)
    table.writerows(_row(finding) for finding in findings.findings)
    return text.getvalue()


def _row(finding: Finding) -> tuple[str | int, ...]:
    checks = finding.total + (finding.filtered if finding.conversations == "all" else 0)
    decided = finding.satisfied + finding.violated
    rate = f"{100 * finding.violated / decided if decided else 0:.2f}%"
    return (cell(finding.rule), checks, finding.satisfied, finding.violated, checks - decided, rate)
