"""Words and values that the user of a case may say, normalized for the rules of the audit."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from sparring.audit.text_values import TypedText, counts_in, typed_text, without_typed
from sparring.core.case import Case, ChangeOfMind, Goal
from sparring.core.value import Json
from sparring.extraction.extractor import ExtractionContext, extraction_context
from sparring.extraction.goals import is_misspelling, texts
from sparring.extraction.role_sheet import RoleSheet
from sparring.extraction.tokens import is_near, singulars, stems, tokens


@dataclass(frozen=True, slots=True)
class Alternative:
    """A value that the user of a case does not want for a variable."""

    variable: str
    value: str
    words: frozenset[str]


@dataclass
class Vocabulary:
    """Words and values on the role sheet of a case."""

    case: Case
    sheet: RoleSheet

    @cached_property
    def declared(self) -> bool:
        """True if the record holds what the user knows. Published records have goals, but not the role."""
        case, persona = self.case, self.case.persona
        described = bool(persona.role or persona.traits or case.facts or case.answers)
        return described or (bool(case.goals) and case.listed is None)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Texts from which the user may say something."""
        case, persona = self.case, self.case.persona
        return (
            *[text for goal in case.goals for text in _texts_of(goal)],
            *case.answers.values(),
            *[value for fact in self.sheet.facts for value in fact.values],
            *[text for change in case.changes for text in (change.first, change.final, *_before(case, change))],
            persona.role,
            *persona.traits,
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """Words of these texts without endings."""
        return frozenset[str]().union(*map(singulars, self.texts))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of these texts."""
        return frozenset[str]().union(*map(stems, self.texts))

    @cached_property
    def alternatives(self) -> tuple[Alternative, ...]:
        """Values of closed lists that the user neither wants nor may otherwise say."""
        found = []
        for goal in self.case.goals:
            for variable, others in goal.others.items():
                for other in others:
                    words = singulars(other)
                    if words and not words <= self.words:
                        found.append(Alternative(variable, other, words))
        return tuple(dict.fromkeys(found))

    @cached_property
    def rivals(self) -> tuple[Alternative, ...]:
        """Other items of a list that holds the value of a variable, such as other addresses."""
        found = []
        for name, value in self.case.variables.items():
            own = texts(value)
            if name in self.sheet.hidden or len(own) != 1 or isinstance(value, list):
                continue
            for other, items in self._lists.items():
                if other != name and own[0] in items:
                    found += [Alternative(name, item, singulars(item)) for item in items if item != own[0]]
        return tuple(found)

    def lists(self, value: str) -> bool:
        """Return True if a variable lists several values, all of which are true."""
        return any(value in items for items in self._lists.values())

    @cached_property
    def _lists(self) -> dict[str, tuple[str, ...]]:
        """Variables that list several values, in any form."""
        return {name: items for name, value in self.case.variables.items() if len(items := _items(value)) > 1}

    def is_slip(self, word: str) -> bool:
        """Return True if a word is a misspelling of these texts, and the user misspells."""
        return is_misspelling(self.case) and (word in self._tokens or is_near(word, self._long))

    @cached_property
    def _tokens(self) -> frozenset[str]:
        return frozenset(word for text in self.texts for word in tokens(text))

    @cached_property
    def _long(self) -> frozenset[str]:
        return frozenset(word for word in self._tokens if len(word) > 3)

    @cached_property
    def context(self) -> ExtractionContext:
        return extraction_context(self.case)

    @cached_property
    def typed(self) -> TypedText:
        """Typed values of all texts on the sheet."""
        found = [typed_text(text, self.context) for text in self.texts]
        return TypedText(
            tuple(value for each in found for value in each.values),
            frozenset[str]().union(*(each.implied for each in found)),
        )

    @cached_property
    def alternative_words(self) -> frozenset[str]:
        """Words of all alternatives."""
        return frozenset[str]().union(*(other.words for other in self.alternatives))

    @cached_property
    def counts(self) -> dict[str, frozenset[int]]:
        """Numbers of counted things: {bag: {4}} for "4 bags"; the key "" has all numbers and their sums."""
        goals = [without_typed(goal.text, self.context) for goal in self.case.goals]
        firsts = [without_typed(goal.first, self.context) for goal in self.case.goals if goal.first]
        found = counts_in(goals, [without_typed(text, self.context) for text in self.texts])
        return {**counts_in(firsts, ()), **found} if firsts else found

    def slots(self, kind: str) -> tuple[str, ...]:
        """Return the facts and variables that have a value of a kind, such as `phone`."""
        return tuple(
            dict.fromkeys(
                fact.slot
                for fact in self.sheet.facts
                if any(typed_text(value, self.context).has(kind) for value in fact.values)
            )
        )

    def touched(self, *variables: str) -> tuple[str, ...]:
        """Return variables and the goals that use them, as a fault `touches` them."""
        numbered = enumerate(self.case.goals, 1)
        goals = (f"goal:{number}" for number, goal in numbered if not set(variables).isdisjoint(goal.variables))
        return (*variables, *goals)


def _items(value: Json) -> tuple[str, ...]:
    """Return the texts in a list, which may have mappings as items, or in a text that lists them."""
    if isinstance(value, list):
        inside = [each for item in value for each in (item.values() if isinstance(item, dict) else (item,))]
        return tuple(each for each in inside if isinstance(each, str))
    if not isinstance(value, str):
        return ()
    parts = value.split(";") if ";" in value else value.split(",")
    return tuple(_NUMBERING.sub("", part).strip() for part in parts)


_NUMBERING = re.compile(r"^\s*\d+\s*[:.)]\s*")


def _before(case: Case, change: ChangeOfMind) -> Iterator[str]:
    """Yield the goals of a user that has not changed its mind yet: "a damage of 800 euros"."""
    for goal in case.goals:
        if change.variable in goal.variables:
            yield re.sub(rf"(?<!\w){re.escape(change.final)}(?!\w)", lambda _: change.first, goal.text)


def _texts_of(goal: Goal) -> tuple[str, ...]:
    return (
        goal.text,
        *filter(None, (goal.first, goal.about)),
        *goal.otherwise,
        *[answer.says for answer in goal.answers],
    )


def wanted(case: Case, variable: str) -> tuple[str, ...]:
    """Return the values of a variable as texts."""
    return texts(case.variables.get(variable))
