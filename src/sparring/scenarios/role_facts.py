"""Facts of the user that a file declares, made-up identities, and variables that stay unsaid."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from sparring.core.case import Case, Fact
from sparring.core.seeding import random_for
from sparring.extraction.role_sheet import role_sheet
from sparring.scenarios.field_reader import FieldReader
from sparring.scenarios.field_types import SINGLE, TEXTS, AnyOf, EntriesOf, Key, ListOf, OneOf, Record
from sparring.scenarios.placeholders import as_text, fill, to_json

_IDENTITY = OneOf(("reserved",))
ROLE_FACTS = Record(
    {
        "facts": Key(
            EntriesOf(AnyOf((SINGLE, ListOf(SINGLE, least=1)))),
            "what the user knows about itself and says when it is asked, such as `name`, `phone` or `availability`",
        ),
        "identity": Key(
            _IDENTITY,
            "`reserved` makes up a name, a phone number, an email and a postal address that are reserved for examples",
        ),
        "hidden": Key(TEXTS, "variables that the user must never say"),
    }
)

_FIRST_NAMES = ("Alex", "Casey", "Dana", "Iris", "Jamie", "Morgan", "Robin", "Sam", "Tess", "Vera")
_LAST_NAMES = ("Amber", "Birch", "Cole", "Dale", "Elder", "Hale", "Lind", "Marsh", "Reed", "Stone")
_STREETS = ("Sample Street", "Example Road", "Test Lane", "Model Avenue")
_PHONES = range(100, 200)
"""Last three digits of the phone numbers 555-0100 to 555-0199, which are reserved for fiction."""


@dataclass(frozen=True, slots=True)
class RoleFacts:
    """Declared facts with open placeholders, hidden variables, and True for a made-up identity."""

    facts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    hidden: tuple[str, ...] = ()
    reserved: bool = False
    phrases: tuple[tuple[FieldReader, str], ...] = ()

    def added(self, case: Case) -> Case:
        """Return the case with these facts, also in answers that name one.

        An identity only adds facts that are not stated elsewhere.
        """
        if not (self.facts or self.hidden or self.reserved):
            return case
        facts = tuple(
            Fact(slot=slot, values=tuple(fill(each, case.variables) for each in values)) for slot, values in self.facts
        )
        named = {fact.slot: fact.values[0] for fact in facts if fact.values and fact.slot not in case.variables}
        case = case.model_copy(
            update={
                "facts": (*case.facts, *facts),
                "answers": {asked: named.get(said, said) for asked, said in case.answers.items()},
                "unspoken": tuple(dict.fromkeys((*case.unspoken, *self.hidden))),
            }
        )
        if not self.reserved:
            return case
        sheet = role_sheet(case)
        made_up = (fact for fact in _identity(random_for(case, "identity")) if not sheet.values(fact.slot))
        return case.model_copy(update={"facts": (*case.facts, *made_up)})


def role_facts(fields: Mapping[str, Sequence[FieldReader]], variables: Collection[str]) -> RoleFacts:
    """Parse the keys of `ROLE_FACTS`; of several facts for one slot, the last counts."""
    facts: dict[str, tuple[str, ...]] = {}
    phrases: list[tuple[FieldReader, str]] = []
    for slot, part in (entry for each in fields.get("facts", ()) for entry in each.entries()):
        facts[slot] = tuple(_values(part))
        phrases += [(part, value) for value in facts[slot]]
    hidden = [name for each in fields.get("hidden", ()) for name in _hidden(each, variables)]
    identities = [each.one_of(_IDENTITY) for each in fields.get("identity", ())]
    return RoleFacts(tuple(facts.items()), tuple(hidden), identities[-1:] == ["reserved"], tuple(phrases))


def _values(part: FieldReader) -> Iterator[str]:
    items = part.listed()
    if not items:
        part.report("there is no value")
    for item in items:
        if isinstance(item.data, list | dict | None):
            item.report("should be a text, a number, or a list of these")
        else:
            yield item.text() if isinstance(item.data, str) else as_text(to_json(item.data))


def _hidden(part: FieldReader, variables: Collection[str]) -> Iterator[str]:
    for item in part.listed():
        name = item.text()
        if name in variables:
            yield name
        elif name:
            item.report(f"{name!r} is not a variable", item.suggestion(name, variables))


def _identity(random: Random) -> Iterator[Fact]:
    """Yield a name and what belongs to it, from ranges that are reserved for examples."""
    first, last = random.choice(_FIRST_NAMES), random.choice(_LAST_NAMES)
    for slot, value in (
        ("name", f"{first} {last}"),
        ("phone", f"555-0{random.choice(_PHONES)}"),
        ("email", f"{first}.{last}@example.com".lower()),
        ("address", f"{random.randint(1, 99)} {random.choice(_STREETS)}, Springfield"),
    ):
        yield Fact(slot=slot, values=(value,), source="sparring")
