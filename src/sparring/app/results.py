"""What came out of a batch, by what judges said, what is checked anew, and what is stored: no model is called here.

What judges said about the conversations of a batch, and what they have yet to say.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.usage import Pricing
from sparring.core.verdict import HUMAN, CheckOutcome, Finding, Verdict
from sparring.judges.judge import deterministic_judge
from sparring.reports.formats import Listener
from sparring.reports.summary import Summary, Tally
from sparring.reports.usage import Adding, Costs
from sparring.runner.judge_worker import NOBODY
from sparring.store import names
from sparring.store.store import ALL, ConversationFilter, Reader, ignore

_NOT_YET = "not judged yet: `sparring judge` asks the judge"
_NO_READER = "a rubric is read by a model: --judge MODEL"


async def with_said(
    batch: Batch,
    store: Reader,
    *,
    wanted: ConversationFilter = ALL,
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


async def costs_of(batch: Batch, store: Reader, prices: Mapping[str, Pricing]) -> Costs:
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
    asked = {rubric.hash: rubric for rubric in batch.rubrics_for(conversation.case)}
    if (deterministic := deterministic_judge(judge)) is not None:
        given = [deterministic.decide(conversation)]
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
    return [each for each in told if each.outcome is not CheckOutcome.NOT_APPLICABLE]


def _undecided(check: str, rubric: str, judge: str, reason: str, conversation: Conversation) -> Verdict:
    """An error that nobody has said."""
    told = {"check": check, "rubric": rubric, "judge": judge, "by": ""}
    return Verdict(outcome=CheckOutcome.ERROR, conversation=conversation.id, reason=reason, **told)


_TELLING = (CheckOutcome.FAIL, CheckOutcome.ERROR)


async def conclude(
    batch: Batch,
    store: Reader,
    *,
    unreadable: Callable[[str], None] = ignore,
    trust_human: bool = False,
    listeners: Sequence[Listener] = (),
) -> Summary:
    """Add up what the batch's judge said, the expectations of its cases and its rules about everything stored.

    It reads the store once, and once more where there are rules, and holds one conversation at a time, and the ids of
    those about which a rule held. `listeners` are shown everything on the way; what rules say is held for all of them
    at once then. `unreadable` is told the id of each that could not be read. With `trust_human`, a conversation about
    which a human has said something comes out as they said, whatever others say.
    """
    about: defaultdict[str, list[Verdict]] = defaultdict(list)
    held: set[str] = set()

    def note(verdict: Verdict) -> None:
        if listeners or verdict.outcome in _TELLING:
            about[verdict.conversation].append(verdict)
        if verdict.outcome is CheckOutcome.PASS:
            held.add(verdict.conversation)

    findings = await _found(batch, store, note)
    for listener in listeners:
        listener.found(findings)
    tally = Tally(batch, trusts_human=trust_human)
    async for conversation, said in with_said(batch, store, unreadable=unreadable):
        own, human, by_rules = by_judge(batch, conversation, said), by_human(said), about.pop(conversation.id, [])
        alone = [*own, *await _expected(conversation)]
        deciding = [verdict for verdict in (*by_rules, *alone) if verdict.outcome in _TELLING]
        tally.add(
            conversation,
            human if trust_human and human else deciding,
            held=conversation.id in held or any(verdict.outcome is CheckOutcome.PASS for verdict in alone),
            judged=(*own, *(each for each in said if each.judge != batch.who.judge)),
            said=said,
        )
        for listener in listeners:
            listener.add(conversation, [*alone[: len(own)], *human, *alone[len(own) :], *by_rules])
    summary = tally.summary(findings)
    whole, _ = await store.consumed(batch.id)
    return summary.model_copy(update={"unkept": whole - summary.consumed})


async def with_verdicts(
    batch: Batch,
    store: Reader,
    *,
    unreadable: Callable[[str], None] = ignore,
    found: Callable[[tuple[Finding, ...]], None] = lambda findings: None,
) -> AsyncIterator[tuple[Conversation, list[Verdict]]]:
    """Every conversation, with all that was found about it alone; what rules say is held for all of them at once.

    `found` is told what the rules found, before the first conversation.
    """
    about: defaultdict[str, list[Verdict]] = defaultdict(list)
    found(await _found(batch, store, lambda verdict: about[verdict.conversation].append(verdict)))
    async for conversation, said in with_said(batch, store, unreadable=unreadable):
        yield conversation, [*await own_verdicts(batch, conversation, said), *about.pop(conversation.id, ())]


async def _found(batch: Batch, store: Reader, listener: Callable[[Verdict], None]) -> tuple[Finding, ...]:
    """What the batch's rules find."""
    if not batch.rules:
        return ()
    from sparring.rules.check import check  # where there are no rules, nobody waits for what checks them
    from sparring.rules.recording import recording_of

    recordings = (recording_of(conversation) async for conversation in store.conversations(batch.id))
    return (await check(batch.rules, recordings, listener=listener)).findings


async def _expected(conversation: Conversation) -> list[Verdict]:
    """What comes of what the case expects."""
    if not conversation.case.expectations:
        return []
    from sparring.rules.expectations import expected  # the same holds for these

    return await expected(conversation)


async def rules_alone(batch: Batch, conversations: Sequence[Conversation]) -> Mapping[str, list[Verdict]]:
    """What the batch's rules over one conversation say of these, by their ids."""
    about: defaultdict[str, list[Verdict]] = defaultdict(list)
    rules = [rule for rule in batch.rules if rule.conversations == 1]
    if rules:
        from sparring.rules.check import check  # as above
        from sparring.rules.recording import recording_of

        recordings = [recording_of(each) for each in conversations]
        await check(rules, recordings, listener=lambda verdict: about[verdict.conversation].append(verdict))
    return about


async def own_verdicts(batch: Batch, conversation: Conversation, said: list[Verdict]) -> list[Verdict]:
    """What the batch's judge and a human say, of all that was said, and the case's own expectations."""
    return [*by_judge(batch, conversation, said), *by_human(said), *await _expected(conversation)]
