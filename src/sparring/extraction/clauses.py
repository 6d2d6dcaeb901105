"""Clauses of a reply that state something.

A sentence may state a value and then ask or hedge: "The total is $12.50, is that right?", "It costs $100, but I cannot
say for how long". Only the part that states something is kept.
"""

import re

from sparring.extraction.speech_acts import (
    is_open_question,
    is_repetition,
    is_request,
    is_uncertain,
    is_yes_or_no_question,
)
from sparring.extraction.tokens import Sentence, cached, sentences

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
        if last is not None and _ORDINAL.search(last.text) and text[last.end : each.start] == " ":
            found[-1] = Sentence(text[last.start : each.end], last.start, each.end)
        else:
            found.append(each)
    return found


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
