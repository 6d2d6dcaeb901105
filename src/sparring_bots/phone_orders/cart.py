"""What is ordered, and what was asked for and is not clear yet."""

from dataclasses import dataclass, replace

from sparring.core.value import Json
from sparring.extraction.packagings import counted, packed
from sparring_bots.phone_orders.catalogue import Product


@dataclass(frozen=True, slots=True)
class Line:
    """So many packagings of a product."""

    product: Product
    packaging: str
    quantity: int

    @property
    def price(self) -> int:
        return self.product.packs[self.packaging][1] * self.quantity

    @property
    def pieces(self) -> int:
        return self.product.packs[self.packaging][0] * self.quantity

    def say(self, language: str) -> str:
        return f"{self.product.name(language)}, {counted(self.quantity, self.packaging, language)}"

    def shown(self, language: str) -> dict[str, Json]:
        """The line as a program reads it."""
        return {
            "product_code": self.product.code,
            "name": self.product.name(language),
            "quantity": self.quantity,
            "packaging": packed(self.packaging, language),
            "price": self.price,
        }


@dataclass(frozen=True, slots=True)
class Wanted:
    """Something asked for: it may still be unclear which product, in what packaging, and how many."""

    products: tuple[Product, ...]
    packaging: str = ""
    quantity: int | None = None

    @property
    def product(self) -> Product | None:
        return self.products[0] if len(self.products) == 1 else None

    @property
    def line(self) -> Line | None:
        """The line it makes once everything is clear."""
        if self.product is None or not self.packaging or self.quantity is None:
            return None
        return Line(self.product, self.packaging, self.quantity)

    def settled(self) -> "Wanted":
        """With the only packaging there is, and without one that there is not."""
        if self.product is None or self.packaging in self.product.packs:
            return self
        packs = self.product.packs
        return replace(self, packaging=next(iter(packs)) if len(packs) == 1 else "")


@dataclass(frozen=True, slots=True)
class Cart:
    """The lines of an order, a product in a packaging at most once."""

    lines: tuple[Line, ...] = ()

    def put(self, line: Line) -> "Cart":
        """With a line, in place of one for the same product in the same packaging."""
        same = [each for each in self.lines if each.product == line.product and each.packaging == line.packaging]
        if same:
            return Cart(tuple(line if each is same[0] else each for each in self.lines))
        return Cart((*self.lines, line))

    def without(self, line: Line) -> "Cart":
        return Cart(tuple(each for each in self.lines if each is not line))

    @property
    def total(self) -> int:
        return sum(line.price for line in self.lines)

    def say(self, language: str) -> str:
        return "; ".join(line.say(language) for line in self.lines)
