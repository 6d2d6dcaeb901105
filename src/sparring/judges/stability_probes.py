"""Stability probes for judges: changes of a conversation that should not affect the verdict."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from pydantic import BaseModel

from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation
from sparring.core.errors import BadCompletion
from sparring.core.message import Message, Text
from sparring.extraction import typed_values
from sparring.extraction.tokens import language_of
from sparring.llm.model import ChatMessage, Model, Request
from sparring.llm.structured_output import ask

_LEVEL = re.compile(r"^[ \t]*[-*][ \t]*\d+[ \t]*:.*(?:\n(?![ \t]*(?:[-*]|$)).*)*", re.MULTILINE)
_LEVELS = re.compile(rf"(?:{_LEVEL.pattern}\n?)+", re.MULTILINE)
_KEPT = ("money", "date", "time", "int", "code", "email", "url")


class Restated(BaseModel):
    """The chatbot's messages in other words, by their numbers."""

    messages: list["RestatedMessage"]


class RestatedMessage(BaseModel):
    """One message in other words."""

    n: int
    text: str


def reordered(conversation: Conversation, rubric: Rubric) -> tuple[Conversation, Rubric] | None:
    """Return goals, variables, outputs and levels in the opposite order; None if there is one of each."""
    case = conversation.case
    turned = case.changed(goals=case.goals[::-1], variables=dict(reversed(case.variables.items())))
    other = conversation.changed(case=turned, outputs=conversation.outputs[::-1])
    text = _LEVELS.sub(lambda block: "\n".join(_LEVEL.findall(block[0])[::-1]) + "\n", rubric.text)
    moved = text.strip() != rubric.text.strip() or len(case.goals) > 1 or len(case.variables) > 1
    return (other, rubric.changed(text=text)) if moved else None


def padded(conversation: Conversation) -> Conversation | None:
    """Return the conversation with filler around each of the chatbot's texts; None without texts."""
    own = _own(conversation)
    filler = _filler()
    before, after = filler.get(language_of(" ".join(own.values())), filler["en"])
    return _saying(conversation, {n: f"{before} {text} {after}" for n, text in own.items()})


async def restated(conversation: Conversation, model: Model) -> Conversation | None:
    """Return the conversation with the chatbot's texts in other words by a model; None without texts.

    Raise BadCompletion if the model changes a number, a date, a time, a code or an address.
    """
    own = _own(conversation)
    if not own:
        return None
    instructions = files("sparring.judges").joinpath("prompts/restate.md").read_text(encoding="utf-8")
    lines = "\n".join(json.dumps({"n": n, "text": text}, ensure_ascii=False) for n, text in own.items())
    request = Request(messages=(ChatMessage("system", instructions), ChatMessage("user", lines)), temperature=0)
    said = {each.n: each.text for each in (await ask(model, request, Restated)).messages}
    wrong = [n for n, text in own.items() if n not in said or _values(text) != _values(said[n])]
    if wrong or all(said[n].strip() == text.strip() for n, text in own.items()):
        raise BadCompletion(f"not restated with all values: message {', '.join(map(str, wrong)) or 'none changed'}")
    return _saying(conversation, {n: said[n] for n in own})


def _own(conversation: Conversation) -> dict[int, str]:
    """Return the texts that the chatbot itself said, by the number of the message."""
    numbered = enumerate(conversation.messages)
    spoken = ((n, each) for n, each in numbered if each.role == "chatbot" and not each.injected and each.text.strip())
    return {n: each.text for n, each in spoken if n >= len(conversation.case.history)}


def _saying(conversation: Conversation, texts: Mapping[int, str]) -> Conversation | None:
    messages = (_with_text(each, texts[n]) if n in texts else each for n, each in enumerate(conversation.messages))
    return conversation.changed(messages=tuple(messages)) if texts else None


def _with_text(message: Message, text: str) -> Message:
    return message.changed(parts=(Text(text=text), *(each for each in message.parts if not isinstance(each, Text))))


def _values(text: str) -> Counter[tuple[str, str]]:
    """Return what a restatement has to keep."""
    return Counter((kind, str(found.value)) for kind in _KEPT for found in typed_values.find(kind, text))


@cache
def _filler() -> dict[str, tuple[str, str]]:
    """Return filler words around a text, in the language of this code."""
    table = tomllib.loads(files("sparring.judges").joinpath("filler.toml").read_text(encoding="utf-8"))
    return {code: (said["before"], said["after"]) for code, said in table.items()}
