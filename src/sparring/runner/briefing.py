"""Conversations in short, for lists: made of what is stored, when somebody looks."""

import asyncio
from collections.abc import Sequence

from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.listing import Brief
from sparring.core.message import Message
from sparring.core.usage import Usage
from sparring.core.verdict import Outcome, Verdict
from sparring.reports.scores import speaking
from sparring.reports.summary import outcome_of
from sparring.runner.concluding import own_verdicts, rules_alone
from sparring.store.store import Reader, Store

AT_A_TIME = 64
_LONGEST = 300


async def brief_all(batch: Batch, store: Store) -> None:
    """Make the briefs that are lacking; `batch` may come without its cases."""
    some: list[Conversation] = []
    async for conversation in store.unbriefed(batch.id):
        some.append(conversation)
        if len(some) == AT_A_TIME:
            await store.keep_briefs(batch.id, await briefs_of(batch, store, some))
            some = []
            await asyncio.sleep(0)
    if some:
        await store.keep_briefs(batch.id, await briefs_of(batch, store, some))


async def briefs_of(batch: Batch, store: Reader, conversations: Sequence[Conversation]) -> list[Brief]:
    """The briefs of conversations, with what judges, people, expectations and rules about one conversation say."""
    return [brief(each, verdicts) for each, verdicts in await all_verdicts(batch, store, conversations)]


async def all_verdicts(
    batch: Batch, store: Reader, conversations: Sequence[Conversation]
) -> list[tuple[Conversation, list[Verdict]]]:
    """Everything that is found about conversations alone."""
    about = await rules_alone(batch, conversations)
    anybody = await anext(store.verdicts(batch.id), None) is not None
    found = []
    for each in conversations:
        said = [verdict async for verdict in store.verdicts(batch.id, conversation=each.id)] if anybody else []
        found.append((each, [*await own_verdicts(batch, each, said), *about.get(each.id, ())]))
    return found


def brief(conversation: Conversation, verdicts: Sequence[Verdict]) -> Brief:
    """A conversation in short, given what was found about it. What a human says changes no outcome, as in summaries;
    their score is shown before a judge's.
    """
    outcome, reason = outcome_of(conversation, verdicts)
    usage = sum(conversation.usage.values(), Usage())
    counts = conversation.ending is not None and conversation.ending.counts
    scored = speaking(verdicts) if counts else None
    return Brief(
        conversation=conversation.id,
        ending=conversation.ending,
        outcome=outcome,
        reason=reason if len(reason) <= _LONGEST else f"{reason[:_LONGEST]}…",
        score=scored.score if scored else None,
        turns=conversation.turns,
        seconds=conversation.timing.seconds if conversation.timing else None,
        tokens=usage.tokens,
        cost=usage.known_cost,
        failed=tuple(dict.fromkeys(v.check for v in verdicts if v.outcome is Outcome.FAIL)),
        words="\n".join(map(_words, conversation.messages)).casefold(),
        attempt=conversation.timing.attempt if conversation.timing else 1,
    )


def _words(message: Message) -> str:
    return "\n".join([message.text, *(call.name for call in message.tool_calls)])
