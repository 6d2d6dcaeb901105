"""Results of a batch from its recorded verdicts: summary, causes, status and rows.

No check is evaluated here, and no model called.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sparring.app.computed import Kept, basis, complete, computed, figures, keep_computed, with_cases
from sparring.core.batch import IMPORT_INTERRUPTED, Batch, BatchExecution
from sparring.core.checks import Attempts, Unit
from sparring.core.conversation import Conversation
from sparring.core.listing import ConversationQuery
from sparring.core.usage import Pricing
from sparring.core.value import to_json
from sparring.core.verdict import CheckOutcome, Finding, Verdict
from sparring.reports import service_results
from sparring.reports.cause_status import CauseHistory
from sparring.reports.causes import CauseTally
from sparring.reports.formats import Listener
from sparring.reports.service_results import BatchStatus, ScenarioResult
from sparring.reports.summary import Summary, Tally
from sparring.reports.usage import Adding, Costs
from sparring.runner.verdict_selection import ConversationVerdicts, rule_hashes
from sparring.runner.verdicts import (
    is_stored,
    is_unchecked,
    placed_verdicts,
    verdict_reader,
    with_verdicts,
)
from sparring.runner.verdicts import verdicts_on as verdicts_on
from sparring.store.derived import StoredResult
from sparring.store.store import ALL, ConversationFilter, Store, ignore

if TYPE_CHECKING:
    from sparring.reports.compared_batch import ComparedBatch


async def results(
    batch: Batch,
    store: Store,
    *,
    where: ConversationFilter = ALL,
    unreadable: Callable[[str], None] = ignore,
) -> AsyncIterator[tuple[Conversation, ConversationVerdicts]]:
    """Yield the conversations of a batch with cases, in its order, with recorded verdicts."""
    await complete(batch, store)
    async for each in with_verdicts(batch, store, where=where, unreadable=unreadable):
        yield each


async def result(batch: Batch, store: Store, conversation: Conversation) -> ConversationVerdicts:
    """Return the recorded verdicts on one conversation of a batch, which may come without its cases."""
    return (await placed_result(batch, store, conversation))[1]


async def placed_result(batch: Batch, store: Store, conversation: Conversation) -> tuple[int, ConversationVerdicts]:
    """Return the position of a conversation's case, from 0, and the recorded verdicts on it."""
    if await is_unchecked(batch, store, conversation.id):
        await complete(batch, store)
    (found,) = await placed_verdicts(batch, store, [conversation])
    return found


async def findings(batch: Batch, store: Store) -> tuple[Finding, ...]:
    """Return the findings of a batch's rules, in their order; nothing while it is running."""
    if batch.rules:
        await complete(batch, store)
    return await recorded_findings(batch, store) or ()


async def recorded_findings(batch: Batch, store: Store) -> tuple[Finding, ...] | None:
    """Return the findings of a batch's rules; None if they are not recorded yet."""
    rules = rule_hashes(batch.rules)
    recorded = await store.findings(batch.id) if rules else {}
    return tuple(recorded[hash] for hash in rules) if rules.keys() <= recorded.keys() else None


DEAREST = 10
"""Conversations that `sparring cost` lists."""


async def costs_of(batch: Batch, store: Store, prices: Mapping[str, Pricing], *, dearest: int | None = None) -> Costs:
    """Return the cost of a batch from everything stored of it.

    With `dearest`, list only this many conversations, and cache the costs until something changes.
    """
    if dearest is not None:
        await complete(batch, store)  # which changes the state of what is stored
    kind = "costs"
    hash = await basis(batch, store, dearest, sorted((model, to_json(each)) for model, each in prices.items()))
    if dearest is not None and (stored := await computed(batch, store, kind, hash, Costs)):
        return stored
    consumed, _ = await store.consumed(batch.id)
    unread = list[str]()
    kept = _costs(prices, dearest)
    (adding,) = await figures(batch, store, kept, unreadable=unread.append, beside=standard_figures(batch))
    costs: Costs = adding.costs(consumed)
    if dearest is not None and not unread:
        await keep_computed(batch, store, kind, hash, costs)
    return costs


def standard_figures(batch: Batch) -> list[Kept[Any]]:
    """Return the figures behind summaries, gates, comparisons and costs; one pass collects all."""
    return [_tally(batch, "case"), compared_side("first"), _costs({}, None)]


