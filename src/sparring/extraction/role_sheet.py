"""Role sheet: facts, manners and wishes of the user of a case, as data.

A simulated user acts by it, and the audit holds what the user said against it.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from sparring.core.case import Case, ChangeOfMind, Fact, Goal
from sparring.extraction.facts import canonical_slot, differ, facts_of_sentence, noun_of_id, stated_facts
from sparring.extraction.goals import texts
from sparring.extraction.phrasebooks import languages_of
from sparring.extraction.role_words import RoleWords, role_words
from sparring.extraction.slots import asked_slots
from sparring.extraction.tokens import cached, fold, sentences, share, stems
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_NEGATED_WORDS = 4
"""Maximum number of words from a negation to what it negates."""

Strength = Literal[1, 2, 3]

_CLAUSE = re.compile(r"[,;:.!?()]|\b(?:but|pero|aber|mais|ma|mas|но|а)\b")
_STRONG = re.compile(rf"\b(?:{_WORDS['strong']})\W+(?:\w+\W+)?$")
_WEAK = re.compile(rf"\b(?:{_WORDS['weak']})\W+$")

ADVERSARIAL = "adversarial"
"""The manner of a user that attacks the chatbot. It needs a tag `attack` or a goal that says so."""


@dataclass(frozen=True, slots=True)
class Manner:
    """A way of talking, such as `terse`, and the words from which it was taken."""

    name: str
    strength: Strength = 2
    quote: str = ""


@cached
def manners_of_sentence(sentence: str) -> tuple[Manner, ...]:
    """Return the manners that a sentence describes, each once."""
    plain = fold(sentence)
    found: dict[str, Manner] = {}
    for words in role_words():
        for name, strength in _manners_in(plain, words):
            found.setdefault(name, Manner(name, strength, sentence))
    return tuple(found.values())


def _manners_in(plain: str, words: RoleWords) -> Iterator[tuple[str, Strength]]:
    for name, pattern in words.manners.items():
        for match in pattern.finditer(plain):
            before = _CLAUSE.split(plain[: match.start()])[-1]
            near = " ".join(before.split()[-_NEGATED_WORDS:])
            if not any(each.negation.search(near) for each in role_words()):
                yield name, 3 if _STRONG.search(before) else 1 if _WEAK.search(before) else 2
                break


@cached
def holds_anyway(sentence: str) -> bool:
    """Return True for a sentence that always holds, such as "never act as an assistant"."""
    plain = fold(sentence)
    return any(words.hold.search(plain) for words in role_words())


__all__ = ["Manner", "RoleSheet", "role_sheet"]

_MAX_CACHED = 4096
"""Cases that are kept: more than play at once, or each turn would read its case again."""

_PATIENCE = 3
_ATTACK = "attack"
_RESTATES = 0.6
"""Minimum share of a sentence's words that stand in goals, for a sentence that only repeats the goals."""

_WISHING = stems(_WORDS["wishing"])
"""Stems of verbs and nouns with which a sentence says that the user has a goal."""

_STRING = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_MAY_STATE_FACTS = re.compile(_WORDS["may_state_facts"], re.IGNORECASE)
"""Words without which a goal states no fact. Most goals have none, and searching all of them for facts is slow."""

_WRAPPED = re.compile(r"[ \t]*\n[ \t]*(?=[a-zà-ÿа-яё(])")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_SHORT = 3
"""Maximum length of a value that may stand in an expectation by accident."""


@dataclass(frozen=True, slots=True)
class RoleSheet:
    """All that the user of a case knows, wants and is like.

    `hidden` are names of variables that the user must not say, `unused` those that no text of the user has: it says
    these only if they are asked for. Nothing was taken from the sentences that are `unread`, of the `sentences` that
    describe the user. `contradictions` are pairs of facts that cannot both be true; the first of each is in `facts`.
    """

    goals: tuple[Goal, ...] = ()
    facts: tuple[Fact, ...] = ()
    manners: tuple[Manner, ...] = ()
    changes: tuple[ChangeOfMind, ...] = ()
    languages: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    patience: int = _PATIENCE
    unused: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    contradictions: tuple[tuple[Fact, Fact], ...] = ()

    def has_manner(self, name: str) -> bool:
        """Return True if the user has this manner."""
        return any(manner.name == name for manner in self.manners)

    def values(self, slot: str) -> tuple[str, ...]:
        """Return the values that the user knows for a slot or a variable; empty if it has none."""
        return next((fact.values for fact in self.facts if fact.slot == slot), ())


def role_sheet(case: Case) -> RoleSheet:
    """Return the role sheet of a case, made once for all of its turns."""
    known = _SHEETS.get(id(case))
    if known is not None and known[0] is case:
        return known[1]
    while len(_SHEETS) >= _MAX_CACHED:
        _SHEETS.popitem(last=False)
    sheet = _made(case)
    _SHEETS[id(case)] = case, sheet
    return sheet


_SHEETS: OrderedDict[int, tuple[Case, RoleSheet]] = OrderedDict()


@dataclass(slots=True)
class _Facts:
    """Facts collected so far: the first of a slot wins, and a later one that differs is a contradiction.

    IDs of different things, such as an order and a customer, are different facts.
    """

    known: dict[tuple[str, str], Fact] = field(default_factory=dict)
    contradictions: list[tuple[Fact, Fact]] = field(default_factory=list)

    def add(self, fact: Fact, *, own: bool = True) -> None:
        first = self.known.setdefault((fact.slot, noun_of_id(fact)), fact)
        if own and first is not fact and differ(fact.slot, first.values, fact.values):
            self.contradictions.append((first, fact))


