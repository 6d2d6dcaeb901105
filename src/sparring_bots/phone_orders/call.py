"""The customer of a call and what the wholesaler knows: the variables of a case in all accepted forms."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from sparring.core.errors import ChatbotError
from sparring.core.value import Json
from sparring_bots.phone_orders.catalogue import Bought, Catalogue, parse_catalogue
from sparring_bots.phone_orders.delivery_days import DeliveryDays, days, spoken
from sparring_bots.phone_orders.packaging import packaging_in

_ALSO = {"NAME": "CLIENT_NAME", "SCENARIO_PURCHASE_HISTORY": "PURCHASE_HISTORY"}
_NUMBERED = re.compile(r"\s*(\d{1,9})\s*[:.)–—-]\s*(.+)")
_QUANTITY = re.compile(r"(?<![\w.,])(\d{1,6})(?![\w]*[.,%]?\d)")
_MAX_NAME = 3
"""Maximum number of words of a name in a list with commas."""

_WORKING_DAYS = (0, 1, 2, 3, 4)


@dataclass(frozen=True, slots=True)
class Location:
    """A delivery address."""

    id: int
    address: str


@dataclass(frozen=True)
class Call:
    """The facts that are known when a call begins."""

    catalogue: Catalogue
    language: str
    name: str
    today: date
    days: DeliveryDays
    locations: tuple[Location, ...]
    history: tuple[Bought, ...]

    def prompt(self) -> dict[str, Json]:
        """Return the facts in words, for the prompt."""
        history = [_line(bought, self.catalogue, self.language) for bought in self.history]
        return {
            "CLIENT_NAME": self.name,
            "CURRENT_DATE": f"{self.today.isoformat()} ({spoken(self.today, self.language)})",
            "LOCATIONS": "; ".join(f"{each.id}: {each.address}" for each in self.locations) or "-",
            "DELIVERY_DAYS": ", ".join(self.days.spoken(self.language)),
            "PURCHASE_HISTORY": "; ".join(history) or "-",
        }


def upper(variables: Mapping[str, Json]) -> dict[str, Json]:
    """Return variables by upper-case names; of two spellings, a value beats an empty one."""
    found: dict[str, Json] = {}
    for name, value in variables.items():
        capital = name.upper()
        for known in (capital, _ALSO.get(capital, "")):
            if known and found.get(known) in (None, "", []):
                found[known] = value
    return found


def call(variables: Mapping[str, Json], catalogue: Catalogue, *, language: str, today: date) -> Call:
    """Parse the variables of a case; raise a `ChatbotError` with those that cannot be parsed."""
    given = upper(variables)
    catalogue = parse_catalogue(given["CATALOGUE"], catalogue) if given.get("CATALOGUE") else catalogue
    customer = catalogue.customers.get(str(given.get("CLIENT_ID", "")))
    today = _today(given.get("CURRENT_DATE"), today)
    delivery = days(given["DELIVERY_DAYS"], today) if given.get("DELIVERY_DAYS") else DeliveryDays(today, _WORKING_DAYS)
    if delivery is None:
        raise ChatbotError(_no_day(given["DELIVERY_DAYS"]))
    history = tuple(_history(given.get("PURCHASE_HISTORY"), catalogue))
    return Call(
        catalogue=catalogue,
        language=language,
        name=str(given.get("CLIENT_NAME") or (customer.name if customer else "")),
        today=today,
        days=delivery,
        locations=tuple(_locations(given.get("LOCATIONS") or given.get("LOCATION"))),
        history=history or (customer.history if customer else ()),
    )


def unreadable(variables: Mapping[str, Json]) -> Iterator[str]:
    """Return the problems with the variables of a case, to report them before the call."""
    given, today = upper(variables), date(2000, 1, 1)
    try:
        today = _today(given.get("CURRENT_DATE"), today)
    except ChatbotError as error:
        yield str(error)
    if given.get("DELIVERY_DAYS") and days(given["DELIVERY_DAYS"], today) is None:
        yield _no_day(given["DELIVERY_DAYS"])
    try:
        parse_catalogue(given.get("CATALOGUE") or [])
    except ChatbotError as error:
        yield str(error)


def _no_day(value: Json) -> str:
    return f"DELIVERY_DAYS names no day: {str(value)[:80]!r}"


def _today(value: Json, default: date) -> date:
    if not value:
        return default
    try:
        return date.fromisoformat(str(value).strip()[:10])
    except ValueError as error:
        raise ChatbotError(f"CURRENT_DATE is not a date like 2026-02-03: {str(value)[:80]!r}") from error


def _entries(value: Json) -> list[Json]:
    """Return the entries of a list, of JSON in a text, or of a text with line breaks or semicolons."""
    if isinstance(value, str):
        if value.lstrip().startswith(("[", "{")):
            try:
                return _entries(json.loads(value))
            except ValueError:
                pass
        return [*listed(value)]
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def listed(text: str) -> tuple[str, ...]:
    """Return the entries of a list in a text: between semicolons or line breaks, or names between commas.

    Commas in an address, which has numbers, separate nothing.
    """
    parts = [part.strip() for part in re.split(r"[;\n]", text) if part.strip()]
    if len(parts) == 1 and "," in text and not any(character.isdigit() for character in text):
        names = [part.strip() for part in text.split(",") if part.strip()]
        parts = names if all(len(name.split()) <= _MAX_NAME for name in names) else parts
    return tuple(parts)


def _locations(value: Json) -> Iterator[Location]:
    """Return addresses; those without a number are numbered."""
    for number, entry in enumerate(_entries(value), 1):
        if isinstance(entry, dict) and "address" not in entry and "name" not in entry:
            yield from (
                Location(int(id) if str(id).isdecimal() else place, str(address))
                for place, (id, address) in enumerate(entry.items(), 1)
            )
        elif isinstance(entry, dict):
            id = entry.get("id", entry.get("location_id", number))
            address = entry.get("address", entry.get("name"))
            yield Location(int(str(id)) if str(id).isdecimal() else number, str(address))
        else:
            numbered = _NUMBERED.fullmatch(str(entry))
            yield Location(int(numbered[1]), numbered[2]) if numbered else Location(number, str(entry))


def _history(value: Json, catalogue: Catalogue) -> Iterator[Bought]:
    """Return earlier purchases in the catalogue: codes, names, `name - 2 boxes`, or mappings."""
    for entry in _entries(value):
        given: dict[str, Json] = {}
        text = str(entry)
        if isinstance(entry, dict):
            given = entry
            named = (entry.get(key) for key in ("code", "product_code", "product", "name", "title"))
            text = next((str(name) for name in named if name), "")
        elif isinstance(entry, list) and len(entry) == 2:
            text = str(entry[1])
        number = _QUANTITY.search(text) if not given else None
        quantity = given.get("qty", given.get("quantity", number[1] if number else None))
        packaging = packaging_in(str(given.get("packaging", text)))
        words = text if number is None else text[: number.start()] + text[number.end() :]
        meant = catalogue.meant(" ".join(word for word in words.split() if not packaging_in(word)))
        if len(meant) == 1:
            count = int(str(quantity)) if str(quantity).isdecimal() and int(str(quantity)) > 0 else None
            yield Bought(product=meant[0].code, quantity=count, packaging=packaging)


def _line(bought: Bought, catalogue: Catalogue, language: str) -> str:
    name = catalogue.by_code[bought.product].name(language)
    return f"{name} ({bought.product}), {bought.quantity or ''} {bought.packaging}".strip(" ,")
