"""Selection of the verdicts that count for a conversation, by the hashes of the checks that gave them."""

import ast
import inspect
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from sparring.core.audit import AUDIT, AUDIT_VERSION
from sparring.core.batch import NO_JUDGE, Batch, judges_of
from sparring.core.checks import Rule, check_hash
from sparring.core.conversation import Conversation
from sparring.core.judgements import current, of_panel, of_people
from sparring.core.outcome import NULL_BOTS, Decision, Outcome, decide
from sparring.core.value import to_json
from sparring.core.verdict import HUMAN, CheckOutcome, Verdict
from sparring.judges.builtin import BY_HASH
from sparring.reports.reported import ReportedConversation
from sparring.runner.causes import with_cause

if TYPE_CHECKING:
    from sparring.rules.functions.function import RuleFunction

_NOT_YET = "not judged yet: `sparring judge` asks the judge"
_NO_PERSON = "a person decides, and no label or verdict of one is there"
_NO_READER = "a rubric is read by a model: --judge MODEL"


@dataclass(frozen=True, slots=True)
class ConversationVerdicts:
    """All verdicts on one conversation, and the decision about it.

    `judge` are the verdicts of the batch's own judge, `asked` those of all judges and people, and `judgements` all that
    they ever gave, including those that no longer count. If the batch's judge lacks a verdict, `judge` has an error in
    its place. `built_in` are those of checks that apply to every conversation, and of null bots. `first` is the outcome
    of the first attempt that was not void, None if that is this one.
    """

    decision: Decision
    first: Outcome | None = None
    judge: tuple[Verdict, ...] = ()
    expectations: tuple[Verdict, ...] = ()
    rules: tuple[Verdict, ...] = ()
    built_in: tuple[Verdict, ...] = ()
    asked: tuple[Verdict, ...] = ()
    judgements: tuple[Verdict, ...] = ()

    def reported(self, conversation: Conversation) -> ReportedConversation:
        """Return the conversation as reports receive it."""
        return ReportedConversation(conversation, self.decision, self.all, self.first)

    @property
    def human(self) -> tuple[Verdict, ...]:
        """The verdicts of a person."""
        return tuple(each for each in self.asked if each.judge == HUMAN)

    def by_others(self, judge: str) -> tuple[Verdict, ...]:
        """Return the verdicts of all other judges."""
        return tuple(each for each in self.asked if each.judge != judge)

    @property
    def all(self) -> tuple[Verdict, ...]:
        """All verdicts on the conversation alone, as reports list them."""
        return (*self.judge, *self.human, *self.expectations, *self.rules, *self.built_in)

    @property
    def deciding(self) -> tuple[Verdict, ...]:
        """The verdicts that decide the outcome, the most important first."""
        return (*self.human, *self.rules, *self.judge, *self.expectations, *self.built_in)


