"""CSV: the result rows of a batch, and findings with the columns of SENSEI's table.

No cell can be taken for a formula by a spreadsheet.
"""

import csv
import io
import re
from collections.abc import AsyncIterator
from functools import lru_cache

from sparring.core.verdict import CheckOutcome, Finding, Findings
from sparring.reports.formats import ReportFormat, ResultRows

_FORMULA = re.compile(r"\s*[=+\-@\t\r\n|%\uff1d\uff0b\uff0d\uff20]")
"""The last four are full-width = + - and @, which spreadsheets in East Asia treat like the narrow ones."""


def formula(text: str) -> bool:
    """Return True if a spreadsheet takes text with this beginning for a formula."""
    return _FORMULA.match(text) is not None


def cell(text: str) -> str:
    """Return the text in a form that no spreadsheet takes for a formula."""
    return f"'{text}" if formula(text) else text


def plain(cell: str) -> str:
    """Return the text of a cell without the quote that `cell` may have put in front."""
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
    "outcome",
    "first_outcome",
    "attempts",
    "blame",
    "reasons",
)
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that move a cursor or reverse text: rows are printed on terminals, too."""


async def results_csv(results: ResultRows) -> AsyncIterator[bytes]:
    """Yield a line for each result, after the heads of the columns."""
    yield row(list(COLUMNS))
    async for result in results.rows:
        yield row(
            [
                result.session_id,
                result.scenario,
                results.prompt_version,
                result.score,
                result.comment,
                result.total_turns,
                result.start_time.isoformat() if result.start_time else None,
                result.status,
                result.duration_seconds,
                result.evaluation_status,
                result.outcome,
                result.first_outcome,
                result.attempts,
                result.blame,
                "; ".join(result.reasons),
            ]
        )


def row(cells: list[str | float | None]) -> bytes:
    """Return one line of CSV."""
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n").writerow([_cell(cell) for cell in cells])
    return written.getvalue().encode()


def _cell(cell: str | float | None) -> str | float:
    """Return text in one line with a quote in front of formulas; numbers stay numbers."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return _line(cell)
    return int(cell) if float(cell).is_integer() else cell


@lru_cache(maxsize=1024)  # most columns hold few values
def _line(text: str) -> str:
    line = " ".join(_UNSEEN.sub(" ", text).split())
    return f"'{line}" if formula(text) or formula(line) else line


FINDING_COLUMNS = ("rule", "checks", "pass", "fail", "not_applicable", "fail_rate", "undecided", "outcome")


_WORDS = {CheckOutcome.ERROR: "undecided"}


def findings_csv(findings: Findings) -> str:
    """Return one line for each rule: SENSEI's columns, then undecided checks and the outcome."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(FINDING_COLUMNS)
    table.writerows(_row(finding) for finding in findings.findings)
    return text.getvalue()


def _row(finding: Finding) -> tuple[str | int, ...]:
    checks = finding.total + (finding.filtered if finding.conversations == "all" else 0)
    decided = finding.satisfied + finding.violated
    undecided = finding.needs_model + sum(finding.errors.values())
    rate = f"{100 * finding.violated / decided if decided else 0:.2f}%"
    outcome = _WORDS.get(finding.outcome, finding.outcome.value) if not finding.invalid else "invalid"
    left = max(checks - decided - undecided, 0)
    return (cell(finding.rule), checks, finding.satisfied, finding.violated, left, rate, undecided, outcome)


FORMAT = ReportFormat(
    name="csv",
    label="CSV",
    suffixes=(".csv",),
    media_type="text/csv; charset=utf-8",
    results=results_csv,
    findings=findings_csv,
    openings=(rb'"session_id","scenario","prompt_version",', rb"rule,checks,pass,fail,"),
)
