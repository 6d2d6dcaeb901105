"""Candidates for the value of an output, and their relevance: from 0 to about 3."""

import re
from dataclasses import dataclass
from functools import cached_property

from sparring.core.case import Case, OutputSpec
from sparring.core.conversation import Evidence
from sparring.core.value import Json
from sparring.extraction.extractor import NO_CONTEXT, ExtractionContext, ValueMatch
from sparring.extraction.goals import texts
from sparring.extraction.languages import LANGUAGES
from sparring.extraction.output_labels import META, NUMBERS, WHOLE, OutputLabel
from sparring.extraction.speech_acts import is_agreement, is_completion
from sparring.extraction.tokens import fold, pattern, stems, tokens
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

MIN_SHARE = 0.5
"""Minimum share of an output's own words by which a clause or message names it."""

_NAMED, _WHOLE, _KIND, _ASKED, _WEAK = 1.0, 0.9, 0.6, 0.5, 0.2

_TOTAL = stems("total altogether all overall gesamt insgesamt zusammen tout totale tutto todo итого всего оплате")
SIDE = stems(_WORDS["side"])
"""Words for amounts besides the price: lists, fees, discounts."""

FILLER = stems(
    " ".join([_WORDS["filler"], *(f"{each.function_words} {each.more_function_words}" for each in LANGUAGES)])
)
"""Words before a value that name nothing."""

_DUE = pattern(_WORDS["due"], start=r"(?:\b(?:", end=r")|:)(?: (?:about|of|is|a|de|unos|un total de))? *$")
"""Words right before an amount to be paid."""

_THING = re.compile(_WORDS["thing"])
"""What a value is said to be of: "your deductible is"."""

_CORRECTS = pattern(_WORDS["corrects"])
JOIN = re.compile(r",\s|\s(?:and|y|und|et|e|и)\s")
_MAX_SUBJECT = 2
"""Maximum number of words that may name another thing in a short answer."""
_SETTLED = pattern(_WORDS["settled"], end=r"\b")
"""Words by which a date or time is agreed, besides those of speech acts."""


@dataclass(frozen=True, slots=True)
class ClauseContext:
    """A clause and the user's message before it as stems; `known` are stems of the case's variables."""

    text: str
    said: frozenset[str]
    asked: frozenset[str]
    known: frozenset[str]


def share_of(wanted: frozenset[str], said: frozenset[str]) -> float:
    """Return the share of `wanted` in `said`; the stem of one form may be the beginning of another's."""
    if not wanted:
        return 0.0
    missing = wanted - said
    near = sum(
        any(len(word) > 3 and len(other) > 3 and (word.startswith(other) or other.startswith(word)) for other in said)
        for word in missing
    )
    return (len(wanted) - len(missing) + near) / len(wanted)


def relevance(label: OutputLabel, clause: ClauseContext, subject: frozenset[str]) -> float:
    """Return how much a clause is about an output; `subject` is what the words before the value name."""
    here = max(share_of(label.own, clause.said), share_of(label.described, clause.said))
    if any(share_of(rival, clause.said) > here for rival in label.rivals):
        return 0.0
    if label.kind == "duration" and (here >= MIN_SHARE or clause.said & label.kind_words):
        return _NAMED
    if here >= MIN_SHARE:
        return _NAMED + here
    if label.kind == "money":
        return _money(label, clause, subject)
    asked = share_of(label.own, clause.asked) >= MIN_SHARE
    kind_here, kind_asked = bool(clause.said & label.kind_words), bool(clause.asked & label.kind_words)
    if label.kind in ("date", "time"):
        return _moment(label, clause, asked=asked, kind_here=kind_here, kind_asked=kind_asked)
    if asked or (kind_asked and not label.about):
        return 0.0 if label.kind in NUMBERS and len(subject - clause.known) > _MAX_SUBJECT else _ASKED
    if label.kind == "duration":
        return _KIND if kind_asked else 0.0
    if (kind_here or kind_asked) and (not label.about or label.generic):
        return _KIND if kind_here else _ASKED
    return _WEAK if label.kind in ("email", "phone", "url") else 0.0


def _money(label: OutputLabel, clause: ClauseContext, subject: frozenset[str]) -> float:
    total, kind_asked = bool(clause.said & _TOTAL), bool(clause.asked & label.kind_words)
    if total and (label.total or not label.about):
        return _WHOLE
    if subject & SIDE:
        return 0.0
    other = bool(subject) and not subject <= clause.known
    if share_of(label.own, clause.asked) >= MIN_SHARE:
        return 0.0 if other else _ASKED
    if any(share_of(rival, clause.asked) >= MIN_SHARE for rival in label.rivals):
        return 0.0
    if other and label.generic and not label.rivals and is_completion(clause.text):
        return _WEAK  # "Your compact is reserved for £117."
    if label.about or label.total:
        if other or (kind_asked and label.about and not label.total):
            return 0.0
        return _ASKED if clause.said & label.kind_words or kind_asked else _WEAK
    return _KIND if clause.said & label.kind_words else _WEAK if kind_asked or not other else 0.0


