"""Outputs that are sentences, or yes and no."""

import re
from collections.abc import Iterator

from sparring.core.case import OutputSpec
from sparring.core.conversation import Evidence
from sparring.extraction import typed_values
from sparring.extraction.chatbot_reply import ChatbotReply
from sparring.extraction.output_candidates import Candidate, ExtractionKnowledge
from sparring.extraction.output_labels import OutputLabel
from sparring.extraction.output_relevance import share_of
from sparring.extraction.speech_acts import is_agreement, is_completion, is_denial, starts_with_yes_or_no
from sparring.extraction.tokens import Sentence, fold, mentions, pattern, stems, tokens

_MIN_SHARE = 0.5
"""A sentence becomes the value only if more than this share of the output's label occurs."""

_WEAK = 0.2
_CONFIRMED = pattern("confirm", "agreed", "final", "booked", "scheduled", "acordad", "подтвержд", end=r"\w*")
_OFFER = pattern(
    *("you can choose", "choose from", "the options are", "we have", "we offer", "available"),
    *("puedes elegir", "las opciones", "tenemos", "можно выбрать", "у нас есть"),
)
"""Begins a list of choices, in which nothing is confirmed."""

_TAGS = re.compile(r"<[^<>]{1,500}>")


def yes_or_no_candidates(spec: OutputSpec, reply: ChatbotReply) -> Iterator[Candidate]:
    """Yield a yes or no to a question about the output, or a statement that covers its whole label."""
    asked = _label_share(spec, reply.asked)
    for number, sentence in enumerate(reply.stated):
        replied = number == 0 and asked > _MIN_SHARE and starts_with_yes_or_no(sentence.text)
        if replied or _label_share(spec, sentence.text) == 1.0:
            yield Candidate(1.0, not is_denial(sentence.text), _quote(reply, sentence.start, sentence.end))


def text_candidates(
    spec: OutputSpec, label: OutputLabel, reply: ChatbotReply, known: ExtractionKnowledge
) -> Iterator[Candidate]:
    """Yield all statements of a reply to a question about the output, and single sentences about it."""
    stated = _stated(reply)
    confirms = _CONFIRMED.search(fold(f"{spec.name} {spec.description}")) is not None
    if confirms:
        stated = tuple(each for each in stated if not _OFFER.search(fold(each.text)))
    asked = _label_share(spec, reply.asked)
    answers = asked > _MIN_SHARE or (label.needs and asked == _MIN_SHARE)
    if answers and any(not _is_empty(sentence) for sentence in stated):
        yield from _text(reply, stated[0].start, stated[-1].end, label, 1 + asked)
    for sentence in stated:
        near = max(_label_share(spec, sentence.text), _variable_share(spec, sentence.text, known))
        if near > _MIN_SHARE:
            yield from _text(reply, sentence.start, sentence.end, label, near)
        elif confirms and is_completion(sentence.text):
            yield from _text(reply, sentence.start, sentence.end, label, _WEAK)


def _stated(reply: ChatbotReply) -> tuple[Sentence, ...]:
    """Return the statements of a reply without those that are the user's own words."""
    if not reply.parrots:
        return reply.stated
    words = " ".join(tokens(reply.asked))
    return tuple(
        each for each in ChatbotReply(reply.at, reply.text, "").stated if " ".join(tokens(each.text)) not in words
    )


def _is_empty(sentence: Sentence) -> bool:
    """Return True if a sentence is a bare "ok" or "hello"."""
    words = tokens(sentence.text)
    return not words or (len(words) == 1 and (is_agreement(sentence.text) or not stems(sentence.text)))


def _text(reply: ChatbotReply, start: int, end: int, label: OutputLabel, score: float) -> Iterator[Candidate]:
    """Yield a text as a candidate, without markup, unless it lacks values of the kind that it needs."""
    words = reply.text[start:end]
    if label.needs and not typed_values.find(label.needs, words):
        return
    plain = " ".join(_TAGS.sub(" ", words).split()) if _TAGS.search(words) else words
    if plain:
        yield Candidate(score, plain, _quote(reply, start, end))


def _quote(reply: ChatbotReply, start: int, end: int) -> Evidence:
    return Evidence(at=reply.at, start=start, end=end, text=reply.text[start:end])


def _label_share(spec: OutputSpec, text: str) -> float:
    """Return the share of the output's name or description that occurs in `text`."""
    said = stems(text)
    return max(share_of(stems(spec.name.replace("_", " ")), said), share_of(stems(spec.description), said))


def _variable_share(spec: OutputSpec, text: str, known: ExtractionKnowledge) -> float:
    """Return the share of variables named in the output's description whose values all occur in `text`."""
    label = stems(spec.name.replace("_", " ")) | stems(spec.description)
    named = [values for name, values in known.values if stems(name.replace("_", " ")) & label]
    return sum(all(mentions(text, value) for value in values) for values in named) / len(named) if named else 0.0
