"""The counts that the original engine gives over its published conversations; see the corpus's own description."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from sparring.core.checks import InvalidRule, Rule
from sparring.core.verdict import CheckOutcome, Finding
from sparring.rules.check import check
from sparring.rules.inputs.recordings import Recordings
from sparring.rules.rule_file import parse_rule, read_rule

CORPUS = os.environ.get("SPARRING_CORPUS", "")
DIFFERENT: dict[tuple[str, str], str] = {}
"""Rows that differ because we corrected a function, with the reason: there are none."""

pytestmark = pytest.mark.skipif(not CORPUS, reason="SPARRING_CORPUS does not say where the published corpus is")

BUILT_IN = {"goal_not_completed": 1001, "no_response": 500, "timeout": 504, "exceeded_loop_limit": 1000}


def sets() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((Path(CORPUS) / "expected_verdicts.json").read_text()) if CORPUS else []
    return found


async def found(rules: list[Rule | InvalidRule], expected: dict[str, Any]) -> list[Finding]:
    findings = await check(rules, Recordings(Path(CORPUS) / expected["conversations"]))
    assert findings.conversations == expected["n_conversations"]
    return list(findings.findings)


@pytest.mark.parametrize("expected", sets(), ids=lambda expected: expected["id"])
async def test_every_row_has_the_counts_of_the_original(expected: dict[str, Any]):
    rows = [row for row in expected["rules"] if not row.get("order_dependent")]
    rules = [read_rule(Path(CORPUS) / expected["rules_dir"] / row["rule_file"]) for row in rows]
    rules = [rule.model_copy(update={"active": True}) for rule in rules]

    findings = await found(rules, expected)

    want = [wanted(row) for row in rows]
    got = [seen(finding, row) for finding, row in zip(findings, rows, strict=True)]
    ours = [(expected["id"], row["rule"]) in DIFFERENT for row in rows]
    assert [w for w, differs in zip(want, ours, strict=True) if not differs] == [
        g for g, differs in zip(got, ours, strict=True) if not differs
    ]


def wanted(row: dict[str, Any]) -> dict[str, Any]:
    """Return what the original counts; of a rule that needed a model, only what it applies to.

    A rule does not apply to a conversation that lacks one of its names (NameError); other exceptions are errors here.
    """
    raised = _other_than_names(row.get("then_exceptions"))
    conditions = _other_than_names(row.get("when_if_exceptions"))
    applicable = row["pass"] + row["fail"] + raised + row["na_because_llm_stub_raised"]
    common = {"rule": row["rule"], "applicable": applicable, "conditions": conditions}
    if row["llm"]:
        return common
    left = 1 if row["kind"] == "all" else row["checks"]
    return common | {"satisfied": row["pass"], "violated": row["fail"], "then": raised, "total": left}


def _other_than_names(exceptions: dict[str, int] | None) -> int:
    return sum(times for kind, times in (exceptions or {}).items() if not kind.endswith("NameError"))


def seen(finding: Finding, row: dict[str, Any]) -> dict[str, Any]:
    conditions = finding.errors["when"] + finding.errors["if"]
    common = {"rule": finding.rule, "applicable": finding.applicable, "conditions": conditions}
    if row["llm"]:
        return common
    then = finding.errors["then"]
    return common | {"satisfied": finding.satisfied, "violated": finding.violated, "then": then, "total": finding.total}


@pytest.mark.parametrize("expected", sets(), ids=lambda expected: expected["id"])
async def test_a_rule_that_passes_in_the_original_passes_unless_a_value_was_not_stated(expected: dict[str, Any]):
    """The original ignores a rule whose value is None; here it is undecided."""
    rows = [row for row in expected["rules"] if not row.get("order_dependent") and not row["llm"]]
    passed = [row for row in rows if row["pass"] and not row["fail"]]
    rules = [read_rule(Path(CORPUS) / expected["rules_dir"] / row["rule_file"]) for row in passed]

    findings = await found([rule.model_copy(update={"active": True}) for rule in rules], expected)

    undecided = [finding for finding in findings if finding.outcome is not CheckOutcome.PASS]
    reasons = [cause.reason for finding in undecided for cause in finding.causes]
    assert all(any(lacks in each for lacks in ("NoneType", "a missing value", "got nothing")) for each in reasons)


@pytest.mark.parametrize("expected", sets(), ids=lambda expected: expected["id"])
async def test_the_four_built_in_checks_are_rules_over_the_recorded_errors(expected: dict[str, Any]):
    rules = [
        parse_rule(f"name: {name}\nthen: not any({code} in error for error in errors)\n")
        for name, code in BUILT_IN.items()
    ]

    findings = await found(rules, expected)

    assert {
        finding.rule: {"pass": finding.satisfied, "fail": finding.violated, "not_applicable": finding.not_applicable}
        for finding in findings
    } == expected["generic"]
