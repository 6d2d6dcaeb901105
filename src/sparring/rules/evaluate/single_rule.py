"""Rules over one conversation, decided while the conversations stream by. No conversation is kept.

Messages that violate a rule are named here if its functions note no evidence themselves.
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sparring.core.audit import Blame, Need
from sparring.core.conversation import Evidence
from sparring.core.verdict import CheckOutcome, Example, Finding, Offender, QuotedEvidence, Verdict
from sparring.parsing.regex import compiled as pattern
from sparring.rules.evaluate.calls import EvaluationContext, Term, evaluate
from sparring.rules.evaluate.compiled_rule import CompiledRule
from sparring.rules.evaluate.compiler import closure
from sparring.rules.evaluate.decisions import (
    Causes,
    ConditionClause,
    TupleDecision,
    case_of,
    clauses,
    decide,
    shorten,
    source_of,
    violation_reason,
    with_outcome,
)
from sparring.rules.evaluate.doubts import VerdictListener
from sparring.rules.evaluate.model_questions import ModelQuestion, Unanswered
from sparring.rules.evaluate.symptoms import names_read, symptom_of
from sparring.rules.functions.registry import lookup
from sparring.rules.language.expressions import conjuncts, variables
from sparring.rules.limits import MAX_STEPS, EvaluationLimits
from sparring.rules.recording import RecordedMessage, Recording
from sparring.rules.undecided import Failure, GoldenActionFailed, NeedsModel, reason


class SingleRule:
    """A rule over one conversation with its results so far.

    `listener` is called with a verdict for every conversation the rule applies to. Without `explain`, verdicts of
    violations have no reason, evidence or symptoms.
    """

    def __init__(
        self,
        compiled: CompiledRule,
        limits: EvaluationLimits,
        listener: VerdictListener | None = None,
        *,
        explain: bool = True,
    ) -> None:
        self.compiled = compiled
        self._clauses = clauses(compiled)
        self._limits = limits
        self._names = names_read(compiled)
        self._listener = listener
        self._explains = explain and listener is not None
        self._outcomes: Counter[CheckOutcome] = Counter()
        self._errors: Counter[ConditionClause] = Counter()
        self._needs_model: Counter[ConditionClause] = Counter()
        self._causes = Causes()
        self._missing = Causes()
        self._examples: list[Example] = []
        self._by_case: defaultdict[str, list[bool]] = defaultdict(list)
        self._furthest: int | None = None
        self._conditions = [
            (clause, part, closure(part)) for clause in ("when", "if") for part in conjuncts(compiled.trees[clause])
        ]

    def open_question(self, context: EvaluationContext) -> ModelQuestion | None:
        """Return the question to be answered before the conversation can be decided, or None."""
        failure = decide(self._clauses, context).failure
        return failure.error.question if failure is not None and isinstance(failure.error, Unanswered) else None

    def see(self, context: EvaluationContext) -> None:
        """Decide the rule for the conversation in the context."""
        decision = decide(self._clauses, context)
        self._outcomes[decision.outcome] += 1
        if self.compiled.rule.confidence is not None and decision.outcome in (CheckOutcome.PASS, CheckOutcome.FAIL):
            self._by_case[case_of(context.recordings[0].id)].append(decision.outcome is CheckOutcome.PASS)
        if decision.outcome is CheckOutcome.NOT_APPLICABLE:
            if decision.failure is not None:
                self._missing.note(decision.clause, decision.failure.error, context.recordings[0].id)
            elif self._outcomes.total() == self._outcomes[CheckOutcome.NOT_APPLICABLE]:
                self._note_left_out(context)
        elif decision.outcome in (CheckOutcome.FAIL, CheckOutcome.ERROR) or self._listener:
            self._note(decision, context)

    def _note(self, decision: TupleDecision, context: EvaluationContext) -> None:
        recording = context.recordings[0]
        verdict = Verdict(check=self.compiled.rule.name, outcome=decision.outcome, conversation=recording.id)
        if decision.failure is not None:
            self._note_error(decision.clause, decision.failure, recording)
            blame = Blame.CASE if isinstance(decision.failure.error, GoldenActionFailed) else None
            verdict = verdict.model_copy(update={"reason": shorten(reason(decision.failure.error)), "blame": blame})
        elif decision.outcome is CheckOutcome.FAIL and (self._explains or len(self._examples) < self._limits.examples):
            said = _evidence(self.compiled, context)

            def valued(node: ast.expr) -> Any:
                return evaluate(closure(node), context)

            symptom = symptom_of(self.compiled, valued, recording.outputs)
            if said:
                symptom = symptom.as_said(min(said, key=lambda each: each.at).text)
            verdict = verdict.model_copy(
                update={
                    "symptoms": (symptom,),
                    "needs": (Need(names=self._names, until=max((each.at for each in said), default=None)),),
                    "evidence": said,
                    "reason": violation_reason(self.compiled, valued, symptom),
                }
            )
            if len(self._examples) < self._limits.examples:
                self._examples.append(_example(verdict))
        if self._listener:
            self._listener(verdict)

    def _note_error(self, clause: ConditionClause, failure: Failure, recording: Recording) -> None:
        counted = self._needs_model if isinstance(failure.error, NeedsModel) else self._errors
        counted[clause] += 1
        self._causes.note(clause, failure.error, recording.id)

    def finding(self) -> Finding:
        """Return the finding so far."""
        rule, outcomes = self.compiled.rule, self._outcomes
        undecided = self._errors["then"] + self._needs_model["then"]
        found = Finding(
            rule=rule.name,
            file=rule.file,
            description=rule.description,
            conversations=rule.conversations,
            total=outcomes.total(),
            filtered=outcomes[CheckOutcome.NOT_APPLICABLE],
            applicable=outcomes[CheckOutcome.PASS] + outcomes[CheckOutcome.FAIL] + undecided,
            satisfied=outcomes[CheckOutcome.PASS],
            violated=outcomes[CheckOutcome.FAIL],
            not_applicable=outcomes[CheckOutcome.NOT_APPLICABLE],
            errors={"when": self._errors["when"], "if": self._errors["if"], "then": self._errors["then"]},
            needs_model=self._needs_model.total(),
            examples=tuple(self._examples),
            culprits=tuple(
                Offender(conversation=example.conversations[0], violated=1, applicable=1) for example in self._examples
            ),
            causes=self._causes.most_frequent(),
            missing=self._missing.most_frequent(),
            removed_by=self._removed_by(),
        )
        return with_outcome(rule, found, self._worth())

    def _worth(self) -> float:
        """Return how many independent conversations the rule applied to, if that matters."""
        if not self._by_case:
            return 0
        from sparring.statistics.rates import rate  # numpy takes longer than a rule without confidence

        return rate(list(self._by_case.values())).effective

    def _removed_by(self) -> str:
        """Return the condition that stopped the conversations that got furthest, if the rule never applied."""
        if self._furthest is None or self._outcomes.total() > self._outcomes[CheckOutcome.NOT_APPLICABLE]:
            return ""
        clause, part, _ = self._conditions[self._furthest]
        return f"{clause}: {source_of(part)}"

    def _note_left_out(self, context: EvaluationContext) -> None:
        """Record how many conditions a conversation passed, as long as the rule has not applied."""
        for number, (_, _, term) in enumerate(self._conditions):
            if not evaluate(term, context):
                self._furthest = max(self._furthest or 0, number)
                return


def _example(verdict: Verdict) -> Example:
    said = tuple(QuotedEvidence(conversation=verdict.conversation, **dict(evidence)) for evidence in verdict.evidence)
    return Example(conversations=(verdict.conversation,), reason=verdict.reason, evidence=said)


def _evidence(compiled: CompiledRule, context: EvaluationContext) -> tuple[Evidence, ...]:
    """Return the evidence of a violation: notes of `then` or violating messages, and the outputs it reads."""
    recording, said = context.recordings[0], tuple(context.notes) or witnesses(compiled, context)
    read = dict.fromkeys(name for _, _, name in variables(compiled.trees["then"]))
    return (*said, *(recording.evidence[name] for name in read if name in recording.evidence))


_MAX_WITNESSES = 3
_MESSAGES = {"chatbot_phrases", "user_phrases", "interaction"}
_LAST = "last_reply"


def witnesses(compiled: CompiledRule, context: EvaluationContext) -> tuple[Evidence, ...]:
    """Return the first messages that violate the rule on their own, narrowed to the violating words.

    A message is a witness if `then` holds for an empty conversation, but not with this message alone.
    """
    recording = context.recordings[0]
    for part in conjuncts(compiled.trees["then"]):
        term = closure(part)
        if not evaluate(term, EvaluationContext((recording,))):
            last, names = _calls_last(part), {name for _, _, name in variables(part)}
            if not last and names.isdisjoint(_MESSAGES):
                return ()
            first = len(recording.messages) - len(recording.since_last_user) if last else 0
            return tuple(_witnesses_of(part, term, recording, first))
    return ()


def _witnesses_of(part: ast.expr, term: Term, recording: Recording, first: int) -> Iterator[Evidence]:
    trial = EvaluationContext()
    trial.steps, left = MAX_STEPS, _MAX_WITNESSES
    if not _holds(term, trial, recording):
        return
    for at, said in enumerate(recording.messages[first:], first):
        if left == 0 or trial.steps < 0:
            return
        if not said.injected and said.text and not _holds(term, trial, recording, said):
            start, end = next(
                (
                    (start, end)
                    for start, end in sorted(
                        _matching_spans(part, recording, said.text), key=lambda span: span[0] - span[1]
                    )
                    if not _holds(term, trial, recording, said._replace(text=said.text[start:end]))
                ),
                (0, len(said.text)),
            )
            left -= 1
            yield Evidence(at=at, start=start, end=end, text=said.text[start:end])


def _holds(term: Term, trial: EvaluationContext, recording: Recording, *said: RecordedMessage) -> bool:
    """Return True if the condition holds for only these messages, or cannot be decided within the steps."""
    trial.recordings, trial.local = (replace(recording, messages=said),), {}
    try:
        return bool(term(trial))
    except Exception:  # noqa: BLE001 - as in `evaluate`: an exception is the result of the expression
        return True


def _matching_spans(part: ast.expr, recording: Recording, text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a message that match texts, patterns or variables of the rule."""
    lower = text.lower() if len(text.lower()) == len(text) else text
    for wanted in _texts(part, recording):
        start = text.find(wanted) if wanted in text else lower.find(wanted.lower())
        if start >= 0:
            yield start, start + len(wanted)
    for node in ast.walk(part):
        function = lookup(node.func.id) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None
        if isinstance(node, ast.Call) and function is not None and function.patterns:
            for argument in node.args:
                if isinstance(argument, ast.Constant) and (match := pattern(str(argument.value)).search(text)):
                    yield match.span()


def _texts(part: ast.expr, recording: Recording) -> Iterator[str]:
    written = [node.value for node in ast.walk(part) if isinstance(node, ast.Constant)]
    values = [recording.names.get(name) for _, _, name in variables(part)]
    for value in [*written, *values]:
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and text.strip():
                yield text


def _calls_last(part: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id == _LAST for node in ast.walk(part))