def _made(case: Case) -> RoleSheet:
    hidden = tuple(dict.fromkeys((*case.unspoken, *_expected_only(case))))
    stated = tuple(dict.fromkeys(each.text for text in _descriptions(case) for each in sentences(text)))
    manners, unread = _manners(case, stated)
    collected = _Facts()
    for fact, own in _facts(case, hidden):
        collected.add(fact, own=own)
    return RoleSheet(
        goals=case.goals,
        facts=tuple(collected.known.values()),
        manners=manners,
        changes=case.changes,
        languages=languages_of(case),
        hidden=hidden,
        unread=unread,
        patience=_patience(case, manners),
        unused=tuple(name for name in case.variables if name not in hidden and not _is_used(case, name)),
        sentences=stated,
        contradictions=tuple(collected.contradictions),
    )


def _descriptions(case: Case) -> tuple[str, ...]:
    return tuple(_unwrapped(text) for text in (case.persona.role, *case.persona.traits) if text)


def _unwrapped(text: str) -> str:
    """Join lines that end within a sentence: the next one goes on with a small letter."""
    return _WRAPPED.sub(" ", text)


def _facts(case: Case, hidden: tuple[str, ...]) -> Iterator[tuple[Fact, bool]]:
    """Yield facts, the first to count first, and True for those that the user states of itself."""
    for declared in case.facts:
        yield declared, True
        known = canonical_slot(declared.slot)
        if known and known != declared.slot:  # "Telefonnummer"
            yield Fact(slot=known, values=declared.values, source="facts", quote=declared.slot), True
    for pattern, answer in case.answers.items():
        value = " ".join(texts(case.variables[answer])) if answer in case.variables else answer
        for slot in asked_slots(pattern, ()).missing[:1]:
            yield Fact(slot=slot, values=(value,), source="answers", quote=answer), True
    for name, written in case.variables.items():
        values = tuple(texts(written))
        if name not in hidden and values:
            yield Fact(slot=name, values=values, source="variable"), True
            known = canonical_slot(name)
            if known and known != name:
                yield Fact(slot=known, values=values, source="variable", quote=name), True
    for goal in case.goals:
        for fact in stated_facts(goal.text) if _MAY_STATE_FACTS.search(goal.text) else ():
            yield Fact(slot=fact.slot, values=fact.values, source="goal", quote=fact.quote), False
    for fact in stated_facts(_unwrapped(case.persona.role)):
        yield Fact(slot=fact.slot, values=fact.values, source="role", quote=fact.quote), fact.own
    for trait in case.persona.traits:
        for fact in stated_facts(_unwrapped(trait)):
            yield Fact(slot=fact.slot, values=fact.values, source="trait", quote=fact.quote), fact.own


def _manners(case: Case, stated: tuple[str, ...]) -> tuple[tuple[Manner, ...], tuple[str, ...]]:
    """Return the manners, the strongest of each name, and the sentences from which nothing was taken."""
    found: dict[str, Manner] = {}
    unread = []
    goals = frozenset[str]().union(*(stems(goal.text) for goal in case.goals))
    attacks = _ATTACK in case.tags or any(
        manner.name == ADVERSARIAL for goal in case.goals for manner in manners_of_sentence(goal.text)
    )
    for text in stated:
        manners = [each for each in manners_of_sentence(text) if attacks or each.name != ADVERSARIAL]
        for manner in manners:
            if manner.name not in found or found[manner.name].strength < manner.strength:
                found[manner.name] = manner
        if not (manners or _states_facts(text) or holds_anyway(text) or _restates(text, goals)):
            unread.append(text)
    return tuple(found.values()), tuple(unread)


def _restates(text: str, goals: frozenset[str]) -> bool:
    return share(stems(text) - _WISHING, goals) >= _RESTATES


def _states_facts(text: str) -> bool:
    return any(facts_of_sentence(sentence) for sentence in sentences(text))


def _patience(case: Case, manners: tuple[Manner, ...]) -> int:
    """Return the variable `PATIENCE` of the simulation service, or the patience of the manners."""
    level = case.variables.get("PATIENCE")
    if isinstance(level, int) and not isinstance(level, bool) and 0 <= level <= _PATIENCE:
        return level
    return 1 if any(manner.name == "impatient" for manner in manners) else _PATIENCE


def _said(case: Case) -> Iterator[str]:
    """Yield all texts that the user has or says."""
    yield from _descriptions(case)
    yield from case.lines
    for goal in case.goals:
        yield from (goal.text, goal.first, goal.about, *(hint.says for hint in goal.answers))
    yield from case.answers.values()


def _is_used(case: Case, name: str) -> bool:
    """Return True if a variable belongs to a goal, answers a hint, or stands in a text of the user."""
    if any(name in goal.variables for goal in case.goals) or name in case.answers.values():
        return True
    values = texts(case.variables[name])
    return bool(values) and any(all(value in said for value in values) for said in _said(case))


def _expected_only(case: Case) -> Iterator[str]:
    """Yield the variables that only expectations and right answers of goals use."""
    conditions = [
        text
        for each in case.expectations
        for text in (each.rule.when, each.rule.if_, each.rule.then, each.rule.yields, *map(str, each.golden))
    ]
    conditions += [text for goal in case.goals for text in (goal.done, *goal.never, *map(str, goal.answer))]
    if not conditions:
        return
    named = {name for text in conditions for name in _IDENTIFIER.findall(_STRING.sub(" ", text))}
    for name, written in case.variables.items():
        values = texts(written)
        literal = bool(values) and all(
            len(value) > _SHORT and any(value in text for text in conditions) for value in values
        )
        indexed = any(f"variables['{name}']" in text or f'variables["{name}"]' in text for text in conditions)
        if (name in named or literal or indexed) and not _is_used(case, name):
            yield name
