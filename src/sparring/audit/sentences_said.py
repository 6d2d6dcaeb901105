"""Sentences of a user: statements, wishes in the form of questions, and words that are taken back."""

import re

from sparring.extraction.tokens import Sentence, cached, fold, pattern

_WISHES = pattern(
    r"(?:can|could|may|might) (?:i|we)\b",
    r"(?:can|could|would|will) you (?:please )?(?!tell|say|explain|confirm|repeat|check|clarify|let)",
    r"(?:how about|what about) (?:we|you|making|a)\b",
    r"(?:i|we)(?:'d| would| want| need| will|'ll)\b",
    r"(?:puedo|podria|podriamos|me (?:puede|podria|pone|da|trae)|quisiera|quiero|querria)\b",
    r"(?:можно|могу я|можете|не могли бы|хочу|хотел\w*)\b",
)
"""Questions that order or ask for something to be done."""

_TAG = re.compile(
    r", (?:(?:is|are|was|were|do|does|did|have|has|can|could|will|would)(?:n't)? (?:i|it|that|we)"
    r"|right|ok(?:ay)?|please|yes|no|si|vale|verdad|por favor|да|хорошо|ладно|пожалуйста|верно)\?$"
)
"""Question tags of statements and wishes."""

_CLAUSE = re.compile(r"[,;:.!?()—–]+\s*|\s+-\s+|\s+(?:but|sino|pero|но|а)\s+")
_NEGATION = re.compile(
    r"\b(?:not|no longer|never|without|except|instead of|rather than|other than|don't|didn't|doesn't|isn't|wasn't"
    r"|do not|wouldn't|nor|than|sin|ni|nunca|excepto|en (?:lugar|vez) de|tampoco|не|ни|без|кроме|вместо|никак\w+)\b"
    r"|\bno (?=(?:\w+ ){0,1}$)"
    r"|^no (?:es|era|quiero|quise|queria|quisiera|me|necesito|pedi|ponga|pongas|lleve|ha|he)\b"
)
_REPLACES = re.compile(
    r"\b(?:chang\w*|replac\w*|swap\w*|switch\w*|from|cambi\w*|reempla\w*|sustitu\w*|замен\w*|помен\w*|измен\w*|верн\w*)\b"
)
_BY = re.compile(r"^\W*(?:\w+ ){0,2}?(?:back to|to|with|for|by|into|por|a|обратно на|на|все-таки)\b")
_QUOTES = re.compile(
    r"\b(?:you|he|she|they) (?:said|put|wrote|have|had|noted|told|gave|booked|ordered|added|repeated|mentioned)\b"
    r"|\b(?:dijo|dijiste|ha (?:dicho|puesto|anotado)|puso)\b|\b(?:вы (?:сказали|записали|написали|назвали|указали))\b"
)
CORRECTS = re.compile(
    r"\b(?:no|wait|sorry|actually|i mean|i meant|rather|change|instead|on second thoughts?|make (?:it|that)|scratch"
    r"|perdon|mejor|digo|espere?|cambi\w*|vuelva"
    r"|нет|извините|простите|хотя|лучше|верните|замените|точнее|вернее|то есть)\b"
)
"""Words with which a user takes back what it has just said."""


@cached
def is_asking(sentence: str) -> bool:
    """Return True if a sentence only asks; "can I have a coke?" is a wish."""
    said = fold(sentence).rstrip("\"'»)] ")
    return said.endswith("?") and not _WISHES.search(said) and not _TAG.search(said)


def is_wanted(sentence: str, value: str) -> bool:
    """Return True if a sentence wants a value: it does not deny, quote or replace it."""
    said, plain = fold(sentence), fold(value)
    found = re.search(rf"\b{re.escape(plain)}", said)
    start, end = found.span() if found else _first_word(said, plain)
    before = said[:start]
    clause = before[max([0, *[match.end() for match in _CLAUSE.finditer(before)]]) :]
    if _NEGATION.search(clause) or _QUOTES.search(clause):
        return False
    return not (_REPLACES.search(clause) and _BY.match(said[end:]))


def _first_word(said: str, value: str) -> tuple[int, int]:
    """Return the span of the first word of a value that is said in another form; the start if none is."""
    for word in value.split():
        found = re.search(rf"\b{re.escape(word[: max(3, len(word) - 2)])}\w*", said)
        if found:
            return found.span()
    return 0, 0


def takes_back(text: str, value: str, wanted: tuple[str, ...]) -> bool:
    """Return True if a text goes on to a wanted value after another one: "a big, no, a small one"."""
    said, plain = fold(text), fold(value)
    at = said.rfind(plain)
    if at < 0:
        return False
    rest = said[at + len(plain) :]
    return any((to := rest.rfind(fold(each))) >= 0 and CORRECTS.search(rest[:to]) for each in wanted)


def sentence_at(found: tuple[Sentence, ...], at: int) -> Sentence:
    """Return the sentence that holds a place of a text."""
    return next((each for each in found if each.start <= at < each.end), found[-1])
