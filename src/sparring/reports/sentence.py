"""The sentence with the result of a batch, in all commands, pages and reports, and its exit code."""

from collections import Counter
from collections.abc import Iterator, Mapping
from math import floor
from textwrap import shorten
from typing import TYPE_CHECKING, Literal

from sparring.core.batch import IMPORT_INTERRUPTED
from sparring.core.outcome import NULL_BOTS, Outcome
from sparring.core.text import visible
from sparring.core.value import Value
from sparring.core.verdict import CheckOutcome
from sparring.reports.lines import counted
from sparring.reports.overview import Overview
from sparring.reports.rate_text import rate_text, since_text
from sparring.reports.summary import Summary

if TYPE_CHECKING:
    from sparring.reports.gate import Gated

Word = Literal["RUNNING", "FAILED", "STOPPED", "UNDECIDED", "TOO FEW TO TELL", "PASSED"]

_MAX_REASON = 160
"""Maximum characters of a reason for void conversations."""

_EXITS: Mapping[Word, int] = {"PASSED": 0, "FAILED": 1, "STOPPED": 3, "UNDECIDED": 3, "TOO FEW TO TELL": 4}


class BatchSentence(Value):
    """The result of a batch: one word, the facts that it rests on, and notes that stand below it.

    `exit` is the exit code of commands about the batch; None while it runs.
    """

    word: Word
    text: str
    notes: tuple[str, ...] = ()
    exit: int | None = None

    def __str__(self) -> str:
        return f"{self.word}: {self.text}"


BatchFacts = Summary | Overview
"""The figures of a batch that its sentence names."""


def running_sentence(facts: BatchFacts, left: str = "") -> BatchSentence:
    """Return the sentence of a batch that runs; `left` is the time that is left, in words."""
    done = f"{facts.planned - facts.not_run:,} of {facts.planned:,} done"
    failed = facts.outcomes.get(Outcome.FAILED, 0)
    causes = f", {counted(_causes(facts), 'cause')}" if failed else ""
    parts = [f"{done}, about {left} left" if left else done, f"{failed:,} failed so far{causes}"]
    return BatchSentence(word="RUNNING", text="; ".join(parts))


def sentence(summary: Summary, gated: "Gated | None" = None) -> BatchSentence:
    """Return the sentence of a summary, which says itself if the batch runs, or was stopped."""
    return running_sentence(summary) if summary.running else verdict_sentence(summary, summary.stopped, gated)


def verdict_sentence(facts: BatchFacts, stopped: str = "", gated: "Gated | None" = None) -> BatchSentence:
    """Return the sentence of a batch at its end.

    `stopped` says why it did not run to the end. A gate decides on what failed, unless nothing was run or an import was
    interrupted.
    """
    word, text = _verdict(facts, stopped)
    exit = _EXITS[word]
    if gated is not None and facts.planned > facts.not_run and stopped != IMPORT_INTERRUPTED:
        word, text = _gated(facts, gated, word, text)
        exit = gated.exit
    return BatchSentence(word=word, text=text, notes=tuple(_notes(facts)), exit=exit)


def _verdict(facts: BatchFacts, stopped: str) -> tuple[Word, str]:
    passed, failed, ran = _passed(facts), _failed(facts), facts.planned - facts.not_run
    undecided = ran - passed - failed
    if failed or _violated(facts):
        return "FAILED", "; ".join([*_failures(facts), *_not_run(facts, stopped)])
    if stopped == IMPORT_INTERRUPTED:
        return "STOPPED", f"{stopped} after {counted(ran, 'conversation')}; delete the batch and import the logs again"
    if facts.not_run or (stopped and not ran):
        return "STOPPED", _stopped(facts, stopped)
    if undecided or not ran:
        some = f"nothing failed, but {undecided:,} of {ran:,} could not be decided"
        if not passed and _only_unchecked(facts, undecided):
            return "UNDECIDED", f"{ran:,} answered, but nothing checked whether the answers were right"
        return "UNDECIDED", (some if passed else f"none of {ran:,} could be decided") + _why(facts)
    if unproven := [each for each in facts.findings if each.outcome is not CheckOutcome.PASS]:
        rules = counted(len(unproven), "rule")
        return "UNDECIDED", f"{_all(passed)} passed, but {rules} could not be decided or exercised"
    words = "; going by the words alone" if isinstance(facts, Summary) and _only_words(facts) else ""
    return "PASSED", f"{_all(passed)} passed{_least(facts)}{_exercised(facts)}{words}"


def _gated(facts: BatchFacts, gated: "Gated", word: Word, text: str) -> tuple[Word, str]:
    """Return the verdict of a gate, which may tolerate failures, and the line that decided it."""
    lines = [each for each in gated.lines if each.came == gated.came]
    asks = f"{lines[0].asks} {lines[0].wanted}" if lines else "nothing"
    if gated.came == "failed":
        measured = "" if lines[0].asks == "pass_rate" else f", measured {lines[0].measured}"
        return "FAILED", f"{text}; the gate asks for {asks}{measured}"
    if gated.came == "inconclusive" and lines[0].asks == "judge":
        return "UNDECIDED", f"{text}; the gate asks for a calibrated judge ({lines[0].measured})"
    if gated.came == "inconclusive":
        extended = f"{text}; the gate asks for {asks}"
        return ("TOO FEW TO TELL" if word in ("FAILED", "PASSED") else word), extended
    if word == "PASSED":
        return word, text
    decided = _passed(facts) + _failed(facts)
    parts = [f"{_passed(facts):,} of {decided:,} passed{_rate(facts, '')}", f"the gate asks for {asks}"]
    parts += [counted(_causes(facts), "cause")] if _failed(facts) else []
    return "PASSED", "; ".join([*parts, *_not_run(facts, "")])


