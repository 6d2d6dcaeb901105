"""What came out of a batch, by what judges said, what is checked anew, and what is stored: no model is called here."""

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable

from sparring.checking.check import check
from sparring.checking.compiled import compile_rule
from sparring.checking.expected import expected
from sparring.checking.recorded import recording_of
from sparring.checking.recording import Recording
from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.verdict import Finding, Outcome, Verdict
from sparring.reporting.summary import Summary, Tally
from sparring.runner.judged import by_human, by_judge, with_said
from sparring.store.store import Reader, ignore

_TELLING = (Outcome.FAIL, Outcome.ERROR)


async def conclude(
    batch: Batch, store: Reader, *, unreadable: Callable[[str], None] = ignore, trust_human: bool = False
) -> Summary:
    """Add up what the batch's judge said, the expectations of its cases and its rules about everything stored.

    It reads the store twice and holds one conversation at a time, and the ids of those about which a rule held.
    `unreadable` is told the id of each that could not be read. With `trust_human`, a conversation about which a human
    has said something comes out as they said, whatever others say.
    """
    about: defaultdict[str, list[Verdict]] = defaultdict(list)
    held: set[str] = set()

    def note(verdict: Verdict) -> None:
        if verdict.outcome in _TELLING:
            about[verdict.conversation].append(verdict)
        elif verdict.outcome is Outcome.PASS:
            held.add(verdict.conversation)

    found = await check(batch.rules, _recordings(batch, store), listener=note)
    tally = Tally(batch, trusts_human=trust_human)
    async for conversation, said in with_said(batch, store, unreadable=unreadable):
        own = by_judge(batch, conversation, said)
        for verdict in (*own, *await expected(conversation)):
            note(verdict)
        found_out, human = about.pop(conversation.id, []), by_human(said)
        others = [each for each in said if each.judge != batch.who.judge]
        tally.add(
            conversation,
            human if trust_human and human else found_out,
            held=conversation.id in held,
            judged=(*own, *others),
            said=said,
        )
    return tally.summary(found.findings)


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
    findings = await check(
        batch.rules, _recordings(batch, store), listener=lambda verdict: about[verdict.conversation].append(verdict)
    )
    found(findings.findings)
    async for conversation, said in with_said(batch, store, unreadable=unreadable):
        yield conversation, [*await own_verdicts(batch, conversation, said), *about.pop(conversation.id, ())]


async def _recordings(batch: Batch, store: Reader) -> AsyncIterator[Recording]:
    if batch.rules:
        async for conversation in store.conversations(batch.id):
            yield recording_of(conversation)


async def own_verdicts(batch: Batch, conversation: Conversation, said: list[Verdict]) -> list[Verdict]:
    """What the batch's judge and a human say, of all that was said, and the case's own expectations."""
    return [*by_judge(batch, conversation, said), *by_human(said), *await expected(conversation)]


def check_expectations(cases: Iterable[Case]) -> None:
    """An InputError with every expectation that is no expression, before anybody talks."""
    rules = {(e.rule.file, e.rule.line, e.rule.then): e.rule for case in cases for e in case.expectations}
    compiled = [compile_rule(rule) for rule in rules.values()]
    problems = [problem for each in compiled if isinstance(each, list) for problem in each]
    if problems:
        raise InputError(problems)
