"""Reasons for which a user may say another value of a variable than its own."""

from sparring.audit.view import AuditView
from sparring.audit.vocabulary import wanted
from sparring.core.case import CHANGE_YOUR_MIND
from sparring.extraction.speech_acts import is_denial, is_refusal
from sparring.extraction.tokens import mentions, sentences


def may_take(view: AuditView, at: int, variable: str, value: str) -> bool:
    """Return True if the user changes its mind to a value, or takes it for what the chatbot does not have."""
    conversation = view.conversation
    if changes_unrecorded(view):
        return True
    if any(change.variable == variable and mentions(change.first, value) for change in conversation.case.changes):
        return True
    if mentions(conversation.settled.get(variable, ""), value):
        return True
    right = wanted(conversation.case, variable)
    return any(refuses(reply, right) for reply in view.replies_before(at))


def changes_unrecorded(view: AuditView) -> bool:
    """Return True if the user is to change its mind and the case does not record to what."""
    case = view.conversation.case
    return not case.changes and any(style.name == CHANGE_YOUR_MIND for style in case.persona.styles)


def refuses(reply: str, values: tuple[str, ...]) -> bool:
    """Return True if the chatbot said that it does not have a value."""
    denied = [sentence.text for sentence in sentences(reply) if is_refusal(sentence.text) or is_denial(sentence.text)]
    return any(mentions(sentence, value) for sentence in denied for value in values)
