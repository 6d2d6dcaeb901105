"""What the pizzeria sells, read from menu.yaml.

The names a customer can choose from, as annotations: what a model is told, and what a tool is given.
"""

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
    """A custom pizza costs what the pizza `like` does; each topping beyond those included costs `further`."""

    like: str
    included: PositiveInt
    further: Decimal


class Menu(Value):
    """Everything the pizzeria knows."""

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
        """The names a pizza can have."""
        return (*self.pizzas, CUSTOM)

    def price(self, kind: str, size: str, toppings: int) -> Decimal:
        """What one pizza costs."""
        if kind != CUSTOM:
            return self.pizzas[kind][size]
        further = max(0, toppings - self.custom.included)
        return self.pizzas[self.custom.like][size] + further * self.custom.further

    def sells(self, what: str) -> bool:
        """Whether something is on the menu, by whatever name."""
        names = [*self.kinds, *self.toppings, *self.drinks, *self.sizes, *self.aliases]
        return _simple(what) in map(_simple, names)

    def drink_prices(self) -> str:
        """What the drinks cost, those of one price together: "sprite and coke for $1.50, water for $1.00"."""
        by_price: dict[str, list[str]] = {}
        for drink, price in self.drinks.items():
            by_price.setdefault(dollars(price), []).append(drink)
        return ", ".join(f"{listed(drinks)} for {price}" for price, drinks in by_price.items())

    def pizza_prices(self, kinds: Iterable[str], sizes: Iterable[str]) -> str:
        """What pizzas cost in these sizes, those of one price together."""
        by_price: dict[str, list[str]] = {}
        for kind in kinds:
            costs = [f"{dollars(self.price(kind, size, 0))} {size}" for size in sizes]
            by_price.setdefault(listed(costs), []).append(kind)
        return "; ".join(f"{listed(kinds)} for {costs}" for costs, kinds in by_price.items())


def listed(names: Sequence[str], word: str = "and") -> str:
    """Names as people list them: a, b and c."""
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _simple(name: str) -> str:
    """A name without capitals, hyphens and plural."""
    return name.lower().replace("-", " ").removesuffix("s")


def read(path: Path = FOLDER / "menu.yaml") -> Menu:
    """The menu in a file."""
    return parsing.validate(parsing.load(path), Menu)


def dollars(amount: Decimal) -> str:
    """An amount as it is said and printed: $11.50."""
    return f"${amount:.2f}"


MENU: Menu = read()


def one_of(names: Iterable[str], aliases: dict[str, str]) -> tuple[AfterValidator, WithJsonSchema]:
    """Any of these names or of what they are also called, in any case; the tool is given the name itself."""
    known = {name.lower(): name for name in names}
    known |= {alias.lower(): name for alias, name in aliases.items() if name in known.values()}
    allowed = [*known.values(), *(alias for alias in aliases if aliases[alias] in known.values())]
    schema = {"type": "string", "enum": list(dict.fromkeys(allowed))}
    return AfterValidator(_chosen(known)), WithJsonSchema(schema)


def _chosen(known: dict[str, str]) -> Callable[[str], str]:
    def choose(said: str) -> str:
        if said.lower() not in known:
            raise ValueError(f"there is no {said!r}; there are {', '.join(dict.fromkeys(known.values()))}")
        return known[said.lower()]

    return choose


Size = Annotated[str, *one_of(MENU.sizes, MENU.aliases)]
Kind = Annotated[str, *one_of(MENU.kinds, MENU.aliases)]
Topping = Annotated[str, *one_of(MENU.toppings, MENU.aliases)]
Drink = Annotated[str, *one_of(MENU.drinks, MENU.aliases)]
