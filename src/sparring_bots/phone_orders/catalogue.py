"""The catalogue and the customers of the wholesaler (catalogue.yaml), and catalogues of scenarios."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path

from pydantic import PositiveInt, ValidationError

from sparring import parsing
from sparring.core.errors import ChatbotError
from sparring.core.value import Json, Value
from sparring.extraction.tokens import singulars, stems
from sparring_bots.phone_orders.packaging import packaging_in

FOLDER = Path(__file__).parent
_ENOUGH = 0.5
"""The share of a customer's words that must be in a product's name to mean it."""

_COURTESY = re.compile(r"\b(?:please|пожалуйста)\b", re.IGNORECASE)
_AND = re.compile(r"\s*[,;&]\s*|\s+(?:и|and)\s+")


class Product(Value):
    """A product: by unit of packaging, the number of pieces and the price in roubles."""

    code: str
    ru: str
    en: str
    also: tuple[str, ...] = ()
    packs: dict[str, tuple[PositiveInt, PositiveInt]]
    stock: PositiveInt

    def name(self, language: str) -> str:
        return self.ru if language == "Russian" else self.en

    @cached_property
    def stems(self) -> frozenset[str]:
        return stems(" ".join((self.code, self.ru, self.en, *self.also)))

    @cached_property
    def words(self) -> frozenset[str]:
        return singulars(" ".join((self.code, self.ru, self.en, *self.also)))

    @cached_property
    def names(self) -> tuple[frozenset[str], ...]:
        """The least that names the product in full, in either language."""
        return stems(self.ru), stems(self.en), stems(self.code)


class Bought(Value):
    """An item of an earlier order."""

    product: str
    quantity: PositiveInt | None = None
    packaging: str = ""


class Customer(Value):
    """A caller and the earlier orders."""

    name: str
    history: tuple[Bought, ...] = ()


class Catalogue(Value):
    """Products and customers."""

    products: tuple[Product, ...]
    customers: dict[str, Customer] = {}

    @cached_property
    def by_code(self) -> Mapping[str, Product]:
        return {product.code: product for product in self.products}

    @cached_property
    def _by_stem(self) -> Mapping[str, tuple[int, ...]]:
        """Positions of the products by the stems in their names."""
        stems_of = {stem for product in self.products for stem in product.stems}
        return {stem: tuple(at for at, each in enumerate(self.products) if stem in each.stems) for stem in stems_of}

    def _having(self, said: frozenset[str]) -> tuple[Product, ...]:
        """Return the products with any of these stems in their names."""
        return tuple(self.products[at] for at in sorted({at for stem in said for at in self._by_stem.get(stem, ())}))

    def meant(self, words: str, among: tuple[Product, ...] = ()) -> tuple[Product, ...]:
        """Return the products that these words may mean: one if they are unambiguous, none if none fits.

        If the words name a product in full, longer names that contain it are not meant.
        """
        said = stems(words)
        alike = among or self._having(said)
        best = max((len(said & product.stems) for product in alike), default=0)
        if not best or best < _ENOUGH * len(said):
            return ()
        found = [product for product in alike if len(said & product.stems) == best]
        closest = max(len(singulars(words) & product.words) for product in found)
        found = [product for product in found if len(singulars(words) & product.words) == closest]
        in_full = [product for product in found if any(name <= said for name in product.names)]
        return tuple(in_full or found)


def split_items(words: str) -> list[str]:
    """Split an enumeration into items without packaging: "milk and a box of sugar" is milk and sugar."""
    return [
        part for part in _AND.split(_COURTESY.sub(",", words).strip()) if stems(part) and stems(part) - _packaging(part)
    ]


def _packaging(words: str) -> frozenset[str]:
    return frozenset(stem for word in words.split() if packaging_in(word) for stem in stems(word))


@cache
def shipped_catalogue() -> Catalogue:
    """Load catalogue.yaml."""
    return parsing.validate(parsing.load(FOLDER / "catalogue.yaml"), Catalogue)


_PLENTY = 1_000_000


def parse_catalogue(value: Json, ours: Catalogue | None = None) -> Catalogue:
    """Parse the catalogue in a variable, with the customers of `ours`.

    It is a list of `{code, name, packs, stock}`, or the same as JSON in a text. `packs` maps each unit of packaging to
    its price, or to the number of pieces and the price. Raises a `ChatbotError` with all problems.
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
    problems += [f"CATALOGUE: the code {code!r} is listed twice" for code in dict.fromkeys(_twice(codes))]
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
            raise ChatbotError(f"CATALOGUE is neither a list of products nor JSON: {error}") from error
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
            raise ValueError(f"packs: {written!r} is not a known packaging: box, bag, bottle, kg, piece, ...")
        yield kind, price if isinstance(price, list) else [1, price]


def _reason(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _twice(codes: list[str]) -> Iterator[str]:
    yield from (code for at, code in enumerate(codes) if code in codes[:at])
