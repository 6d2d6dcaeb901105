"""Extraction of outputs from replies, each with the words that state it.

Every candidate value is scored by how much of the output's name or description occurs near it: in its own sentence, and
in the user's message before the reply. Without any, it is no candidate. The best one wins; of equal ones the last,
since a chatbot that states a price and later another one has corrected itself.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sparring.core.case import OutputSpec
from sparring.core.conversation import Evidence, Output
from sparring.core.value import Json
from sparring.extraction import typed_values
from sparring.extraction.chatbot_reply import ChatbotReply
from sparring.extraction.extractor import NO_CONTEXT, ExtractionContext, ValueMatch
from sparring.extraction.goals import texts
from sparring.extraction.numbers import has_bullets
from sparring.extraction.speech_acts import is_agreement, is_denial, starts_with_yes_or_no
from sparring.extraction.tokens import Sentence, fold, mentions, share, stems, tokens

_CODE_WORDS = re.compile(
    r"(?:^|[\s_])(?:id|ids|code|number|no|reference|ref|booking|tracking|codigo|numero|referencia|код|номер|артикул)"
    r"(?:$|[\s_])"
)
_MIN_SHARE = 0.5
"""A whole sentence becomes the value only if more than this share of the output's label occurs."""

_PAYING = stems("cost price total amount sum pay charge precio coste total importe стоимость цена итого сумма")
_EVERYTHING = stems("total sum order everything altogether pedido итого заказ")
_WHOLE = _EVERYTHING | stems("whole final entire all complete completo todo весь всего")
_TOTAL = stems("total altogether итого")
_WEAK = 0.1
_MAX_CACHED = 2_000
"""Maximum length of replies whose candidates are cached."""

_AMOUNTS = ("money", "int", "float", "percent", "percentage")
_WEAK_TYPES = ("money", "date", "time")
_AMOUNT_DUE = re.compile(
    fold(
        r"(?:\b(?:that's|that is|that will be|that'll be|it's|it is|it'll be|it will be|it costs|comes? to"
        r"|you (?:pay|owe)|total|costará|cuesta|son|serán|serían|sale por|en total|с вас|всего|итого|к оплате)|:)"
        r"(?: (?:about|of|is|a|de|unos|un total de))? *$"
    )
)
"""Words right before an amount to be paid."""

_HYPOTHETICAL = re.compile(
    fold(
        r"\b(?:for example|e\.g\.|such as|minimum|maximum|up to|starting at|looks? like|por ejemplo|mínimo"
        r"|например|минимум)\b"
    )
)
_NEGATED = re.compile(r"(?:\bnot|n't|\bno|\bno es|\bне)(?: \w+)? *$")


@dataclass(frozen=True, slots=True)
class _Candidate:
    score: float
    value: Json
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class ExtractionKnowledge:
    """Known values of the case's variables as texts, and the extraction context."""

    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    context: ExtractionContext = NO_CONTEXT


def knowledge_of(variables: dict[str, Json], context: ExtractionContext) -> ExtractionKnowledge:
    """Return the extraction knowledge of a case with these variables."""
    return ExtractionKnowledge(tuple((name, texts(value)) for name, value in variables.items()), context)


def extract_output(spec: OutputSpec, replies: tuple[ChatbotReply, ...], known: ExtractionKnowledge) -> Output:
    """Return the value of `spec` in the replies, without evidence if it was not stated.

    Known variables help with outputs about the user's own values: "the confirmed size" is near the size.
    """
    best: _Candidate | None = None
    for reply in replies:
        read = _cached_candidates if len(reply.text) <= _MAX_CACHED else _candidates
        for candidate in read(spec, reply, known):
            if best is None or candidate.score >= best.score:
                best = candidate
    if best is None:
        return Output(name=spec.name, type=spec.type)
    return Output(name=spec.name, type=spec.type, value=best.value, evidence=best.evidence)


@lru_cache(maxsize=4096)
def _cached_candidates(spec: OutputSpec, reply: ChatbotReply, known: ExtractionKnowledge) -> tuple[_Candidate, ...]:
    """Return the candidates in a reply, cached because a conversation is extracted repeatedly."""
    return _candidates(spec, reply, known)


def _candidates(spec: OutputSpec, reply: ChatbotReply, known: ExtractionKnowledge) -> tuple[_Candidate, ...]:
    if reply.markup:
        return ()
    find = _text_candidates if _is_text(spec) else _yes_or_no_candidates if spec.type == "bool" else _typed_candidates
    return tuple(find(spec, reply, known))


def _is_text(spec: OutputSpec) -> bool:
    return (spec.type in typed_values.TEXT or not typed_values.is_known_type(spec.type)) and not _is_code(
        spec.name, spec.description
    )


