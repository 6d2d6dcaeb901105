"""A batch of a store, made ready to be reported."""

from collections.abc import Callable

from sparring.core.batch import Batch
from sparring.core.gate import Gate
from sparring.reporting.gating import Gated
from sparring.reporting.report import Report, Told
from sparring.reporting.summary import Summary
from sparring.runner.comparing import pass_gate
from sparring.runner.concluding import conclude, with_verdicts
from sparring.store.store import Reader, ignore


async def report(
    batch: Batch, store: Reader, *, gate: Gate | None = None, unreadable: Callable[[str], None] = ignore
) -> Report:
    """Everything about a batch at once; all of its conversations are held."""
    summary = await conclude(batch, store, unreadable=unreadable)
    through = await pass_gate(gate, batch, summary, store) if gate else None
    return await reported(batch, summary, through, store)


async def reported(batch: Batch, summary: Summary, gated: Gated | None, store: Reader) -> Report:
    """The same for what was summed up, and held against its gate, before."""
    told = [Told(conversation, tuple(verdicts)) async for conversation, verdicts in with_verdicts(batch, store)]
    return Report(batch, summary, tuple(told), gated)
