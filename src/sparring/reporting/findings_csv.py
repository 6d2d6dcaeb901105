"""What rules found, as a table for spreadsheets, with the columns that SENSEI's has."""

import csv
import io

from sparring.core.verdict import Finding, Findings
from sparring.reporting.cells import cell

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
