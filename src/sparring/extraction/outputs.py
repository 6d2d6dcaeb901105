"""Reading wanted values out of what a chatbot said, each with the words that state it.

Every candidate is scored by how much of the output's name or description is said around it: in its own sentence, and
in the user's message that the reply answers. What nothing around it speaks for is no candidate. The best wins; of
equally good ones the last that was said, since a chatbot that names a price and then another has changed its mind.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sparring.core.case import OutputSpec
from sparring.core.conversation import Evidence, Output
from sparring.core.value import Json
from sparring.extraction import typed_values
from sparring.extraction.chatbot_reply import Reply
from sparring.extraction.extractor import NOWHERE, ExtractionContext, ValueMatch
from sparring.extraction.goals import texts
from sparring.extraction.numbers import bulleted
from sparring.extraction.speech_acts import agrees, denies, yes_or_no
from sparring.extraction.tokens import Sentence, fold, mentions, share, stems, tokens

_CODE_WORDS = re.compile(
    r"(?:^|[\s_])(?:id|ids|code|number|no|reference|ref|booking|tracking|codigo|numero|referencia|код|номер|артикул)"
    r"(?:$|[\s_])"
)
_MOST = 0.5
"""More than this much of what an output is called must be said before a whole sentence is taken for its value."""

_PAYING = stems("cost price total amount sum pay charge precio coste total importe стоимость цена итого сумма")
_ALL_OF_IT = stems("total sum order everything altogether pedido итого заказ")
_WHOLE = _ALL_OF_IT | stems("whole final entire all complete completo todo весь всего")
_TOTAL = stems("total altogether итого")
_WEAK = 0.1
_SHORT = 2_000
"""Replies up to this length are remembered."""

_AMOUNTS = ("money", "int", "float", "percent", "percentage")
_WEAKLY = ("money", "date", "time")
_DUE = re.compile(
    fold(
        r"(?:\b(?:that's|that is|that will be|that'll be|it's|it is|it'll be|it will be|it costs|comes? to"
        r"|you (?:pay|owe)|total|costará|cuesta|son|serán|serían|sale por|en total|с вас|всего|итого|к оплате)|:)"
        r"(?: (?:about|of|is|a|de|unos|un total de))? *$"
    )
)
"""What stands right before an amount that somebody has to pay."""

_NOT_MEANT = re.compile(
    fold(
        r"\b(?:for example|e\.g\.|such as|minimum|maximum|up to|starting at|looks? like|por ejemplo|mínimo"
        r"|например|минимум)\b"
    )
)
_NOT_THIS = re.compile(r"(?:\bnot|n't|\bno|\bno es|\bне)(?: \w+)? *$")


@dataclass(frozen=True, slots=True)
class _Candidate:
    score: float
    value: Json
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Known:
    """What a reader knows beforehand: the values of the case's variables as text, and from where to understand."""

    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    bearings: ExtractionContext = NOWHERE


def known(variables: dict[str, Json], bearings: ExtractionContext) -> Known:
    """What is known of a case with these variables."""
    return Known(tuple((name, texts(value)) for name, value in variables.items()), bearings)


def read_output(wanted: OutputSpec, replies: tuple[Reply, ...], known: Known) -> Output:
    """The value of `wanted` in the chatbot's replies; without evidence if it was not stated.

    What is known helps where the output is about what the user wanted: "the confirmed size" is near the size itself.
    """
    best: _Candidate | None = None
    for reply in replies:
        read = _remembered if len(reply.text) <= _SHORT else _candidates
        for candidate in read(wanted, reply, known):
            if best is None or candidate.score >= best.score:
                best = candidate
    if best is None:
        return Output(name=wanted.name, type=wanted.type)
    return Output(name=wanted.name, type=wanted.type, value=best.value, evidence=best.evidence)


@lru_cache(maxsize=4096)
def _remembered(wanted: OutputSpec, reply: Reply, known: Known) -> tuple[_Candidate, ...]:
    """A reply is read once, however often the conversation is."""
    return _candidates(wanted, reply, known)


def _candidates(wanted: OutputSpec, reply: Reply, known: Known) -> tuple[_Candidate, ...]:
    if reply.markup:
        return ()
    find = _sentences if _is_text(wanted) else _answers if wanted.type == "bool" else _typed
    return tuple(find(wanted, reply, known))


def _is_text(wanted: OutputSpec) -> bool:
    return (wanted.type in typed_values.TEXT or not typed_values.known(wanted.type)) and not _is_code(
        wanted.name, wanted.description
    )


