"""Role sheet: facts, manners and wishes of the user of a case, as data.

A simulated user acts by it, and the audit holds what the user said against it.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Literal

from sparring.core.case import Case, ChangeOfMind, Fact, Goal
from sparring.extraction.goals import texts
from sparring.extraction.phrasebooks import languages_of

_MAX_CACHED = 256


@dataclass(frozen=True, slots=True)
class Manner:
    """A way of talking, such as `terse`, and the words from which it was taken."""

    name: str
    strength: Literal[1, 2, 3] = 2
    quote: str = ""


@dataclass(frozen=True, slots=True)
class RoleSheet:
    """All that the user of a case knows, wants and is like.

    `hidden` are names of variables that the user must not say; `answers` the expectations of the author. Nothing was
    taken from the sentences that are `unread`.
    """

    goals: tuple[Goal, ...] = ()
    facts: tuple[Fact, ...] = ()
    manners: tuple[Manner, ...] = ()
    changes: tuple[ChangeOfMind, ...] = ()
    languages: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    patience: int = 3

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


def _made(case: Case) -> RoleSheet:
    stated = {fact.slot for fact in case.facts}
    variables = (
        Fact(slot=name, values=tuple(texts(value)), source="variable")
        for name, value in case.variables.items()
        if name not in case.unspoken and name not in stated and texts(value)
    )
    return RoleSheet(
        goals=case.goals,
        facts=(*case.facts, *variables),
        changes=case.changes,
        languages=languages_of(case),
        hidden=case.unspoken,
    )