def _typed_candidates(spec: OutputSpec, reply: ChatbotReply, known: ExtractionKnowledge) -> Iterator[_Candidate]:
    """Yield the best value of the output's type in each statement."""
    kind = spec.type if typed_values.is_known_type(spec.type) and spec.type not in typed_values.TEXT else "code"
    several = typed_values.item_type(kind) is not None
    asked = _label_share(spec, reply.asked) / 2
    for sentence in _statements(reply) if several else reply.stated:
        values = typed_values.find(kind, sentence.text, known.context)
        if not values or _HYPOTHETICAL.search(fold(sentence.text)):
            continue
        if kind not in _AMOUNTS and is_denial(sentence.text):
            continue
        near = _label_share(spec, sentence.text) + asked
        if near and kind == "money" and _is_total(spec) and stems(sentence.text) & _TOTAL:
            near += 1  # lines of a price list contain the word price, which the total may not
        if not near and kind in _WEAK_TYPES:
            near = _weak_score(kind, sentence.text, known)
        if several and near <= _MIN_SHARE:
            continue
        best: _Candidate | None = None
        for found in values:
            candidate = _candidate(spec, reply, sentence, found, near, code=kind == "code")
            if candidate is not None and (best is None or candidate.score > best.score):
                best = candidate
        if best is not None:
            yield best


def _statements(reply: ChatbotReply) -> tuple[Sentence, ...]:
    """Return the statements of a reply: a bulleted list as a whole, else sentence by sentence."""
    return (Sentence(reply.text, 0, len(reply.text)),) if has_bullets(reply.text) else reply.stated


def _candidate(
    spec: OutputSpec, reply: ChatbotReply, sentence: Sentence, found: ValueMatch, near: float, *, code: bool
) -> _Candidate | None:
    words = sentence.text[found.start : found.end]
    before = fold(sentence.text[max(0, found.start - 24) : found.start])
    behind = _name_bonus(spec, before)
    if spec.type == "money" and _AMOUNT_DUE.search(before):
        behind += _WEAK
    if not near + behind or _NEGATED.search(before):
        return None
    if code and not behind and (len(words) < 3 or words.isalpha()):
        return None
    start = sentence.start + found.start
    evidence = Evidence(at=reply.at, start=start, end=start + len(words), text=words)
    return _Candidate(near + behind, found.value, evidence)


def _weak_score(kind: str, text: str, known: ExtractionKnowledge) -> float:
    """Return a small score for a sentence that does not name the output but is likely about it.

    That is an amount for everything, or a day or time at which something is booked.
    """
    said = stems(text)
    named = any(mentions(text, value) for _, values in known.values for value in values if len(value) > 1)
    if kind == "money":
        return _WEAK if said & _PAYING and (named or said & _EVERYTHING) else 0.0
    return _WEAK if is_agreement(text) or named else 0.0


def _yes_or_no_candidates(spec: OutputSpec, reply: ChatbotReply, known: ExtractionKnowledge) -> Iterator[_Candidate]:
    """Yield a yes or no to a question about the output, or a statement that covers its whole label."""
    asked = _label_share(spec, reply.asked)
    for number, sentence in enumerate(reply.stated):
        replied = number == 0 and asked > _MIN_SHARE and starts_with_yes_or_no(sentence.text)
        if replied or _label_share(spec, sentence.text) == 1.0:
            evidence = Evidence(at=reply.at, start=sentence.start, end=sentence.end, text=sentence.text)
            yield _Candidate(1.0, not is_denial(sentence.text), evidence)


def _text_candidates(spec: OutputSpec, reply: ChatbotReply, known: ExtractionKnowledge) -> Iterator[_Candidate]:
    """Yield all statements of a reply to a question about the output, and single sentences about it."""
    stated = reply.stated
    asked = _label_share(spec, reply.asked)
    if asked > _MIN_SHARE and sum(len(tokens(sentence.text)) for sentence in stated) > 1:
        start, end = stated[0].start, stated[-1].end
        words = reply.text[start:end]
        yield _Candidate(1 + asked, words, Evidence(at=reply.at, start=start, end=end, text=words))
    for sentence in stated:
        near = max(_label_share(spec, sentence.text), _variable_share(spec, sentence.text, known))
        if near > _MIN_SHARE:
            evidence = Evidence(at=reply.at, start=sentence.start, end=sentence.end, text=sentence.text)
            yield _Candidate(near, sentence.text, evidence)


def _label_share(spec: OutputSpec, text: str) -> float:
    """Return the share of the output's name or description that occurs in `text`."""
    said = stems(text)
    return max(share(_name_stems(spec.name), said), share(stems(spec.description), said))


def _variable_share(spec: OutputSpec, text: str, known: ExtractionKnowledge) -> float:
    """Return the share of variables named in the output's description whose values all occur in `text`."""
    label = _name_stems(spec.name) | stems(spec.description)
    named = [values for name, values in known.values if _name_stems(name) & label]
    return sum(all(mentions(text, value) for value in values) for values in named) / len(named) if named else 0.0


def _name_bonus(spec: OutputSpec, before: str) -> float:
    """Return a bonus for a value that follows the output's name.

    In "2 pizzas, order ID 9c31ab", the order id is the code after its name, not the number.
    """
    return sum(0.25 for word in _word_patterns(spec.name) if word.search(before))


@lru_cache(maxsize=512)
def _word_patterns(name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\b{re.escape(word)}\b") for word in fold(name).replace("_", " ").split())


@lru_cache(maxsize=512)
def _name_stems(name: str) -> frozenset[str]:
    return stems(name.replace("_", " "))


@lru_cache(maxsize=512)
def _is_total(spec: OutputSpec) -> bool:
    """Return True if the output is an amount for everything."""
    return bool((_name_stems(spec.name) | stems(spec.description)) & _WHOLE)


@lru_cache(maxsize=512)
def _is_code(name: str, description: str) -> bool:
    return bool(_CODE_WORDS.search(fold(name)) or _CODE_WORDS.search(fold(description)))
