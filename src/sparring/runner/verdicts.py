"""Verdicts of a batch's checks: given when a conversation ends, recorded with it, then only read.

Checks are a deterministic judge, the expectations of the case, and the batch's rules about one conversation. Findings
of rules are recorded when a batch ends, stops or is completed.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from sparring.audit.audit import audit
from sparring.core.audit import AUDIT
from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.listing import ConversationRow, searchable_words
from sparring.core.verdict import CheckOutcome, Findings, Verdict
from sparring.judges.builtin import built_in_failures
from sparring.judges.judge import deterministic_judge
from sparring.reports.scores import speaking
from sparring.reports.service_results import result_fields
from sparring.runner.judge_worker import NamedJudge, verdict_of
from sparring.runner.players import NullBots
from sparring.runner.verdict_selection import (
    AUDIT_HASH,
    NULL_BOTS_HASH,
    ConversationVerdicts,
    VerdictSelector,
    complete_hash,
    expectations_hash,
    judge_hash,
    rule_hashes,
)
from sparring.store.derived import END, Block
from sparring.store.store import ALL, ConversationFilter, RecordedChecks, RecordedResults, Store, ignore

if TYPE_CHECKING:
    from sparring.rules.check import SingleRules

T = TypeVar("T")

_AT_A_TIME = 64


def _audited(conversation: Conversation) -> dict[str, Verdict]:
    """Return the verdict of the audit on a conversation; none if it found nothing.

    A log of real people without goals is not audited, because no case says what the user should do.
    """
    if not conversation.case.goals and not conversation.usage.get("user"):
        return {}
    found = audit(conversation)
    if not found.faults:
        return {}
    about = {"check": AUDIT, "outcome": CheckOutcome.NOT_APPLICABLE, "conversation": conversation.id, "by": AUDIT}
    reason = "; ".join(dict.fromkeys(fault.reason for fault in found.faults))
    evidence = tuple(dict.fromkeys(quote for fault in found.faults for quote in fault.evidence))
    return {AUDIT_HASH: Verdict(**about, reason=reason, evidence=evidence, audit=found)}


class ConversationChecks:
    """The checks of a batch, ready to be evaluated on one conversation after another."""

    def __init__(
        self, batch: Batch, judge: NamedJudge | None, null_bots: NullBots | None = None, *, trial: bool = False
    ) -> None:
        self._batch = batch
        self._trial = trial
        self._null_bots = null_bots
        self._judge = judge if judge is not None and judge.deterministic else None
        self._single = {hash: rule for hash, rule in rule_hashes(batch.rules).items() if rule.conversations == 1}
        self._rules: SingleRules | None = None
        self._complete = complete_hash(batch)
        self._selector = VerdictSelector(batch)

    @property
    def hashes(self) -> tuple[str, ...]:
        """The hashes that are recorded for every conversation."""
        judge = [judge_hash(self._judge.name)] if self._judge else []
        return (self._complete, *judge, *([NULL_BOTS_HASH] if self._null_bots else []))

    async def evaluate(self, conversation: Conversation, tried: Verdict | None = None) -> RecordedChecks:
        """Return the verdicts of all checks on a conversation, and its row before any other judge is asked.

        A trial has no row, and its rules say no reason.

        Null bots are not asked if they were `tried` on its case.
        """
        found: dict[str, Verdict | None] = {self._complete: None}
        if self._judge is not None:
            (rubric,) = self._judge.questions(self._batch, conversation.case)
            found[judge_hash(self._judge.name)] = await verdict_of(self._judge, conversation, rubric)
        if conversation.case.expectations:
            from sparring.rules.check import expected  # batches without expectations need not load the rules

            start = expectations_hash(conversation)
            found |= {f"{start}/{n:04}": verdict for n, verdict in enumerate(await expected(conversation))}
        if self._single:
            found |= self._ruled(conversation)
        found |= built_in_failures(conversation, trial=self._trial)
        if self._batch.audit != "off":
            found |= _audited(conversation)
        if tried is None and self._null_bots is not None:
            tried = (await self._null_bots(conversation.case, conversation.state)).verdict(conversation.id)
        if tried is not None:
            found[NULL_BOTS_HASH] = tried
        attempt = conversation.timing.attempt if conversation.timing else 1
        checks = RecordedChecks(conversation.id, attempt, found)
        return checks if self._trial else replace(checks, row=self.row(conversation, checks, ()))

    def by_judge(self, checks: RecordedChecks) -> Verdict | None:
        """Return the verdict of the deterministic judge, if the batch has one."""
        return checks.verdicts.get(judge_hash(self._judge.name)) if self._judge else None

    def row(self, conversation: Conversation, checks: RecordedChecks, asked: Sequence[Verdict]) -> ConversationRow:
        """Return the row of a conversation with further verdicts of judges."""
        return conversation_row(conversation, self._selector.verdicts(conversation, asked, checks.verdicts))

    def _ruled(self, conversation: Conversation) -> dict[str, Verdict]:
        from sparring.rules.check import SingleRules  # as above
        from sparring.rules.recording import recording_of

        if self._rules is None:
            self._rules = SingleRules(self._single, explain=not self._trial)
        return self._rules.verdicts(recording_of(conversation))


def conversation_row(conversation: Conversation, found: ConversationVerdicts) -> ConversationRow:
    """Return the row of a conversation in lists, given its verdicts. Its usage includes that of judges.

    A person's score takes precedence over a judge's.
    """
    verdicts = found.all
    usage = sum((each.usage for each in found.judgements), conversation.consumed)
    counts = conversation.ending is not None and conversation.ending.completed
    scored_by = speaking(verdicts)
    scored = scored_by if counts else None
    fields = {
        "conversation": conversation.id,
        "ending": conversation.ending,
        "decision": found.decision,
        "first": found.first,
        "score": scored.score if scored else None,
        "turns": conversation.turns,
        "seconds": conversation.timing.seconds if conversation.timing else None,
        "tokens": usage.tokens,
        "cost": usage.known_cost,
        "failed": tuple(dict.fromkeys(v.check for v in verdicts if v.outcome is CheckOutcome.FAIL)),
        "words": "",
        "result": result_fields(conversation, scored_by),
        "attempt": conversation.timing.attempt if conversation.timing else 1,
    }
    return ConversationRow.unchecked(fields)


async def with_verdicts(
    batch: Batch, store: Store, *, where: ConversationFilter = ALL, unreadable: Callable[[str], None] = ignore
) -> AsyncIterator[tuple[Conversation, ConversationVerdicts]]:
    """Yield the conversations of a batch in its order, each with its recorded verdicts."""
    verdicts = await verdict_reader(batch, store)
    async for conversation, found in store.with_results(batch.id, wanted=where, unreadable=unreadable):
        yield conversation, verdicts(conversation, found)


VerdictReader = Callable[[Conversation, RecordedResults], ConversationVerdicts]


async def verdict_reader(batch: Batch, store: Store) -> VerdictReader:
    """Return the function that selects the verdicts that count from the records of a conversation."""
    selector = VerdictSelector(batch, await invalid_rules(batch, store))
    own = await is_stored(batch, store)

    def verdicts(conversation: Conversation, found: RecordedResults) -> ConversationVerdicts:
        decided = (found.decision, found.first) if own else ()
        return selector.verdicts(conversation, found.verdicts, found.checked, *decided)

    return verdicts


async def verdicts_on(batch: Batch, store: Store, conversations: Sequence[Conversation]) -> list[ConversationVerdicts]:
    """Return the recorded verdicts on each of these conversations; `batch` may come without its cases."""
    return [verdicts for _, verdicts in await placed_verdicts(batch, store, conversations)]


async def placed_verdicts(
    batch: Batch, store: Store, conversations: Sequence[Conversation]
) -> list[tuple[int, ConversationVerdicts]]:
    """Return the recorded verdicts on some conversations, each with the position of its case."""
    verdicts = await verdict_reader(batch, store)
    recorded = await store.recorded(batch.id, [each.id for each in conversations])
    return [(found.position, verdicts(each, found)) for each, found in zip(conversations, recorded, strict=True)]


async def is_stored(batch: Batch, store: Store) -> bool:
    """Return True if a batch has the judge and rubrics for which decisions are recorded."""
    head = await store.head(batch.id)
    asked, stored = ((each.who.judge, each.who.decides, each.rubrics, each.case_rubrics) for each in (batch, head))
    return asked == stored


async def invalid_rules(batch: Batch, store: Store) -> list[str]:
    """Return the hashes of the rules of a batch that turned out to be invalid."""
    found = await store.findings(batch.id) if batch.rules else {}
    return sorted(hash for hash, finding in found.items() if finding.invalid)


async def is_missing(batch: Batch, store: Store, blocks: Iterable[Block]) -> bool:
    """Return True if findings, or verdicts or rows of these cases, have not been recorded."""
    for block in blocks:
        first, stop, _ = block
        if await is_unchecked(batch, store, first=first, stop=stop):
            return True
        if await anext(store.unlisted(batch.id, first=first, stop=stop), None) is not None:
            return True
    return await _lacks_findings(batch, store)


async def is_unchecked(batch: Batch, store: Store, conversation: str = "", *, first: int = 0, stop: int = END) -> bool:
    """Return True if verdicts on a conversation, or on any of a range of cases, have not been recorded."""
    hashes: tuple[str, ...] = (complete_hash(batch), judge_hash(batch.who.judge))
    unchecked = partial(store.unchecked, batch.id, conversation=conversation, first=first, stop=stop)
    if await anext(unchecked(hashes), None) is None:
        return False
    hashes = checks_of(batch).hashes  # the judge may be a model; finding that out loads its plug-in
    return await anext(unchecked(hashes), None) is not None


def checks_of(batch: Batch, null_bots: NullBots | None = None) -> ConversationChecks:
    """Return the checks of a batch, with its judge if that asks no model."""
    judge = deterministic_judge(batch.who.judge)
    return ConversationChecks(batch, NamedJudge(judge, batch.who.judge) if judge else None, null_bots)


async def record_missing(
    batch: Batch, store: Store, null_bots: NullBots | None = None, blocks: Sequence[Block] = (Block(0, END, 0),)
) -> None:
    """Record the missing verdicts and decisions on cases of blocks, and the missing findings of a batch.

    Call it under the batch's lock. `batch` has its cases if it has rules. It may name another judge than the stored
    one; rows are always those of the stored batch.
    """
    head = await store.head(batch.id)
    own = batch.model_copy(update={"who": head.who, "rubrics": head.rubrics, "case_rubrics": head.case_rubrics})
    for each in {one.who.judge: one for one in (own, batch)}.values():
        checks = checks_of(each, null_bots)
        for first, stop, _ in blocks:
            async for some in portions(store.unchecked(batch.id, checks.hashes, first=first, stop=stop)):
                evaluated = [await checks.evaluate(each, await _tried(batch, store, each)) for each in some]
                await store.record_checks(batch.id, [replace(checked, row=None) for checked in evaluated])
    await record_findings(batch, store, null_bots)
    for first, stop, _ in blocks:
        async for unlisted in portions(store.unlisted(batch.id, first=first, stop=stop)):
            found = await verdicts_on(own, store, unlisted)
            rows = [_row(*each) for each in zip(unlisted, found, strict=True)]
            await store.record_checks(batch.id, rows)


async def portions(source: AsyncIterator[T]) -> AsyncIterator[list[T]]:
    """Yield the items of a stream in lists of at most 64, and let other tasks run after each."""
    some: list[T] = []
    async for each in source:
        some.append(each)
        if len(some) == _AT_A_TIME:
            yield some
            some = []
            await asyncio.sleep(0)
    if some:
        yield some


async def _tried(batch: Batch, store: Store, conversation: Conversation) -> Verdict | None:
    """Return what null bots found about the case when the conversation was recorded, or None."""
    recorded = store.checked(batch.id, conversation=conversation.id)
    return await anext((verdict async for hash, verdict in recorded if hash == NULL_BOTS_HASH), None)


async def record_findings(batch: Batch, store: Store, null_bots: NullBots | None = None) -> None:
    """Record the findings of a batch's rules over everything stored, unless they are recorded already."""
    if not await _lacks_findings(batch, store):
        return
    from sparring.rules.check import check  # batches without rules need not load them
    from sparring.rules.stored import stored_recordings

    rules = rule_hashes(batch.rules)
    recordings = await store.recordings(batch.id)

    async def find() -> Findings:
        return await check(list(rules.values()), stored_recordings(batch.id, store))

    # Counting tuples of conversations may take seconds: it must not stop whatever else this loop does.
    found = await asyncio.to_thread(lambda: asyncio.run(find()))
    today = batch.model_copy(update={"rules": tuple(rules.values())})
    passed_by = await null_bots.satisfied(today) if null_bots else {}
    verdicts = [
        each.model_copy(update={"passed_by": passed_by.get(hash, ())})
        for hash, each in zip(rules, found.findings, strict=True)
    ]
    await store.record_findings(batch.id, recordings, dict(zip(rules, verdicts, strict=True)))


async def _lacks_findings(batch: Batch, store: Store) -> bool:
    rules = rule_hashes(batch.rules)
    return bool(rules) and not rules.keys() <= (await store.findings(batch.id)).keys()


def _row(conversation: Conversation, verdicts: ConversationVerdicts) -> RecordedChecks:
    row = conversation_row(conversation, verdicts)
    row = row.model_copy(update={"words": searchable_words(conversation)})
    return RecordedChecks(conversation.id, row.attempt, row=row)
