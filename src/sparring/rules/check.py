"""Checking rules: the recordings stream through once, then every rule returns its finding."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from sparring.core.checks import Expectation, InvalidRule, Rule
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import Problem
from sparring.core.verdict import CheckOutcome, Finding, Findings, Verdict
from sparring.llm.model import Model
from sparring.rules.evaluate.calls import EvaluationContext
from sparring.rules.evaluate.compiled_rule import CompiledRule, compile_rule
from sparring.rules.evaluate.doubts import Comparisons, DeferredVerdicts, KnownNames, VerdictListener
from sparring.rules.evaluate.model_questions import ModelAnswers
from sparring.rules.evaluate.required_columns import RequiredColumns
from sparring.rules.evaluate.single_rule import SingleRule
from sparring.rules.limits import EvaluationLimits
from sparring.rules.recording import Recording, recording_of

if TYPE_CHECKING:
    from sparring.rules.evaluate.columns import ColumnSet

Recordings = Iterable[Recording] | AsyncIterable[Recording]
_AT_A_TIME = 256
_BROKEN_OFF = tuple(str(ending) for ending in Ending if not ending.completed)


async def check(
    rules: Sequence[Rule | InvalidRule],
    recordings: Recordings,
    *,
    model: Model | None = None,
    limits: EvaluationLimits | None = None,
    listener: VerdictListener | None = None,
) -> Findings:
    """Return the findings of every active rule over the recordings, in the order of the rules.

    An invalid rule has a finding with zero counts and its problems. `listener` gets the verdict of every
    one-conversation rule on every conversation it applies to.
    """
    checking = Checking(limits or EvaluationLimits(), model, listener)
    entered = [checking.enter(rule) for rule in rules if isinstance(rule, InvalidRule) or rule.active]
    async for some in _in_portions(recordings):
        await checking.see(some)
    checking.close()
    findings = [each if isinstance(each, Finding) else await checking.finding(each) for each in entered]
    return Findings(conversations=checking.seen, broken_off=checking.broken_off, findings=tuple(findings))


class Checking:
    """The running rules, and the conversations so far."""

    def __init__(self, limits: EvaluationLimits, model: Model | None, listener: VerdictListener | None) -> None:
        self._limits = limits
        self._answers = ModelAnswers(model, at_once=limits.questions)
        self._may_ask = model is not None
        self._listener = listener
        self._names = KnownNames()
        self._required = RequiredColumns()
        self._singles: list[SingleRule] = []
        self._deferred: list[DeferredVerdicts] = []
        self._comparisons: dict[int, Comparisons] = {}
        self.seen = 0
        self.broken_off = 0

    def enter(self, rule: Rule | InvalidRule) -> CompiledRule | SingleRule | Finding:
        """Get ready for a rule; an invalid one is a finding already."""
        compiled = compile_rule(rule) if isinstance(rule, Rule) else list(rule.problems)
        if isinstance(compiled, list):
            return _invalid(rule, compiled)
        self._comparisons[id(compiled)] = Comparisons(compiled)
        self._names.enter(compiled.rule)
        if compiled.rule.conversations == 1:
            return self._single(compiled)
        return self._several_rule(compiled)

    def _several_rule(self, compiled: CompiledRule) -> CompiledRule:
        from sparring.rules.count.multi_rule import require_columns

        require_columns(compiled, self._required)
        return compiled

    def _single(self, compiled: CompiledRule) -> SingleRule:
        deferred = DeferredVerdicts(compiled, self._names, self._listener) if self._listener else None
        self._deferred += [deferred] if deferred else []
        self._singles.append(SingleRule(compiled, self._limits, deferred))
        return self._singles[-1]

    async def see(self, recordings: Sequence[Recording]) -> None:
        """Pass more conversations to every rule, after asking the model for what it must know of them."""
        contexts = [EvaluationContext((recording,), self._answers) for recording in recordings]
        self.seen += len(recordings)
        for recording in recordings:
            self._names.see(recording)
            self.broken_off += recording.names.get("conversation_ending") in _BROKEN_OFF
            for comparisons in self._comparisons.values():
                if recording.is_of(comparisons.compiled.rule.scenarios):
                    comparisons.see(recording.names)
        if self._may_ask:
            await self._ask(contexts)
        for single in self._singles:
            for context in contexts:
                single.see(context)
        self._required.see(contexts)

    async def _ask(self, contexts: Sequence[EvaluationContext]) -> None:
        asking = [single for single in self._singles if single.compiled.asks]
        while asking or self._required.asks:
            found = [single.open_question(context) for single in asking for context in contexts]
            questions = [question for question in found if question is not None]
            questions += [question for context in contexts for question in self._required.open_questions(context)]
            if not questions:
                return
            await self._answers.ask(questions)

    def close(self) -> None:
        """There are no more conversations."""
        for deferred in self._deferred:
            deferred.release()
        self._required.close()

    @cached_property
    def _columns(self) -> "ColumnSet":
        """The columns of all conversations, which rules over several share."""
        from sparring.rules.evaluate.columns import ColumnSet

        return ColumnSet(self._required, self._answers)

    async def finding(self, entered: CompiledRule | SingleRule) -> Finding:
        """Return the finding of a rule."""
        compiled = entered.compiled if isinstance(entered, SingleRule) else entered
        unknown = self._names.unknown(compiled)
        if unknown:
            return _invalid(compiled.rule, unknown)
        if isinstance(entered, SingleRule):
            found = entered.finding()
        else:
            from sparring.rules.count.multi_rule import finding

            found = await finding(compiled, self._columns, self._limits)
        doubts = self._comparisons[id(compiled)].idle()
        return found.model_copy(update={"doubts": tuple(doubts)}) if doubts else found


class SingleRules:
    """Rules over one conversation, compiled once, for one conversation after another without a model.

    A rule does not apply to a conversation that lacks one of its names; whether any conversation defines it is known
    only when all have been seen. An invalid rule gives no verdicts, and neither does one that
    has to hold for some conversation only. Without `explain`, verdicts have no reason, evidence or symptoms.
    """

    def __init__(self, rules: Mapping[str, Rule], *, explain: bool = True) -> None:
        self._given: list[Verdict] = []
        self._answers = ModelAnswers(None, at_once=1)
        compiled = {key: compile_rule(rule) for key, rule in rules.items()}
        self._rules = {
            key: SingleRule(each, EvaluationLimits(examples=0), self._given.append, explain=explain)
            for key, each in compiled.items()
            if isinstance(each, CompiledRule) and each.rule.quantifier == "forall"
        }

    def verdicts(self, recording: Recording) -> dict[str, Verdict]:
        """Return the verdict of each rule that applies to a conversation, by the key it was given."""
        found = {}
        for key, rule in self._rules.items():
            rule.see(EvaluationContext((recording,), self._answers))
            if self._given:
                found[key] = self._given.pop()
        return found


def _invalid(rule: Rule | InvalidRule, problems: Iterable[Problem]) -> Finding:
    return Finding(rule=rule.name, file=rule.file, conversations=rule.conversations, invalid=tuple(problems))


async def _in_portions(recordings: Recordings) -> AsyncIterator[list[Recording]]:
    if isinstance(recordings, AsyncIterable):
        some: list[Recording] = []
        async for recording in recordings:
            some.append(recording)
            if len(some) == _AT_A_TIME:
                yield some
                some = []
        if some:
            yield some
        return
    source = iter(recordings)
    while portion := list(islice(source, _AT_A_TIME)):
        yield portion
        await asyncio.sleep(0)


async def expected(conversation: Conversation) -> list[Verdict]:
    """Return a verdict on each expectation of the case, and one on those that form one check.

    An expectation that was never reached has failed; one that does not apply has no verdict.
    """
    alone: list[Verdict] = []
    together: dict[str, list[Verdict]] = {}
    for expectation in conversation.case.expectations:
        verdicts = await expectation_verdicts(expectation, conversation)
        (together.setdefault(expectation.check, []) if expectation.check else alone).extend(verdicts)
    return [*alone, *(_one(check, verdicts) for check, verdicts in together.items() if verdicts)]


async def expectation_verdicts(expectation: Expectation, conversation: Conversation) -> list[Verdict]:
    """Return the verdict on one expectation, in a list that is empty if it does not apply."""
    rule, after = expectation.rule, expectation.after
    then = conversation if after is None else conversation.after_step(after)
    if then is None:
        reason = f"it never came to that: {conversation.ending or 'the conversation did not end'}"
        return [Verdict(check=rule.name, outcome=CheckOutcome.FAIL, conversation=conversation.id, reason=reason)]
    verdicts: list[Verdict] = []
    findings = await check([rule], [recording_of(then)], listener=verdicts.append)
    return verdicts + [
        Verdict(
            check=rule.name, outcome=CheckOutcome.ERROR, conversation=conversation.id, reason=each.invalid[0].message
        )
        for each in findings.findings
        if each.invalid
    ]


def _one(check: str, verdicts: Sequence[Verdict]) -> Verdict:
    """Combine several verdicts: all that is wrong; 1 for a pass, 0 for a failure, none for an error."""
    found = {verdict.outcome for verdict in verdicts}
    outcome = next((each for each in (CheckOutcome.FAIL, CheckOutcome.ERROR) if each in found), CheckOutcome.PASS)
    return Verdict(
        check=check,
        outcome=outcome,
        conversation=verdicts[0].conversation,
        reason="; ".join(f"{each.check}: {each.reason}" for each in verdicts if each.outcome is not CheckOutcome.PASS),
        evidence=tuple(evidence for each in verdicts for evidence in each.evidence),
        needs=tuple(need for each in verdicts if each.outcome is CheckOutcome.FAIL for need in each.needs),
        symptoms=tuple(symptom for each in verdicts for symptom in each.symptoms),
        blame=next((each.blame for each in verdicts if each.outcome is outcome and each.blame), None),
        score={CheckOutcome.PASS: 1.0, CheckOutcome.FAIL: 0.0}.get(outcome),
    )
