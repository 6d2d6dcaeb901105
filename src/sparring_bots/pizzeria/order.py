"""An order on its way: what was asked for, what is missing, and what it costs."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from sparring_bots.pizzeria.menu import CUSTOM, Menu, listed

Missing = Literal["size", "kind", "toppings", "pizza", "drink", "nothing"]

_NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


@dataclass(frozen=True, slots=True)
class Pizza:
    """One line of an order: what is known of it so far. `plain` means that no toppings are wanted."""

    size: str | None = None
    kind: str | None = None
    toppings: tuple[str, ...] = ()
    quantity: int = 1
    plain: bool = False

    @property
    def missing(self) -> Missing:
        """The first thing that is not known yet."""
        if self.size is None:
            return "size"
        if self.kind is None:
            return "kind"
        return "toppings" if self.kind == CUSTOM and not self.toppings and not self.plain else "nothing"

    def fitted(self, said: "Pizza", quantity: int | None = None) -> "Pizza":
        """The pizza with what was said about it. Toppings make it a custom pizza, unless it has a name of its own."""
        kind = said.kind or self.kind or (CUSTOM if said.toppings else None)
        toppings = said.toppings or self.toppings if kind in (None, CUSTOM) else ()
        return Pizza(said.size or self.size, kind, toppings, quantity or self.quantity, self.plain)

    def has(self, said: "Pizza") -> bool:
        """Whether all that was said is true of the pizza, and at least something was said."""
        wanted = set(said.toppings)
        agrees = said.size in (None, self.size) and said.kind in (None, self.kind) and wanted <= set(self.toppings)
        return agrees and said != Pizza()

    def price(self, menu: Menu) -> Decimal:
        """What the line costs, once nothing is missing."""
        if self.kind is None or self.size is None:
            raise ValueError("a pizza without a size or a kind has no price")
        return self.quantity * menu.price(self.kind, self.size, len(self.toppings))

    def __str__(self) -> str:
        words = [self.size, self.kind, "pizza" if self.quantity == 1 else "pizzas"]
        name = " ".join(word for word in (counted(self.quantity), *words) if word)
        return f"{name} with {listed(self.toppings)}" if self.toppings else name


@dataclass(frozen=True, slots=True)
class Drinks:
    """One line of an order: so many of one drink."""

    drink: str
    quantity: int = 1

    def price(self, menu: Menu) -> Decimal:
        """What the line costs."""
        return self.quantity * menu.drinks[self.drink]

    def __str__(self) -> str:
        return f"{counted(self.quantity)} {self.drink}{'' if self.quantity == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class Order:
    """Pizzas and drinks. What was declined is not missing."""

    pizzas: tuple[Pizza, ...] = ()
    drinks: tuple[Drinks, ...] = ()
    no_pizza: bool = False
    no_drink: bool = False

    @property
    def empty(self) -> bool:
        """Whether nothing was ordered yet."""
        return not self.pizzas and not self.drinks

    @property
    def missing(self) -> Missing:
        """The first thing to ask for."""
        for pizza in self.pizzas:
            if pizza.missing != "nothing":
                return pizza.missing
        if not self.pizzas and not self.no_pizza:
            return "pizza"
        return "nothing" if self.drinks or self.no_drink else "drink"

    @property
    def open_pizza(self) -> int | None:
        """Which pizza something is missing of: the first one."""
        return next((index for index, pizza in enumerate(self.pizzas) if pizza.missing != "nothing"), None)

    def with_pizza(self, index: int, pizza: Pizza) -> "Order":
        """The order with one pizza in place of another."""
        return replace(self, pizzas=(*self.pizzas[:index], pizza, *self.pizzas[index + 1 :]))

    def with_drinks(self, drinks: Drinks) -> "Order":
        """The order with so many of a drink, however many there were; none takes it off."""
        others = tuple(line for line in self.drinks if line.drink != drinks.drink)
        return replace(self, drinks=(*others, drinks) if drinks.quantity else others)

    def total(self, menu: Menu) -> Decimal:
        """What everything costs, once nothing is missing of any pizza."""
        prices = [pizza.price(menu) for pizza in self.pizzas] + [line.price(menu) for line in self.drinks]
        return sum(prices, Decimal(0))

    def minutes(self, menu: Menu) -> int:
        """How long the pizzas take."""
        return menu.minutes_per_pizza * sum(pizza.quantity for pizza in self.pizzas)

    def __str__(self) -> str:
        lines = [str(line) for line in (*self.pizzas, *self.drinks)]
        return ", and ".join([", ".join(lines[:-1]), lines[-1]] if len(lines) > 1 else lines)


def counted(number: int) -> str:
    """A number in words, as far as people say it in words."""
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)
