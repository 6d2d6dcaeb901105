"""What came out of a batch: judged and checked anew from what is stored, so that it always comes out the same."""

from collections.abc import Iterable, Sequence

from sparring.checking.check import check
from sparring.checking.compiled import compile_rule
from sparring.checking.recorded import recording_of
from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.verdict import Outcome, Verdict
from sparring.judging.checklist import CHECKLIST, checklist
from sparring.reporting.summary import Summary, summarise


async def conclude(batch: Batch, conversations: Sequence[Conversation]) -> Summary:
    """Ask the batch's judge, the expectations of its cases and its rules, and add it all up."""
    verdicts = [verdict for conversation in conversations for verdict in await _expected(conversation)]
    if batch.who.judge == CHECKLIST:
        verdicts += map(checklist, conversations)
    found = await check(batch.rules, map(recording_of, conversations), listener=verdicts.append)
    return summarise(batch, conversations, verdicts, found.findings)


async def _expected(conversation: Conversation) -> list[Verdict]:
    """What came of the case's own expectations."""
    if not conversation.case.expectations:
        return []
    verdicts: list[Verdict] = []
    rules = [expectation.rule for expectation in conversation.case.expectations]
    found = await check(rules, [recording_of(conversation)], listener=verdicts.append)
    invalid = [
        Verdict(check=each.rule, conversation=conversation.id, outcome=Outcome.ERROR, reason=each.invalid[0].message)
        for each in found.findings
        if each.invalid
    ]
    return [*verdicts, *invalid]


def check_expectations(cases: Iterable[Case]) -> None:
    """An InputError with every expectation that is no expression, before anybody talks."""
    rules = {(e.rule.file, e.rule.line, e.rule.then): e.rule for case in cases for e in case.expectations}
    compiled = [compile_rule(rule) for rule in rules.values()]
    problems = [problem for each in compiled if isinstance(each, list) for problem in each]
    if problems:
        raise InputError(problems)
