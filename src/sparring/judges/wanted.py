"""What a case wants to be ordered, as its variables say it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sparring.core.case import Case
from sparring.core.value import Json
from sparring.extraction.packagings import packaging_in

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Something that should be in the order; what is not said may be anything."""

    name: str
    code: str
    quantity: float | None
    packaging: str
    as_before: bool = False


def wanted(case: Case) -> tuple[Wanted, ...]:
    """What the case wants to be ordered; what is taken back later is not wanted."""
    goal = next((value for name, value in case.variables.items() if name.upper() == "ORDER_GOAL"), None)
    entries = goal if isinstance(goal, list) else []
    return tuple(_wanted(each) for each in entries if isinstance(each, dict) and not each.get("removed"))


def variable(case: Case, name: str) -> str:
    """A variable as text, whatever the case of its name; empty if there is none, or it is no single value."""
    value = next((value for key, value in case.variables.items() if key.upper() == name and value), None)
    return str(value) if isinstance(value, str | int) else ""


def _wanted(item: Mapping[str, Json]) -> Wanted:
    qty = item.get("qty")
    number = _NUMBER.search(str(qty)) if qty is not None else None
    packaging = str(item.get("packaging") or "") or (packaging_in(str(qty)) if isinstance(qty, str) else "")
    quantity = float(number[0].replace(",", ".")) if number else None
    code, as_before = str(item.get("code") or ""), bool(item.get("from_history"))
    return Wanted(str(item.get("name", "")), code, quantity, packaging, as_before)
