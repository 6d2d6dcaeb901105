"""The agent's tools as a server of tools speaks of them: what a tool is called there, and how its arguments are named.

A call is a POST of `{"call": {"retell_llm_dynamic_variables": {"session_id": ...}}, "args": {...}}` to `URL/TOOL`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sparring.core.value import Json

Arguments = dict[str, Json]


def _same(arguments: Arguments) -> Arguments:
    return arguments


@dataclass(frozen=True, slots=True)
class There:
    """A tool on a server: its name, its arguments made from ours, and ours read from its."""

    name: str
    to: Callable[[Arguments], Arguments] = _same
    back: Callable[[Arguments], Arguments] = _same


def _items(arguments: Arguments) -> Arguments:
    names = {"product": "product_code", "packaging": "packaging_type"}
    return {"items": [{names.get(name, name): value for name, value in arguments.items()}]}


def _item(arguments: Arguments) -> Arguments:
    names = {"product_code": "product", "packaging_type": "packaging"}
    items = arguments.get("items")
    first = items[0] if isinstance(items, list) and items else {}
    return {names.get(name, name): value for name, value in first.items()} if isinstance(first, dict) else {}


def _products(arguments: Arguments) -> Arguments:
    return {"items": [arguments.get("product")]}


def _product(arguments: Arguments) -> Arguments:
    items = arguments.get("items")
    return {"product": ", ".join(map(str, items)) if isinstance(items, list) else ""}


def _place(arguments: Arguments) -> Arguments:
    said = str(arguments.get("location", ""))
    return {"location_id": int(said)} if said.isdecimal() else {"location": said}


def _location(arguments: Arguments) -> Arguments:
    return {"location": str(arguments.get("location_id", arguments.get("location", "")))}


WIRE: Mapping[str, There] = {
    "find_products": There("rag_find_products"),
    "add_to_cart": There("add_to_cart", _items, _item),
    "remove_from_cart": There("remove_from_cart", _products, _product),
    "show_cart": There("get_cart"),
    "set_current_location": There("set_current_location", _place, _location),
}
"""The tools that have other names or arguments there; all others are the same."""


def there(name: str) -> There:
    return WIRE.get(name) or There(name)
