"""What the wholesaler sells and who bought what before, read from catalogue.yaml."""

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from pydantic import PositiveInt

from sparring import parsing
from sparring.core.value import Value
from sparring.extraction.packagings import packaging_in
from sparring.extraction.tokens import singulars, stems

FOLDER = Path(__file__).parent
_ENOUGH = 0.5
"""How much of what a customer says has to be in a product's name to mean it."""

_AND = re.compile(r"\s*[,;&]\s*|\s+(?:и|and)\s+")


class Product(Value):
    """Something to buy: in each of its packagings so many pieces, for so many roubles."""

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
        """What has to be said at least to name it in full, in either language."""
        return stems(self.ru), stems(self.en), stems(self.code)


class Bought(Value):
    """Something that a customer ordered before."""

    product: str
    quantity: PositiveInt | None = None
    packaging: str = ""


class Customer(Value):
    """Somebody who calls, and what was ordered before."""

    name: str
    history: tuple[Bought, ...] = ()


class Catalogue(Value):
    """Everything the wholesaler knows by itself."""

    products: tuple[Product, ...]
    customers: dict[str, Customer] = {}

    @cached_property
    def by_code(self) -> Mapping[str, Product]:
        return {product.code: product for product in self.products}

    @cached_property
    def _by_stem(self) -> Mapping[str, tuple[int, ...]]:
        """Where the products stand that have a stem in their names."""
        stems_of = {stem for product in self.products for stem in product.stems}
        return {stem: tuple(at for at, each in enumerate(self.products) if stem in each.stems) for stem in stems_of}

    def _having(self, said: frozenset[str]) -> tuple[Product, ...]:
        """The products with any of these stems in their names."""
        return tuple(self.products[at] for at in sorted({at for stem in said for at in self._by_stem.get(stem, ())}))

    def meant(self, words: str, among: tuple[Product, ...] = ()) -> tuple[Product, ...]:
        """The products that these words may mean: one if they are plain, none if nothing is called like that.

        Where they name a product in full, a longer name that has them in it is not meant.
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


def apart(words: str) -> list[str]:
    """The things in an enumeration, without what they are packed in: "milk and a box of sugar" are milk and sugar."""
    return [part for part in _AND.split(words.strip()) if stems(part) and stems(part) - _packaging(part)]


def _packaging(words: str) -> frozenset[str]:
    return frozenset(stem for word in words.split() if packaging_in(word) for stem in stems(word))


def read(path: Path = FOLDER / "catalogue.yaml") -> Catalogue:
    """The catalogue in a file."""
    return parsing.validate(parsing.load(path), Catalogue)


CATALOGUE: Catalogue = read()
