"""A stored batch at a glance, read from the rows of its conversations."""

from dataclasses import replace

from sparring.app.causes import cause_history
from sparring.app.computed import with_cases
from sparring.app.report import gated
from sparring.app.results import recorded_findings
from sparring.core.batch import Batch
from sparring.core.checks import Gate
from sparring.core.listing import ConversationQuery
from sparring.reports.overview import Overview, overview
from sparring.store.store import Store


async def stored_overview(batch: Batch, store: Store, *, finished: bool = True, gate: Gate | None = None) -> Overview:
    """Return a stored batch at a glance. An unfinished batch is not compared with others."""
    whole = await with_cases(batch, store)
    _, rows = await store.search(whole.id, ConversationQuery(), offset=0, limit=max(whole.planned, 1))
    findings = await recorded_findings(batch, store) or ()
    history = await cause_history(batch, store) if finished else None
    found = overview(whole, rows, findings, history, finished=finished)
    return replace(found, gated=await gated(batch, store, gate)) if finished else found
