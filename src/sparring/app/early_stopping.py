"""Batches that run until a question is decided: `run --until decided`."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from functools import partial
from itertools import chain
from math import ceil
from statistics import NormalDist

from sparring.app.compare import baseline_outcomes, nights_of
from sparring.app.config import AppConfig
from sparring.app.results import results
from sparring.core.batch import Batch, Until
from sparring.core.case import Case
from sparring.core.checks import Gate
from sparring.core.clock import Clock
from sparring.core.conversation import conversation_id
from sparring.core.errors import InputError
from sparring.core.events import BatchFinished, BatchStarted, Event
from sparring.core.listing import ConversationQuery
from sparring.core.outcome import Outcome
from sparring.core.usage import Budget
from sparring.reports.batch_statistics import first, standing, steps
from sparring.reports.case_rows import CaseRows, NamedRows
from sparring.runner.spending import named_limit
from sparring.store.store import Store

MARGIN = 0.05
"""Points that a question is about, unless the gate names a margin. They set the maximum number of conversations."""

_LARGER = 1.3
"""Maximum number of conversations, as a multiple of a plan with a fixed number."""

_CONFIDENCE, _POWER = 0.95, 0.8

_LATEST = "~"
"""Above every id of a batch."""

Hold = Callable[..., AsyncGenerator[Event]]


async def question(name: str, cases: Sequence[Case], repeats: int, gate: Gate | None, store: Store) -> Until:
    """Return what a gate asks of a planned batch: its pass rate, or the change from its baseline.

    Raises:
        InputError: there is no gate, or its question cannot be decided.
    """
    hint = "gate: {pass_rate: 0.9} in sparring.yaml"
    if gate is None:
        raise InputError("--until decided needs a gate: it stops when the gate is decided", hint=hint)
    confidence, margin = gate.confidence or _CONFIDENCE, gate.margin or MARGIN
    if gate.baseline:
        return await _comparison(name, cases, gate, store, margin)
    if not 0 < gate.pass_rate < 1:
        raise InputError("--until decided needs a pass_rate above 0 and below 1, to be above or below", hint=hint)
    z = NormalDist().inv_cdf(confidence) + NormalDist().inv_cdf(_POWER)
    limit = ceil(_LARGER * z * z * gate.pass_rate * (1 - gate.pass_rate) / margin**2)
    if gate.claim == "like these":
        limit = min(limit, len(cases) * repeats)
    about = {"threshold": gate.pass_rate, "confidence": confidence, "margin": margin, "unit": gate.unit}
    return Until(claim=gate.claim, limit=limit, **about)


async def _comparison(name: str, cases: Sequence[Case], gate: Gate, store: Store, margin: float) -> Until:
    from sparring.statistics.rates import icc, rate  # numpy takes longer than a short command
    from sparring.statistics.sizes import detectable, fewest

    if gate.not_worse:
        message = "--until decided is about the pass rate, and gate.not_worse takes a fixed number of conversations"
        raise InputError(message, hint="leave out not_worse, or --until")
    if gate.baseline == name:
        nights = (await nights_of(name, store, _LATEST))[: gate.baseline_nights]
        if not nights:
            raise InputError(f"{name} has no earlier batch to be compared with", hint="run it without --until")
    else:
        nights = [(await store.batch(gate.baseline)).id]
    until = Until(
        claim="these",
        threshold=-margin,
        confidence=gate.confidence or _CONFIDENCE,
        margin=margin,
        baseline=nights[0],
        nights=tuple(nights[1:]),
        limit=1,
    )
    before = list((await baseline_outcomes(until, cases, store, gate.attempts)).values())
    if not before:
        raise InputError(f"batch {nights[0]} has none of these cases, so nothing can be compared")
    passed, alike = rate(before).value or 0.5, icc(before) or 0.0

    def detects(rounds: int) -> bool:
        fall = detectable(len(before), rounds, rate=passed, icc=alike, confidence=until.confidence)
        return fall <= margin

    rounds = fewest(detects)
    return until.changed(limit=ceil(_LARGER * rounds * len(cases)))


async def hold_until_decided(
    batch: Batch, store: Store, config: AppConfig, clock: Clock, budget: Budget, hold: Hold
) -> AsyncGenerator[Event]:
    """Run the steps of a batch until its question is decided, and yield what happens.

    Several steps run at the same time. Evidence is read from the store, so a batch can be resumed.
    """
    until = batch.until
    assert until is not None
    every = steps(batch, until)
    gate = config.gate or Gate()
    before = await baseline_outcomes(until, batch.cases, store, gate.attempts) if until.baseline else None
    left, whole = budget, batch.changed(selected=tuple(chain.from_iterable(every)))
    finished = None
    while finished is None or not (finished.not_run or finished.cancelled):
        held = len(batch.selected)
        if finished is not None and await _is_decided(batch, store, gate, before):
            break
        # A batch that is resumed completes its last steps first.
        size = held if held and finished is None else held + max(config.concurrency, held // 10)
        batch = batch.changed(selected=tuple(chain.from_iterable(first(every, size))))
        await store.select(batch.id, batch.selected)
        began, starts = clock.monotonic(), finished is None
        async with aclosing(_with_retries(batch, store, partial(hold, budget=left))) as events:
            async for event in events:
                if isinstance(event, BatchFinished):
                    finished = event
                elif not isinstance(event, BatchStarted):
                    yield event
                elif starts:
                    yield event.changed(batch=whole)
                    starts = False
        assert finished is not None
        if not finished.not_run:
            left = _left(left, finished.stored - held, clock.monotonic() - began)
    if finished.not_run:  # what a limit did not allow is not planned any more, until the batch is resumed
        stored = {conversation_id(*each) for each in await store.stored(batch.id)}
        await store.select(batch.id, tuple(id for id in batch.selected if id in stored))
    yield finished.changed(not_run=0, reason=named_limit(finished.reason, left, budget))


async def _with_retries(batch: Batch, store: Store, hold: Hold) -> AsyncGenerator[Event]:
    """Run what a batch lacks, and retry void conversations once."""
    finished = None
    async with aclosing(hold(batch)) as events:
        async for event in events:
            finished = event if isinstance(event, BatchFinished) else finished
            yield event
    if finished is None or finished.not_run or finished.cancelled:
        return
    wanted = ConversationQuery(outcomes=(Outcome.VOID,))
    _, void = await store.search(batch.id, wanted, offset=0, limit=max(batch.planned, 1))
    if any(row.attempt == 1 for row in void):
        async with aclosing(hold(batch, retry_void=True)) as events:
            async for event in events:
                yield event


async def _is_decided(batch: Batch, store: Store, gate: Gate, before: NamedRows | None) -> bool:
    assert batch.until is not None
    rows = CaseRows(batch, gate.attempts, gate.crash)
    if batch.selected:
        async for conversation, verdicts in results(batch, store):
            rows.add(verdicts.reported(conversation))
    found = standing(batch, batch.until, rows.passed(), before)
    return bool(found.answer or found.complete)


def _left(budget: Budget, conversations: int, seconds: float) -> Budget:
    """Return the budget without the usage of one run; costs and tokens count for the whole batch."""
    left = {
        "conversations": None if budget.conversations is None else max(budget.conversations - conversations, 0),
        "seconds": None if budget.seconds is None else max(budget.seconds - seconds, 0.0),
    }
    return budget.model_copy(update=left)
