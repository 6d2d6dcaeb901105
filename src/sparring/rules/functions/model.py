"""Rule functions that ask a language model. Without a model the outcome is `needs a model`."""

from collections.abc import Sequence
from typing import Any

from sparring.rules.functions.collections import str_of
from sparring.rules.functions.function import Ask, function
from sparring.rules.recording import Recording

_YES_NO = ("yes", "no")


@function()
def semantic_content(ask: Ask, text: Any, content: str) -> bool:
    """True if a text says the same as `content`: `semantic_content(hours, 'from 9am to 5pm')`."""
    return ask("semantic_content", _YES_NO, text=str_of(text), content=str_of(content)) == "yes"


@function()
def tone(ask: Ask, x: str | Sequence[str]) -> list[str]:
    """The tone of a text, or of each text of a list: POSITIVE, NEGATIVE or NEUTRAL."""
    texts = [x] if isinstance(x, str) else list(x)
    return [ask("tone", ("positive", "negative", "neutral"), text=str_of(text)).upper() for text in texts]


@function()
def utterance_index(conversation: Recording, ask: Ask, who: str, what: str) -> int:
    """The number, from 1, of the first message that says `what`, or -1.

    For example, `utterance_index('user', 'asks for a price') > 0`.
    """
    roles = {"user": "user", "chatbot": "chatbot", "assistant": "chatbot"}
    if who.lower() not in roles:
        raise ValueError(f"utterance_index() expects 'user' or 'chatbot', got {who!r}")
    candidates = [
        index
        for index, said in enumerate(conversation.messages, 1)
        if said.role == roles[who.lower()] and not said.injected
    ]
    answers = ("-1", *map(str, candidates))
    return int(ask("utterance_index", answers, who=roles[who.lower()], what=str_of(what), said=_dialogue(conversation)))


@function()
def holds(conversation: Recording, ask: Ask, statement: str) -> bool:
    """True if a statement about the conversation is true: `holds('the chatbot explains why it refuses')`."""
    return ask("holds", _YES_NO, statement=str_of(statement), said=_dialogue(conversation)) == "yes"


@function()
def only_talks_about(
    conversation: Recording, ask: Ask, topics: Sequence[str], fallback: str | None = None
) -> bool | list[str]:
    """True if the chatbot only talks about these topics, else the replies that do not.

    Greetings, and replies that contain the `fallback`, count as on topic.
    """
    answers = [text for text in conversation.texts("chatbot") if text.strip() and not (fallback and fallback in text)]
    listed = "; ".join(map(str_of, topics))
    off_topic = [text for text in answers if ask("only_talks_about", _YES_NO, text=text, topics=listed) == "no"]
    return off_topic or True


def _dialogue(conversation: Recording) -> str:
    return "\n".join(f"{index}. {said.role}: {said.text}" for index, said in enumerate(conversation.messages, 1))
