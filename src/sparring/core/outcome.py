"""The outcome of a conversation, and the one place where it is decided.

`decide` takes the conversation and everything that checks, judges and people said about it. Its result is recorded
with the conversation; summaries, reports, gates and pages read that record.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import not_
from typing import Any, Literal

from pydantic import Field, PositiveInt, model_validator

from sparring.core.audit import AUDIT, EVERYTHING, AuditMode, Blame, Fault, Need
from sparring.core.case import Case
from sparring.core.causes import FailureCause
from sparring.core.checks import Crash
from sparring.core.conversation import Conversation, Ending
from sparring.core.value import Value
from sparring.core.verdict import CHECKLIST, HUMAN, CheckOutcome, Verdict

UNFIT = 3
"""Number of different certain faults that make a failed conversation void even if none touches a goal."""


@dataclass(frozen=True, slots=True)
class Excuse:
    """Faults that make a conversation void, the earliest first; none if it counts.

    `doubts` are kinds of likely faults that would have excused a failed check, had they been certain.
    """

    faults: tuple[Fault, ...] = ()
    doubts: tuple[str, ...] = ()


def excuse(case: Case, verdicts: Sequence[Verdict]) -> Excuse:
    """Return the faults that explain all failed checks of a conversation.

    A fault explains a check if it touches what the check reads and came before it. Where no check failed, a fault that
    touches anything is enough: the conversation is not the one that was planned.
    """
    found = [fault for each in verdicts if each.by == AUDIT and each.audit for fault in each.audit.faults]
    if not found:
        return Excuse()
    certain = [fault for fault in found if fault.certainty == "certain"]
    failed = [each for each in verdicts if each.outcome is CheckOutcome.FAIL]
    excusing = _excusing(case, certain, failed)
    if not excusing and failed and len({fault.kind for fault in certain}) >= UNFIT:
        excusing = tuple(certain)
    if excusing:
        return Excuse(faults=excusing)
    likely = [fault for fault in found if fault.certainty == "likely"]
    doubted = _excusing(case, [*certain, *likely], failed) if failed else ()
    return Excuse(doubts=tuple(dict.fromkeys(fault.kind for fault in doubted if fault.certainty == "likely")))


def _excusing(case: Case, faults: Iterable[Fault], failed: Iterable[Verdict]) -> tuple[Fault, ...]:
    """Return the faults that excuse all failed checks, the earliest first; empty if one stays unexcused."""
    touching = [(fault, _touched(case, fault)) for fault in faults if fault.touches and _excuses(fault)]
    parts = list(_parts(failed))
    used = [[fault for fault, touched in touching if _explains(fault, touched, part)] for part in parts]
    if not all(used):
        return ()
    kept = [fault for fault, _ in touching] if not parts else [fault for each in used for fault in each]
    return tuple(sorted({id(fault): fault for fault in kept}.values(), key=lambda fault: fault.evidence[0].at))


def _excuses(fault: Fault) -> bool:
    return fault.blame in (Blame.USER, Blame.CASE)


def _parts(failed: Iterable[Verdict]) -> Iterator[Need]:
    for verdict in failed:
        if verdict.needs:
            yield from verdict.needs
        else:
            yield Need(names=(EVERYTHING,), until=max((each.at for each in verdict.evidence), default=None))


def _explains(fault: Fault, touched: frozenset[str], part: Need) -> bool:
    """Return True if a fault came in time for a part of a check and touches what it reads."""
    if part.until is not None and fault.evidence[0].at > part.until:
        return False
    return EVERYTHING in touched or EVERYTHING in part.names or not touched.isdisjoint(part.names)


def _touched(case: Case, fault: Fault) -> frozenset[str]:
    """Return what a fault touches, with the goals of touched variables and the parts of touched goals.

    A goal that is touched together with some of its variables is touched by these only.
    """
    touched = set(fault.touches)
    for number, goal in enumerate(case.goals, 1):
        name, own = f"goal:{number}", {*goal.variables, *([f"output:{goal.output}"] if goal.output else [])}
        if not own.isdisjoint(fault.touches):
            touched.add(name)
        elif name in fault.touches:
            touched |= own
    values = (str(case.variables[name]).casefold() for name in touched & case.variables.keys())
    return frozenset(touched | {f"value:{value}" for value in values})


class Outcome(StrEnum):
    """Outcome of one conversation."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    VOID = "void"

    @classmethod
    def _missing_(cls, value: object) -> "Outcome | None":
        """Accept the names of earlier versions, which were those of verdicts."""
        return _EARLIER.get(value) if isinstance(value, str) else None


