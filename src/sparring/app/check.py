"""Checking rules over recordings, with a model for the functions that need one."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeGuard

from sparring.app.config import AppConfig
from sparring.core.batch import Batch
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

if TYPE_CHECKING:
    from sparring.store.store import Store


async def check_rules(
    rules: Sequence[Rule | InvalidRule],
    recordings: Iterable[Recording] | AsyncIterator[Recording],
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


async def check_stored(
    rules: Sequence[Rule | InvalidRule],
    batch: Batch,
    store: "Store",
    config: AppConfig,
    *,
    limits: EvaluationLimits,
    given_up: Callable[[str], None],
) -> tuple[Findings, Usage | None]:
    """Return the findings of rules over a batch, which may come without its cases, as `check_rules` does.

    What rules that ask no model found is stored, and not computed again until the conversations change.
    """
    from sparring.app.computed import computed, keep_computed, stored_hash  # imported only for batches
    from sparring.rules.stored import stored_recordings
    from sparring.runner.verdict_selection import with_functions

    hash = stored_hash(await store.recordings(batch.id), limits)
    kinds = {id(rule): f"check/{with_functions(rule).hash}" for rule in rules if _is_lasting(rule)}
    stored = {key: await computed(batch, store, kind, hash, Findings) for key, kind in kinds.items()}
    found = {key: each for key, each in stored.items() if each is not None}
    left = [rule for rule in rules if id(rule) not in found and _is_checked(rule)]
    is_known = found and all(isinstance(rule, InvalidRule) for rule in left)
    recordings = () if is_known else stored_recordings(batch.id, store)
    made, usage = await check_rules(left, recordings, config, limits=limits, given_up=given_up)
    for rule, finding in zip(left, made.findings, strict=True):
        found[id(rule)] = made.model_copy(update={"findings": (finding,)})
        if id(rule) in kinds:
            await keep_computed(batch, store, kinds[id(rule)], hash, found[id(rule)])
    whole = next(iter(found.values()), made)
    findings = [finding for rule in rules if _is_checked(rule) for finding in found[id(rule)].findings]
    return whole.model_copy(update={"findings": tuple(findings)}), usage


def _is_checked(rule: Rule | InvalidRule) -> bool:
    return isinstance(rule, InvalidRule) or rule.active


def _is_lasting(rule: Rule | InvalidRule) -> TypeGuard[Rule]:
    """Return True if what a rule found depends only on the conversations."""
    compiled = _compiled(rule) if _is_checked(rule) else None
    return compiled is not None and not compiled.asks


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
