"""A reply as extraction sees it."""

from dataclasses import dataclass, field

from sparring.core.message import ToolCall
from sparring.extraction.speech_acts import (
    is_agreement,
    is_failure,
    is_paraphrase,
    is_repetition,
    is_request,
    is_uncertain,
)
from sparring.extraction.tokens import Sentence, cached, fold, sentences, tokens

_MIN_REPEATED_WORDS = 4
"""Minimum length, in words, of a user message that a reply can repeat verbatim."""

_MIN_ECHOED_WORDS = 2
"""Minimum length, in words, of a user message with which a reply can begin as an echo."""


@dataclass(frozen=True, slots=True)
class ChatbotReply:
    """A reply, its index in the conversation, the user message before it, and the tool calls made for it."""

    at: int
    text: str
    asked: str
    calls: tuple[ToolCall, ...] = field(default=(), compare=False)

    @property
    def stated(self) -> tuple[Sentence, ...]:
        """Statements: no questions, requests, expressions of ignorance, or repetitions of the user."""
        return () if self.parrots else _statements(self.text)

    @property
    def declared(self) -> tuple[Sentence, ...]:
        """Statements other than those that repeat what the user said or wants."""
        if self._echoes:
            return ()
        asked = f" {_plain(self.asked)} "
        return tuple([s for s in self.stated if not is_paraphrase(s.text) and f" {_plain(s.text)} " not in asked])

    @property
    def _echoes(self) -> bool:
        """True if the reply begins with the user's message as sentences of their own."""
        asked, said = tokens(self.asked), tokens(self.text)
        if len(asked) < _MIN_ECHOED_WORDS or said[: len(asked)] != asked:
            return False
        length = 0
        for sentence in sentences(self.text):
            length += len(tokens(sentence.text))
            if length >= len(asked):
                break
        return length == len(asked)

    @property
    def paraphrases(self) -> bool:
        """True if the reply says in other words what the user wants."""
        return any(is_paraphrase(s.text) for s in self.stated)

    @property
    def repeats(self) -> bool:
        """True if the reply says the user's message again and nothing else."""
        return _plain(self.asked) == _plain(self.text)

    @property
    def failed(self) -> bool:
        """True if the reply says nothing, is the page of a proxy, or reports an error."""
        return not (self.text.strip() or self.calls) or self.markup or is_failure(self.text)

    @property
    def asks(self) -> list[Sentence]:
        """Questions of the reply."""
        return [s for s in sentences(self.text) if s.asks]

    @property
    def parrots(self) -> bool:
        """True if the reply repeats the user's message verbatim."""
        return len(tokens(self.asked)) >= _MIN_REPEATED_WORDS and _plain(self.asked) in _plain(self.text)

    @property
    def agrees(self) -> bool:
        """True if the reply says that something is done or will be done."""
        return any(is_agreement(s.text) for s in self.stated)

    @property
    def markup(self) -> bool:
        """True if the reply is an HTML or XML page, such as the error page of a proxy."""
        return fold(self.text[:200]).lstrip().startswith(("<!doctype", "<html", "<?xml"))


@cached
def _statements(text: str) -> tuple[Sentence, ...]:
    return tuple(
        s
        for s in sentences(text)
        if not s.asks and not is_uncertain(s.text) and not is_request(s.text) and not is_repetition(s.text)
    )


@cached
def _plain(text: str) -> str:
    return " ".join(tokens(text))
