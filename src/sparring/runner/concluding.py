"""What came out of a batch: judged and checked anew from what is stored, so that it always comes out the same."""

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable

from sparring.checking.check import check
from sparring.checking.compiled import compile_rule
from sparring.checking.expected import expected as expected
from sparring.checking.recorded import recording_of
from sparring.checking.recording import Recording
from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.verdict import Outcome, Verdict
from sparring.judging.checklist import CHECKLIST, checklist
from sparring.judging.order import ORDER, order
from sparring.reporting.summary import Summary, Tally
from sparring.store.store import Reader, ignore

_TELLING = (Outcome.FAIL, Outcome.ERROR)


async def conclude(batch: Batch, store: Reader, *, unreadable: Callable[[str], None] = ignore) -> Summary:
    """Ask the batch's judge, the expectations of its cases and its rules about everything stored, and add it up.

    It reads the store twice and holds one conversation at a time, and the ids of those about which a rule held.
    `unreadable` is told the id of each that could not be read.
    """
    about: defaultdict[str, list[Verdict]] = defaultdict(list)
    held: set[str] = set()

    def note(verdict: Verdict) -> None:
        if verdict.outcome in _TELLING:
            about[verdict.conversation].append(verdict)
        elif verdict.outcome is Outcome.PASS:
            held.add(verdict.conversation)

    found = await check(batch.rules, _recordings(batch, store), listener=note)
    tally = Tally(batch)
    async for conversation in store.conversations(batch.id, unreadable=unreadable):
        for verdict in await own_verdicts(batch, conversation):
            note(verdict)
        tally.add(conversation, about.pop(conversation.id, ()), held=conversation.id in held)
    return tally.summary(found.findings)


async def with_verdicts(
    batch: Batch, store: Reader, *, unreadable: Callable[[str], None] = ignore
) -> AsyncIterator[tuple[Conversation, list[Verdict]]]:
    """Every conversation, with all that was found about it alone; what rules say is held for all of them at once."""
    about: defaultdict[str, list[Verdict]] = defaultdict(list)
    await check(
        batch.rules, _recordings(batch, store), listener=lambda verdict: about[verdict.conversation].append(verdict)
    )
    async for conversation in store.conversations(batch.id, unreadable=unreadable):
        yield conversation, [*await own_verdicts(batch, conversation), *about.pop(conversation.id, ())]


async def _recordings(batch: Batch, store: Reader) -> AsyncIterator[Recording]:
    if batch.rules:
        async for conversation in store.conversations(batch.id):
            yield recording_of(conversation)


async def own_verdicts(batch: Batch, conversation: Conversation) -> list[Verdict]:
    """What the judge and the case's own expectations say."""
    judge = {CHECKLIST: checklist, ORDER: order}.get(batch.who.judge)
    verdicts = [judge(conversation)] if judge else []
    return [*verdicts, *await expected(conversation)]


def check_expectations(cases: Iterable[Case]) -> None:
    """An InputError with every expectation that is no expression, before anybody talks."""
    rules = {(e.rule.file, e.rule.line, e.rule.then): e.rule for case in cases for e in case.expectations}
    compiled = [compile_rule(rule) for rule in rules.values()]
    problems = [problem for each in compiled if isinstance(each, list) for problem in each]
    if problems:
        raise InputError(problems)
