"""Rule functions over the goals of a conversation."""

from sparring.core.conversation import Evidence
from sparring.extraction.stated_answers import answer_in
from sparring.rules.functions.function import EvidenceNotes, function
from sparring.rules.recording import RecordedGoal, Recording
from sparring.rules.undecided import Undecided

_LONGEST = 160


@function(steps=100)
def goal_answer(conversation: Recording, notes: EvidenceNotes, number: int) -> bool | str:
    """True if the chatbot stated the `answer` of a goal after the user asked for it; goals count from 1.

    Otherwise it returns what was expected and what the chatbot said, so a rule `goal_answer(1)` has that reason.
    """
    if not 1 <= number <= len(conversation.goals) or not conversation.goals[number - 1].goal.answer:
        raise Undecided(f"the case has no answer to goal {number}")
    asked = conversation.goals[number - 1]
    replies = _replies(conversation, asked.asked_at)
    for at, text in replies:
        found = answer_in(asked.goal, text)
        if found is not None:
            notes.append(Evidence(at=at, start=found.start, end=found.end, text=found.text))
            return True
    if asked.asked_at is None:
        raise Undecided(f"the user was not seen to ask: {asked.goal.text}")
    return _instead(conversation, asked, replies)


def _replies(conversation: Recording, asked_at: int | None) -> list[tuple[int, str]]:
    """Return the replies after a goal was asked for, or after the user first spoke."""
    spoken = (at for at, said in enumerate(conversation.messages) if said.role == "user")
    start = next(spoken, 0) if asked_at is None else asked_at
    said = enumerate(conversation.messages)
    return [(at, each.text) for at, each in said if at > start and each.role == "chatbot" and not each.injected]


def _instead(conversation: Recording, asked: RecordedGoal, replies: list[tuple[int, str]]) -> str:
    wanted = " or ".join(each.quoted for each in asked.goal.answer)
    expected = f"expected {wanted} for {asked.goal.text!r}, asked in turn {_turn(conversation, asked.asked_at or 0)}"
    if not replies:
        return f"{expected}; the chatbot said nothing after it"
    at, text = replies[0]
    shown = " ".join(text.split())
    shown = shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
    return f"{expected}; the chatbot said {shown!r} (turn {_turn(conversation, at)})"


def _turn(conversation: Recording, at: int) -> int:
    """Return the turn of a message: the number of user messages up to it."""
    return sum(said.role == "user" for said in conversation.messages[: at + 1])
