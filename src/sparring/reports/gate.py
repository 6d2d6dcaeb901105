"""Release gates: thresholds for a batch, line by line."""

from collections.abc import Iterator
from typing import Literal

from sparring.core.audit import Blame
from sparring.core.checks import Gate
from sparring.core.outcome import Outcome
from sparring.core.text import visible
from sparring.core.value import Json, Value
from sparring.core.verdict import CheckOutcome
from sparring.reports.comparison import Comparison
from sparring.reports.comparison_text import headline
from sparring.reports.summary import Summary
from sparring.statistics.intervals import wilson

Through = Literal["passed", "failed", "inconclusive"]

_WORDS: dict[Through, str] = {"passed": "ok", "failed": "FAILED", "inconclusive": "INCONCLUSIVE"}


class GateLine(Value):
    """One threshold of a gate, with the measured value and the result."""

    asks: str
    wanted: str
    measured: str
    came: Through


class Gated(Value):
    """Result of a gate: failed if a line failed, else inconclusive if a line is."""

    lines: tuple[GateLine, ...]

    @property
    def came(self) -> Through:
        found = {line.came for line in self.lines}
        return "failed" if "failed" in found else "inconclusive" if "inconclusive" in found else "passed"


def gated(gate: Gate, summary: Summary, comparison: Comparison | None = None) -> Gated:
    """Check a batch against a gate; `comparison` is the one with its baseline, if any."""
    return Gated(lines=tuple(_lines(gate, summary, comparison)))


def gate_json(result: Gated) -> dict[str, Json]:
    """Return the result of a gate as JSON."""
    return {"came": result.came, **result.model_dump(mode="json")}


def gate_text(result: Gated) -> Iterator[str]:
    """Yield the lines of a gate."""
    yield f"Gate: {result.came.upper()}"
    for line in result.lines:
        yield visible(f"  - {_WORDS[line.came]}: {line.asks}: {line.measured}; wanted: {line.wanted}")


def _lines(gate: Gate, summary: Summary, comparison: Comparison | None) -> Iterator[GateLine]:
    yield _pass_rate(gate, summary)
    outcomes = _outcomes(gate, summary)
    yield _at_most("errors", outcomes[Outcome.UNDECIDED], summary.stored, gate.errors, beyond="inconclusive")
    blamed = summary.blames.get(Blame.USER, 0)
    for name, count, limit in (
        ("void", outcomes[Outcome.VOID], gate.void),
        ("blamed_on_user", blamed, gate.blamed_on_user),
    ):
        if limit is not None:
            yield _at_most(name, count, summary.stored, limit, beyond="inconclusive")
    yield _at_most("not_run", summary.not_run, summary.planned, gate.not_run)
    idle = sum(finding.outcome is CheckOutcome.NOT_APPLICABLE for finding in summary.findings)
    yield _at_most("not_exercised", idle, len(summary.findings), gate.not_exercised)
    yield from _rules(gate, summary)
    if gate.max_cost is not None:
        yield _cost(gate.max_cost, summary)
    if gate.baseline:
        yield _baseline(gate.baseline, comparison)


def _outcomes(gate: Gate, summary: Summary) -> dict[Outcome, int]:
    """Return the number of conversations of each outcome, of the attempts that the gate counts."""
    last = gate.attempts == "last"
    outcomes = dict(summary.last_outcomes if last else summary.outcomes)
    if gate.crash == "undecided":
        crashes = summary.last_crashes if last else summary.crashes
        outcomes[Outcome.FAILED] -= crashes
        outcomes[Outcome.UNDECIDED] += crashes
    return outcomes


def _pass_rate(gate: Gate, summary: Summary) -> GateLine:
    """Check the pass rate. It is conclusive only if undecided conversations cannot change the result."""
    outcomes = _outcomes(gate, summary)
    passed, failed = outcomes[Outcome.PASSED], outcomes[Outcome.FAILED]
    planned = max(summary.planned, passed + failed)
    wanted = f"at least {gate.pass_rate:.1%}"
    if gate.confidence is not None:
        wanted += f" beyond what was seen, with {gate.confidence:.0%} confidence"
    if not planned or (not passed and not failed):
        return GateLine(asks="pass_rate", wanted=wanted, measured="nothing was decided", came="inconclusive")
    lowest, highest = passed / planned, 1 - failed / planned
    if gate.confidence is not None:
        lowest, highest = wilson(lowest, planned, gate.confidence)[0], wilson(highest, planned, gate.confidence)[1]
    came: Through = "passed" if lowest >= gate.pass_rate else "failed" if highest < gate.pass_rate else "inconclusive"
    attempts = " at the last attempt" if gate.attempts == "last" else ""
    open_ones = planned - passed - failed
    measured = f"{passed:,} passed and {failed:,} failed of {planned:,}{attempts}"
    measured += f", {open_ones:,} not decided" if open_ones else ""
    if open_ones or gate.confidence is not None:
        measured += f": {lowest:.1%} to {highest:.1%}"
    else:
        measured += f": {lowest:.1%}"
    return GateLine(asks="pass_rate", wanted=wanted, measured=measured, came=came)


def _at_most(asks: str, count: int, among: int, limit: float, beyond: Through = "failed") -> GateLine:
    """Check a limit, which is a count if it is a whole number, else a share; above it, return `beyond`."""
    if isinstance(limit, int):
        wanted, holds = f"at most {limit:,}", count <= limit
    else:
        wanted, holds = f"at most {limit:.1%}", count <= limit * among
    return GateLine(asks=asks, wanted=wanted, measured=f"{count:,} of {among:,}", came="passed" if holds else beyond)


def _rules(gate: Gate, summary: Summary) -> Iterator[GateLine]:
    """Check rules over several conversations; rules over one are part of the pass rate."""
    several = [finding for finding in summary.findings if finding.conversations != 1]
    violated = sum(finding.outcome is CheckOutcome.FAIL for finding in several)
    yield _at_most("violated", violated, len(several), gate.violated)
    undecided = sum(finding.outcome is CheckOutcome.ERROR for finding in summary.findings)
    if undecided:
        measured = f"{undecided:,} of {len(summary.findings):,} rules could not be decided"
        yield GateLine(asks="rules", wanted="all decided", measured=measured, came="inconclusive")


def _cost(limit: float, summary: Summary) -> GateLine:
    consumed, wanted = summary.consumed, f"at most ${limit:,.2f}"
    unknown = f" and {consumed.unknown_costs:,} calls of unknown price" if consumed.unknown_costs else ""
    came: Through = "failed" if consumed.cost > limit else "inconclusive" if unknown else "passed"
    return GateLine(asks="max_cost", wanted=wanted, measured=f"${consumed.cost:,.4f}{unknown}", came=came)


def _baseline(name: str, comparison: Comparison | None) -> GateLine:
    if comparison is None:
        measured = "there is no other batch of this name to compare with"
        return GateLine(asks="baseline", wanted=f"not worse than {name}", measured=measured, came="inconclusive")
    came: Through = "failed" if comparison.got_worse else "passed"
    if not comparison.got_worse and not comparison.changes.compared:
        came = "inconclusive"
    return GateLine(asks="baseline", wanted=f"not worse than {name}", measured=headline(comparison), came=came)
