"""A reply as extraction sees it, and its clauses that state something."""

import re
from dataclasses import dataclass, field

from sparring.core.message import ToolCall
from sparring.extraction.dates_and_times import month_number
from sparring.extraction.speech_acts import (
    asks_for_more,
    is_agreement,
    is_denial,
    is_failure,
    is_open_question,
    is_paraphrase,
    is_refusal,
    is_repetition,
    is_request,
    is_uncertain,
    is_yes_or_no_question,
)
from sparring.extraction.tokens import Sentence, cached, fold, sentences, tokens

_MIN_REPEATED_WORDS = 4
"""Minimum length, in words, of a user message that a reply can repeat verbatim."""

_MIN_ECHOED_WORDS = 2
"""Minimum length, in words, of a user message with which a reply can begin as an echo."""


_ALTERNATIVES = frozenset({"or", "oder", "ou", "o", "или"})
_ARTICLE = re.compile(
    r"(?<=r )o (?!\w+r\b|no\b|nao\b|si\b|prefier|prefer|quier|quer|vuole|desea|deseja)"
    r"|(?<=o )o (?=\w+(?:[ai]d|ent|lan|uart|ari)o\b)"
)
"""The Portuguese article, not Spanish or Italian for "or": "posso fechar o pedido?", "confirmo o pedido?"."""


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
    def asks_for_yes(self) -> bool:
        """True if the reply asks a question to which a yes agrees, in any words, and denies nothing."""
        return _asks_for_yes(self.text)

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


_BREAK = re.compile(
    r"[;!?]\s+|\s[–—-]\s|,\s+(?=(?:but|although|though|however|which|while|pero|aunque|но|а|aber|mais|ma|mas)\s)",
    re.IGNORECASE,
)
_LAST_BREAK = re.compile(r"[,:;–—-]\s+(?=[^,:;]*$)")
_ORDINAL = re.compile(r"\b(?:am|den|der|dem|vom|zum|bis|und) \d{1,2}\.$", re.IGNORECASE)
_FAILED = re.compile(r"\s*error\b[^\w]", re.IGNORECASE)


def is_error(text: str) -> bool:
    """Return True if a reply is a technical error and no talk."""
    return _FAILED.match(text) is not None


@cached
def clauses(text: str) -> tuple[Sentence, ...]:
    """Return the clauses of a reply that state something, with their spans."""
    return tuple(
        clause
        for sentence in _joined(text)
        for clause in _clauses(sentence)
        if not (is_uncertain(clause.text) or is_request(clause.text) or is_repetition(clause.text))
    )


def _joined(text: str) -> list[Sentence]:
    """Return the sentences of a text; one that ends in an ordinal ("am 3. März") goes on."""
    found: list[Sentence] = []
    for each in sentences(text):
        last = found[-1] if found else None
        if last is not None and text[last.end : each.start] == " " and _is_cut(last.text, each.text):
            found[-1] = Sentence(text[last.start : each.end], last.start, each.end)
        else:
            found.append(each)
    return found


def _is_cut(before: str, after: str) -> bool:
    """Return True if a text was cut within a date: "Datum: 12. Mai"."""
    named = before[-2:-1].isdigit() and before.endswith(".") and month_number(after.split()[0].rstrip(".,")) is not None
    return named or _ORDINAL.search(before) is not None


def _clauses(sentence: Sentence) -> list[Sentence]:
    end = len(sentence.text)
    if sentence.asks:
        last = _LAST_BREAK.search(sentence.text)
        if last is None or is_open_question(sentence.text) or is_yes_or_no_question(sentence.text):
            return []
        end = last.start()
    found, start = [], 0
    for match in _BREAK.finditer(sentence.text, 0, end):
        found.append((start, match.start()))
        start = match.end()
    return [
        Sentence(sentence.text[a:b], sentence.start + a, sentence.start + b)
        for a, b in (*found, (start, end))
        if sentence.text[a:b].strip()
    ]


@cached
def _asks_for_yes(text: str) -> bool:
    said = sentences(text)
    return any(
        each.asks
        and not (is_open_question(each.text) or asks_for_more(each.text))
        and _ALTERNATIVES.isdisjoint(tokens(_ARTICLE.sub("", fold(each.text))))
        for each in said
    ) and not any(is_denial(each.text) or is_refusal(each.text) for each in said)
