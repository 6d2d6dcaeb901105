"""Failures of a batch by cause: how many conversations each explains, with one example."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Self

from pydantic import NonNegativeInt

from sparring.core.audit import Blame
from sparring.core.batch import Batch
from sparring.core.causes import BUILT_IN_TITLES, CALL_OF, SAID, CauseStatus, FailureCause, Relation, TurnRole
from sparring.core.outcome import Decision, Outcome
from sparring.core.text import visible
from sparring.core.value import Value
from sparring.reports.lines import counted
from sparring.reports.rate_text import percent
from sparring.reports.reported import ReportedConversation

EXAMPLES = 10
"""Conversations that a cause names."""

MOST_CAUSES = 12
"""Causes that a report lists before it adds up the smaller ones."""

CAUSE = "c-"
"""Beginning of the ids of causes."""

_CODE = re.compile(r"[=<>()\[\]{}]")
_CONDITION = re.compile(r"(^|: )expected ")

ATTEMPTS = "c-attempts"
"""Id of the cause of conversations that failed at first and had another outcome on retry."""


class CauseExample(Value):
    """One conversation of a cause: the reason why it failed, and the turn and the words that show it."""

    conversation: str
    reason: str = ""
    turn: NonNegativeInt | None = None
    quote: str = ""
    expected: str = ""
    got: str = ""


class CauseSummary(Value):
    """A cause with the number of its conversations and cases.

    `share` is its share of the conversations with the same outcome, from 0 to 1. `checks` counts the checks that saw it
    first. `also` counts conversations with another cause in which it shows too. `every_repeat` is True if each of its
    cases has it in all of its decided repeats. `conversations` are the ids of its first ones. `status` compares it with
    the baseline, in which it had `before` conversations, `previous` with the previous run if that is not the baseline;
    both are None without one. `since` is the first batch of the name that had it, `since_run` its number. `hidden` is
    the largest share of its conversations in which a cause that is fixed could still hide, with 95 % confidence.
    """

    id: str
    title: str
    outcome: Outcome
    blame: Blame
    kind: str
    subject: str
    relation: str
    role: str
    count: NonNegativeInt
    cases: NonNegativeInt
    share: float
    also: NonNegativeInt = 0
    every_repeat: bool = True
    checks: dict[str, NonNegativeInt] = {}
    example: CauseExample
    conversations: tuple[str, ...] = ()
    status: CauseStatus | None = None
    previous: CauseStatus | None = None
    before: NonNegativeInt | None = None
    since: str = ""
    since_run: NonNegativeInt = 0
    hidden: float | None = None


@dataclass(frozen=True, slots=True)
class SeenCauses:
    """The causes of one conversation, its own first. A `blind` one broke off, and shows no other."""

    causes: tuple[str, ...]
    decided: bool
    blind: bool


class CauseTally:
    """Collects the causes of a batch, one conversation at a time, by its first attempt.

    `seen` has the causes of conversations by case, in the order of repeats. `recorded` is False for batches of earlier
    versions, which recorded no causes.
    """

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.recorded = True
        self.seen: defaultdict[str, list[SeenCauses]] = defaultdict(list)
        self._says = {rule.name: rule.description for rule in batch.rules if rule.description}
        self._first: dict[str, tuple[FailureCause, CauseExample]] = {}
        self._found: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._outcomes: dict[str, Outcome] = {}
        self._checks: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._also: Counter[str] = Counter()
        self._of_outcome: Counter[Outcome] = Counter()

    @classmethod
    def pooled(cls, nights: Sequence["CauseTally"], kept: Sequence[Container[str]]) -> Self:
        """Return several runs as one, by the cases of each that are kept.

        A conversation counts once for its causes.
        """
        both = list(zip(nights, kept, strict=True))
        cases = {case.id: case for night, some in both for case in night.batch.cases if case.id in some}
        made = cls(nights[-1].batch.model_copy(update={"cases": tuple(cases.values())}))
        made.recorded = all(night.recorded for night in nights)
        for night, some in both:
            for case, row in night.seen.items():
                made.seen[case] += row if case in some else ()
            for id, found in night._found.items():
                if own := {conversation: case for conversation, case in found.items() if case in some}:
                    made._found[id] |= own
                    made._first[id], made._outcomes[id] = night._first[id], night._outcomes[id]
                    made._checks[id] += night._checks[id]
                    made._also[id] += night._also[id]
            made._of_outcome += night._of_outcome
        return made

    def add(self, reported: ReportedConversation) -> None:
        """Count the cause of a conversation."""
        conversation = reported.conversation
        self.count(conversation.id, conversation.case.id, reported.counted(), reported.decision)

    def count(self, id: str, case: str, counted: Decision, last: Decision) -> str:
        """Count a conversation: the decision that counts, and that of the last attempt; return its cause."""
        decided = counted.outcome in (Outcome.PASSED, Outcome.FAILED)
        if counted.outcome is Outcome.PASSED:
            self.seen[case].append(SeenCauses((), decided=True, blind=False))
        if counted.outcome not in (Outcome.FAILED, Outcome.UNDECIDED):
            return ""
        self._of_outcome[counted.outcome] += 1
        cause = cause_of(counted, last)
        self.recorded = self.recorded and (counted.cause is not None or counted is not last)
        self.seen[case].append(SeenCauses((cause.id, *cause.also), decided=decided, blind=cause.kind == "ending"))
        self._first.setdefault(cause.id, (cause, _example(id, cause, counted.reason)))
        self._found[cause.id][id] = case
        self._outcomes.setdefault(cause.id, counted.outcome)
        self._checks[cause.id][cause.check] += 1
        self._also.update(cause.also)
        return cause.id

    def state(self) -> dict[str, Any]:
        """Return what was counted as JSON, from which `join` adds it to that of other cases of the batch."""
        kinds: dict[SeenCauses, int] = {}
        seen = {case: [kinds.setdefault(each, len(kinds)) for each in row] for case, row in self.seen.items()}
        return {
            "recorded": self.recorded,
            "seen": seen,
            "kinds": [(each.causes, each.decided, each.blind) for each in kinds],
            "first": {id: [each.model_dump(mode="json") for each in both] for id, both in self._first.items()},
            "found": self._found,
            "outcomes": self._outcomes,
            "checks": self._checks,
            "also": self._also,
            "of_outcome": self._of_outcome,
        }

    def join(self, state: dict[str, Any]) -> None:
        """Add what was counted of other cases, which come later in the batch."""
        kinds = [SeenCauses(tuple(causes), decided, blind) for causes, decided, blind in state["kinds"]]
        rows: dict[tuple[int, ...], list[SeenCauses]] = {}  # of a million cases, most have equal rows
        for case, row in state["seen"].items():
            self.seen[case] = rows.setdefault(tuple(row), [kinds[each] for each in row])
        self.recorded = self.recorded and state["recorded"]
        for id, (cause, example) in state["first"].items():
            if id not in self._first:
                self._first[id] = FailureCause.model_validate(cause), CauseExample.model_validate(example)
                self._outcomes[id] = Outcome(state["outcomes"][id])
            self._found[id].update(state["found"][id])
            self._checks[id].update(state["checks"][id])
        self._also.update(state["also"])
        self._of_outcome.update({Outcome(outcome): n for outcome, n in state["of_outcome"].items()})

    def causes(self) -> tuple[CauseSummary, ...]:
        """Return the causes: failures first, the most frequent ones first."""
        found = [self._summary(id) for id in self._first]
        failed_first = {Outcome.FAILED: 0, Outcome.UNDECIDED: 1}
        return tuple(sorted(found, key=lambda each: (failed_first[each.outcome], -each.count, -each.cases, each.id)))

    def _summary(self, id: str) -> CauseSummary:
        cause, example = self._first[id]
        found, outcome = self._found[id], self._outcomes[id]
        of_case = Counter(found.values())
        checks = dict(self._checks[id].most_common())
        return CauseSummary(
            id=id,
            title=title(cause, self._says if len(checks) == 1 else {}),
            outcome=outcome,
            blame=cause.blame,
            kind=cause.kind,
            subject=cause.subject,
            relation=cause.relation,
            role=cause.role,
            count=len(found),
            cases=len(of_case),
            share=len(found) / self._of_outcome[outcome],
            also=self._also[id],
            every_repeat=all(id in each.causes[:1] for case in of_case for each in self.seen[case] if each.decided),
            checks={name: count for name, count in checks.items() if name},
            example=example,
            conversations=tuple(found)[:EXAMPLES],
        )


def cause_of(counted: Decision, last: Decision) -> FailureCause:
    """Return the cause of a failure, by the decision that counts and that of the last attempt.

    Earlier versions recorded none, and a first attempt keeps none.
    """
    if counted.cause is not None and counted.outcome is last.outcome:
        return counted.cause
    if counted is not last:
        return FailureCause(id=ATTEMPTS, kind="ending", subject="attempts", blame=counted.blame or Blame.CHATBOT)
    check = counted.reasons[0].check if counted.reasons else ""
    known = {"kind": "rule", "subject": check, "check": check, "blame": counted.blame or Blame.CHATBOT}
    return FailureCause(id=f"c-{check or 'unknown'}", **known)


def _example(id: str, cause: FailureCause, reason: str) -> CauseExample:
    return CauseExample(
        conversation=id,
        reason=reason,
        turn=cause.turn,
        quote=cause.quote,
        expected=cause.expected,
        got=cause.got,
    )


_MOST_SAID = 60
"""Characters of an example's words that stand in a title."""

