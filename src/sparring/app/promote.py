"""A stored conversation as a scenario that plays its words again."""

import re
from collections.abc import Sequence

from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.scenarios.written_case import expecting, lines_of, text_of

_UNSAFE = re.compile(r"[^\w-]+")


def scenario_text(batch: Batch, conversation: Conversation, verdicts: Sequence[Verdict]) -> str:
    """Return a scenario with the words of the user as its script, and violated rules as expectations."""
    failed = {each.check for each in verdicts if each.outcome is CheckOutcome.FAIL}
    known = {each.name: each for each in batch.rules if each.conversations == 1}
    known |= {each.rule.name: each.rule for each in conversation.case.expectations}
    script = conversation.case.changed(expectations=())
    written = lines_of(conversation.changed(case=script), None)
    for name in known:
        if name in failed:
            written = expecting(written, script, known[name])
    return text_of(written)


def file_name(id: str) -> str:
    """Return the name of a file for a conversation, without its ending."""
    return _UNSAFE.sub("-", id).strip("-")[:100] or "scenario"
