"""An order in progress: its lines, its missing details, and its price."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from sparring_bots.pizzeria.menu import CUSTOM, Menu, join_names

Missing = Literal["size", "kind", "toppings", "pizza", "drink", "nothing"]

_NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


@dataclass(frozen=True, slots=True)
class Pizza:
    """A pizza in an order, possibly incomplete. `plain` means that the customer wants no toppings."""

    size: str | None = None
    kind: str | None = None
    toppings: tuple[str, ...] = ()
    quantity: int = 1
    plain: bool = False

    @property
    def missing(self) -> Missing:
        """First missing detail."""
        if self.size is None:
            return "size"
        if self.kind is None:
            return "kind"
        return "toppings" if self.kind == CUSTOM and not self.toppings and not self.plain else "nothing"

    def with_details(self, said: "Pizza", quantity: int | None = None) -> "Pizza":
        """Return the pizza with further details. Toppings make it a custom pizza unless it has a kind."""
        kind = said.kind or self.kind or (CUSTOM if said.toppings else None)
        toppings = said.toppings or self.toppings if kind in (None, CUSTOM) else ()
        return Pizza(said.size or self.size, kind, toppings, quantity or self.quantity, self.plain)

    def matches(self, said: "Pizza") -> bool:
        """Return True if all given details agree with the pizza, and at least one is given."""
        wanted = set(said.toppings)
        agrees = said.size in (None, self.size) and said.kind in (None, self.kind) and wanted <= set(self.toppings)
        return agrees and said != Pizza()

    def price(self, menu: Menu) -> Decimal:
        """Return the price. Raise `ValueError` if details are missing."""
        if self.kind is None or self.size is None:
            raise ValueError("a pizza without a size or a kind has no price")
        return self.quantity * menu.price(self.kind, self.size, len(self.toppings))

    def __str__(self) -> str:
        words = [self.size, self.kind, "pizza" if self.quantity == 1 else "pizzas"]
        name = " ".join(word for word in (number_word(self.quantity), *words) if word)
        return f"{name} with {join_names(self.toppings)}" if self.toppings else name


@dataclass(frozen=True, slots=True)
class Drinks:
    """A drink in an order, with its quantity."""

    drink: str
    quantity: int = 1

    def price(self, menu: Menu) -> Decimal:
        """Return the price."""
        return self.quantity * menu.drinks[self.drink]

    def __str__(self) -> str:
        return f"{number_word(self.quantity)} {self.drink}{'' if self.quantity == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class Order:
    """Pizzas and drinks. Declined parts do not count as missing."""

    pizzas: tuple[Pizza, ...] = ()
    drinks: tuple[Drinks, ...] = ()
    no_pizza: bool = False
    no_drink: bool = False

    @property
    def empty(self) -> bool:
        """True if nothing is ordered yet."""
        return not self.pizzas and not self.drinks

    @property
    def missing(self) -> Missing:
        """First missing detail of the order."""
        for pizza in self.pizzas:
            if pizza.missing != "nothing":
                return pizza.missing
        if not self.pizzas and not self.no_pizza:
            return "pizza"
        return "nothing" if self.drinks or self.no_drink else "drink"

    @property
    def open_pizza(self) -> int | None:
        """Index of the first incomplete pizza, or None."""
        return next((index for index, pizza in enumerate(self.pizzas) if pizza.missing != "nothing"), None)

    def with_pizza(self, index: int, pizza: Pizza) -> "Order":
        """Return the order with the pizza at `index` replaced, or appended."""
        return replace(self, pizzas=(*self.pizzas[:index], pizza, *self.pizzas[index + 1 :]))

    def with_drinks(self, drinks: Drinks) -> "Order":
        """Return the order with this quantity of a drink; 0 removes it."""
        others = tuple(line for line in self.drinks if line.drink != drinks.drink)
        return replace(self, drinks=(*others, drinks) if drinks.quantity else others)

    def total(self, menu: Menu) -> Decimal:
        """Return the total price. Raise `ValueError` if a pizza is incomplete."""
        prices = [pizza.price(menu) for pizza in self.pizzas] + [line.price(menu) for line in self.drinks]
        return sum(prices, Decimal(0))

    def minutes(self, menu: Menu) -> int:
        """Return the preparation time of all pizzas."""
        return menu.minutes_per_pizza * sum(pizza.quantity for pizza in self.pizzas)

    def __str__(self) -> str:
        lines = [str(line) for line in (*self.pizzas, *self.drinks)]
        return ", and ".join([", ".join(lines[:-1]), lines[-1]] if len(lines) > 1 else lines)


def number_word(number: int) -> str:
    """Return a number up to twelve in words, others in digits."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)
