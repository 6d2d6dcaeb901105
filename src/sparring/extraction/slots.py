"""Questions about the user itself: which facts they ask for, and whether a proposed time suits it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sparring.core.case import Fact
from sparring.extraction.availability import nearest, proposed, suits
from sparring.extraction.extractor import NO_CONTEXT, ExtractionContext
from sparring.extraction.facts import canonical_slot, noun_of_id
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.role_words import role_words
from sparring.extraction.tokens import cached, fold, pattern, stems

_NAME = pattern(r"(?:name|called|heiss|llama|nombre|appel|nom\b|chiama|nome\b|chama|зовут|кличк|имя)")
_ORDER = pattern("order|pedido|orden|encomenda|bestell|auftrag|commande|ordine|заказ")
_MAIL = re.compile(r"mail|corr|posta\b|electr|eletr|elettr|почт")
_OWN_FORMS = frozenset({"name", "phone", "email", "address", "age", "birth_date", "budget", "availability", "id"})


@dataclass(frozen=True, slots=True)
class AskedSlots:
    """Slots that a question asks for: facts that the user has, and slots of which it knows nothing."""

    facts: tuple[Fact, ...] = ()
    missing: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.facts or self.missing)


def asked_slots(question: str, facts: Sequence[Fact]) -> AskedSlots:
    """Return the slots that a question asks for, in the order of the question.

    A fact of the author's own, such as `favourite color`, is asked for by all words of its name. A variable that is no
    known slot is not considered: `questions` finds these.
    """
    plain = fold(question)
    known = {fact.slot: fact for fact in facts}
    found = dict.fromkeys(slot for _, slot in sorted(_asked(plain)))
    if "email" in found and "address" in found and plain.count("address") < 2:
        by_post = "email" not in known and "address" in known and not _MAIL.search(plain)
        del found["email" if by_post else "address"]
    own = [fact for fact in facts if _is_own(fact) and _names(fact, plain) and not _is_another(fact, found)]
    if own:
        return AskedSlots(tuple(own))
    if "phone" in found and "phone" not in known and "email" in known:
        found = dict.fromkeys("email" if slot == "phone" else slot for slot in found)
    if "availability" in found and "availability" not in known:
        del found["availability"]
    if "id" in found and "id" in known:
        same = next((fact for fact in facts if fact.slot == "id" and _is_same_id(fact, plain)), None)
        known = {**known, "id": same} if same else {slot: fact for slot, fact in known.items() if slot != "id"}
    return AskedSlots(
        tuple(known[slot] for slot in found if slot in known), tuple(slot for slot in found if slot not in known)
    )


def _is_own(fact: Fact) -> bool:
    return fact.slot not in _OWN_FORMS and fact.source != "variable"


def _is_another(fact: Fact, found: Mapping[str, object]) -> bool:
    """Return True if a question is for other slots than a fact's: "adresse électronique" is no "adresse"."""
    slot = canonical_slot(fact.slot)
    return bool(found and slot) and slot not in found


def _names(fact: Fact, plain: str) -> bool:
    """Return True if a question names a fact; a pet's name is asked for by words for both."""
    slot, said = fold(fact.slot), stems(plain)
    kinds = " ".join(words.kinds[slot] for words in role_words() if slot in words.kinds)
    if kinds and fact.values[0][:1].isupper():
        return _NAME.search(plain) is not None and not said.isdisjoint(stems(f"{slot} {kinds}"))
    wanted = stems(slot.replace("_", " "))
    return bool(wanted) and wanted <= said


@cached
def _asked(plain: str) -> tuple[tuple[int, str], ...]:
    """Return the known slots of a question with their places."""
    found: dict[str, int] = {}
    for words in role_words():
        for slot, asked in words.asked.items():
            match = asked.search(plain)
            if match and not (slot == "name" and words.not_own_name.search(plain)):
                found.setdefault(slot, match.start())
    return tuple((at, slot) for slot, at in found.items())


def asks_availability(question: str) -> bool:
    """Return True if a question asks whether, or when, the user can come."""
    return any(slot == "availability" for _, slot in _asked(fold(question)))


def _is_same_id(fact: Fact, plain: str) -> bool:
    """Return True if a question for a number names no other thing than the fact: an order, an account."""
    quote, of = fold(fact.quote), noun_of_id(fact)
    for words in role_words():
        match = words.asked["id"].search(plain)
        noun = next(filter(None, match.groups()), None) if match else None
        if noun and quote:
            if _ORDER.search(noun) and _ORDER.search(f"{quote} {of}"):
                return True
            return not stems(noun).isdisjoint(stems(of)) if of else noun in quote
    return True


def fact_sentence(fact: Fact, book: Phrasebook) -> str:
    """Return a fact as the user says it: "My name is Ann Clark." """
    return book.facts.get(fact.slot, "{}").format(f" {book.or_} ".join(fact.values))


def fit(
    question: str, facts: Sequence[Fact], context: ExtractionContext = NO_CONTEXT
) -> tuple[Literal["", "yes", "no"], str]:
    """Return yes if a proposed day or time suits the user, or no and the nearest time that does.

    The answer is empty if nothing is proposed, or if the user said nothing about when it is free.
    """
    values = next((fact.values for fact in facts if fact.slot == "availability"), ())
    proposal = proposed(question, context) if values else ()
    if not proposal:
        return "", ""
    return ("yes", "") if suits(values, proposal) else ("no", nearest(values, proposal))
