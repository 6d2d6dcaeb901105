"""The judge that needs no model: was everything answered that was asked for, and was it true?"""

from sparring.core.conversation import Conversation, Ending
from sparring.core.verdict import Outcome, Verdict

CHECKLIST = "checklist"


def checklist(conversation: Conversation) -> Verdict:
    """Pass if every goal was answered and every wanted output stated, and the user did not have to give up.

    It does not apply where nothing was wanted, where the user only meant to take a number of steps, and where the
    ending says nothing about how well the chatbot did.
    """
    ending = conversation.ending
    wants = bool(conversation.goals or conversation.outputs)
    if ending is None or not ending.counts or not wants or conversation.case.limits.steps is not None:
        return _verdict(conversation, Outcome.NOT_APPLICABLE)
    missing = _missing(conversation)
    return _verdict(conversation, Outcome.FAIL if missing else Outcome.PASS, "; ".join(missing))


def _missing(conversation: Conversation) -> list[str]:
    """What is not as it should be, in words."""
    missing = []
    if conversation.ending is Ending.GAVE_UP:
        missing.append("the chatbot did not understand, again and again")
    missing += [
        f"not answered: {goal.text}" for goal in conversation.goals if goal.asked_at is not None and not goal.answered
    ]
    missing += [f"never asked: {goal.text}" for goal in conversation.goals if goal.asked_at is None]
    missing += [f"not stated: {output.name}" for output in conversation.outputs if output.evidence is None]
    return missing


def _verdict(conversation: Conversation, outcome: Outcome, reason: str = "") -> Verdict:
    return Verdict(check=CHECKLIST, outcome=outcome, conversation=conversation.id, reason=reason, by="checklist")
