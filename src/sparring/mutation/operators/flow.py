"""Operators on the flow of a conversation: what the chatbot hears, forgets, and when it ends."""

import re

from sparring.core.message import Message
from sparring.extraction.speech_acts import asks_for_more, is_correction, is_denial
from sparring.extraction.tokens import sentences
from sparring.mutation.operator import EditContext, MutationOperator, with_text
from sparring.mutation.operators.values import another_value

_NO = re.compile(
    r"(?:^|(?<=\s))(?:no|nope|not|don't|nein|nicht|kein\w*|non|ne|pas|não|нет|не)[,.!]?(?=\s|$)", re.IGNORECASE
)
_CORRECTS = re.compile(
    r"\b(?:actually|instead|change|rather|wrong|mejor|cambi\w+|plutôt|chang\w+|doch|lieber|änder\w+|anzi|invece"
    r"|na verdade|mud\w+|лучше|измени\w*)\b",
    re.IGNORECASE,
)


def _ignores_correction(said: Message, place: EditContext) -> Message | None:
    if len(place.before) < 2:
        return None
    answers = asks_for_more(place.before[-1].text)  # then a no corrects nothing
    if not (_CORRECTS.search(said.text) or (is_correction(said.text) and not answers)):
        return None
    return with_text(said, "OK")


def _ignores_no(said: Message, place: EditContext) -> Message | None:
    if not is_denial(said.text) and not _NO.search(said.text):
        return None
    rest = " ".join(_NO.sub("", said.text).split())
    return with_text(said, rest if any(each.text.strip(" .,!") for each in sentences(rest)) else "Yes")


def _hangs_up(reply: Message, place: EditContext) -> Message | None:
    return None if reply.ends else reply.changed(ends=True)


def _never_ends(reply: Message, place: EditContext) -> Message | None:
    return reply.changed(ends=False) if reply.ends else None


OPERATORS = (
    MutationOperator("flow.mishears", "understands another value than the user says", hears=another_value),
    MutationOperator("flow.ignores_correction", "ignores a correction", hears=_ignores_correction),
    MutationOperator("flow.ignores_no", "takes a no for a yes", hears=_ignores_no),
    MutationOperator("flow.deaf", "does not hear a message", deaf=True),
    MutationOperator("flow.forgets", "forgets what was said before", forgets=True),
    MutationOperator("flow.hangs_up", "ends the conversation too early", _hangs_up),
    MutationOperator("flow.never_ends", "does not end the conversation", _never_ends, everywhere=True),
    MutationOperator(
        "flow.slow", "takes twenty times as long, 10 s or more", lambda reply, place: reply, everywhere=True, slows=20
    ),
)
