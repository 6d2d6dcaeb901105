"""Products, choices and amounts as an agent says them in Russian or in English."""

from dataclasses import dataclass

from sparring.core.value import Json
from sparring.extraction.packagings import packed
from sparring_bots.phone_orders.catalogue import Product


@dataclass(frozen=True, slots=True)
class Speaking:
    """One language."""

    language: str

    def either(self, names: list[str]) -> str:
        """A choice: `a, b or c`."""
        word = "или" if self.language == "Russian" else "or"
        return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

    def roubles(self, amount: int) -> str:
        """An amount as it is written: 1 140 ₽."""
        return f"{amount:,} ₽".replace(",", " ") if self.language == "Russian" else f"RUB {amount:,}"

    def kinds(self, product: Product) -> str:
        """The packagings to choose from."""
        return self.either([packed(kind, self.language) for kind in product.packs])

    def packaging_of(self, product: Product, kind: str) -> str:
        return f"{product.name(self.language)} ({packed(kind, self.language)})"

    def offers(self, products: tuple[Product, ...]) -> str:
        """What products cost in each of their packagings."""
        return "; ".join(f"{product.name(self.language)}: {self._packs(product)}" for product in products)

    def _packs(self, product: Product) -> str:
        at = "по" if self.language == "Russian" else "at"
        return ", ".join(
            f"{packed(kind, self.language)}{f' × {pieces}' if pieces > 1 else ''} {at} {self.roubles(price)}"
            for kind, (pieces, price) in product.packs.items()
        )

    def described(self, product: Product) -> Json:
        """A product as a model is told it."""
        packs: list[Json] = [
            {"packaging": packed(kind, self.language), "pieces": pieces, "price": price}
            for kind, (pieces, price) in product.packs.items()
        ]
        name = product.name(self.language)
        return {"product_code": product.code, "name": name, "packs": packs, "stock": product.stock}
