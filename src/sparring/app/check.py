"""Checking rules over recordings, with a model for the functions that need one."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence

from sparring.app.config import AppConfig
from sparring.core.checks import InvalidRule, Rule
from sparring.core.usage import Budget, Usage
from sparring.core.verdict import Findings
from sparring.llm.call_context import call_context
from sparring.llm.metering import Meter
from sparring.rules.check import check
from sparring.rules.evaluate.compiled_rule import CompiledRule, compile_rule
from sparring.rules.inputs.recordings import Recordings
from sparring.rules.limits import EvaluationLimits
from sparring.rules.recording import Recording


async def check_rules(
    rules: Sequence[Rule | InvalidRule],
    recordings: Recordings | AsyncIterator[Recording],
    config: AppConfig,
    *,
    limits: EvaluationLimits,
    given_up: Callable[[str], None],
) -> tuple[Findings, Usage | None]:
    """Return the findings of rules, and the usage of the model if rules called one.

    `given_up` receives the reason if the model cannot be reached.
    """
    compiled = (_compiled(rule) for rule in rules)
    if not any(rule is not None and rule.asks for rule in compiled):
        return await check(rules, recordings, limits=limits), None
    from sparring.app.wiring import rule_model
    from sparring.runner.spending import BatchSpending  # imported only for rules that ask a model

    async with rule_model(config) as model:
        meter = Meter()
        with call_context(meter=meter), BatchSpending(Budget(), given_up=given_up).account():
            findings = await check(rules, recordings, model=model, limits=limits)
    return findings, sum(meter.usage.values(), Usage()) if model else None


async def explain_rules(
    rules: Sequence[Rule | InvalidRule], recordings: Recordings | AsyncIterator[Recording]
) -> list[str]:
    """Return lines that say how each rule would be checked over the recordings."""
    seen = list(recordings) if isinstance(recordings, Recordings) else [recording async for recording in recordings]
    return [line for rule in rules for line in _explained(rule, seen)]


def _explained(rule: Rule | InvalidRule, seen: list[Recording]) -> Iterator[str]:
    from sparring.rules.explain_plan import explain

    compiled = _compiled(rule)
    if compiled is not None:
        yield from explain(compiled, seen)
    elif isinstance(rule, InvalidRule):
        yield f"{rule.name}: invalid"
        yield from (f"  {problem}" for problem in rule.problems)


def _compiled(rule: Rule | InvalidRule) -> CompiledRule | None:
    compiled = compile_rule(rule) if isinstance(rule, Rule) else None
    return compiled if isinstance(compiled, CompiledRule) else None
