"""What both sides said about an order: what was claimed, what was named, and what was asked for."""

from collections.abc import Iterator, Sequence

from sparring.core.conversation import Conversation, Ending, Evidence
from sparring.core.message import Message, Role
from sparring.extraction.speech_acts import completes
from sparring.extraction.tokens import sentences, stems
from sparring.judges.wanted import Wanted


def claim(conversation: Conversation) -> tuple[Evidence, ...]:
    """The last words with which the chatbot says that the order is placed."""
    for at, message in reversed(list(_said(conversation, "chatbot"))):
        for sentence in sentences(message.text):
            if completes(sentence.text) and not sentence.asks:
                return (Evidence(at=at, start=sentence.start, end=sentence.end, text=sentence.text),)
    return ()


def claimed_unnamed(conversation: Conversation, items: Sequence[Wanted]) -> tuple[str, ...]:
    """What a chatbot whose tools cannot be seen agreed to, or says that it did, without ever having named it."""
    agreed = claim(conversation) or any(goal.answered for goal in conversation.goals)
    return _unnamed(conversation, items, "chatbot") if agreed and not conversation.reports_tools else ()


def never_asked_for(conversation: Conversation, items: Sequence[Wanted]) -> tuple[str, ...]:
    """What the user did not ask for, though it had all the time it wanted: then that is no fault of the chatbot's.

    Of two things that share a word it has to say what sets them apart: who asks for rye flour has not asked for wheat.
    What is wanted as before can be asked for without being named.
    """
    if conversation.ending not in (Ending.GOALS_ANSWERED, Ending.USER_DONE):
        return ()
    before = {item.name for item in items if item.as_before}
    return tuple(name for name in _unnamed(conversation, items, "user") if name not in before)


def _unnamed(conversation: Conversation, items: Sequence[Wanted], role: Role) -> tuple[str, ...]:
    said = stems("\n".join(message.text for _, message in _said(conversation, role)))
    names = [stems(item.name) for item in items]
    found = []
    for item, name in zip(items, names, strict=True):
        others = frozenset[str]().union(*(other for other in names if other != name))
        words = (name - others) or name
        if words and words.isdisjoint(said) and (not item.code or stems(item.code).isdisjoint(said)):
            found.append(item.name)
    return tuple(found)


def _said(conversation: Conversation, role: Role) -> Iterator[tuple[int, Message]]:
    """What one side said in the conversation itself, with the places."""
    for at, message in enumerate(conversation.messages):
        if at >= len(conversation.case.history) and message.role == role and not message.injected:
            yield at, message
