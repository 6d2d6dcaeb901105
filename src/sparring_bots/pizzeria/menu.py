"""The menu, read from menu.yaml, and annotated types for its names in tool parameters."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, PositiveInt, WithJsonSchema

from sparring import parsing
from sparring.core.value import Value

CUSTOM = "custom"
FOLDER = Path(__file__).parent


class CustomPrice(Value):
    """Price of a custom pizza: that of the pizza `like`, plus `further` for each topping not included."""

    like: str
    included: PositiveInt
    further: Decimal


class Menu(Value):
    """Pizzas, drinks, prices and facts of the pizzeria."""

    sizes: tuple[str, ...]
    pizzas: dict[str, dict[str, Decimal]]
    custom: CustomPrice
    toppings: tuple[str, ...]
    drinks: dict[str, Decimal]
    aliases: dict[str, str]
    opening_hours: str
    delivers: bool
    address: str
    minutes_per_pizza: PositiveInt

    @property
    def kinds(self) -> tuple[str, ...]:
        """Names of all pizzas, including the custom one."""
        return (*self.pizzas, CUSTOM)

    def price(self, kind: str, size: str, toppings: int) -> Decimal:
        """Return the price of one pizza."""
        if kind != CUSTOM:
            return self.pizzas[kind][size]
        further = max(0, toppings - self.custom.included)
        return self.pizzas[self.custom.like][size] + further * self.custom.further

    def sells(self, what: str) -> bool:
        """Return True if something is on the menu, by name or alias."""
        names = [*self.kinds, *self.toppings, *self.drinks, *self.sizes, *self.aliases]
        return _normalized(what) in map(_normalized, names)

    def drink_prices(self) -> str:
        """Return the prices of drinks, grouped by price: "sprite and coke for $1.50, water for $1.00"."""
        by_price: dict[str, list[str]] = {}
        for drink, price in self.drinks.items():
            by_price.setdefault(dollars(price), []).append(drink)
        return ", ".join(f"{join_names(drinks)} for {price}" for price, drinks in by_price.items())

    def pizza_prices(self, kinds: Iterable[str], sizes: Iterable[str]) -> str:
        """Return the prices of pizzas in these sizes, grouped by price."""
        by_price: dict[str, list[str]] = {}
        for kind in kinds:
            costs = [f"{dollars(self.price(kind, size, 0))} {size}" for size in sizes]
            by_price.setdefault(join_names(costs), []).append(kind)
        return "; ".join(f"{join_names(kinds)} for {costs}" for costs, kinds in by_price.items())


def join_names(names: Sequence[str], word: str = "and") -> str:
    """Join names as in "a, b and c"."""
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _normalized(name: str) -> str:
    """Return a name in lower case, without hyphens and plural."""
    return name.lower().replace("-", " ").removesuffix("s")


def dollars(amount: Decimal) -> str:
    """Format an amount as in $11.50."""
    return f"${amount:.2f}"


MENU = parsing.validate(parsing.load(FOLDER / "menu.yaml"), Menu)


def one_of(names: Iterable[str], aliases: dict[str, str]) -> tuple[AfterValidator, WithJsonSchema]:
    """Annotate a parameter that accepts these names or their aliases and resolves to the name."""
    known = {name.lower(): name for name in names}
    known |= {alias.lower(): name for alias, name in aliases.items() if name in known.values()}
    allowed = [*known.values(), *(alias for alias in aliases if aliases[alias] in known.values())]
    schema = {"type": "string", "enum": list(dict.fromkeys(allowed))}
    return AfterValidator(_resolver(known)), WithJsonSchema(schema)


def _resolver(known: dict[str, str]) -> Callable[[str], str]:
    def choose(said: str) -> str:
        if said.lower() not in known:
            raise ValueError(f"unknown {said!r}; available: {', '.join(dict.fromkeys(known.values()))}")
        return known[said.lower()]

    return choose


Size = Annotated[str, *one_of(MENU.sizes, MENU.aliases)]
Kind = Annotated[str, *one_of(MENU.kinds, MENU.aliases)]
Topping = Annotated[str, *one_of(MENU.toppings, MENU.aliases)]
Drink = Annotated[str, *one_of(MENU.drinks, MENU.aliases)]
