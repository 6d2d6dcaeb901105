"""The result of a batch in one sentence."""

from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import Literal, Protocol

from sparring.core.outcome import Outcome
from sparring.core.value import Value
from sparring.core.verdict import CheckOutcome, Finding
from sparring.reports.batch_statistics import BatchStatistics
from sparring.reports.causes import CauseSummary
from sparring.reports.lines import counted
from sparring.reports.rate_text import both_claims, percent, weights_text
from sparring.reports.summary import Summary
from sparring.statistics.estimates import Interval

Word = Literal["RUNNING", "FAILED", "STOPPED", "UNDECIDED", "PASSED"]


class BatchSentence(Value):
    """The result of a batch: one word, the facts that it rests on, and notes that stand below it."""

    word: Word
    text: str
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.word}: {self.text}"


class BatchFacts(Protocol):
    """The figures of a batch that its sentence names. A `Summary` has them."""

    @property
    def planned(self) -> int: ...
    @property
    def not_run(self) -> int: ...
    @property
    def outcomes(self) -> Mapping[Outcome, int]: ...
    @property
    def weak(self) -> int: ...
    @property
    def causes(self) -> Sequence[CauseSummary]: ...
    @property
    def findings(self) -> Sequence[Finding]: ...
    @property
    def statistics(self) -> BatchStatistics | None: ...


def running_sentence(facts: BatchFacts, left: str = "") -> BatchSentence:
    """Return the sentence of a batch that runs; `left` is the time that is left, in words."""
    done = f"{facts.planned - facts.not_run:,} of {facts.planned:,} done"
    failed = facts.outcomes.get(Outcome.FAILED, 0)
    causes = f", {counted(_causes(facts), 'cause')}" if failed else ""
    parts = [f"{done}, about {left} left" if left else done, f"{failed:,} failed so far{causes}"]
    return BatchSentence(word="RUNNING", text="; ".join(parts))


def verdict_sentence(facts: BatchFacts, stopped: str = "") -> BatchSentence:
    """Return the sentence of a batch at its end; `stopped` says why it did not run to the end."""
    passed, failed = (facts.outcomes.get(each, 0) for each in (Outcome.PASSED, Outcome.FAILED))
    violated = sum(each.outcome is CheckOutcome.FAIL for each in facts.findings)
    ran, notes = facts.planned - facts.not_run, tuple(_notes(facts))
    not_run = f"; {facts.not_run:,} of {facts.planned:,} not run" if facts.not_run else ""
    not_run += f", {stopped}" if stopped and facts.not_run else ""
    if failed or violated:
        parts = [f"{failed:,} of {passed + failed:,} failed{_rate(facts)}"] if failed else [f"all {passed:,} passed"]
        parts += [counted(_causes(facts), "cause")] if failed else []
        parts += [f"{counted(violated, 'rule')} violated"] if violated else []
        return BatchSentence(word="FAILED", text="; ".join(parts) + not_run, notes=notes)
    if facts.not_run:
        why = f"{stopped} after" if stopped else "only"
        return BatchSentence(
            word="STOPPED", text=f"{why} {ran:,} of {facts.planned:,}; none of the {ran:,} failed", notes=notes
        )
    if ran > passed or not ran:
        some = f"nothing failed, but {ran - passed:,} of {ran:,} could not be decided"
        said = some if passed else f"none of {ran:,} could be decided"
        return BatchSentence(word="UNDECIDED", text=said + _why(facts), notes=notes)
    if unproven := [each for each in facts.findings if each.outcome is not CheckOutcome.PASS]:
        said = f"all {passed:,} passed, but {counted(len(unproven), 'rule')} could not be decided or exercised"
        return BatchSentence(word="UNDECIDED", text=said, notes=notes)
    return BatchSentence(word="PASSED", text=f"all {passed:,} passed{_least(facts)}{_exercised(facts)}", notes=notes)


