"""What came out, for other programs."""

import re

from sparring.core.conversation import Conversation
from sparring.core.value import Json, to_json
from sparring.reporting.summary import Summary

_UNSAFE = re.compile(rb"\xc2\x85|\xe2\x80[\xa8\xa9]|##(?=\w*\[)")
"""Ends a line for some readers, or is an order to GitHub and Azure wherever in a line of a build's log it stands."""

_SAFE = {b"\xc2\x85": rb"\u0085", b"\xe2\x80\xa8": rb"\u2028", b"\xe2\x80\xa9": rb"\u2029", b"##": rb"#\u0023"}


def line(conversation: Conversation) -> bytes:
    """A conversation as one line of NDJSON. Two runs with the same seed differ in nothing but `timing`."""
    return _UNSAFE.sub(lambda found: _SAFE[found[0]], to_json(conversation)) + b"\n"


def run_json(summary: Summary) -> dict[str, Json]:
    """What `run --json` prints. `outcomes` counts conversations, `outcome` is how all of it came out, the rules
    included. `cost` is null where calls were made and not one of them has a known price."""
    consumed = summary.consumed
    return {
        "batch": summary.batch,
        "seed": summary.seed,
        "who": summary.who.model_dump(mode="json"),
        "endings": {ending.value: count for ending, count in summary.endings.items()},
        "outcomes": {outcome.value: count for outcome, count in summary.outcomes.items()},
        "outcome": summary.outcome.value,
        "not_run": summary.not_run,
        "rules": {finding.rule: finding.outcome.value for finding in summary.findings},
        "tokens": {
            "input": consumed.input_tokens,
            "output": consumed.output_tokens,
            "unknown": consumed.unknown_tokens,
        },
        "cost": consumed.known_cost,
        "unknown_costs": consumed.unknown_costs,
    }