_PLACES: Mapping[TurnRole, str] = {
    "after_correction": " after a correction",
    "after_cancellation": " after a cancellation",
    "after_confirmation": " after a second confirmation",
    "after_unusual_input": " after unusual input",
    "after_goodbye": " after a goodbye",
    "at_confirmation": " at the confirmation",
    "first": " in the first reply",
    "last": " at the end",
    "other": "",
}
_VALUES: Mapping[Relation, str] = {
    "lower": "{subject}{place} is lower than expected",
    "higher": "{subject}{place} is higher than expected",
    "different": "{subject}{place} is not the expected one",
    "missing": "{subject} is missing{place}",
    "unexpected": "{subject}{place} should not be there",
    "not_among": "{subject}{place} is not among what was expected",
    "repeated": "{subject} is repeated{place}",
    "holds_not": "{subject}{place} is not as expected",
    "undecided": "{subject} could not be decided",
}


def title(cause: FailureCause, says: Mapping[str, str]) -> str:
    """Return a cause in words. `says` maps checks to their descriptions."""
    place = _PLACES[cause.role]
    if cause.id == ATTEMPTS:
        return "Failed at the first attempt, and not when it was played again"
    if cause.kind == "ending":
        return _ended(cause, place)
    if cause.relation == "undecided":
        return ": ".join(filter(None, [f"{_name(cause)} could not be decided", cause.text]))
    if cause.kind == "goal":
        left = "refused" if cause.got == "done" else "answered" if cause.subject.endswith("?") else "done"
        return f"Not {left}: {cause.subject}"
    if cause.kind == "judged":
        return f"{_name(cause)}: scored {cause.text}{place}"
    if said := says.get(cause.check):
        return f"Not true: {said}"
    if cause.text == SAID:
        return f"What the user said is {'not ' if cause.relation == 'missing' else ''}said back{place}"
    if cause.kind == "rule" and cause.text:
        plain = cause.relation == "unexpected" and 0 < len(cause.quote) <= _MOST_SAID
        words = cause.quote if plain else cause.text  # words of an example, not a pattern with masks
        return f"The chatbot {'does not say' if cause.relation == 'missing' else 'says'} “{words}”{place}"
    if cause.kind == "rule":
        return f"{BUILT_IN_TITLES.get(cause.subject) or f'{_name(cause)} is violated'}{place}"
    if cause.relation == "different" and cause.role == "after_correction":
        return f"A change of {_name(cause)} is not applied"
    text = _VALUES[cause.relation].format(subject=_name(cause), place=place)
    return text[0].upper() + text[1:] if cause.subject.isidentifier() or cause.subject.startswith(CALL_OF) else text


