"""Release gates: thresholds for a batch, line by line."""

from collections import Counter
from collections.abc import Iterator, Mapping

from sparring.core.batch import Until
from sparring.core.checks import Gate, Limit
from sparring.core.judgements import Corrected
from sparring.core.outcome import Outcome
from sparring.core.text import visible
from sparring.core.value import Json, Value
from sparring.core.verdict import CheckOutcome
from sparring.reports.batch_statistics import standing
from sparring.reports.calibration_text import corrected_text
from sparring.reports.case_rows import NamedRows
from sparring.reports.compared_batch import ComparedBatch
from sparring.reports.comparison import SIGNIFICANT, Change, Comparison, Night
from sparring.reports.comparison_text import baseline_text, headline, headline_notes
from sparring.reports.gate_levels import GateLine, Level, Through, level_line
from sparring.reports.lines import counted
from sparring.reports.measures import scenario
from sparring.reports.rate_text import bounds, claim_text, combined_text, exactly, percent, signed
from sparring.reports.summary import Summary
from sparring.reports.tested_changes import deciding_score

_WORDS: dict[Through, str] = {"passed": "ok", "failed": "FAILED", "inconclusive": "INCONCLUSIVE"}


class Gated(Value):
    """Result of a gate: failed if a line failed, else inconclusive if a line is.

    `nights` are the changes of a series from its baseline.
    """

    lines: tuple[GateLine, ...]
    notes: tuple[str, ...] = ()
    nights: tuple[Night, ...] = ()

    @property
    def came(self) -> Through:
        """Outcome of the gate: failed if a line failed, else inconclusive if a line is, else passed."""
        found = {line.came for line in self.lines}
        return "failed" if "failed" in found else "inconclusive" if "inconclusive" in found else "passed"

    @property
    def exit(self) -> int:
        """The exit code of commands that the gate decides."""
        return {"passed": 0, "failed": 1, "inconclusive": 4}[self.came]


class GateTally:
    """The figures of a batch that a gate limits. `side` is the batch by the attempts that the gate counts."""

    def __init__(self, gate: Gate, side: ComparedBatch) -> None:
        self.gate, self.batch = gate, side.batch
        self.rows = side.rows.with_crash(gate.crash)
        self.counts = side.counts
        self.before: NamedRows | None = None
        """Outcomes of the baseline, for a batch that was held until the comparison with it was decided."""

    @property
    def errors(self) -> int:
        """Number of undecided conversations. If the gate limits crashes, they are not among them."""
        crashes = self.counts["crashes" if self.gate.crash == "undecided" else "undecided_crashes"]
        return self.counts["errors"] + (crashes if self.gate.crashes is None else 0)


_JUDGED = ("pass_rate", "mean_score", "share_of", "pass_hat_k", "baseline")
"""Beginnings of the names of lines that rest on the verdicts of a judge."""


def gated(
    tally: GateTally,
    summary: Summary,
    comparison: Comparison | None = None,
    *,
    doubt: str = "",
    corrected: Mapping[str, Corrected] | None = None,
) -> Gated:
    """Check a batch against a gate; `comparison` is the one with its baseline, if any.

    With a `doubt` about its judge, lines that rest on the judge are inconclusive, and so are figures that reach their
    minimum only before they are `corrected` for the judge's errors.
    """
    baseline = comparison.baseline if comparison else None
    nights = baseline.series if baseline else ()
    lines = tuple(_lines(tally, summary, comparison))
    if tally.gate.judge:
        judged = (each.asks.startswith(_JUDGED) for each in lines)
        doubted = [
            each.changed(came="inconclusive") if rests and doubt else _corrected(each, tally.gate, corrected or {})
            for each, rests in zip(lines, judged, strict=True)
        ]
        came: Through = "inconclusive" if doubt else "passed"
        line = GateLine(asks="judge", wanted="calibrated", measured=doubt or "calibrated", came=came)
        lines = (line, *doubted) if doubt else (*doubted, line)
    return Gated(lines=lines, notes=tuple(_notes(tally)), nights=nights)


def _corrected(line: GateLine, gate: Gate, corrected: Mapping[str, Corrected]) -> GateLine:
    """Return a line with its corrected figure. It is inconclusive if that is below the minimum."""
    found = corrected.get(line.asks)
    if found is None or found.corrected.value is None:
        return line
    minimum = {"pass_rate": gate.pass_rate, "mean_score": gate.mean_score}[line.asks] or 0
    below = line.came == "passed" and found.corrected.value < minimum
    text = f"{line.measured}; {corrected_text(line.asks, found)}"
    return line.changed(measured=text, came="inconclusive" if below else line.came)


def gate_json(result: Gated) -> dict[str, Json]:
    """Return the result of a gate as JSON."""
    return {"came": result.came, **result.model_dump(mode="json")}


def gate_text(result: Gated) -> Iterator[str]:
    """Yield the lines of a gate."""
    yield f"Gate: {result.came.upper()}"
    for line in result.lines:
        yield visible(f"  - {_WORDS[line.came]}: {line.asks}: {line.measured}; wanted: {line.wanted}")
    for note in result.notes:
        yield f"  {note}"


