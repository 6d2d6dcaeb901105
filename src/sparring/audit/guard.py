"""Check of a single line of a user before it is said."""

from sparring.audit.foreign_values import foreign_value
from sparring.audit.languages import is_in_other_language
from sparring.audit.leaks import coaching, prompt_leak
from sparring.audit.repetition import empty
from sparring.audit.spoken import spoken_faults
from sparring.audit.view import AuditRule, AuditView
from sparring.core.audit import EVERYTHING, Blame, Fault
from sparring.core.conversation import Conversation
from sparring.core.message import Message

_GUARDS: tuple[AuditRule, ...] = (empty, prompt_leak, spoken_faults, coaching, foreign_value)
"""Rules that need no later message."""


def fault_of_line(conversation: Conversation, said: Message) -> Fault | None:
    """Return the first certain fault of a line with which the user would go on, or None."""
    view = AuditView(conversation.with_message(said))
    view.user = [(len(conversation.messages), said)]
    for rule in _GUARDS:
        for fault in rule(view):
            if fault.certainty == "certain":
                return fault
    if is_in_other_language(said, conversation.case):
        evidence = (view.quote(len(conversation.messages)),)
        reason = "the user does not write in its language"
        return Fault(kind="wrong_language", blame=Blame.USER, reason=reason, evidence=evidence, touches=(EVERYTHING,))
    return None
