"""What judges said about the conversations of a batch, and what they have yet to say."""

from collections.abc import AsyncIterator, Callable, Mapping

from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.usage import Rate
from sparring.core.verdict import HUMAN, Outcome, Verdict
from sparring.judges.exact import EXACT
from sparring.reports.usage import Adding, Costs
from sparring.runner.bench import NOBODY
from sparring.store import names
from sparring.store.store import ALL, Filter, Reader, ignore

_NOT_YET = "not judged yet: `sparring judge` asks the judge"
_NO_READER = "a rubric is read by a model: --judge MODEL"


async def with_said(
    batch: Batch,
    store: Reader,
    *,
    wanted: Filter = ALL,
    after: str = "",
    limit: int | None = None,
    unreadable: Callable[[str], None] = ignore,
) -> AsyncIterator[tuple[Conversation, list[Verdict]]]:
    """Every conversation that is wanted, with everything that any judge said about it and that is kept.

    Both are read side by side and neither as a whole. What is judged while this goes on may be missing.
    """
    positions = {case.id: position for position, case in enumerate(batch.cases)}
    said = store.verdicts(batch.id)
    pending = await anext(said, None)
    found = store.conversations(batch.id, wanted=wanted, after=after, limit=limit, unreadable=unreadable)
    async for conversation in found:
        place = positions.get(conversation.case.id, -1), conversation.repeat
        about = []
        while pending is not None and (now := _place(pending, positions)) <= place:
            about += [pending] if now == place else []
            pending = await anext(said, None)
        yield conversation, about


async def costs_of(batch: Batch, store: Reader, prices: Mapping[str, Rate]) -> Costs:
    """What a batch cost, by all that is stored of it."""
    adding = Adding(batch, prices)
    async for conversation, said in with_said(batch, store):
        adding.add(conversation, said)
    whole, _ = await store.consumed(batch.id)
    return adding.costs(whole)


def _place(verdict: Verdict, positions: dict[str, int]) -> tuple[int, int]:
    found = [(positions[case], repeat) for case, repeat in names.places(verdict.conversation) if case in positions]
    return found[0] if found else (-1, 0)


def by_judge(batch: Batch, conversation: Conversation, said: list[Verdict]) -> list[Verdict]:
    """What the batch's judge says about a conversation; an error for everything that it was asked and did not say."""
    judge = batch.who.judge
    if judge in ("", NOBODY):
        return []
    asked = {rubric.hash: rubric for rubric in batch.asked(conversation.case)}
    if judge in EXACT:
        given = [EXACT[judge](conversation)]
    else:
        given = [each for each in said if each.judge == judge and (not asked or each.rubric in ("", *asked))]
    if conversation.ending is None or not conversation.ending.counts:
        return given
    answered = {each.rubric for each in given}
    reason = _NO_READER if "" in answered else _NOT_YET
    lacking = {hash: rubric.name for hash, rubric in asked.items() if hash not in answered}
    if not given and not asked:
        lacking = {"": judge}
    return [*given, *(_undecided(name, hash, judge, reason, conversation) for hash, name in lacking.items())]


def by_human(said: list[Verdict]) -> list[Verdict]:
    """What a human says about a conversation."""
    return [each for each in said if each.judge == HUMAN]


def by_everybody(batch: Batch, conversation: Conversation, said: list[Verdict]) -> list[Verdict]:
    """What every judge says about a conversation, the batch's own first."""
    own = by_judge(batch, conversation, said)
    told = [*own, *(each for each in said if each not in own)]
    return [each for each in told if each.outcome is not Outcome.NOT_APPLICABLE]


def _undecided(check: str, rubric: str, judge: str, reason: str, conversation: Conversation) -> Verdict:
    """An error that nobody has said."""
    told = {"check": check, "rubric": rubric, "judge": judge, "by": ""}
    return Verdict(outcome=Outcome.ERROR, conversation=conversation.id, reason=reason, **told)
