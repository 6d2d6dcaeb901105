"""Something the chatbot said."""

from dataclasses import dataclass

from sparring.extraction.speech_acts import agrees, repeats, requests, unknowing
from sparring.extraction.tokens import Sentence, fold, remembered, sentences, tokens

_PARROT = 4
"""So many words of the user, one after the other, that the chatbot only gives back what it heard."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Something the chatbot said, where it stands, and what the user had said right before."""

    at: int
    text: str
    asked: str

    @property
    def stated(self) -> tuple[Sentence, ...]:
        """What it states: no questions, no requests, nothing it does not know, and not the user's own words back."""
        return () if self.parrots else _statements(self.text)

    @property
    def asks(self) -> list[Sentence]:
        """What it asks back."""
        return [s for s in sentences(self.text) if s.asks]

    @property
    def parrots(self) -> bool:
        """Whether it repeats the user's message as it was."""
        return len(tokens(self.asked)) >= _PARROT and _plain(self.asked) in _plain(self.text)

    @property
    def agrees(self) -> bool:
        """Whether it says that something is done or will be."""
        return any(agrees(s.text) for s in self.stated)

    @property
    def markup(self) -> bool:
        """Whether it is a page of a proxy in between rather than anything a chatbot says."""
        return fold(self.text[:200]).lstrip().startswith(("<!doctype", "<html", "<?xml"))


@remembered
def _statements(text: str) -> tuple[Sentence, ...]:
    return tuple(
        s
        for s in sentences(text)
        if not s.asks and not unknowing(s.text) and not requests(s.text) and not repeats(s.text)
    )


@remembered
def _plain(text: str) -> str:
    return " ".join(tokens(text))
