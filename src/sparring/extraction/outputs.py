"""Extraction of outputs from replies, each with the words that state it.

A candidate is a value of the output's kind in a clause that is about the output: it names it, or answers a message that
asks for it, or names nothing else. The most relevant candidate wins; of equal ones the last, since a chatbot that
states a price and later another one has corrected itself.
"""

import re
from collections.abc import Iterator, Sequence

from sparring.core.case import OutputSpec
from sparring.core.conversation import Evidence, Output
from sparring.core.value import Json
from sparring.extraction import typed_values
from sparring.extraction.chatbot_reply import ChatbotReply, clauses, is_error
from sparring.extraction.extractor import ExtractionContext, ValueMatch
from sparring.extraction.numbers import has_bullets, money_ranges
from sparring.extraction.output_labels import META, NUMBERS, WHOLE, OutputLabel, label_of
from sparring.extraction.output_relevance import (
    JOIN,
    MIN_SHARE,
    Candidate,
    ClauseContext,
    ExtractionKnowledge,
    is_correction,
    relevance_of_value,
    share_of,
)
from sparring.extraction.speech_acts import is_agreement, is_completion, is_denial, starts_with_yes_or_no
from sparring.extraction.tokens import Sentence, fold, mentions, pattern, sentences, stems, tokens
from sparring.extraction.word_tables import words_of_module

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
        elif (confirms and is_completion(sentence.text)) or _is_state(spec, sentence.text, reply.asked):
            yield from _text(reply, sentence.start, sentence.end, label, _WEAK)


def _is_state(spec: OutputSpec, text: str, asked: str) -> bool:
    """Return True for an output that is a status if a text states it: "Parcel 7 is in transit".

    A description that names no thing leaves it to the user: "Where is my parcel?".
    """
    if not _STATE.search(fold(spec.name.replace("_", " "))):
        return False
    things = stems(spec.description) - stems(spec.name.replace("_", " ")) - _STATE_STEMS
    begins, *state = _IS.split(fold(text), maxsplit=1)
    said = stems(begins)
    named = things <= said if things else bool(said & stems(asked))
    return bool(state) and len(tokens(begins)) <= _MOST_THING and named


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


_WORDS = words_of_module(__name__)

_STATE = pattern(_WORDS["state"], end=r"\b")
_STATE_STEMS = stems(_WORDS["state"].replace("|", " "))
_IS = re.compile(rf" (?:{_WORDS['is_in_state']}) ")
_MOST_THING = 5
"""Words of a thing whose state is told: "your red mountain bike 1002"."""

_REACH = 80
"""Maximum distance of a word that says how a value changed, in characters."""

_TAIL = len(" in total.")

_MAX_VALUES = 50
"""Maximum number of values in a clause; one with more is a dump of data."""

_CONTACTS = ("email", "phone", "url")
"""Kinds of which a chatbot hardly ever states a value that is not its own."""

_HYPOTHETICAL = pattern(_WORDS["hypothetical"], end=r"\b")
_NEGATED = pattern(_WORDS["negated"], start=r"(?:\b(?:", end=r")|n't)(?: \w+)? *$")
_CHANGED_FROM = pattern(_WORDS["changed_from"], end=r"\b.*\b(?:from|de|von|с|от)(?: \w+)? *$")
_DISTANCE = pattern(_WORDS["distance"], start=r" *(?:\b(?:", end=r")\b)")
"""Words behind a duration that make it a distance in time: "ten minutes early"."""

_FIRST = pattern(_WORDS["first"], end=r"\b")


class OutputReading:
    """An output and its value in the replies so far.

    Known variables help with outputs about the user's own values: "the confirmed size" is near the size.
    """

    def __init__(self, spec: OutputSpec, known: ExtractionKnowledge) -> None:
        self._spec, self._known = spec, known
        self._label = label_of(spec, known.outputs)
        self._first = bool(_FIRST.search(fold(spec.name.replace("_", " "))))
        self._best: Candidate | None = None
        self.output = Output(name=spec.name, type=spec.type)
        """The output, without evidence if it was not stated."""

    def read(self, reply: ChatbotReply) -> None:
        """Read one more reply."""
        best = self._best
        for candidate in _candidates(self._spec, self._label, reply, self._known):
            if best is None:
                best = candidate if candidate.score else None
            elif candidate.corrects or (candidate.score and candidate.score >= best.score):
                best = best if self._first and candidate.score == best.score else candidate
        if best is not None and best is not self._best:
            spec, self._best = self._spec, best
            self.output = Output(name=spec.name, type=spec.type, value=best.value, evidence=best.evidence)


def _candidates(
    spec: OutputSpec, label: OutputLabel, reply: ChatbotReply, known: ExtractionKnowledge
) -> tuple[Candidate, ...]:
    if reply.markup or is_error(reply.text):
        return ()
    if label.kind == "bool":
        return tuple(yes_or_no_candidates(spec, reply))
    if label.kind == "text":
        return tuple(text_candidates(spec, label, reply, known))
    if typed_values.item_type(label.kind) is not None:
        return tuple(_lists(label, reply, known))
    return tuple(_typed_candidates(spec, label, reply, known))


