"""The checklist judge: were all goals answered and all outputs stated? It needs no model."""

from sparring.core.conversation import Conversation, Ending
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.judges.judge import DeterministicJudge

CHECKLIST = "checklist"


def checklist(conversation: Conversation) -> Verdict:
    """Pass if every goal was answered and every output was stated, and the user did not give up.

    The score is 3 for a pass, 1 if the user gave up or nothing was answered or stated, and 2 otherwise. The verdict is
    not applicable if the case has neither goals nor outputs, if it limits the steps of the user, and if the ending
    does not count.
    """
    ending = conversation.ending
    wants = bool(conversation.goals or conversation.outputs)
    if ending is None or not ending.completed or not wants or conversation.case.limits.steps is not None:
        return _verdict(conversation, CheckOutcome.NOT_APPLICABLE)
    missing = _missing(conversation)
    if not missing:
        return _verdict(conversation, CheckOutcome.PASS, score=3)
    return _verdict(conversation, CheckOutcome.FAIL, "; ".join(missing), 2 if _reached(conversation) else 1)


def _reached(conversation: Conversation) -> bool:
    """Return True if a goal was answered or an output stated, and the user did not give up."""
    answered = any(goal.answered for goal in conversation.goals)
    stated = any(output.evidence is not None for output in conversation.outputs)
    return (answered or stated) and conversation.ending is not Ending.GAVE_UP


def _missing(conversation: Conversation) -> list[str]:
    """Return the reasons why the conversation does not pass."""
    missing = []
    if conversation.ending is Ending.GAVE_UP:
        missing.append("the chatbot did not understand, again and again")
    missing += [
        f"not answered: {goal.text}" for goal in conversation.goals if goal.asked_at is not None and not goal.answered
    ]
    missing += [f"never asked: {goal.text}" for goal in conversation.goals if goal.asked_at is None]
    missing += [f"not stated: {output.name}" for output in conversation.outputs if output.evidence is None]
    return missing


def _verdict(
    conversation: Conversation, outcome: CheckOutcome, reason: str = "", score: float | None = None
) -> Verdict:
    return Verdict(
        check=CHECKLIST,
        outcome=outcome,
        conversation=conversation.id,
        reason=reason,
        score=score,
        by=CHECKLIST,
        judge=CHECKLIST,
    )


JUDGE = DeterministicJudge(checklist)
"""The plug-in `checklist`."""