def rate_text(interval: Interval) -> str:
    """Return a rate in whole percent with its bounds, rounded outwards: `61 % [51–71]`."""
    low, high = floor(100 * interval.low + 1e-9), ceil(100 * interval.high - 1e-9)
    return f"{percent(interval.value or 0)} % [{low}–{high}]"


def sentence(summary: Summary) -> str:
    """Return one sentence for a manager: the verdict, the pass rate, and the unknown rest."""
    found = summary.statistics
    if found is None or found.decided.value is None:
        return f"Nothing is known yet: none of {counted(summary.planned, 'conversation')} could be decided."
    decided = found.decided.these.conversations
    passed = f"{found.passed:,} of {counted(decided, 'conversation')} passed"
    weights = weights_text(found.decided, found.passed, decided)
    share = f"{percent(found.decided.value, 1)} %{weights}; {both_claims(found.decided)}"
    return f"{_verdict(summary)}: {passed} ({share}){_rest(summary)}."


def _verdict(summary: Summary) -> str:
    violated = sum(finding.outcome is CheckOutcome.FAIL for finding in summary.findings)
    if summary.outcome is Outcome.PASSED:
        return "The chatbot did what was asked of it"
    if summary.outcome is Outcome.FAILED and violated:
        return f"The chatbot is not ready, as {violated:,} rule{'s are' if violated > 1 else ' is'} violated"
    return "The chatbot is not ready" if summary.outcome is Outcome.FAILED else "It cannot be told whether it is ready"


def _rest(summary: Summary) -> str:
    """Return the conversations that are not in the pass rate."""
    parts = [
        (summary.outcomes[Outcome.UNDECIDED], "undecided"),
        (summary.outcomes[Outcome.VOID], "void"),
        (summary.not_run, "not run"),
    ]
    said = [f"{count:,} {what}" for count, what in parts if count]
    if summary.outcome is Outcome.PASSED and _only_words(summary):
        said.append("going by the words alone, without a rule")
    return f"; {', '.join(said)}" if said else ""


def _only_words(summary: Summary) -> bool:
    """Return True if only the checklist judged: it sees if goals were answered, not if the answers are right."""
    return not summary.findings and {each.judge for each in summary.scores} == {"checklist"}


def _causes(facts: BatchFacts) -> int:
    return sum(each.outcome is Outcome.FAILED for each in facts.causes)


def _rate(facts: BatchFacts) -> str:
    found = facts.statistics
    if found is None or found.decided.value is None:
        return ""
    return f", {rate_text(found.decided.like_these)} of cases like these pass"


def _least(facts: BatchFacts) -> str:
    found = facts.statistics
    return (
        "" if found is None else f", so at least {floor(100 * found.decided.like_these.low)} % of cases like these pass"
    )


def _exercised(facts: BatchFacts) -> str:
    return f"; all {counted(len(facts.findings), 'rule')} were exercised" if len(facts.findings) > 1 else ""


def _why(facts: BatchFacts) -> str:
    """Return the main reason why conversations are undecided or void."""
    void = facts.outcomes.get(Outcome.VOID, 0)
    said = [f"{counted(facts.weak, 'case')} weak"] if facts.weak else []
    said += [each.title for each in facts.causes if each.outcome is Outcome.UNDECIDED][:1] if not said else []
    said += [f"{void:,} void"] if void else []
    return f": {', '.join(said)}" if said else ""


def _notes(facts: BatchFacts) -> list[str]:
    found, left_out = (
        facts.statistics,
        facts.planned - sum(facts.outcomes.get(each, 0) for each in (Outcome.PASSED, Outcome.FAILED)),
    )
    notes = []
    if found is not None and found.decided.value is not None:
        notes.append(f"these cases: {rate_text(found.decided.these)}")
    if left_out:
        notes.append(f"{left_out:,} of {facts.planned:,} not in the rate")
    if found is not None and found.after_retries is not None and found.after_retries > found.passed:
        notes.append(f"{found.after_retries - found.passed:,} passed after they were run again")
    return notes
