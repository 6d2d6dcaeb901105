"""What came out of a batch, by what judges said, what is checked anew, and what is stored: no model is called here."""

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.verdict import Finding, Outcome, Verdict
from sparring.reports.formats import Listener
from sparring.reports.summary import Summary, Tally
from sparring.runner.judged import by_human, by_judge, with_said
from sparring.store.store import Reader, ignore

_TELLING = (Outcome.FAIL, Outcome.ERROR)


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
        if verdict.outcome is Outcome.PASS:
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
            held=conversation.id in held or any(verdict.outcome is Outcome.PASS for verdict in alone),
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