def _typed(wanted: OutputSpec, reply: Reply, known: Known) -> Iterator[_Candidate]:
    """The best value of the output's type in each statement."""
    kind = wanted.type if typed_values.known(wanted.type) and wanted.type not in typed_values.TEXT else "code"
    several = typed_values.items(kind) is not None
    asked = _said(wanted, reply.asked) / 2
    for sentence in _as_a_whole(reply) if several else reply.stated:
        values = typed_values.find(kind, sentence.text, known.bearings)
        if not values or _NOT_MEANT.search(fold(sentence.text)):
            continue
        if kind not in _AMOUNTS and denies(sentence.text):
            continue
        near = _said(wanted, sentence.text) + asked
        if near and kind == "money" and _is_whole(wanted) and stems(sentence.text) & _TOTAL:
            near += 1  # a list of prices says the word price more plainly than the total does
        if not near and kind in _WEAKLY:
            near = _weakly(kind, sentence.text, known)
        if several and near <= _MOST:
            continue
        best: _Candidate | None = None
        for found in values:
            candidate = _value(wanted, reply, sentence, found, near, code=kind == "code")
            if candidate is not None and (best is None or candidate.score > best.score):
                best = candidate
        if best is not None:
            yield best


def _as_a_whole(reply: Reply) -> tuple[Sentence, ...]:
    """What a reply states: sentence by sentence, but a list with a line for every item as a whole."""
    return (Sentence(reply.text, 0, len(reply.text)),) if bulleted(reply.text) else reply.stated


def _value(
    wanted: OutputSpec, reply: Reply, sentence: Sentence, found: ValueMatch, near: float, *, code: bool
) -> _Candidate | None:
    words = sentence.text[found.start : found.end]
    before = fold(sentence.text[max(0, found.start - 24) : found.start])
    behind = _behind(wanted, before)
    if wanted.type == "money" and _DUE.search(before):
        behind += _WEAK
    if not near + behind or _NOT_THIS.search(before):
        return None
    if code and not behind and (len(words) < 3 or words.isalpha()):
        return None
    start = sentence.start + found.start
    evidence = Evidence(at=reply.at, start=start, end=start + len(words), text=words)
    return _Candidate(near + behind, found.value, evidence)


def _weakly(kind: str, text: str, known: Known) -> float:
    """A little, for a sentence that does not say what the output is called, and yet cannot well be about anything else.

    An amount that all of it costs; a day or a time at which something is booked.
    """
    said = stems(text)
    named = any(mentions(text, value) for _, values in known.values for value in values if len(value) > 1)
    if kind == "money":
        return _WEAK if said & _PAYING and (named or said & _ALL_OF_IT) else 0.0
    return _WEAK if agrees(text) or named else 0.0


def _answers(wanted: OutputSpec, reply: Reply, known: Known) -> Iterator[_Candidate]:
    """A yes or a no to a question about the output, or a statement that is about all of it."""
    asked = _said(wanted, reply.asked)
    for number, sentence in enumerate(reply.stated):
        replied = number == 0 and asked > _MOST and yes_or_no(sentence.text)
        if replied or _said(wanted, sentence.text) == 1.0:
            evidence = Evidence(at=reply.at, start=sentence.start, end=sentence.end, text=sentence.text)
            yield _Candidate(1.0, not denies(sentence.text), evidence)


def _sentences(wanted: OutputSpec, reply: Reply, known: Known) -> Iterator[_Candidate]:
    """The statements of a reply to a question about the output, or else single sentences that are about it."""
    stated = reply.stated
    asked = _said(wanted, reply.asked)
    if asked > _MOST and sum(len(tokens(sentence.text)) for sentence in stated) > 1:
        start, end = stated[0].start, stated[-1].end
        words = reply.text[start:end]
        yield _Candidate(1 + asked, words, Evidence(at=reply.at, start=start, end=end, text=words))
    for sentence in stated:
        near = max(_said(wanted, sentence.text), _named(wanted, sentence.text, known))
        if near > _MOST:
            evidence = Evidence(at=reply.at, start=sentence.start, end=sentence.end, text=sentence.text)
            yield _Candidate(near, sentence.text, evidence)


def _said(wanted: OutputSpec, text: str) -> float:
    """How much of the output's name, or of its description, `text` says."""
    said = stems(text)
    return max(share(_name(wanted.name), said), share(stems(wanted.description), said))


def _named(wanted: OutputSpec, text: str, known: Known) -> float:
    """How many of the variables that the output's description names have all their values in `text`."""
    label = _name(wanted.name) | stems(wanted.description)
    named = [values for name, values in known.values if _name(name) & label]
    return sum(all(mentions(text, value) for value in values) for values in named) / len(named) if named else 0.0


def _behind(wanted: OutputSpec, before: str) -> float:
    """More for a value that follows its own name: in "2 pizzas, order ID 9c31ab" the order id is the second code."""
    return sum(0.25 for word in _words(wanted.name) if word.search(before))


@lru_cache(maxsize=512)
def _words(name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\b{re.escape(word)}\b") for word in fold(name).replace("_", " ").split())


@lru_cache(maxsize=512)
def _name(name: str) -> frozenset[str]:
    return stems(name.replace("_", " "))


@lru_cache(maxsize=512)
def _is_whole(wanted: OutputSpec) -> bool:
    """Whether an amount is wanted that is that of everything."""
    return bool((_name(wanted.name) | stems(wanted.description)) & _WHOLE)


@lru_cache(maxsize=512)
def _is_code(name: str, description: str) -> bool:
    return bool(_CODE_WORDS.search(fold(name)) or _CODE_WORDS.search(fold(description)))
