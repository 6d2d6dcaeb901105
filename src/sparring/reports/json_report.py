"""JSON for other programs: summaries, result rows, findings, and conversations line by line."""

import json
import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import orjson
from pydantic import TypeAdapter

from sparring.core.audit import Blame
from sparring.core.conversation import Conversation
from sparring.core.errors import Problem
from sparring.core.outcome import Outcome
from sparring.core.usage import Usage
from sparring.core.value import Json, to_json
from sparring.core.verdict import Finding, Findings
from sparring.reports.formats import BatchWriter, Report, ReportFormat, ResultRows
from sparring.reports.scores import Scores
from sparring.reports.sentence import sentence
from sparring.reports.summary import Summary
from sparring.reports.trust import trust_json

if TYPE_CHECKING:
    from sparring.reports.comparison import Comparison
    from sparring.reports.gate import Gated
    from sparring.reports.service_results import ScenarioResult

_UNSAFE = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|##(?=\\w*\\[)"
)
"""Characters that move a cursor, hide or reverse text or end a line, and commands to GitHub and Azure in build logs."""


def _escaped(found: re.Match[str]) -> str:
    return r"#\u0023" if found[0] == "##" else f"\\u{ord(found[0]):04x}"


def line(conversation: Conversation) -> bytes:
    """Return a conversation as one line of NDJSON. Two runs with the same seed differ only in `timing`."""
    return _UNSAFE.sub(_escaped, to_json(conversation).decode()).encode() + b"\n"


def conversation_json(conversation: Conversation) -> dict[str, Json]:
    """Return a conversation with its id."""
    return {"id": conversation.id, **json.loads(to_json(conversation))}


def printed(value: Json, *, lines: bool = True) -> str:
    """JSON for people and programs, safe to print, in lines or in one."""
    try:
        text = orjson.dumps(value, option=orjson.OPT_INDENT_2 if lines else None).decode()
    except TypeError:  # a number of more than 64 bits
        text = json.dumps(value, indent=2 if lines else None)
    return _UNSAFE.sub(_escaped, text)


def with_players(document: dict[str, Json]) -> dict[str, Json]:
    """Return a document with its `who` also as `players`; `who` is removed in 1.0."""
    renamed: dict[str, Json] = {}
    for key, value in document.items():
        renamed |= {"players": value, key: value} if key == "who" else {key: value}
    return renamed


def comparison_json(comparison: "Comparison") -> dict[str, Json]:
    """Return a comparison as `compare --json` prints it."""
    document: dict[str, Json] = comparison.model_dump(mode="json")
    sides = {"before": comparison.before.model_dump(mode="json"), "after": comparison.after.model_dump(mode="json")}
    return {**document, **{name: with_players(side) for name, side in sides.items()}}


def scores_json(scores: Scores) -> dict[str, Json]:
    """Return the scores of one judge by one rubric. Figures that need more scores are null."""
    facts = scores.model_dump(mode="json", exclude={"spread", "distribution"})
    return {**facts, **scores.spread.model_dump(mode="json"), "distribution": dict(scores.distribution)}