_EARLIER = {
    "pass": Outcome.PASSED,
    "fail": Outcome.FAILED,
    "error": Outcome.UNDECIDED,
    "not_applicable": Outcome.VOID,
}


NULL_BOTS = "null bots"
"""Value of `Verdict.by` for what null bots found about a case, and the name of that check."""


REFUSING = "cannot"
"""Name of the null bot that refuses everything."""


class Discrimination(Value):
    """Result of applying a case's checks to conversations with null bots, which do nothing useful.

    A `weak` case is one that a null bot passes although it must not; `passed_by` names these bots. A `guard` only says
    what must not happen, so doing nothing is right. A case is `untried` if all of its checks need a model, and `off` if
    null bots were not asked for. `remedy` says how the author can make a weak case discriminate.
    """

    kind: Literal["discriminates", "weak", "guard", "untried", "off"]
    passed_by: tuple[str, ...] = ()
    reason: str = ""
    remedy: str = ""

    def verdict(self, conversation: str) -> Verdict:
        """Return the result as a verdict on a conversation of the case; `judge` is its kind."""
        weak = self.kind == "weak"
        return Verdict(
            check=NULL_BOTS,
            outcome=CheckOutcome.ERROR if weak else CheckOutcome.NOT_APPLICABLE,
            conversation=conversation,
            reason=": ".join(part for part in (self.reason, self.remedy) if part),
            by=NULL_BOTS,
            judge=self.kind,
            blame=Blame.CASE if weak else None,
            passed_by=self.passed_by,
        )


_COMPARES = re.compile("[=<>]| in | is ")
_EXPECTED = re.compile(r"(?:(?P<name>[^:]+): )?expected (?P<part>.*?)(?:, got .*)?$", re.DOTALL)


class Reason(Value):
    """One reason why a conversation did not pass; `check` is empty if the conversation is the reason."""

    check: str = ""
    text: str
    blame: Blame

    def __str__(self) -> str:
        """Return the check and the sentence in one line, without an expression that the sentence repeats."""
        said = _EXPECTED.match(self.text)
        if said and (said["part"] in self.check.split(" and ") or (said["name"] and _COMPARES.search(self.check))):
            return self.text
        return f"{self.check}: {self.text}" if self.check and self.text else self.check or self.text


class Decision(Value):
    """Outcome of a conversation with all reasons for it, the most important first, and who is to blame.

    `blame` is None if the conversation passed. A `crash` is a conversation in which the chatbot crashed, hung or broke
    its protocol. `guard` and `weak` repeat what null bots found about the case. `faults` are kinds of faults of the
    user or the case that make the conversation void; `as_played` is its outcome without the audit. `doubts` are kinds
    of likely faults, which change nothing. `cause` says which failures of other conversations are the same.
    """

    outcome: Outcome
    blame: Blame | None = None
    reasons: tuple[Reason, ...] = ()
    crash: bool = False
    guard: bool = False
    weak: bool = False
    as_played: Outcome | None = Field(None, exclude_if=not_)
    faults: tuple[str, ...] = Field((), exclude_if=not_)
    doubts: tuple[str, ...] = Field((), exclude_if=not_)
    cause: FailureCause | None = Field(None, exclude_if=not_)

    @property
    def reason(self) -> str:
        """The first reason as text; empty if the conversation passed."""
        return str(self.reasons[0]) if self.reasons else ""


