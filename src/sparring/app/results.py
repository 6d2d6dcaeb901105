"""Results of a batch from its recorded verdicts. No check is evaluated here, and no model called."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from sparring.app.causes import cause_history
from sparring.app.completing import complete
from sparring.app.computed import Kept, basis, computed, figures, keep_computed, with_cases
from sparring.core.batch import IMPORT_INTERRUPTED, Batch
from sparring.core.checks import Attempts, Unit
from sparring.core.conversation import Conversation
from sparring.core.usage import Pricing
from sparring.core.value import to_json
from sparring.core.verdict import CheckOutcome, Finding, Verdict
from sparring.reports.cause_status import CauseHistory
from sparring.reports.formats import Listener
from sparring.reports.summary import Summary, Tally
from sparring.reports.usage import Adding, Costs
from sparring.runner.verdict_selection import ConversationVerdicts, rule_hashes
from sparring.runner.verdicts import (
    is_unchecked,
    placed_verdicts,
    with_verdicts,
)
from sparring.runner.verdicts import verdicts_on as verdicts_on
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
    """Yield the conversations of a batch, which has its cases, in its order, each with its recorded verdicts."""
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


async def costs_of(batch: Batch, store: Store, prices: Mapping[str, Pricing], *, dearest: int | None = None) -> Costs:
    """Return the cost of a batch from everything stored of it.

    With `dearest`, list only this many conversations, and cache the costs until something changes.
    """
    if dearest is not None:
        await complete(batch, store)  # which changes the state of what is stored
    kind = "costs"
    about = sorted((model, to_json(each)) for model, each in prices.items())
    hash = await basis(batch, store, dearest, about)
    if dearest is not None and (held := await computed(batch, store, kind, hash, Costs)):
        return held
    kept = Kept(kind, partial(Adding, prices=prices, dearest=dearest), _add_costs, (dearest, about))
    consumed, _ = await store.consumed(batch.id)
    unread = list[str]()
    if dearest is None:
        adding = kept.make(batch)
        async for conversation, verdicts in with_verdicts(batch, store):
            adding.add(conversation, verdicts.judgements)
        return adding.costs(consumed)
    (adding,) = await figures(batch, store, kept, unreadable=unread.append)
    costs: Costs = adding.costs(consumed)
    if not unread:
        await keep_computed(batch, store, kind, hash, costs)
    return costs


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
    kinds = list(others) if summary else [Kept("tally", partial(Tally, unit=unit), partial(_count, batch.who.judge))]
    kinds += () if summary else others
    side = compared_side("first")
    if summary is None and side.kind not in (each.kind for each in others):  # a comparison needs no second pass
        kinds.append(side)
    found = await findings(batch, store)
    for listener in listeners:
        listener.found(found)
    unread = list[str]()
    history = await cause_history(batch, store) if summary is None else CauseHistory()
    whole = await with_cases(batch, store) if batch.until or history.baseline else batch
    made = await figures(whole, store, *kinds, unreadable=unread.append, listeners=listeners) if kinds else []
    del made[len(kinds) - kinds.count(side) :]
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

    return Kept(f"comparison by {attempts} attempts", partial(ComparedBatch, attempts=attempts), _add_to_side)


def _add_to_side(side: "ComparedBatch", conversation: Conversation, verdicts: ConversationVerdicts) -> None:
    side.add(verdicts.reported(conversation))


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
