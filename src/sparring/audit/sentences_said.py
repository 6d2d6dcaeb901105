"""Sentences of a user: statements, wishes worded as questions, and words that are taken back."""

import re

from sparring.audit.phrases import patterns
from sparring.extraction.speech_acts import is_denial
from sparring.extraction.tokens import Sentence, cached, fold, tokens

_WISHES = patterns("wishes", guess=False)
"""Questions that order something or request an act."""

_WANTS = patterns("wants", guess=False)
_MAX_BARE = 6
"""Maximum number of words of a sentence that only names a thing."""

_TAG = re.compile(
    r", (?:(?:is|are|was|were|do|does|did|have|has|can|could|will|would)(?:n't)? (?:i|it|that|we|you)"
    r"|right|ok(?:ay)?|please|yes|no|si|vale|verdad|por favor|да|хорошо|ладно|пожалуйста|верно)\?$"
)
"""Question tags of statements and wishes."""

_CLAUSE = re.compile(r"[,;:.!?()—–]+\s*|\s+-\s+|\s+(?:but|sino|pero|но|а)\s+")
_NEGATION = patterns("negation", start="", guess=False)
_REPLACES = patterns("replaces", guess=False)
_BY = patterns("by", start=r"^[^\w]*(?:\w+ ){0,2}?", guess=False)
_GIVES_UP = patterns("gives_up", guess=False)
"""Words of clauses that give up a thing."""

_QUOTES = patterns("quotes", guess=False)
CORRECTS = patterns("takes_back", guess=False)
"""Words with which a user takes back what it just said."""


@cached
def is_asking(sentence: str) -> bool:
    """Return True if a sentence only asks; "can I have a coke?" is a wish."""
    said = fold(sentence).rstrip("\"'»)] ")
    return said.endswith("?") and not _WISHES(sentence).search(said) and not _TAG.search(said)


@cached
def is_wish(sentence: str) -> bool:
    """Return True if a sentence asks for a thing or an act, or only names it."""
    if is_asking(sentence):
        return False
    return bool(_WANTS(sentence).search(fold(sentence))) or (
        len(tokens(sentence)) <= _MAX_BARE and not is_denial(sentence)
    )


@cached
def is_negated(text: str) -> bool:
    """Return True if a text has words that deny or give up something."""
    said = fold(text)
    return _NEGATION(text).search(said) is not None or _GIVES_UP(text).search(said) is not None


@cached
def gives_up(clause: str) -> bool:
    """Return True if a clause says that something is not or no longer wanted."""
    return not clause.rstrip().endswith("?") and _GIVES_UP(clause).search(fold(clause)) is not None


def is_wanted(text: str, value: str) -> bool:
    """Return True if a text wants a value: it does not only deny, quote or replace it."""
    return bool(_wanted_ends(text, value))


def takes_back(text: str, value: str, wanted: tuple[str, ...]) -> bool:
    """Return True if a text corrects another value to a wanted one: "a big, no, a small one"."""
    said = fold(text)
    last = max(_wanted_ends(text, value), default=0)
    ends = [end for each in wanted for end in _wanted_ends(text, each) if end > last]
    return bool(ends) and CORRECTS(text).search(said[last : max(ends)]) is not None


def _wanted_ends(text: str, value: str) -> list[int]:
    """Return the ends of the mentions that want a value; 0 if it is said in another form."""
    said, plain = fold(text), fold(value)
    spans = [match.span() for match in re.finditer(rf"\b{re.escape(plain)}", said)] or [_first_word(said, plain)]
    return [end for start, end in spans if _is_wanted_at(said, start, end)]


def _is_wanted_at(said: str, start: int, end: int) -> bool:
    before = said[:start]
    clause = before[max([0, *[match.end() for match in _CLAUSE.finditer(before)]]) :]
    if _NEGATION(said).search(clause) or _QUOTES(said).search(clause):
        return False
    return not (_REPLACES(said).search(clause) and _BY(said).match(said[end:]))


def _first_word(said: str, value: str) -> tuple[int, int]:
    """Return the span of the first word of a value that is said in another form; the start if none is."""
    for word in value.split():
        found = re.search(rf"\b{re.escape(word[: max(3, len(word) - 2)])}\w*", said)
        if found:
            return found.span()
    return 0, 0


def sentence_at(found: tuple[Sentence, ...], at: int) -> Sentence:
    """Return the sentence that holds a place of a text."""
    return next((each for each in found if each.start <= at < each.end), found[-1])


_UNKNOWN = patterns("unknown")
_ASKS_WHY = patterns("asks_why")
_INDIFFERENT = patterns("indifferent")
_REFUSES_TO_SAY = patterns("refuses_to_say")


def says_unknown(text: str) -> bool:
    """Return True if a message says that the user does not have or know something."""
    return _UNKNOWN(text).search(fold(text)) is not None


def has_no_answer(text: str) -> bool:
    """Return True if a message says that the user does not know, does not mind or does not want to say."""
    return says_unknown(text) or asks_why(text) or _INDIFFERENT(text).search(fold(text)) is not None


def asks_why(text: str) -> bool:
    """Return True if a message asks why an answer is needed."""
    return _ASKS_WHY(text).search(fold(text)) is not None


def refuses_to_say(text: str) -> bool:
    """Return True if a message refuses to tell something."""
    return _REFUSES_TO_SAY(text).search(fold(text)) is not None