def _moment(label: OutputLabel, clause: ClauseContext, *, asked: bool, kind_here: bool, kind_asked: bool) -> float:
    settled = is_agreement(clause.text) or is_completion(clause.text) or bool(_SETTLED.search(fold(clause.text)))
    if not label.about and (settled or kind_here or clause.said & WHOLE):
        return _KIND
    if asked or (kind_asked and not label.about):
        return _ASKED
    return _WEAK if settled or (label.kind == "time" and clause.said & clause.known) else 0.0


def relevance_of_value(label: OutputLabel, clause: ClauseContext, values: tuple[ValueMatch, ...], at: int) -> float:
    """Return the relevance of the value number `at` among the values of its kind in a clause."""
    found = values[at]
    start = values[at - 1].end if at else 0
    end = values[at + 1].start if at + 1 < len(values) else len(clause.text)
    before, after = clause.text[start : found.start], clause.text[found.end : end]
    if at:
        before = JOIN.split(before)[-1]
    own = at > 0 and stems(before) & label.kind_words
    near = relevance(label, clause, _subject(before if own else clause.text[: values[0].start], label, clause.asked))
    if not near and label.unit and not label.rivals and label.unit == next(iter(tokens(after)), ""):
        near = _ASKED
    if not near or _is_of_another_thing(label, clause, before):
        return 0.0
    around = stems(f"{before} {after}")
    if label.kind == "money" and not label.about & SIDE:
        beside = stems(f"{before} {JOIN.split(after)[0]}")
        if beside & SIDE and not (beside if len(values) > 1 else clause.said) & _TOTAL:
            return 0.0  # "the delivery fee is $4 and the total comes to $29"
    several = label.kind == "money" and len(values) > 2 and not clause.said & _TOTAL
    if several and (label.total or not share_of(label.own, around)):
        return 0.0
    if label.kind == "money" and (label.total or len(values) == 1) and _DUE.search(fold(before[-24:])):
        near += _WEAK
    if label.total and around & _TOTAL:
        near += _NAMED / 2
    if label.kind in NUMBERS and (behind := tokens(after)):
        near += _NAMED / 2 * share_of(label.own, stems(behind[0]))
    return near + 0.4 * share_of(label.own, stems(before)) + 0.2 * share_of(label.own, stems(after))


def _is_of_another_thing(label: OutputLabel, clause: ClauseContext, before: str) -> bool:
    """Return True for an amount of another thing: "your deductible is $150" is no payout."""
    named = _THING.match(fold(before)) if label.kind == "money" and label.about and not label.total else None
    thing = stems(named[1]) - label.kind_words - META - WHOLE - FILLER if named else frozenset[str]()
    return bool(thing) and thing.isdisjoint(label.about | label.described | clause.known)


def is_correction(label: OutputLabel, clause: ClauseContext, found: ValueMatch) -> bool:
    """Return True if a clause replaces an earlier value by this one, and is not about another output."""
    if not _CORRECTS.search(fold(clause.text)) or any(share_of(rival, clause.said) for rival in label.rivals):
        return False
    subject = _subject(clause.text[: found.start], label, clause.asked)
    return not subject & SIDE and len(subject) <= _MAX_SUBJECT


def _subject(before: str, label: OutputLabel, asked: frozenset[str]) -> frozenset[str]:
    """Return the stems before a value that name a thing other than the output and what was asked for."""
    words = stems(before.rpartition(", ")[2]) - label.kind_words - META - WHOLE - FILLER - label.about - asked
    return frozenset(word for word in words if not word.isdigit())


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible value with its score and quote. One that `corrects` replaces an earlier one of any score."""

    score: float
    value: Json
    evidence: Evidence
    corrects: bool = False


@dataclass(frozen=True)
class ExtractionKnowledge:
    """Values of the case's variables as texts, the case's outputs, and the extraction context."""

    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    outputs: tuple[OutputSpec, ...] = ()
    context: ExtractionContext = NO_CONTEXT

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of all values."""
        return frozenset[str]().union(*(stems(text) for _, values in self.values for text in values))


def knowledge_of(case: Case, context: ExtractionContext) -> ExtractionKnowledge:
    """Return the extraction knowledge of a case."""
    values = tuple((name, texts(value)) for name, value in case.variables.items())
    return ExtractionKnowledge(values, case.outputs, context)
