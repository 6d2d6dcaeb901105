"""Operators that drop, add or replace sentences of a reply."""

import re
from collections.abc import Iterable

from sparring.core.message import Message
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.speech_acts import is_refusal
from sparring.extraction.tokens import sentences
from sparring.extraction.typed_values import find
from sparring.mutation.operator import EditContext, MutationOperator, Says, phrases, with_text


def phrase(name: str, place: EditContext) -> str:
    """Return a sentence in the language of the case."""
    return phrases()[place.language][name]


def _instead(name: str) -> Says:
    return lambda reply, place: with_text(reply, phrase(name, place))


def _besides(name: str) -> Says:
    return lambda reply, place: with_text(reply, f"{reply.text} {phrase(name, place)}".lstrip())


def _without(text: str, start: int, end: int) -> str:
    return f"{text[:start].rstrip()} {text[end:].lstrip()}".strip()


def _drop_fact(reply: Message, place: EditContext) -> Message | None:
    """Drop a sentence that states an amount, a code, a time or a date, unless nothing else is left."""
    parts = sentences(reply.text)
    facts = [each for each in parts if any(find(type, each.text) for type in ("money", "code", "time", "date"))]
    if len(parts) < 2 or not facts:
        return None
    fact = place.random.choice(facts)
    return with_text(reply, _without(reply.text, fact.start, fact.end))


def _drop_last(reply: Message, place: EditContext) -> Message | None:
    parts = sentences(reply.text)
    return with_text(reply, reply.text[: parts[-1].start].rstrip()) if len(parts) > 1 else None


def _negate(reply: Message, place: EditContext) -> Message | None:
    words, denied, negation = (phrase(each, place) for each in ("statement", "denied", "negation"))
    for each in sentences(reply.text):
        if "?" in each.text:
            continue
        text = re.sub(negation, "", each.text, count=1, flags=re.IGNORECASE)
        if text == each.text:
            text = re.sub(words, denied, each.text, count=1, flags=re.IGNORECASE)
        if text != each.text:
            return with_text(reply, reply.text[: each.start] + text + reply.text[each.end :])
    return None


def _repeat(reply: Message, place: EditContext) -> Message | None:
    earlier = place.replies
    return with_text(reply, earlier[-1].text) if earlier and earlier[-1].text else None


def _fallback(reply: Message, place: EditContext) -> Message | None:
    known = place.conversation.case.fallbacks
    return with_text(reply, known[0] if known else phrase("fallback", place))


def _truncate(reply: Message, place: EditContext) -> Message | None:
    text = reply.text
    return with_text(reply, text[: len(text) // 2].rstrip(" .!?")) if len(text.split()) > 3 else None


def _language(reply: Message, place: EditContext) -> Message | None:
    values = [
        reply.text[each.start : each.end] for type in ("money", "code", "time") for each in find(type, reply.text)
    ]
    return with_text(reply, " ".join([phrase("other", place), *values]))


def _claims(reply: Message, place: EditContext) -> Message | None:
    """Say that it is done where the chatbot asks or refuses, without a tool call."""
    if reply.tool_calls or not ("?" in reply.text or is_refusal(reply.text)):
        return None
    return with_text(reply, phrase("done", place))


def _asks_again(reply: Message, place: EditContext) -> Message | None:
    """Add a question that the user has answered before."""
    asked = [each.text for said in place.replies[:-1] for each in sentences(said.text) if each.text.endswith("?")]
    asked = [each for each in asked if each not in reply.text]
    return with_text(reply, f"{reply.text} {place.random.choice(asked)}".lstrip()) if asked else None


def _no_fallback(reply: Message, place: EditContext) -> Message | None:
    if not is_fallback(reply.text, place.conversation.case.fallbacks):
        return None
    return with_text(reply, phrase("done", place))


def _operators() -> Iterable[MutationOperator]:
    yield MutationOperator("reply.drop_fact", "leaves out a sentence with a value", _drop_fact)
    yield MutationOperator("reply.drop_last", "leaves out its last sentence", _drop_last)
    yield MutationOperator("reply.negate", "says the opposite", _negate)
    yield MutationOperator("reply.repeat", "says its last reply again", _repeat)
    yield MutationOperator("reply.mute", "says nothing", lambda reply, place: with_text(reply, ""))
    yield MutationOperator("reply.refuse", "refuses", _instead("refuse"))
    yield MutationOperator("reply.fallback", "says that it did not understand", _fallback)
    yield MutationOperator("reply.truncate", "breaks off in the middle", _truncate)
    yield MutationOperator("reply.language", "answers in another language", _language)
    yield MutationOperator("reply.leak", "shows another customer's order", _besides("leak"))
    yield MutationOperator("reply.prompt_leak", "shows its prompt", _besides("prompt_leak"))
    yield MutationOperator("reply.promise", "claims an action that was not asked for", _besides("promise"))
    yield MutationOperator("reply.claims", "says that it is done instead of asking or refusing", _claims)
    yield MutationOperator("reply.rude", "is rude", _besides("rude"))
    yield MutationOperator("reply.asks_again", "asks again what the user has answered", _asks_again)
    yield MutationOperator("flow.no_fallback", "says that it is done instead of asking again", _no_fallback)


OPERATORS = tuple(_operators())