def _typed_candidates(
    spec: OutputSpec, label: OutputLabel, reply: ChatbotReply, known: ExtractionKnowledge
) -> Iterator[Candidate]:
    """Yield the most relevant value of the output's kind in each clause."""
    asked = stems(reply.asked)
    everywhere = label.kind in _CONTACTS or label.kind.startswith("/")
    theirs, repeated = _own_words(label, reply, known)
    parts = sentences(reply.text) if everywhere else clauses(reply.text)
    if label.kind == "code":
        parts = (*parts, *(each for each in sentences(reply.text) if _gives_code(each, parts, reply.asked)))
    for clause in parts:
        if not typed_values.find(label.kind, clause.text, known.context):
            continue
        denied = label.kind == "money" and is_denial(clause.text)
        values = _values(label, clause, repeated if denied else theirs, known.context)
        if not values:
            continue
        context = ClauseContext(clause.text, stems(clause.text), asked, known.stems)
        best: Candidate | None = None
        for at, found in enumerate(values):
            score = _score(spec, label, context, values, at)
            corrects = len(values) == 1 and is_correction(label, context, found)
            if (score or corrects) and (best is None or score > best.score):
                best = _candidate(label, reply, clause, found, score, corrects=corrects)
        if best is not None:
            yield best


def _gives_code(sentence: Sentence, parts: Sequence[Sentence], asked: str) -> bool:
    """Return True if a sentence that is none of `parts` tells the user to say a code: "please quote B77"."""
    if sentence.asks or any(sentence.start <= each.start < sentence.end for each in parts):
        return False
    codes = [sentence.text[each.start : each.end] for each in typed_values.find("code", sentence.text)]
    before = {code: fold(sentence.text.partition(code)[0]) for code in codes if not mentions(asked, code)}
    return any(_CODE_BEFORE.search(each) or _CODE_OF.search(each) for each in before.values())


def _own_words(
    label: OutputLabel, reply: ChatbotReply, known: ExtractionKnowledge
) -> tuple[tuple[Json, ...], tuple[Json, ...]]:
    """Return values of the user that a reply does not state by repeating them, and all of them.

    Repeated numbers and addresses are the user's, and so is everything in a reply that is mostly an echo.
    """
    values = tuple(each.value for each in typed_values.find(label.kind, reply.asked, known.context))
    echoes = label.kind in NUMBERS or label.kind in _CONTACTS
    if values and not echoes and reply.parrots:
        echoes = 2 * len(tokens(reply.asked)) >= len(tokens(reply.text))
    return values if echoes else (), values


def _values(
    label: OutputLabel, clause: Sentence, theirs: tuple[Json, ...], context: ExtractionContext
) -> tuple[ValueMatch, ...]:
    """Return the values of the label's kind in a clause that are not negated and not `theirs`, the user's."""
    values = typed_values.find(label.kind, clause.text, context)
    pattern = label.kind.startswith("/")
    if values and not pattern:
        if len(values) > _MAX_VALUES or (not label.bounded and _HYPOTHETICAL.search(fold(clause.text))):
            return ()
        if label.kind not in ("money", *NUMBERS) and is_denial(clause.text):
            return ()
    if label.kind == "money" and len(values) > 1 and not _changed_from(clause.text, values[0]):
        values = money_ranges(clause.text, values)
    return tuple(
        each
        for number, each in enumerate(values, 1)
        if each.value not in theirs
        and (pattern or not _is_excluded(label, clause.text[max(0, each.start - 24) : each.start]))
        and not (number < len(values) and _changed_from(clause.text, each))
        and not (label.kind == "duration" and _DISTANCE.match(fold(clause.text[each.end :])))
    )


def _is_excluded(label: OutputLabel, before: str) -> bool:
    """Return True if the words before a value negate it, or call it an id where a number is wanted."""
    folded = fold(before)
    counts = label.kind in NUMBERS and not label.identifies
    return bool(_NEGATED.search(folded) or (counts and _CODE_BEFORE.search(folded)))


def _changed_from(text: str, found: ValueMatch) -> bool:
    """Return True if a value is the one before a change: "reduced from $12 to $10"."""
    return bool(_CHANGED_FROM.search(fold(text[max(0, found.start - _REACH) : found.start])))


