"""Batches that are held until a question is decided: `run --until decided`."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from itertools import chain
from math import ceil
from statistics import NormalDist

from sparring.app.compare import contender
from sparring.app.config import AppConfig
from sparring.app.results import results
from sparring.core.batch import Batch, Until
from sparring.core.case import Case
from sparring.core.checks import Gate
from sparring.core.clock import Clock
from sparring.core.conversation import conversation_id
from sparring.core.errors import InputError
from sparring.core.events import BatchFinished, BatchStarted, Event
from sparring.core.usage import Budget
from sparring.reports.case_rows import CaseRows, NamedRows
from sparring.reports.early_stopping import Standing, standing, steps
from sparring.runner.spending import BatchSpending, BudgetExhausted
from sparring.store.store import Store

MARGIN = 0.05
"""Points that a question is about, unless the gate names a margin: they set the largest number of conversations."""

_LARGER = 1.3
"""Largest number of conversations, as a multiple of that of a plan with a fixed number."""

_POWER = 0.8

_OF_ONE_RUN: tuple[BudgetExhausted, ...] = ("seconds", "conversations")
"""Limits that are counted for one run."""

Hold = Callable[..., AsyncGenerator[Event]]


async def question(cases: Sequence[Case], repeats: int, gate: Gate | None, store: Store) -> Until:
    """Return the question of a gate about cases: its pass rate, or the comparison with its baseline.

    Raises:
        InputError: there is no gate, or its question cannot be decided.
    """
    hint = "gate: {pass_rate: 0.9} in sparring.yaml"
    if gate is None:
        raise InputError("--until decided needs a gate: it stops when the gate is decided", hint=hint)
    confidence, margin = gate.confidence or 0.95, gate.margin or MARGIN
    z = NormalDist().inv_cdf(confidence) + NormalDist().inv_cdf(_POWER)
    if gate.baseline:
        before = await contender(await store.batch(gate.baseline), store, attempts=gate.attempts)
        rows = {case: row for case, row in before.rows.passed().items() if case in {case.id for case in cases}}
        if not rows:
            raise InputError(f"batch {before.batch.id} has none of these cases, so nothing can be compared")
        variance = _variance_of_change(rows, margin)
        limit = ceil(_LARGER * z * z * variance / margin**2)
        return Until(
            claim="these",
            threshold=-margin,
            confidence=confidence,
            margin=margin,
            baseline=before.batch.id,
            limit=max(limit, len(cases)),
        )
    if not 0 < gate.pass_rate < 1:
        raise InputError("--until decided needs a pass_rate above 0 and below 1, to be above or below", hint=hint)
    variance = gate.pass_rate * (1 - gate.pass_rate)
    limit = ceil(_LARGER * z * z * variance / margin**2)
    if gate.claim == "like these":
        limit = min(limit, len(cases) * repeats)
    return Until(claim=gate.claim, threshold=gate.pass_rate, confidence=confidence, margin=margin, limit=limit)


def _variance_of_change(rows: NamedRows, margin: float) -> float:
    """Return the variance of the change of one conversation, if the pass rate falls by the margin."""
    from sparring.statistics.rates import icc, rate

    known = list(rows.values())
    before = rate(known).value or 0.5
    after = max(before - margin, 0.0)
    return max((before * (1 - before) + after * (1 - after)) * (1 - (icc(known) or 0.0)), 0.01)


async def hold_until_decided(
    batch: Batch, store: Store, config: AppConfig, clock: Clock, budget: Budget, hold: Hold
) -> AsyncGenerator[Event]:
    """Hold the steps of a batch until its question is decided, and yield what happens.

    Several steps are held at the same time. Evidence is read from the store, so a batch can be resumed.
    """
    until = batch.until
    assert until is not None
    every = steps(batch, until)
    before = (await contender(await store.batch(until.baseline), store)).rows.passed() if until.baseline else None
    left, whole = budget, batch.changed(selected=tuple(chain.from_iterable(every)))
    finished = None
    while finished is None or not (finished.not_run or finished.cancelled):
        held = len(batch.selected)
        if finished is not None:
            found = await _standing(batch, store, config.gate or Gate(), before)
            if found.answer or found.complete:
                break
        # A batch that is resumed completes its last steps first.
        size = held if held and finished is None else held + max(config.concurrency, held // 10)
        batch = batch.changed(selected=tuple(chain.from_iterable(every[: ceil(size / len(every[0]))])))
        await store.select(batch.id, batch.selected)
        began, first = clock.monotonic(), finished is None
        async with aclosing(hold(batch, budget=left)) as events:
            async for event in events:
                if isinstance(event, BatchFinished):
                    finished = event
                elif not isinstance(event, BatchStarted):
                    yield event
                elif first:
                    yield event.changed(batch=whole)
        assert finished is not None
        if not finished.not_run:
            left = _left(left, finished.stored - held, clock.monotonic() - began)
    if finished.not_run:  # what a limit did not allow is not planned any more, until the batch is resumed
        stored = await store.stored(batch.id)
        kept = (id for id in batch.selected if id in {conversation_id(*each) for each in stored})
        await store.select(batch.id, tuple(kept))
    yield finished.changed(not_run=0, reason=_reason(finished.reason, left, budget))


async def _standing(batch: Batch, store: Store, gate: Gate, before: NamedRows | None) -> Standing:
    assert batch.until is not None
    rows = CaseRows(batch, gate.attempts, gate.crash)
    if batch.selected:
        async for conversation, verdicts in results(batch, store):
            rows.add(verdicts.reported(conversation))
    return standing(batch, batch.until, rows.passed(), before)


def _reason(reason: str, left: Budget, given: Budget) -> str:
    """Return the reason why a batch stopped, with the limit that was given instead of what was left of it."""
    for limit in _OF_ONE_RUN:
        told, wanted = BatchSpending(left), BatchSpending(given)
        told.spent = wanted.spent = limit
        if getattr(left, limit) is not None and reason == told.reason:
            return wanted.reason
    return reason


def _left(budget: Budget, conversations: int, seconds: float) -> Budget:
    """Return the budget without what one run took of it; costs and tokens are counted for the batch."""
    left = {
        "conversations": None if budget.conversations is None else max(budget.conversations - conversations, 0),
        "seconds": None if budget.seconds is None else max(budget.seconds - seconds, 0.0),
    }
    return budget.model_copy(update=left)
