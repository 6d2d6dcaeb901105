"""The judge that needs no model: was everything answered that was asked for, and was it true?"""

from sparring.core.conversation import Conversation, Ending
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.judges.judge import Exact, Judge
from sparring.judges.spoken import claimed_unnamed
from sparring.judges.wanted import wanted
from sparring.llm.plugin_context import PluginContext

CHECKLIST = "checklist"


def create(argument: str, context: PluginContext) -> Judge:
    """The plug-in: `checklist`."""
    return Exact(checklist)


def checklist(conversation: Conversation) -> Verdict:
    """Pass if every goal was answered and every wanted output stated, and the user did not have to give up.

    The score is 3 if so, 1 if nothing of it was or the user gave up, and 2 in between. It does not apply where nothing
    was wanted, where the user only meant to take a number of steps, and where the ending says nothing about how well
    the chatbot did. Where an order is wanted, "very well" is no answer of a chatbot that names nothing of it.
    """
    ending = conversation.ending
    wants = bool(conversation.goals or conversation.outputs)
    if ending is None or not ending.counts or not wants or conversation.case.limits.steps is not None:
        return _verdict(conversation, CheckOutcome.NOT_APPLICABLE)
    items = wanted(conversation.case)
    unnamed = claimed_unnamed(conversation, items)
    missing = [*_missing(conversation), *(f"agreed to, and never named: {name}" for name in unnamed)]
    if not missing:
        return _verdict(conversation, CheckOutcome.PASS, score=3)
    reached = _reached(conversation) and not (unnamed and len(unnamed) == len(items))
    return _verdict(conversation, CheckOutcome.FAIL, "; ".join(missing), 2 if reached else 1)


def _reached(conversation: Conversation) -> bool:
    """Whether anything was reached, and the user did not have to give up."""
    answered = any(goal.answered for goal in conversation.goals)
    stated = any(output.evidence is not None for output in conversation.outputs)
    return (answered or stated) and conversation.ending is not Ending.GAVE_UP


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