def _failures(facts: BatchFacts) -> Iterator[str]:
    passed, failed, violated = _passed(facts), _failed(facts), _violated(facts)
    if failed:
        yield f"{failed:,} of {passed + failed:,} failed{_rate(facts)}"
        new = sum(each.status == "new" and each.outcome is Outcome.FAILED for each in facts.causes)
        yield counted(_causes(facts), "cause") + (f", {new:,} new" if new else "")
    else:
        yield f"{_all(passed)} decided passed" if passed else "nothing else was decided"
    if violated:
        yield f"{counted(violated, 'rule')} violated"


def _not_run(facts: BatchFacts, stopped: str) -> list[str]:
    if stopped == IMPORT_INTERRUPTED:
        return [stopped]
    why = f", {stopped}" if stopped else ""
    return [f"{facts.not_run:,} of {facts.planned:,} not run{why}"] if facts.not_run else []


def _stopped(facts: BatchFacts, stopped: str) -> str:
    """Return why and how early a batch ended in which nothing failed."""
    ran = facts.planned - facts.not_run
    if not ran:
        return stopped or f"none of {facts.planned:,} was run"
    return f"{f'{stopped} after' if stopped else 'only'} {ran:,} of {facts.planned:,}; none of the {ran:,} failed"


def _only_unchecked(facts: BatchFacts, undecided: int) -> bool:
    """Return True if all that is undecided is weak, and no rule checked anything else."""
    return not facts.findings and facts.weak == undecided > 0


def _only_words(summary: Summary) -> bool:
    """Return True if only the checklist judged: it sees if goals were answered, not if answers are right."""
    checked = summary.findings or summary.expected
    return not checked and {each.judge for each in summary.scores} == {"checklist"}


def _passed(facts: BatchFacts) -> int:
    return facts.outcomes.get(Outcome.PASSED, 0)


def _failed(facts: BatchFacts) -> int:
    return facts.outcomes.get(Outcome.FAILED, 0)


def _violated(facts: BatchFacts) -> int:
    """Return the number of violated rules that no failed conversation shows, unless nothing failed."""
    several = _failed(facts) > 0
    return sum(
        each.outcome is CheckOutcome.FAIL and (each.conversations != 1 or not several) for each in facts.findings
    )


def _causes(facts: BatchFacts) -> int:
    return sum(each.outcome is Outcome.FAILED for each in facts.causes)


def _rate(facts: BatchFacts, verb: str = " pass") -> str:
    found = facts.statistics
    if found is None or found.decided.value is None:
        return ""
    return f", {rate_text(found.decided.like_these)} of cases like these{verb}"


def _least(facts: BatchFacts) -> str:
    found = facts.statistics
    if found is None:
        return ""
    return f", so at least {floor(100 * found.decided.like_these.low)} % of cases like these pass"


def _all(number: int) -> str:
    return "the only one" if number == 1 else f"all {number:,}"


def _exercised(facts: BatchFacts) -> str:
    return f"; all {counted(len(facts.findings), 'rule')} were exercised" if len(facts.findings) > 1 else ""


def _why(facts: BatchFacts) -> str:
    """Return the main reason why conversations are undecided or void."""
    found = [each for each in facts.causes if each.outcome is Outcome.UNDECIDED]
    weak = sum(each.cases for each in found if each.subject == NULL_BOTS)
    said = [f"{counted(weak, 'case')} {'is' if weak == 1 else 'are'} weak"] if weak else []
    said += [f"{each.title} ({each.count:,})" for each in found if each.subject != NULL_BOTS][:1]
    void = facts.outcomes.get(Outcome.VOID, 0)
    said += [f"{void:,} {'is' if void == 1 else 'are'} void{_void_reason(facts)}"] if void else []
    return f": {', '.join(said)}" if said else ""


def _void_reason(facts: BatchFacts) -> str:
    """Return the most frequent reason of void conversations, with its count if there are several reasons."""
    reasons = Counter(visible(each) for each in facts.void_reasons if each)
    if not reasons:
        return ""
    reason, count = min(reasons.items(), key=lambda each: (-each[1], each[0]))
    known = len(facts.void_reasons) == facts.outcomes.get(Outcome.VOID, 0)
    number = f"{count:,} x " if known and len(reasons) > 1 else ""
    return f" ({number}{shorten(reason, _MAX_REASON, placeholder=' …')})"


def _notes(facts: BatchFacts) -> Iterator[str]:
    found = facts.statistics
    if found is not None and found.decided.value is not None:
        yield f"these cases: {rate_text(found.decided.these)}"
        if facts.change is not None and facts.baseline is not None:
            yield since_text(facts.change, facts.baseline.previous_run or facts.baseline.run)
    kinds = {each.value: facts.outcomes.get(each, 0) for each in (Outcome.UNDECIDED, Outcome.VOID)}
    left_out = {**kinds, "not run": facts.not_run}
    if any(left_out.values()):
        why = ", ".join(f"{count:,} {kind}" for kind, count in left_out.items() if count)
        yield f"{sum(left_out.values()):,} of {facts.planned:,} not in the rate: {why}"
    if found is not None and found.after_retries is not None and found.after_retries > found.passed:
        yield f"{found.after_retries - found.passed:,} passed after they were run again"