def _lines(tally: GateTally, summary: Summary, comparison: Comparison | None) -> Iterator[GateLine]:
    gate, counts = tally.gate, tally.counts
    price = _price(summary)
    levels = [level_line(level, gate, price) for level in _levels(tally)]
    until = tally.batch.until
    if until is not None and not until.baseline:
        asked = until.changed(threshold=gate.pass_rate, confidence=gate.confidence or until.confidence)
        levels[0] = _early(levels[0], asked, tally)
    if gate.attempts == "first" and summary.retried:
        last, decided = summary.last_outcomes[Outcome.PASSED], summary.stored
        levels[0] = levels[0].changed(measured=f"{levels[0].measured}; after retries {last:,} of {decided:,}")
    yield from levels
    if (gate.mean_score is not None or gate.share_of) and deciding_score(tally.rows.score_keys, tally.batch) is None:
        wanted = "scores of a judge by a rubric"
        yield GateLine(asks="scores", wanted=wanted, measured="there are none", came="inconclusive")
    if isinstance(gate.crashes, int):
        yield _at_most("crashes", counts["crashes"], counts["stored"], gate.crashes)
    limits: list[tuple[str, Limit | None, Through]] = [
        ("errors", gate.errors, "inconclusive"),
        ("weak", gate.weak, "failed"),
        ("unread", gate.unread, "failed"),
        ("void", gate.void, "inconclusive"),
        ("blamed_on_user", gate.blamed_on_user, "inconclusive"),
    ]
    for name, limit, beyond in limits:
        if limit is not None:
            yield _at_most(name, tally.errors if name == "errors" else counts[name], counts["stored"], limit, beyond)
    yield _at_most("not_run", summary.not_run, summary.planned, gate.not_run)
    idle = sum(finding.outcome is CheckOutcome.NOT_APPLICABLE for finding in summary.findings)
    if summary.findings:
        yield _at_most("not_exercised", idle, len(summary.findings), gate.not_exercised)
    yield from _rules(gate, summary)
    if gate.max_cost is not None:
        yield _cost(gate.max_cost, summary)
    if gate.baseline:
        line = _baseline(gate, comparison)
        yield _early(line, until, tally) if until is not None and tally.before is not None else line


def _early(line: GateLine, until: Until, tally: GateTally) -> GateLine:
    """Return the line of a batch that ran until it was decided, by evidence that holds at any look."""
    rows = tally.rows.passed()
    found = standing(tally.batch, until, rows, tally.before)
    steps = len(found.values)
    if not steps:
        return line.changed(measured="nothing was decided", came="inconclusive")
    known = [each for step in found.values for each in step if each is not None]
    value = sum(known) / len(known) if known else 0.0
    number = counted(sum(map(len, rows.values())), "conversation")
    if until.baseline:
        low, high = found.interval(-1, until.confidence)
        measured = f"{claim_text('these')}: {signed(value)} points [{signed(low)}, {signed(high)}]"
        wanted = f"not worse than {tally.gate.baseline}, or by less than {100 * until.margin:.6g} points"
    else:
        low, high = found.interval(0, until.confidence)
        measured = f"{claim_text(until.claim)}: {percent(value)} % [{bounds(low, high)}]"
        wanted = f"at least {exactly(until.threshold)}"
    measured += f", which holds at any look; {number}"
    came: Through = "inconclusive"
    if found.answer:
        came = "passed" if found.answer == "above" else "failed"
    elif found.complete:
        every = until.claim == "like these" and len(rows) == len(tally.batch.cases)
        measured += f": all {len(rows):,} cases are played: add cases" if every else ": not decided within the limit"
    else:
        measured += ": stopped before it was decided"
    wanted += f" at {exactly(until.confidence)} confidence"
    return line.changed(
        wanted=wanted, measured=measured, came=came, reversal=None, interval=None, needed=None, cost=None
    )


def _levels(tally: GateTally) -> Iterator[Level]:
    """Yield the rates and mean scores that a gate asks about."""
    gate, rows = tally.gate, tally.rows
    passed = rows.passed(gate.unit)
    yield Level("pass_rate", gate.pass_rate, passed)
    key = deciding_score(rows.score_keys, tally.batch)
    if key is not None:
        scale, scores = rows.scale(key), rows.scored(key, gate.unit)
        if gate.mean_score is not None:
            yield Level("mean_score", gate.mean_score, scores, scale.worst, scale.best, score=True)
        for least, share in sorted(gate.share_of.items()):
            reached = {
                name: [None if score is None else float(score >= least) for score in row]
                for name, row in scores.items()
            }
            yield Level(f"share_of {least}", share, reached)
    if gate.pass_hat_k is not None:
        yield Level(f"pass_hat_k {gate.pass_hat_k.k}", gate.pass_hat_k.rate, passed, k=gate.pass_hat_k.k)
    if isinstance(gate.crashes, float):
        yield Level("crashes", gate.crashes, rows.crashed(gate.unit), at_most=True)


