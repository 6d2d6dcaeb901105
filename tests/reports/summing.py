"""Summaries of conversations with their verdicts, without a store."""

from collections import defaultdict
from collections.abc import Iterable

from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.outcome import decide
from sparring.core.verdict import Finding, Verdict
from sparring.reports.reported import ReportedConversation
from sparring.reports.summary import Summary, Tally
from sparring.runner.causes import with_cause


def decided(conversation: Conversation, verdicts: Iterable[Verdict] = ()) -> ReportedConversation:
    """Return a conversation with these verdicts, and the decision that follows from them."""
    found = tuple(verdicts)
    decision = with_cause(decide(conversation, found), conversation, found)
    return ReportedConversation(conversation, decision, found)


def summarise(
    batch: Batch,
    conversations: Iterable[Conversation],
    verdicts: Iterable[Verdict] = (),
    findings: Iterable[Finding] = (),
) -> Summary:
    """Return the summary of conversations with their verdicts."""
    about: defaultdict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        about[verdict.conversation].append(verdict)
    tally = Tally(batch)
    for conversation in conversations:
        tally.add(decided(conversation, about[conversation.id]))
    return tally.summary(findings)
