"""Checking rules: the recordings stream by once, then every rule says what it found."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence
from itertools import islice
from typing import Protocol

from sparring.checking.answers import Answers, Question
from sparring.checking.compiled import Compiled, compile_rule
from sparring.checking.limits import Limits
from sparring.checking.names import Held, Listener, Names
from sparring.checking.recording import Recording
from sparring.checking.scene import Scene
from sparring.checking.single import SingleRule
from sparring.core.errors import Problem
from sparring.core.rule import InvalidRule, Rule
from sparring.core.verdict import Finding, Findings
from sparring.models.model import Model

Recordings = Iterable[Recording] | AsyncIterable[Recording]
_AT_A_TIME = 256


class Checker(Protocol):
    """A rule at work: it sees every conversation once, and then says what it found."""

    compiled: Compiled

    def open_question(self, scene: Scene) -> Question | None: ...

    def see(self, scene: Scene) -> None: ...

    async def finding(self) -> Finding: ...


async def check(
    rules: Sequence[Rule | InvalidRule],
    recordings: Recordings,
    *,
    model: Model | None = None,
    limits: Limits | None = None,
    listener: Listener | None = None,
) -> Findings:
    """What every active rule finds over the recordings, in the order of the rules.

    An invalid rule stays among the findings, with zero counts and its problems. `listener` hears the verdict of every
    one-conversation rule on every conversation it applies to.
    """
    limits = limits or Limits()
    answers, names = Answers(model, at_once=limits.questions), Names()
    held: list[Held] = []
    made = [
        _made(rule, limits, names, listener, held) for rule in rules if isinstance(rule, InvalidRule) or rule.active
    ]
    checkers = [checker for checker in made if not isinstance(checker, Finding)]
    seen = 0
    async for some in _in_portions(recordings):
        scenes = [Scene((recording,), answers) for recording in some]
        for recording in some:
            names.see(recording)
        for checker in checkers:
            await _see(checker, scenes, answers if model else None)
        seen += len(some)
    for verdicts in held:
        verdicts.release()
    findings = [each if isinstance(each, Finding) else await _finding(each, names) for each in made]
    return Findings(conversations=seen, findings=tuple(findings))


def _made(
    rule: Rule | InvalidRule, limits: Limits, names: Names, listener: Listener | None, held: list[Held]
) -> Checker | Finding:
    compiled = compile_rule(rule) if isinstance(rule, Rule) else list(rule.problems)
    if isinstance(compiled, list):
        return invalid(rule, compiled)
    if listener:
        held.append(Held(compiled, names, listener))
    return SingleRule(compiled, limits, held[-1] if listener else None)


def invalid(rule: Rule | InvalidRule, problems: Iterable[Problem]) -> Finding:
    """What is found of a rule that cannot be checked: nothing, and why."""
    return Finding(rule=rule.name, file=rule.file, conversations=rule.conversations, invalid=tuple(problems))


async def _see(checker: Checker, scenes: list[Scene], answers: Answers | None) -> None:
    """Show a rule some conversations, after asking the model what it needs to know for them."""
    while answers and checker.compiled.asks:
        questions = [question for scene in scenes if (question := checker.open_question(scene))]
        if not questions:
            break
        await answers.ask(questions)
    for scene in scenes:
        checker.see(scene)


async def _finding(checker: Checker, names: Names) -> Finding:
    unknown = names.unknown(checker.compiled)
    return invalid(checker.compiled.rule, unknown) if unknown else await checker.finding()


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
