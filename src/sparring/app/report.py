"""A batch of a store, made ready to be reported."""

from collections.abc import Callable, Sequence

from sparring.app.results import conclude
from sparring.core.batch import Batch
from sparring.core.checks import Gate
from sparring.reports.formats import Listener, Report
from sparring.store.store import Reader, ignore


async def report(
    batch: Batch,
    store: Reader,
    *,
    gate: Gate | None = None,
    unreadable: Callable[[str], None] = ignore,
    listeners: Sequence[Listener] = (),
) -> Report:
    """A batch in numbers, and how it comes through a gate; its rules are checked once, and the `listeners` shown every
    conversation on the way."""
    if gate is None:
        return Report(batch, await conclude(batch, store, unreadable=unreadable, listeners=listeners))
    from sparring.app.compare import pass_gate
    from sparring.reports.comparing_batches import ComparedBatch  # who has no gate waits for none of this

    side = ComparedBatch(batch) if gate.baseline else None
    shown = [*listeners, side] if side else listeners
    summary = await conclude(batch, store, unreadable=unreadable, listeners=shown)
    return Report(batch, summary, await pass_gate(gate, summary, store, after=side))
