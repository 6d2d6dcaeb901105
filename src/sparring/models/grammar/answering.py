"""What to say about what the tools returned."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sparring.core.errors import BadCompletion
from sparring.core.value import Json
from sparring.models import template
from sparring.models.grammar.agreeing import agrees
from sparring.models.grammar.file import GrammarFile, Reply
from sparring.models.template import MissingField, Template

_BLANKS = re.compile(" {2,}")


@dataclass(frozen=True, slots=True)
class Result:
    """What one tool returned; what is not a mapping is under `result`."""

    tool: str
    fields: dict[str, Json]


class Answers:
    """The replies of a grammar, each read once."""

    def __init__(self, grammar: GrammarFile) -> None:
        self._fallback = grammar.fallback
        self._replies = {tool: _ready(replies) for tool, replies in grammar.replies.items()}
        self._closing = _ready(grammar.closing)

    def text(self, results: Sequence[Result]) -> str:
        """One text about all results, and a closing about how things stand after the last; nothing is said twice."""
        said = dict.fromkeys(_say(self._replies.get(result.tool, ()), result) for result in results)
        closing = _say(self._closing, results[-1])
        said.pop(closing, None)
        return " ".join(text for text in (*said, closing) if text) or self._fallback


_Ready = tuple[tuple[dict[str, Json], Template], ...]


def _ready(replies: Iterable[Reply]) -> _Ready:
    return tuple((reply.when, template.read(reply.say)) for reply in replies)


def _say(replies: _Ready, result: Result) -> str:
    for when, text in replies:
        if agrees(result.fields, when):
            try:
                return _sentence(text.fill(result.fields))
            except MissingField as error:
                raise BadCompletion(
                    f"the grammar's reply to {result.tool} needs {error}, which is not there"
                ) from error
    return ""


def _sentence(text: str) -> str:
    text = _BLANKS.sub(" ", text.strip())
    return text[:1].upper() + text[1:]