def _costs(prices: Mapping[str, Pricing], dearest: int | None) -> Kept[Adding]:
    return Kept("usage", partial(Adding, prices=prices, dearest=dearest), _add_costs)


def _tally(batch: Batch, unit: Unit) -> Kept[Tally]:
    return Kept("tally", partial(Tally, unit=unit), partial(_count, batch.who.judge))


def _add_costs(adding: Adding, conversation: Conversation, verdicts: ConversationVerdicts) -> None:
    adding.add(conversation, verdicts.judgements)


async def summarize(
    batch: Batch,
    store: Store,
    *,
    unreadable: Callable[[str], None] = ignore,
    listeners: Sequence[Listener] = (),
    unit: Unit = "case",
) -> Summary:
    """Return a batch in numbers, cached until something changes.

    After a change, read only what changed; for `listeners`, which see everything, read all of it. One conversation is
    in memory at a time. `unreadable` receives the id of each conversation that could not be read. With `unit` scenario,
    the cases of a scenario count as repeats of one.
    """
    summary, _ = await summarize_with(batch, store, (), unreadable=unreadable, listeners=listeners, unit=unit)
    return summary


async def summarize_with(
    batch: Batch,
    store: Store,
    others: Sequence[Kept[Any]],
    *,
    unreadable: Callable[[str], None],
    listeners: Sequence[Listener],
    unit: Unit,
) -> tuple[Summary, list[Any]]:
    """Return a batch in numbers as `summarize` does, and other figures, in one pass."""
    await complete(batch, store)
    kind, hash = f"summary by {unit}", await basis(batch, store)
    summary = None if listeners else await computed(batch, store, kind, hash, Summary)
    kinds = [*others] if summary else [_tally(batch, unit), *others]
    found = await findings(batch, store)
    for listener in listeners:
        listener.found(found)
    unread = list[str]()
    history = await cause_history(batch, store) if summary is None else CauseHistory()
    whole = await with_cases(batch, store) if batch.until or history.baseline else batch
    beside = standard_figures(batch)
    made = []
    if kinds:
        made = await figures(whole, store, *kinds, unreadable=unread.append, listeners=listeners, beside=beside)
    if summary is None:
        planned = (await store.progress(batch.id)).planned
        summary = made.pop(0).summary(found, history, planned=planned)
        if not unread:
            await keep_computed(batch, store, kind, hash, summary)
    for id in unread:
        unreadable(id)
    consumed, _ = await store.consumed(batch.id)
    ended: dict[str, object] = {}
    if (job := await store.job(batch.id)) is not None:
        ended["stopped"] = job.stopped or job.error or ("cancelled" if job.cancelled else "")
        unfinished = (job.is_running and summary.not_run) or job.error == IMPORT_INTERRUPTED
        ended["running"] = bool(unfinished) and await store.is_played(batch.id)
    return summary.model_copy(update={"unkept": consumed - summary.consumed, **ended}), made


def compared_side(attempts: Attempts) -> "Kept[ComparedBatch]":
    """Return the figures of a batch for comparisons."""
    from sparring.reports.compared_batch import ComparedBatch

    def add(side: ComparedBatch, conversation: Conversation, verdicts: ConversationVerdicts) -> None:
        side.add(verdicts.reported(conversation), verdicts.judgements)

    return Kept(f"comparison by {attempts} attempts, judged", partial(ComparedBatch, attempts=attempts), add)


def _count(judge: str, tally: Tally, conversation: Conversation, verdicts: ConversationVerdicts) -> None:
    reported = verdicts.reported(conversation)
    tally.add(reported, judged=verdicts.judge + verdicts.by_others(judge), said=verdicts.judgements)


def all_checks(verdicts: ConversationVerdicts) -> list[Verdict]:
    """Return all checks of a conversation, the batch's own judge first.

    Checks that do not apply are listed only if they have a reason.
    """
    others = [each for each in verdicts.asked if each not in verdicts.judge]
    found = [*verdicts.judge, *others, *verdicts.expectations, *verdicts.rules, *verdicts.built_in]
    return [each for each in found if each.outcome is not CheckOutcome.NOT_APPLICABLE or each.reason]


KILLED = "the process that ran this batch was killed"


async def batch_status(store: Store, batch: Batch) -> BatchStatus:
    """Return the state and progress of a batch."""
    job = await _execution(store, batch.id)
    return service_results.batch_status(batch, job, await store.progress(batch.id))