def _ended(cause: FailureCause, place: str) -> str:
    if not cause.subject:
        return cause.text.capitalize() or "The conversation did not end"
    if cause.subject.startswith("HTTP"):
        return f"The chatbot answered {cause.subject}{place}"
    known = {
        "timeout": "did not reply in time",
        "no connection": "could not be reached",
        "empty reply": "said nothing",
        "gave_up": "did not understand the user, again and again",
    }
    return f"The chatbot {known.get(cause.subject, f'crashed ({cause.subject})')}{place}"


def _name(cause: FailureCause) -> str:
    subject = cause.subject  # an expression keeps the names that it reads
    return (subject.replace("_", " ") if subject.isidentifier() else subject) or "a check"


def shortest_prefixes(ids: Sequence[str]) -> dict[str, str]:
    """Return the shortest prefix of each id, of at least six digits, that names no other."""
    ordered = sorted(set(ids))  # the ids that have most in common with one are beside it
    beside = zip(("", *ordered), ordered, (*ordered[1:], ""), strict=False)
    shared = {id: max(_shared(id, each) for each in (before, after)) for before, id, after in beside}
    return {id: id[: max(shared[id] + 1, len(CAUSE) + 6)] for id in ids}


def _shared(one: str, other: str) -> int:
    """Return the length of what two texts begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def status_text(cause: CauseSummary) -> str:
    """Return the status of a cause in words; empty without a baseline."""
    since = f" since @{cause.since_run}" if cause.since_run else ""
    if cause.status is None:
        return ""
    if cause.status in ("grew", "shrank"):  # without a number where it stood behind another cause
        return f"{cause.status} from {cause.before:,},{since}".rstrip(",") if cause.before else cause.status
    if cause.status == "fixed" and cause.hidden is not None:
        return f"fixed; up to {ceil(100 * cause.hidden)} % could still hide"
    return f"known{since}" if cause.status == "known" else cause.status.replace("_", " ")


def gone_lines(causes: Iterable[CauseSummary]) -> Iterator[str]:
    """Yield a line for each cause of the baseline that does not show."""
    for each in causes:
        yield visible(f"{status_text(each)}: {each.title} (was {each.before or 0:,})")


def count_text(cause: CauseSummary) -> str:
    """Return the number of conversations of a cause, and its status: `93 failed, new`."""
    return f"{cause.count:,} {cause.outcome}{f', {status_text(cause)}' if cause.status else ''}"


def example_text(cause: CauseSummary) -> str:
    """Return the example of a cause: its conversation and turn, quoted words, and what was expected."""
    example, turn = cause.example, "" if cause.example.turn is None else f", turn {cause.example.turn}"
    quote = f' "{example.quote}"' if example.quote and example.quote not in example.reason else ""
    return f"{example.conversation}{turn}: {reason_text(example, quote)}"


def reason_text(example: CauseExample, quote: str = "") -> str:
    """Return the reason of an example and its quoted words; no condition where what was expected is known."""
    if example.quote and example.expected:
        return f'"{example.quote}", expected {example.expected}'
    if example.quote and _CONDITION.search(example.reason):  # the title says it in words
        return f'"{example.quote}"'
    return f"{example.reason}{quote}"


def found_by(cause: CauseSummary) -> str:
    """Return the checks that saw a cause first, with their counts; expectations together."""
    code = [name for name in cause.checks if _CODE.search(name)]
    together = code if len(code) > 1 else []
    said = [f"{name} {count:,}" for name, count in cause.checks.items() if name not in together]
    subject = f" of {cause.subject}" if cause.subject.isidentifier() else ""
    if together:
        said.append(
            f"{counted(len(together), 'expectation')}{subject} {sum(map(cause.checks.__getitem__, together)):,}"
        )
    return ", ".join(said)


def cause_lines(causes: Iterable[CauseSummary]) -> Iterator[str]:
    """Yield a line for each cause, with its share and its example."""
    found = tuple(causes)
    short = shortest_prefixes(tuple(each.id for each in found))
    for each in found:
        blame = "" if each.blame is Blame.CHATBOT else f" [{each.blame}]"
        some = "" if each.every_repeat or each.count == each.cases else ", not in every repeat"
        status = f", {status_text(each)}" if each.status else ""
        share = f"{each.count:,} {each.outcome} ({percent(each.share)} %{some}){status}"
        yield visible(f"{share}: {each.title}{blame} ({short[each.id]})")
        yield visible(f"    {example_text(each)}")
