"""The audit of one conversation."""

from sparring.audit.view import AuditRule, AuditView
from sparring.core.audit import Audit
from sparring.core.conversation import Conversation

_RULES: tuple[AuditRule, ...] = ()


def audit(conversation: Conversation) -> Audit:
    """Return the faults of the simulated user and of the case in a conversation, the earliest first.

    It asks no model and does not depend on verdicts. Lines that the author of a script wrote are not audited.
    """
    if conversation.case.lines:
        return Audit()
    view = AuditView(conversation)
    found = [fault for rule in _RULES for fault in rule(view)]
    return Audit(faults=tuple(sorted(found, key=lambda fault: fault.evidence[0].at)))