async def _execution(store: Store, batch: str) -> BatchExecution | None:
    """Return the execution state of a batch; cancelled if its process was killed before it said so.

    Batches of a server are left alone: the server resumes them at its next start.
    """
    job = await store.job(batch)
    while job is not None and job.is_running and not job.served and not await store.is_played(batch):
        before, job = job, await store.job(batch)
        if job == before:  # it neither ended nor restarted while the lock was checked
            return job.model_copy(update={"cancelled": True, "stopped": KILLED})
    if job is not None and job.error == IMPORT_INTERRUPTED and await store.is_played(batch):
        return job.model_copy(update={"error": ""})  # it goes on
    return job


async def iter_results(store: Store, batch: Batch, *, transcripts: bool = False) -> AsyncIterator[ScenarioResult]:
    """Yield the result rows of a batch in the order of its cases; `batch` may come without its cases."""
    await complete(batch, store)
    if not transcripts and await is_stored(batch, store) and not await store.lacks_results(batch.id):
        async for row in store.stored_results(batch.id):
            yield service_results.listed_result(row)
        return
    verdicts = await verdict_reader(batch, store)
    async for conversation, found in store.with_results(batch.id):
        reported = verdicts(conversation, found).reported(conversation)
        yield service_results.scenario_result(found.position, reported, transcript=transcripts)


async def result_rows(batch: Batch, store: Store) -> AsyncIterator[StoredResult]:
    """Yield the rows of a batch in the order of its cases; they may lack scores, times and results."""
    if await is_stored(batch, store) and not await store.lacks_results(batch.id):
        async for row in store.stored_results(batch.id):
            yield row
        return
    verdicts = await verdict_reader(batch, store)
    async for conversation, found in store.with_results(batch.id):
        reported = verdicts(conversation, found).reported(conversation)
        yield service_results.row_without_result(found.position, reported)


async def result_page(
    store: Store, batch: Batch, *, wanted: ConversationFilter, after: str, limit: int
) -> list[ScenarioResult]:
    """Return the result rows after a conversation; the batch may come without its cases."""
    if not after:
        await complete(batch, store)
    found = [each async for each in store.conversations(batch.id, wanted=wanted, after=after, limit=limit)]
    return [
        service_results.scenario_result(position, verdicts.reported(each))
        for each, (position, verdicts) in zip(found, await placed_verdicts(batch, store, found), strict=True)
    ]


async def causes_in(batch: Batch, store: Store) -> CauseTally:
    """Return the causes of a stored batch, without reading a conversation."""
    whole = await with_cases(batch, store)
    tally, cases = CauseTally(whole), whole.ids()
    _, rows = await store.search(whole.id, ConversationQuery(), offset=0, limit=max(whole.planned, 1))
    for row in rows:
        tally.count(row.conversation, cases[row.conversation], row.counted, row.decision)
    return tally


async def earlier_causes(batch: Batch, store: Store) -> CauseHistory:
    """Return the earlier runs of a batch's name with their numbers, and the first run with each cause."""
    runs = dict(sorted((await store.namesakes(batch.name)).items()))
    first = await store.first_causes([id for id in runs if id < batch.id])
    return CauseHistory(first=first, runs=runs)


async def cause_history(batch: Batch, store: Store) -> CauseHistory:
    """Return the earlier runs of a name: those to compare a batch with, and the first one with each cause."""
    found = await earlier_causes(batch, store)
    previous, pinned = await _baselines([id for id in found.runs if id < batch.id], store)
    baseline = pinned or previous
    if not baseline:
        return found
    return replace(
        found,
        baseline=await _recorded(baseline, store),
        previous=await _recorded(previous, store) if previous not in ("", baseline) else None,
        pinned=bool(pinned),
    )


async def _baselines(earlier: list[str], store: Store) -> tuple[str, str]:
    """Return the last run that was finished, and the last one that was accepted; empty if there is none."""
    previous = ""
    for id in reversed(earlier):
        job = await store.job(id)
        finished = job is None or (job.ended is not None and not job.cancelled and not job.error)
        previous = previous or (id if finished else "")
        if job is not None and job.accepted:
            return previous, id
    return previous, ""


async def _recorded(id: str, store: Store) -> CauseTally:
    batch = await store.batch(id)
    await complete(batch, store)
    return await causes_in(batch, store)