class ConversationWithVerdicts(Conversation):
    """A conversation with its verdicts and outcome, as `sparring show --json` prints it.

    `outcome` is that of the last of `attempts`; rates count `first_outcome`. Earlier versions wrote verdicts only.
    """

    verdicts: tuple[Verdict, ...] = ()
    outcome: Outcome | None = None
    blame: Blame | None = None
    reasons: tuple[str, ...] = ()
    attempts: PositiveInt = 1
    first_outcome: Outcome | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_a_document(cls, fields: Any) -> Any:
        """Drop the keys that `show --json` adds."""
        if isinstance(fields, dict) and fields.get("kind") == "conversation":
            return {name: value for name, value in fields.items() if name not in ("schema", "kind", "id")}
        return fields


def first_attempt(decision: Decision, first: Outcome | None, attempt: int) -> Decision:
    """Return the decision that rates count, which is that of the first attempt that was not void.

    `first` is its outcome; `decision` is that of the last attempt, number `attempt`. If they differ, the reasons of the
    last one follow.
    """
    if first in (None, decision.outcome):
        return decision
    blame = None if first is Outcome.PASSED else Blame.CHATBOT
    said = Reason(text=f"{first} at the first attempt, {decision.outcome} on attempt {attempt}", blame=Blame.CHATBOT)
    reasons = () if first is Outcome.PASSED else (said, *decision.reasons)
    crash = first is not Outcome.PASSED  # only void conversations and crashes are tried again
    return decision.model_copy(update={"outcome": first, "blame": blame, "reasons": reasons, "crash": crash})


def decide(
    conversation: Conversation,
    verdicts: Iterable[Verdict],
    *,
    crash: Crash = "failed",
    audit: AuditMode = "void",
) -> Decision:
    """Return the outcome of a conversation, given all verdicts on it and that of null bots on its case.

    A person's verdict decides. Otherwise a conversation that our side broke is void, one that the chatbot broke off has
    failed (or is undecided, as `crash` says), and so has one with a failed check, unless faults of the user or the case
    excuse all of them, which make it void. It is undecided if a check is, if no check held, or if its case is weak.
    """
    about = list(verdicts)
    ending = conversation.ending
    crashed = ending is not None and ending.crashed
    kinds = {each.judge for each in about if each.by == NULL_BOTS}
    weak, guard = "weak" in kinds, "guard" in kinds
    reasons = _reasons(conversation, about)
    human = [each for each in about if each.judge == HUMAN]
    if rejected := _of(human, CheckOutcome.FAIL):
        outcome, kept = Outcome.FAILED, tuple(_reason(each, Blame.CHATBOT) for each in rejected)
    elif _of(human, CheckOutcome.PASS):
        outcome, kept = Outcome.PASSED, ()
    else:
        outcome, kept = _decided(ending, reasons, crash)
    decision = Decision(
        outcome=outcome,
        blame=kept[0].blame if kept else None,
        reasons=kept,
        crash=crashed,
        guard=guard,
        weak=weak,
    )
    if human or crashed or outcome is Outcome.VOID or ending is None or audit == "off":
        return decision
    return _audited(decision, excuse(conversation.case, about), audit)


def _audited(decision: Decision, found: Excuse, audit: AuditMode) -> Decision:
    """Return the decision with what the audit found, which is void if faults explain it."""
    if not found.faults or audit == "report":
        faults = (each.kind for each in found.faults)
        doubts = tuple(dict.fromkeys((*faults, *found.doubts)))
        return decision.changed(doubts=doubts) if doubts else decision
    said = (Reason(check=AUDIT, text=fault.reason, blame=fault.blame) for fault in found.faults)
    return decision.changed(
        outcome=Outcome.VOID,
        blame=found.faults[0].blame,
        reasons=(*said, *decision.reasons),
        as_played=decision.outcome,
        faults=tuple(dict.fromkeys(fault.kind for fault in found.faults)),
    )


