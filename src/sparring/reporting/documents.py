"""What came out, for other programs."""

import re

import orjson

from sparring.core.conversation import Conversation
from sparring.core.usage import Usage
from sparring.core.value import Json, to_json
from sparring.reporting.scores import Scores
from sparring.reporting.summary import Summary

_UNSAFE = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|##(?=\\w*\\[)"
)
"""Moves a cursor, hides or reverses text, ends a line for some readers, or is an order to GitHub and Azure wherever it
stands in a line of a build's log."""


def _escaped(found: re.Match[str]) -> str:
    return r"#\u0023" if found[0] == "##" else f"\\u{ord(found[0]):04x}"


def line(conversation: Conversation) -> bytes:
    """A conversation as one line of NDJSON. Two runs with the same seed differ in nothing but `timing`."""
    return _UNSAFE.sub(_escaped, to_json(conversation).decode()).encode() + b"\n"


def printed(value: Json) -> str:
    """JSON for people and programs, safe to print."""
    return _UNSAFE.sub(_escaped, orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def scores_json(scores: Scores) -> dict[str, Json]:
    """What one judge gave by one rubric; `std` is null for fewer than two scores, and everything is for none."""
    facts = scores.model_dump(mode="json", exclude={"spread", "distribution"})
    return {**facts, **scores.spread.model_dump(mode="json"), "distribution": dict(scores.distribution)}


def run_json(summary: Summary) -> dict[str, Json]:
    """What `run --json` prints. `outcomes` counts conversations, `outcome` is how all of it came out, the rules
    included. `cost` is null where calls were made and not one of them has a known price; `unkept` is what was consumed
    besides, by what was broken off, held again or judged again."""
    return {
        "batch": summary.batch,
        "seed": summary.seed,
        "who": summary.who.model_dump(mode="json"),
        "endings": {ending.value: count for ending, count in summary.endings.items()},
        "outcomes": {outcome.value: count for outcome, count in summary.outcomes.items()},
        "outcome": summary.outcome.value,
        "unjudged": summary.unjudged,
        "not_run": summary.not_run,
        "scores": [scores_json(each) for each in summary.scores],
        "agreements": [each.model_dump(mode="json") for each in summary.agreements],
        "rules": {finding.rule: finding.outcome.value for finding in summary.findings},
        **_consumed(summary.consumed),
        "unkept": _consumed(summary.unkept),
    }


def _consumed(usage: Usage) -> dict[str, Json]:
    return {
        "calls": usage.calls,
        "from_cache": usage.from_cache,
        "tokens": {"input": usage.input_tokens, "output": usage.output_tokens, "unknown": usage.unknown_tokens},
        "cost": usage.known_cost,
        "unknown_costs": usage.unknown_costs,
    }
