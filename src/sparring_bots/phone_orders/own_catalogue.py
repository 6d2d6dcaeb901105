"""A catalogue that a scenario brings along, in place of the wholesaler's own."""

import json
from collections.abc import Iterator, Mapping

from pydantic import ValidationError

from sparring.core.errors import ChatbotError
from sparring.core.value import Json
from sparring.extraction.packagings import packaging_in
from sparring_bots.phone_orders.catalogue import Catalogue, Product

_PLENTY = 1_000_000


def own(value: Json, ours: Catalogue | None = None) -> Catalogue:
    """The catalogue in a variable, with the customers of `ours`; a ChatbotError says everything that is wrong with it.

    It is a list of `{code, name, packs, stock}`, or the same as JSON in a text. `packs` has for each packaging what it
    costs, or how many pieces are in it and what that costs.
    """
    entries = _entries(value)
    products: list[Product] = []
    problems: list[str] = []
    for number, entry in enumerate(entries):
        try:
            products.append(_product(entry))
        except (ValueError, TypeError) as error:
            problems.append(f"CATALOGUE[{number}]: {_reason(error)}")
    codes = [product.code for product in products]
    problems += [f"CATALOGUE: the code {code!r} is there twice" for code in dict.fromkeys(_twice(codes))]
    if problems:
        raise ChatbotError("; ".join(problems))
    known = set(codes)
    customers = {
        id: customer.model_copy(update={"history": tuple(each for each in customer.history if each.product in known)})
        for id, customer in (ours.customers if ours else {}).items()
    }
    return Catalogue(products=tuple(products), customers=customers)


def _entries(value: Json) -> list[Json]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError as error:
            raise ChatbotError(f"CATALOGUE is no list of products, and no JSON: {error}") from error
    if not isinstance(value, list):
        raise ChatbotError("CATALOGUE should be a list of {code, name, packs}")
    return value


def _product(entry: Json) -> Product:
    if not isinstance(entry, dict):
        raise TypeError("should be {code, name, packs}")
    if unknown := entry.keys() - {"code", "name", "ru", "en", "also", "packs", "stock"}:
        raise ValueError(f"there is no {sorted(unknown)[0]!r}; there are: code, name, ru, en, also, packs, stock")
    packs, also = entry.get("packs"), entry.get("also", [])
    if not isinstance(packs, dict) or not packs:
        raise ValueError("packs: should be a mapping of packagings to prices")
    name = entry.get("name")
    fields = {
        "code": str(entry.get("code", "")),
        "ru": str(entry.get("ru", name) or ""),
        "en": str(entry.get("en", name) or ""),
        "also": tuple(map(str, also)) if isinstance(also, list) else (str(also),),
        "packs": dict(_packs(packs)),
        "stock": entry.get("stock", _PLENTY),
    }
    if missing := [each for each in ("code", "ru", "en") if not fields[each]]:
        raise ValueError(f"{'name' if name is None and 'code' not in missing else missing[0]} is missing")
    return Product.model_validate(fields)


def _packs(packs: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    for written, price in packs.items():
        kind = packaging_in(written)
        if not kind:
            raise ValueError(f"packs: {written!r} is no packaging that is known: box, bag, bottle, kg, piece, ...")
        yield kind, price if isinstance(price, list) else [1, price]


def _reason(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _twice(codes: list[str]) -> Iterator[str]:
    yield from (code for at, code in enumerate(codes) if code in codes[:at])