_Reasons = tuple[Reason, ...]


def _decided(
    ending: Ending | None, reasons: tuple[_Reasons, _Reasons, _Reasons], crash: Crash
) -> tuple[Outcome, _Reasons]:
    """Return the outcome and its reasons where no person decides."""
    ended, failed, undecided = reasons
    if ending is None or ending.void:
        return Outcome.UNDECIDED if ending is None else Outcome.VOID, ended
    if ended and crash == "undecided":  # checks fail because the conversation broke off
        return Outcome.UNDECIDED, (*ended, *failed, *undecided)
    if failed or ended:
        return Outcome.FAILED, (*ended, *failed, *(each for each in undecided if each.check != NULL_BOTS))
    return (Outcome.UNDECIDED, undecided) if undecided else (Outcome.PASSED, ())


def _reasons(conversation: Conversation, verdicts: Sequence[Verdict]) -> tuple[_Reasons, _Reasons, _Reasons]:
    """Return reasons in how the conversation ended, in failed checks, and in what is undecided."""
    ended, verdicts = _ended(conversation), _without_repeats(conversation, verdicts)
    failed = tuple(_reason(each, Blame.CHATBOT) for each in _of(verdicts, CheckOutcome.FAIL))
    undecided = tuple(_reason(each, Blame.JUDGE) for each in _of(verdicts, CheckOutcome.ERROR))
    if ended or failed:
        return ended, failed, undecided
    if conversation.mute:
        return ended, (Reason(text="the chatbot never said anything", blame=Blame.CHATBOT),), undecided
    if not undecided and not _of(verdicts, CheckOutcome.PASS):
        undecided = (Reason(text=NOTHING_CHECKED, blame=Blame.CASE),)
    return ended, failed, undecided


NOTHING_CHECKED = "no check applies to this conversation: give its case a goal, an expectation, a rule or a judge"

_CRASHES = {Ending.CHATBOT_FAILED: "the chatbot crashed", Ending.TIMEOUT: "the chatbot did not reply in time"}
_VOID = {
    Ending.USER_STUCK: "the simulated user did not understand the chatbot",
    Ending.USER_FAILED: "the simulated user failed",
    Ending.INFRASTRUCTURE_FAILED: "something that Sparring depends on failed",
}


def _ended(conversation: Conversation) -> _Reasons:
    """Return the reason in an ending that is no end of a conversation."""
    ending, error = conversation.ending, conversation.error
    if ending is None:
        return (Reason(text="the conversation did not end", blame=Blame.INFRASTRUCTURE),)
    text = _CRASHES.get(ending) or _VOID.get(ending)
    if text is None:
        return ()
    if ending.crashed:
        blame = Blame.CHATBOT
    elif ending is Ending.INFRASTRUCTURE_FAILED:
        blame = Blame.INFRASTRUCTURE
    elif conversation.case.script:  # the author wrote what the user says and does
        text, blame = "a step of the script failed", Blame.CASE
    else:
        blame = Blame.USER
    return (Reason(text=f"{text}: {error}" if error else text, blame=blame),)


def _without_repeats(conversation: Conversation, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Leave out checks of the answers to goals that come out like the checklist, which tells the same."""
    outcomes = {each.outcome for each in verdicts if each.by == CHECKLIST}
    goals = conversation.case.goals
    answers = {
        each.rule.name
        for each in conversation.case.expectations
        if each.goal is not None and each.goal <= len(goals) and each.rule.then == f"goal_answer({each.goal})"
    }
    return [each for each in verdicts if each.check not in answers or each.outcome not in outcomes]


def _reason(verdict: Verdict, blame: Blame) -> Reason:
    return Reason(check=verdict.check, text=verdict.reason, blame=verdict.blame or blame)


def _of(verdicts: Iterable[Verdict], outcome: CheckOutcome) -> list[Verdict]:
    return [each for each in verdicts if each.outcome is outcome]