def run_json(summary: Summary, gated: "Gated | None" = None) -> dict[str, Json]:
    """Return what `run --json` prints.

    `outcomes` counts conversations, `outcome` is that of the whole batch with its rules. `cost` is null if calls were
    made and none has a known price; `unkept` is the usage of interrupted, retried and rejudged conversations.
    """
    headline = sentence(summary, gated)
    outcomes: dict[str, Json] = {outcome.value: summary.outcomes[outcome] for outcome in Outcome}
    return {
        "batch": summary.batch,
        "ref": summary.name or summary.batch,
        "sentence": {"word": headline.word, "text": headline.text, "exit": headline.exit},
        "counts": {"planned": summary.planned, **outcomes, "not_run": summary.not_run},
        "blame": {blame.value: summary.blames.get(blame, 0) for blame in Blame},
        "rate": _rate(summary),
        "causes": [each.model_dump(mode="json") for each in summary.causes],
        "trust": trust_json(summary),
        "seed": summary.seed,
        "datasets": dict(summary.datasets),
        "players": summary.who.model_dump(mode="json"),
        "who": summary.who.model_dump(mode="json"),
        "endings": {ending.value: count for ending, count in summary.endings.items()},
        "outcomes": outcomes,
        "outcome": summary.outcome.value,
        "last_outcomes": {outcome.value: count for outcome, count in summary.last_outcomes.items()},
        "retried": summary.retried,
        "most_attempts": summary.most_attempts,
        "blames": {blame.value: count for blame, count in summary.blames.items()},
        "crashes": summary.crashes,
        "guards": summary.guards,
        "weak": summary.weak,
        "refused": summary.refused,
        "untried": summary.untried,
        "not_run": summary.not_run,
        "scores": [scores_json(each) for each in summary.scores],
        "statistics": None if summary.statistics is None else summary.statistics.model_dump(mode="json"),
        "agreements": [each.model_dump(mode="json") for each in summary.agreements],
        "consistency": [each.model_dump(mode="json") for each in summary.consistency],
        "rules": {finding.rule: finding.outcome.value for finding in summary.findings},
        **_consumed(summary.consumed),
        "unkept": _consumed(summary.unkept),
    }


def _rate(summary: Summary) -> Json:
    """Return the pass rate of cases like these; null if nothing is decided."""
    if summary.statistics is None:
        return None
    rate: Json = summary.statistics.model_dump(mode="json")["decided"]["like_these"]
    return rate


def _consumed(usage: Usage) -> dict[str, Json]:
    return {
        "calls": usage.calls,
        "from_cache": usage.from_cache,
        "tokens": {"input": usage.input_tokens, "output": usage.output_tokens, "unknown": usage.unknown_tokens},
        "cost": usage.known_cost,
        "unknown_costs": usage.unknown_costs,
    }


_AS_THEY_ARE = (
    *("file", "description", "conversations", "total", "filtered", "applicable", "satisfied", "violated"),
    *("not_applicable", "errors", "needs_model"),
)
_MORE = ("examples", "culprits", "causes", "missing", "bound", "estimate", "removed_by")


def findings_json(findings: Findings) -> dict[str, Json]:
    """Return what `check --json` prints. `total` counts tuples; it is 1 for a rule over all of them."""
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


_OBJECTS: TypeAdapter[dict[str, Json]] = TypeAdapter(dict[str, Json])


def compact(document: dict[str, Json]) -> bytes:
    """Return an object as JSON without spaces."""
    return _OBJECTS.dump_json(document)


def result_document(result: "ScenarioResult") -> bytes:
    """Return a result row as JSON, without a transcript if it has none."""
    return to_json(result, without=frozenset({"conversation_history"} if result.conversation_history is None else ()))


async def results_json(results: ResultRows) -> AsyncIterator[bytes]:
    """Yield `{batch_id, results, total_results}`, one result at a time."""
    yield b'{"batch_id":"%s","results":[' % results.batch.encode()
    total = 0
    async for result in results.rows:
        yield (b"," if total else b"") + result_document(result)
        total += 1
    yield b'],"total_results":%d}' % total


def batch_json(summary: Summary, gated: "Gated | None" = None) -> dict[str, Json]:
    """Return everything about a batch, with the keys of `run_json` and of the summary."""
    return {**run_json(summary, gated), **with_players(summary.model_dump(mode="json"))}


def summary_json(report: Report) -> str:
    """Return the summary of a batch."""
    return printed(with_players(report.summary.model_dump(mode="json"))) + "\n"


def _findings(findings: Findings) -> str:
    return printed(findings_json(findings)) + "\n"


FORMAT = ReportFormat(
    name="json",
    label="JSON",
    suffixes=(".json",),
    media_type="application/json",
    batch=lambda: BatchWriter(summary_json),
    results=results_json,
    findings=_findings,
    openings=(
        rb'\{\n  "batch": "\w+",\n  "name": ',
        rb'\{\n  "conversations": \d+,\n  "skipped": ',
        rb'\{"batch_id":"[^"]*","results":\[',
    ),
)
