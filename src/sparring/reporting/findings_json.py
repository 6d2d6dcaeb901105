"""What rules found, for other programs."""

from sparring.core.errors import Problem
from sparring.core.value import Json
from sparring.core.verdict import Finding, Findings

_AS_THEY_ARE = (
    *("file", "description", "conversations", "total", "filtered", "applicable", "satisfied", "violated"),
    *("not_applicable", "errors", "needs_model"),
)
_MORE = ("examples", "culprits", "causes", "bound", "estimate", "removed_by")


def findings_json(findings: Findings) -> dict[str, Json]:
    """What `check --json` prints. `total` counts tuples of conversations, and is 1 for a rule over all of them."""
    return {
        "conversations": findings.conversations,
        "skipped": findings.skipped,
        "rules": [_rule(finding) for finding in findings.findings],
    }


def _rule(finding: Finding) -> dict[str, Json]:
    plain: dict[str, Json] = finding.model_dump(mode="json", include={*_AS_THEY_ARE, *_MORE})
    named: dict[str, Json] = {"name": finding.rule, "outcome": finding.outcome.value}
    invalid: list[Json] = [_problem(problem) for problem in finding.invalid]
    doubts: list[Json] = [_problem(problem) for problem in finding.doubts]
    return {
        **named,
        **{key: plain[key] for key in _AS_THEY_ARE},
        "invalid": invalid,
        **{key: plain[key] for key in _MORE},
        "doubts": doubts,
    }


def _problem(problem: Problem) -> dict[str, Json]:
    message = f"{problem.path}: {problem.message}" if problem.path else problem.message
    return {"line": problem.line, "column": problem.column, "message": message, "hint": problem.hint}
