"""The order that a customer wants: ORDER_GOAL, and the goals of the simulated user.

Every item has one shape, however it is written: `{name, qty, packaging, code, from_history}`. An item with `removed` is
ordered and taken back later; an item with a `first_qty` is first ordered in that quantity.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from sparring.core.case import AnswerHint, Goal
from sparring.core.errors import InputError
from sparring.core.value import Json
from sparring.extraction.tokens import tokens
from sparring.parsing import Data
from sparring.parsing.json_reader import JsonDocument
from sparring.scenarios.field_reader import FieldReader
from sparring.scenarios.field_types import BOOLEAN, SINGLE, TEXT, AnyOf, Key, ListOf, Record
from sparring_bots.phone_orders.packaging import counted, packaging_in, packed

Item = dict[str, Json]

_NUMBER = re.compile(r"\s*-?[0-9]{1,15}([.,][0-9]{1,15})?\s*")

_ITEM = Record(
    {
        "name": Key(TEXT, required=True, also=("title",)),
        "qty": Key(SINGLE, also=("quantity",)),
        "packaging": Key(TEXT, also=("packaging_type",)),
        "code": Key(SINGLE, also=("product_code",)),
        "from_history": Key(BOOLEAN),
        "removed": Key(BOOLEAN),
        "first_qty": Key(SINGLE),
    }
)

_LISTED = AnyOf((TEXT, _ITEM, ListOf(SINGLE)))
ORDER = AnyOf((TEXT, _ITEM, ListOf(_LISTED)))
"""The forms of an ORDER_GOAL."""


def parse_order(part: FieldReader, *, most: int) -> list[Item]:
    """Parse an ORDER_GOAL: a list, or the same as JSON in a text; any other text is one item.

    If there are more than `most`, report a problem and return the first.
    """
    data = part.data
    if isinstance(data, str):
        if not data.lstrip().startswith(("[", "{")):
            return [_named(part)] if data.strip() else []
        try:
            data = JsonDocument(data).data
        except InputError as error:
            part.report(error.problems[0].message, "write a list without quotes around it")
            return []
    listed = part.with_data(data if isinstance(data, list) else [data])
    items = [item for inner in listed.items(most=most, what="things to order") for item in _item(inner)]
    if not listed.data:
        part.report("there are no items to order")
    return items


def _item(part: FieldReader) -> list[Item]:
    if isinstance(part.data, str):
        return [_named(part)]
    if isinstance(part.data, list):
        return _pair(part, part.data)
    fields = part.fields(_ITEM)
    if "name" not in fields:
        return []
    item: Item = {"qty": _single(fields["qty"])} if "qty" in fields else {}  # first, as a person says it: 2 milk
    item["name"] = fields["name"].text()
    if "packaging" in fields:
        item["packaging"] = fields["packaging"].text()
    item |= {name: _single(fields[name]) for name in ("code", "first_qty") if name in fields}
    for name in ("qty", "first_qty"):
        if _too_few(item.get(name)):
            fields[name].report("should be greater than 0")
    item |= {name: fields[name].boolean() for name in ("from_history", "removed") if name in fields}
    return [item]


def _too_few(qty: Json) -> bool:
    """Return True if a quantity is a number, even as text, that cannot be ordered."""
    number = _NUMBER.fullmatch(str(qty))
    return number is not None and float(number[0].replace(",", ".")) <= 0


def _pair(part: FieldReader, pair: list[Data]) -> list[Item]:
    """Parse `[title, code]`, the form of newer files."""
    if len(pair) != 2:
        part.report("should be a name, [name, code], or {name, qty}")
        return []
    items = part.items()
    return [{"name": items[0].text(), "code": _single(items[1])}]


def _named(part: FieldReader) -> Item:
    return {"name": part.text()}


def _single(part: FieldReader) -> Json:
    if isinstance(part.data, str | int | float) and not isinstance(part.data, bool):
        return part.data
    part.report("should be a number or text")
    return None


_MAX_NAMED = 500
"""Maximum characters of a name that the pattern for a question about it has."""

_OFTEN = 0.5
"""The probability that a customer of vagueness 1 leaves out a detail."""


@dataclass(frozen=True, slots=True)
class OrderWording:
    """The wording of an order in one language."""

    language: str
    packed: str
    as_before: str
    like_before: str
    change: str
    remove: str
    last_word: bool
    """True if the last word of a name is its noun: whole milk is milk."""


_RUSSIAN = OrderWording(
    "Russian",
    "{name} — {amount}",
    "{text}, как в прошлый раз",
    "как в прошлый раз",
    "изменить количество: {text}",
    "убрать: {name}",
    last_word=False,
)
_ENGLISH = OrderWording(
    "English",
    "{amount} of {name}",
    "{text}, as last time",
    "as last time",
    "change {name} to {amount}",
    "remove {name}",
    last_word=True,
)
PACKAGING = r"упаков|фасов|\bpackag|\bpacked\b"
HOW_MANY = r"скольк|количеств|\bhow (?:many|much)\b|\bquantity\b"
_KINDS = r"\bwhich (?:one|product|item|kind|sort|type|brand|of)\b|\bwhat (?:kind|sort|type)\b"
_WHICH = rf"именно|как(?:ой|ая|ое|ие|ую) товар|{_KINDS}"


def goals(items: Sequence[Item], language: str, vagueness: int, random: Random) -> tuple[Goal, ...]:
    """Return the goals for ordering the items, worded by `vagueness` (AMB_LEVEL), then later changes."""
    wording = _RUSSIAN if language == "Russian" else _ENGLISH
    names = frozenset(str(item["name"]).casefold() for item in items)
    return (*(_order(item, names, wording, vagueness, random) for item in items), *_changes(items, wording))


def _order(item: Item, names: frozenset[str], wording: OrderWording, vagueness: int, random: Random) -> Goal:
    ordered = {**item, "qty": item["first_qty"]} if "first_qty" in item else item
    text = _said(ordered, wording)
    return Goal(
        text=text,
        first=_vague(ordered, text, names, wording, vagueness, random),
        answers=tuple(_answers(ordered, wording)),
        about=_about(text),
    )


def _about(text: str) -> str:
    """Return a text without units of packaging: "In what packaging: box or bag?" may be about any item."""
    words = tokens(text)
    kept = [word for word in words if not packaging_in(word)]
    return " ".join(kept) if len(kept) < len(words) else ""


def _changes(items: Sequence[Item], wording: OrderWording) -> Iterator[Goal]:
    for item in items:
        name = str(item["name"])
        if item.get("removed"):
            yield Goal(text=wording.remove.format(name=name))
        elif "first_qty" in item and "qty" in item:
            text = _said({**item, "from_history": False}, wording)
            yield Goal(text=wording.change.format(name=name, text=text, amount=_amount(item, wording)))


def _said(item: Item, wording: OrderWording) -> str:
    """Return an item in full: `2 boxes of milk`, `2 milk`, `milk`."""
    name, qty = str(item["name"]), item.get("qty")
    if qty is None:
        text = f"{name} ({item['packaging']})" if "packaging" in item else name
    elif "packaging" in item:
        text = wording.packed.format(name=name, amount=_amount(item, wording))
    else:
        text = wording.packed.format(name=name, amount=qty) if packaging_in(str(qty)) else f"{qty} {name}"
    return wording.as_before.format(text=text) if item.get("from_history") else text


def _amount(item: Mapping[str, Json], wording: OrderWording) -> str:
    """Return the quantity and the packaging: `2 boxes`, `2`, `2 kg`."""
    qty, packaging = item.get("qty"), str(item.get("packaging", ""))
    if isinstance(qty, int | float) and packaging:
        return counted(qty, packaging, wording.language)
    return f"{qty} {packaging}".strip()


def _vague(item: Item, text: str, names: frozenset[str], wording: OrderWording, vagueness: int, random: Random) -> str:
    """Return the first mention of an item: in full, without a detail, by name, or by one word of it.

    The word must not be the whole name of another item: who wants potatoes and potato chips says so.
    """
    name = str(item["name"])
    short = name
    match vagueness:
        case 0:
            return ""
        case 1:
            if random.random() >= _OFTEN or "packaging" not in item or "qty" not in item:
                return ""
            short = f"{item['qty']} {name}"
        case 3:
            words = name.split()
            word = words[-1] if wording.last_word else words[0]
            short = name if word.casefold() in names else word
    short = wording.as_before.format(text=short) if item.get("from_history") else short
    return "" if short == text else short


def _answers(item: Item, wording: OrderWording) -> Iterator[AnswerHint]:
    if "qty" in item:
        yield AnswerHint(asked=HOW_MANY, says=_amount(item, wording))
    else:
        yield AnswerHint(asked=HOW_MANY, says=wording.like_before if item.get("from_history") else "1")
    if "packaging" in item:
        kind = packaging_in(str(item["packaging"]))
        yield AnswerHint(asked=PACKAGING, says=packed(kind, wording.language) if kind else str(item["packaging"]))
    yield AnswerHint(asked=which(str(item["name"])), says=str(item["name"]))


def which(name: str) -> str:
    """Return a pattern for "which one?" and "which milk?" that does not match "on which day?"."""
    words = "|".join(re.findall(r"\w+", name.lower()[:_MAX_NAMED]))
    return rf"{_WHICH}|\bwhich (?:\w+ )?(?:{words})\b" if words else _WHICH