class VerdictSelector:
    """Selects what counts for a batch among the verdicts on its conversations.

    Verdicts of rules that turned out to be `invalid`, given by their hashes, are left out.
    """

    def __init__(self, batch: Batch, invalid: Iterable[str] = ()) -> None:
        self._batch, self._judge, self._decides = batch, batch.who.judge, batch.who.decides
        self._crash, self._audit = batch.crash, batch.audit
        left_out = set(invalid)
        self._rules = [hash for hash in rule_hashes(batch.rules) if hash not in left_out]
        self._judge_hash = judge_hash(self._judge)

    def verdicts(
        self,
        conversation: Conversation,
        asked: Sequence[Verdict],
        recorded: Mapping[str, Verdict | None],
        decision: Decision | None = None,
        first: Outcome | None = None,
    ) -> ConversationVerdicts:
        """Return the verdicts on a conversation from what judges were `asked` and checks have `recorded`.

        Without a recorded `decision`, and the outcome of the `first` attempt if that counts, it is made.
        """
        judgements, asked = tuple(asked), current(asked, self._decides)
        expectations: list[Verdict | None] = []
        if conversation.case.expectations:
            start = f"{expectations_hash(conversation)}/"
            expectations = [recorded[hash] for hash in sorted(recorded) if hash.startswith(start)]
        found = ConversationVerdicts(
            decision or _UNDECIDED,
            first,
            judge=tuple(self._of_judge(conversation, asked, recorded.get(self._judge_hash))),
            expectations=tuple(verdict for verdict in expectations if verdict is not None),
            rules=tuple(verdict for hash in self._rules if (verdict := recorded.get(hash)) is not None),
            built_in=tuple(verdict for hash in BUILT_IN_HASHES if (verdict := recorded.get(hash)) is not None),
            asked=tuple(asked),
            judgements=judgements,
        )
        if decision:
            return found
        decision = decide(conversation, found.deciding, crash=self._crash, audit=self._audit)
        return replace(found, decision=with_cause(decision, conversation, found.deciding))

    def _of_judge(self, conversation: Conversation, asked: Sequence[Verdict], own: Verdict | None) -> list[Verdict]:
        """Return the verdicts of the batch's judge, with an error for each missing one."""
        judge = self._judge
        if judge in ("", NO_JUDGE):
            return []
        rubrics = {rubric.hash: rubric for rubric in self._batch.rubrics_for(conversation.case)}
        if self._decides == "human":
            return [of_people(asked, judge) or self._missing(conversation, judge, "", _NO_PERSON)]
        given = [own] if own is not None else self._given(asked, rubrics)
        if conversation.ending is None or not conversation.ending.completed:
            return given
        answered = {each.rubric for each in given}
        reason = _NO_READER if "" in answered else _NOT_YET
        missing = {hash: rubric.name for hash, rubric in rubrics.items() if hash not in answered}
        if not given and not rubrics:
            missing = {"": judge}
        return [*given, *(self._missing(conversation, name, hash, reason) for hash, name in missing.items())]

    def _missing(self, conversation: Conversation, check: str, rubric: str, reason: str) -> Verdict:
        about = {"outcome": CheckOutcome.ERROR, "conversation": conversation.id, "reason": reason, "judge": self._judge}
        return Verdict(check=check, rubric=rubric, by="", **about)

    def _given(self, asked: Sequence[Verdict], rubrics: Collection[str]) -> list[Verdict]:
        """Return the verdicts of the batch's judge by its rubrics, or of a panel in which all decided."""
        members = judges_of(self._judge)
        own = [each for each in asked if each.judge in members and (not rubrics or each.rubric in ("", *rubrics))]
        if len(members) == 1:
            return own
        by_rubric: dict[str, list[Verdict]] = {}
        for each in own:
            by_rubric.setdefault(each.rubric, []).append(each)
        complete = [each for each in by_rubric.values() if len(each) == len(members)]
        return [of_panel(self._judge, each, self._decides) for each in complete]


_UNDECIDED = Decision(outcome=Outcome.UNDECIDED)


def expectations_hash(conversation: Conversation) -> str:
    """Return the hash under which verdicts on the expectations of the conversation's case start."""
    return check_hash("expectations", b"".join(map(to_json, conversation.case.expectations)))


def judge_hash(name: str) -> str:
    """Return the hash under which the verdict of a deterministic judge is recorded."""
    return check_hash("judge", name.encode())


def rule_hashes(rules: Iterable[Rule]) -> dict[str, Rule]:
    """Return the active rules by the hash under which their verdicts and findings are recorded."""
    return {each.hash: each for rule in rules if rule.active for each in [_current(rule)]}


def _current(rule: Rule) -> Rule:
    """Return the rule with the functions of today, as far as this process has them."""
    return with_functions(rule) if rule.functions else rule


NULL_BOTS_HASH = check_hash(NULL_BOTS, b"")
"""Hash under which the verdict of null bots is recorded."""


AUDIT_HASH = check_hash(AUDIT, b"%d" % AUDIT_VERSION)
"""Hash under which the verdict of the audit is recorded, if it found anything."""


BUILT_IN_HASHES = (*BY_HASH, NULL_BOTS_HASH, AUDIT_HASH)
"""Hashes of the verdicts that every conversation may have."""


def complete_hash(batch: Batch) -> str:
    """Return the hash that says that the expectations and rules of a batch have all been evaluated."""
    return check_hash("batch", " ".join(rule_hashes(batch.rules)).encode())


_OWN = "sparring."


def with_functions(rule: Rule) -> Rule:
    """Return the rule with a hash of the functions of programs and plug-ins that it calls.

    A rule that cannot be compiled, as this process lacks one of its functions, stays as it is.
    """
    from sparring.rules.evaluate.compiled_rule import CompiledRule, compile_rule  # most rules call no such function
    from sparring.rules.functions.registry import are_brought, lookup

    if not are_brought() or not isinstance(compiled := compile_rule(rule), CompiledRule):
        return rule
    nodes = [node for tree in compiled.trees.values() for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = sorted({node.func.id for node in nodes if isinstance(node.func, ast.Name)})
    brought = [each for name in names if (each := lookup(name)) and not each.call.__module__.startswith(_OWN)]
    sources = "\n".join(map(_source, brought)).encode("utf-8", "replace")
    return rule.changed(functions=sha256(sources).hexdigest()) if brought else rule


def _source(function: "RuleFunction") -> str:
    """Return the source of a function, or its code where it has none, as in an interactive session."""
    call = inspect.unwrap(function.call)
    try:
        return inspect.getsource(call)
    except (OSError, TypeError):
        code = getattr(call, "__code__", None)
        return repr((code.co_code, code.co_consts, code.co_names)) if code else function.name