def _score(
    spec: OutputSpec, label: OutputLabel, context: ClauseContext, values: tuple[ValueMatch, ...], at: int
) -> float:
    if label.kind.startswith("/"):
        return 1.0
    found = values[at]
    before = context.text[max(values[at - 1].end if at else 0, found.start - 24) : found.start]
    before = fold(JOIN.split(before)[-1] if at else before)
    behind = tokens(context.text[found.end : found.end + _TAIL]) if label.total else ()
    around = (*_words(before), *behind)
    named = 0.25 * sum(word in around for word in _words(fold(spec.name)))
    if not named and _squeezed(spec.name) in _squeezed(before):
        named += 0.5
    if label.kind in NUMBERS and (_is_number_of(spec, before) or (label.identifies and _is_named_code(spec, before))):
        return 1.0
    if label.kind == "code":
        return _code_score(spec, context, context.text[found.start : found.end], before, named)
    near = relevance_of_value(label, context, values, at)
    if label.kind == "duration":
        return min(near, 1.0)
    return near + named if near else 0.0


_CODE_WORD = rf"\b(?:{_WORDS['code_before']})\b\.?"
_CODE_BEFORE = pattern(rf"(?:{_CODE_WORD}|#|№)(?: (?:{_WORDS['is']}))?[\s:(#\"'*]*$", start="")
_CODE_OF = pattern(
    rf"(?:{_CODE_WORD}(?: [\w'-]+){{1,3}}?|\b\w+(?:nummer|code))(?: (?:{_WORDS['is']})| ?:|(?<=nummer)|(?<=code))"
    r"[\s(#\"'*]*$",
    start="",
)
"""A code of something before a value: "su código de reserva es"."""
_OTHER_CODE = pattern(_WORDS["other_code"])
"""A code of another thing than an order before a value: "the door code is"."""
_CODE_STEMS = stems(_WORDS["code_before"].replace("|", " "))
_MIN_CODE = 3


def _code_score(spec: OutputSpec, context: ClauseContext, code: str, before: str, named: float) -> float:
    """Return the score of a code: behind its name, or in a clause about it if it cannot be a quantity."""
    said = context.said
    name, description = stems(spec.name.replace("_", " ")), stems(spec.description)
    near = max(share_of(name, said), share_of(description, said)) or _code_of_it(
        name, said, context.text.partition(code)[0]
    )
    asked = max(share_of(name, context.asked), share_of(description, context.asked)) / 2
    behind = named or (0.25 if _CODE_BEFORE.search(before) or _is_number_of(spec, before) else 0.0)
    other = _OTHER_CODE.search(before)
    if other and stems(other[0]).isdisjoint((name | description) - _CODE_STEMS):
        return 0.0
    if not near + asked + behind or (not behind and (len(code) < _MIN_CODE or code.isalpha())):
        return 0.0
    if code.isdigit() and not behind and (len(code) <= _MIN_CODE or not near >= MIN_SHARE):
        return 0.0
    return near + asked + behind


def _code_of_it(name: frozenset[str], said: frozenset[str], before: str) -> float:
    """Return the relevance of a code that is called one in other words than the output."""
    named = _CODE_OF.search(fold(before)) or _CODE_BEFORE.search(fold(before))
    if not named or not name - META <= _CODE_STEMS | WHOLE:
        return 0.0
    return MIN_SHARE if name - META <= _CODE_STEMS or said & WHOLE else 0.0


def _is_number_of(spec: OutputSpec, before: str) -> bool:
    """Return True if the last word before a value is the thing that an output numbers: "order 504"."""
    thing = stems(" ".join(_words(before)[-1:])) if _CODE_BEFORE.fullmatch(fold(spec.name)) else frozenset[str]()
    return not thing.isdisjoint(stems(spec.description))


def _is_named_code(spec: OutputSpec, before: str) -> bool:
    """Return True if the words before a value call it a code of what is identified: "order number is"."""
    label = stems(spec.name.replace("_", " ")) | stems(spec.description)
    return bool(_CODE_BEFORE.search(before)) and not (label - _CODE_STEMS).isdisjoint(stems(before))


def _squeezed(text: str) -> str:
    return "".join(tokens(text.replace("_", " ")))


def _words(text: str) -> list[str]:
    return text.replace("_", " ").split()


def _candidate(
    label: OutputLabel, reply: ChatbotReply, clause: Sentence, found: ValueMatch, score: float, *, corrects: bool
) -> Candidate:
    words = clause.text[found.start : found.end]
    start = clause.start + found.start
    evidence = Evidence.unchecked({"at": reply.at, "start": start, "end": start + len(words), "text": words})
    return Candidate(score, words if label.exact else found.value, evidence, corrects)


def _lists(label: OutputLabel, reply: ChatbotReply, known: ExtractionKnowledge) -> Iterator[Candidate]:
    """Yield the lists in sentences that name the output, or in a bulleted reply as a whole."""
    bulleted = (Sentence(reply.text, 0, len(reply.text)),)
    for sentence in bulleted if has_bullets(reply.text) else reply.stated:
        near = share_of(label.about, stems(sentence.text)) + share_of(label.about, stems(reply.asked)) / 2
        if near > MIN_SHARE and not _HYPOTHETICAL.search(fold(sentence.text)) and not is_denial(sentence.text):
            for found in typed_values.find(label.kind, sentence.text, known.context)[:1]:
                yield _candidate(label, reply, sentence, found, near, corrects=False)