def _notes(tally: GateTally) -> Iterator[str]:
    """Yield a sentence where cases like these are only combinations of few scenarios."""
    gate = tally.gate
    cases = list(tally.rows.passed())
    scenarios = Counter(map(scenario, cases))
    if gate.confidence is None or gate.claim == "these" or gate.unit == "scenario" or not cases:
        return
    if said := combined_text(len(cases), len(scenarios), max(scenarios.values())):
        yield said


def _price(summary: Summary) -> float | None:
    """Return the mean cost of a conversation; None if a price is unknown, or no model was called."""
    consumed = summary.consumed
    if not summary.stored or not consumed.calls or consumed.unknown_costs or consumed.known_cost is None:
        return None
    return consumed.known_cost / summary.stored


def _at_most(asks: str, count: int, among: int, limit: Limit, beyond: Through = "failed") -> GateLine:
    """Check a limit, which is a count if it is a whole number, else a share; above it, return `beyond`."""
    if isinstance(limit, int):
        wanted, holds = f"at most {limit:,}", count <= limit
    else:
        wanted, holds = f"at most {exactly(limit)}", count <= limit * among
    return GateLine(asks=asks, wanted=wanted, measured=f"{count:,} of {among:,}", came="passed" if holds else beyond)


def _rules(gate: Gate, summary: Summary) -> Iterator[GateLine]:
    """Check rules over several conversations, if there are any; rules over one are part of the pass rate."""
    several = [finding for finding in summary.findings if finding.conversations != 1]
    violated = sum(finding.outcome is CheckOutcome.FAIL for finding in several)
    if several:
        line = _at_most("violated", violated, len(several), gate.violated)
        yield line.changed(measured=f"{line.measured} rules over several conversations")
    undecided = sum(finding.outcome is CheckOutcome.ERROR for finding in summary.findings)
    if undecided:
        measured = f"{undecided:,} of {len(summary.findings):,} rules could not be decided"
        yield GateLine(asks="rules", wanted="all decided", measured=measured, came="inconclusive")


def _cost(limit: float, summary: Summary) -> GateLine:
    consumed, wanted = summary.consumed, f"at most ${limit:,.2f}"
    unknown = f" and {consumed.unknown_costs:,} calls of unknown price" if consumed.unknown_costs else ""
    came: Through = "failed" if consumed.cost > limit else "inconclusive" if unknown else "passed"
    return GateLine(asks="max_cost", wanted=wanted, measured=f"${consumed.cost:,.4f}{unknown}", came=came)


def _baseline(gate: Gate, comparison: Comparison | None) -> GateLine:
    """Compare a batch with its baseline.

    It fails if a primary change, or that of a name in `not_worse`, is worse. With a margin, a fall of the pass rate of
    that size must be ruled out.
    """
    wanted = f"not worse than {gate.baseline}"
    if gate.margin is not None:
        wanted += f", and by less than {100 * gate.margin:.6g} points"
    if comparison is None:
        measured = "there is no other batch of this name to compare with"
        return GateLine(asks="baseline", wanted=wanted, measured=measured, came="inconclusive")
    lacking = _lacking(gate, comparison)
    measured = "; ".join([headline(comparison), *headline_notes(comparison)])
    worse = _worse(gate, comparison)
    came: Through = "passed"
    if comparison.baseline is not None:
        measured = f"{measured}; {baseline_text(comparison)}"
        worse = [name for name in worse if name not in comparison.primary or comparison.got_worse]
    if comparison.baseline is not None and comparison.baseline.outdated:
        came = "inconclusive"
    elif comparison.got_worse or worse:
        came = "failed"
        measured += f"; worse: {', '.join(worse)}" if worse and gate.not_worse else ""
    elif lacking:
        came, measured = "inconclusive", f"{measured}; not in both batches: {', '.join(lacking)}"
    elif not comparison.changes.compared or (gate.margin is not None and not comparison.excludes(gate.margin)):
        came = "inconclusive"
    return GateLine(asks="baseline", wanted=wanted, measured=measured, came=came)


def _listed(gate: Gate, comparison: Comparison) -> dict[str, Change]:
    """Return the changes of the tags and checks that must not be worse, by their names in the gate."""
    known = {f"tag:{tag}": each for tag, each in comparison.tags.items()}
    known |= {f"check:{check}": each for check, each in comparison.checks.items()}
    return {name: known[name] for name in gate.not_worse if name in known and known[name].compared}


def _lacking(gate: Gate, comparison: Comparison) -> list[str]:
    listed = _listed(gate, comparison)
    return [name for name in gate.not_worse if name not in listed]


def _worse(gate: Gate, comparison: Comparison) -> list[str]:
    """Return what is worse among the primary changes and those listed, which are one family of questions."""
    from sparring.statistics.families import holm

    family = {**comparison.primary, **_listed(gate, comparison)}
    attainable = [each.these.attainable_p if each.these else 1.0 for each in family.values()]
    adjusted = holm([each.p for each in family.values()], alpha=SIGNIFICANT, attainable=attainable)
    return [
        name
        for (name, each), p in zip(family.items(), adjusted, strict=True)
        if p < SIGNIFICANT and each.these and each.these.value and (each.these.value < 0) is (name != "crashes")
    ]
