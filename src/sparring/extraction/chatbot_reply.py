"""A reply as extraction sees it."""

from dataclasses import dataclass

from sparring.extraction.speech_acts import is_agreement, is_repetition, is_request, is_uncertain
from sparring.extraction.tokens import Sentence, cached, fold, sentences, tokens

_MIN_REPEATED_WORDS = 4
"""Minimum length, in words, of a user message that a reply can repeat verbatim."""


@dataclass(frozen=True, slots=True)
class ChatbotReply:
    """A reply, its index in the conversation, and the user message before it."""

    at: int
    text: str
    asked: str

    @property
    def stated(self) -> tuple[Sentence, ...]:
        """Statements: no questions, requests, expressions of ignorance, or repetitions of the user."""
        return () if self.parrots else _statements(self.text)

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
