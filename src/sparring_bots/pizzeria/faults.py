"""Faults that can be planted in the pizzeria, to measure tests: `pizzeria:fault=wrong_total`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from sparring.core.value import Json
from sparring.llm.model import Completion, Model, Request, UnpricedModel
from sparring_bots.pizzeria.menu import MENU, Drink, Kind, Size, Topping, dollars
from sparring_bots.pizzeria.order import Order
from sparring_bots.pizzeria.tools import Quantity, Result, Tools


@dataclass(frozen=True, slots=True)
class Fault:
    """A description, the faulty tools, and `says`: the start of a reply, and the reply that replaces it."""

    what: str
    tools: type[Tools] = Tools
    says: tuple[str, str] | None = None


@dataclass(frozen=True)
class ReplacingModel(UnpricedModel):
    """A model that replaces replies starting with `words` by `instead`."""

    model: Model
    words: str
    instead: str

    async def complete(self, request: Request) -> Completion:
        completion = await self.model.complete(request)
        return replace(completion, text=self.instead) if completion.text.startswith(self.words) else completion


def _with_menu(**changes: object) -> type[Tools]:
    """Return tools with a changed menu."""

    class OtherMenu(Tools):
        def __init__(self, session: str) -> None:
            super().__init__(session)
            self._menu = MENU.model_copy(update=changes)

    return OtherMenu


def _with_orders(write_down: Callable[[Order], Order]) -> type[Tools]:
    """Return tools that record another order than they report."""

    class OtherOrder(Tools):
        def _set_order(self, order: Order, status: str, /, **fields: Json) -> Result:
            return super()._set_order(write_down(order), status, **fields)

    return OtherOrder


def _two_toppings(order: Order) -> Order:
    return replace(order, pizzas=tuple(replace(pizza, toppings=pizza.toppings[:2]) for pizza in order.pizzas))


def _bigger(order: Order) -> Order:
    return replace(
        order, pizzas=tuple(replace(each, size="big") if each.size == "medium" else each for each in order.pizzas)
    )


def _one_each(order: Order) -> Order:
    return replace(order, drinks=tuple(replace(line, quantity=1) for line in order.drinks))


def _coke_for_sprite(order: Order) -> Order:
    return replace(
        order, drinks=tuple(replace(line, drink="coke") if line.drink == "sprite" else line for line in order.drinks)
    )


class _WithoutDrinks(Tools):
    def _total(self) -> str | None:
        if self._order.open_pizza is not None:
            return None
        return dollars(replace(self._order, drinks=()).total(self._menu))


class _PizzasForOne(Tools):
    def _total(self) -> str | None:
        if self._order.open_pizza is not None:
            return None
        alone = tuple(replace(pizza, quantity=1) for pizza in self._order.pizzas)
        return dollars(replace(self._order, pizzas=alone).total(self._menu))


class _LastDrinkOnly(Tools):
    def add_drink(self, drink: Drink | None = None, quantity: Quantity | None = None, another: bool = False) -> Result:
        """Add a drink. Without saying which, the customer is asked.

        `another` says that the customer wants one more than those ordered already.
        """
        others = tuple(line for line in self._order.drinks if line.drink == drink)
        self._order = replace(self._order, drinks=others) if drink else self._order
        return super().add_drink(drink, quantity, another)


class _StubbornPizza(Tools):
    def change_pizza(
        self,
        size: Size | None = None,
        kind: Kind | None = None,
        toppings: list[Topping] | None = None,
        quantity: Quantity | None = None,
    ) -> Result:
        """Say more about the pizza that is being ordered, or change it; toppings replace those it had."""
        before = self._order
        result = super().change_pizza(size, kind, toppings, quantity)
        if before.pizzas and before.open_pizza is None:
            self._order = before
        return result


class _SameId(Tools):
    def __init__(self, session: str) -> None:
        super().__init__("pizzeria")


class _OtherId(Tools):
    def _result(self, status: str, /, **fields: Json) -> Result:
        if status == "placed_before":
            fields["order_id"] = str(fields["order_id"])[::-1]
        return super()._result(status, **fields)


class _StubbornDrinks(Tools):
    def change_drink(self, new: Drink, old: Drink | None = None, quantity: Quantity | None = None) -> Result:
        """Replace a drink, or the one ordered last, by another; as many as of that, or so many."""
        return self._set_order(self._order, "drinks", drinks=f"one {new}")


class _NothingPlaced(Tools):
    def place_order(self) -> Result:
        """Place the order, once the customer has heard the total and agreed."""
        result = super().place_order()
        self._placed.clear()
        return result


class _NeverCancels(Tools):
    def cancel_order(self) -> Result:
        """Forget everything that was ordered and not placed yet."""
        return self._set_order(self._order, "empty" if self._order.empty else "cancelled")


_FALLBACK = "I'm sorry, I did not get what you said."

FAULTS: Mapping[str, Fault] = {
    "wrong_price": Fault(
        "a big Carbonara costs what a medium one does",
        _with_menu(pizzas=MENU.pizzas | {"Carbonara": MENU.pizzas["Carbonara"] | {"big": Decimal("17.50")}}),
    ),
    "wrong_drink_price": Fault("water costs $1.50", _with_menu(drinks=MENU.drinks | {"water": Decimal("1.50")})),
    "free_toppings": Fault(
        "further toppings cost nothing", _with_menu(custom=MENU.custom.model_copy(update={"further": Decimal(0)}))
    ),
    "wrong_total": Fault("the total leaves the drinks out", _WithoutDrinks),
    "pizzas_for_one": Fault("several pizzas cost what one does", _PizzasForOne),
    "last_drink_only": Fault("another drink takes the place of those before", _LastDrinkOnly),
    "stubborn_pizza": Fault("it claims to change a pizza, but does not", _StubbornPizza),
    "same_order_id": Fault("every customer gets the same order ID", _SameId),
    "other_order_id": Fault("it gives a wrong order ID when asked", _OtherId),
    "wrong_hours": Fault(
        "it states that it closes an hour early", _with_menu(opening_hours="every day from 1 pm to 10:30 pm")
    ),
    "hidden_topping": Fault(
        "it does not mention that it has olives", _with_menu(toppings=tuple(t for t in MENU.toppings if t != "olives"))
    ),
    "forgotten_topping": Fault("it records at most two toppings", _with_orders(_two_toppings)),
    "bigger_size": Fault("it records a big pizza for a medium one", _with_orders(_bigger)),
    "wrong_drink": Fault("it records a coke for a sprite", _with_orders(_coke_for_sprite)),
    "one_drink": Fault("it records one drink for several", _with_orders(_one_each)),
    "stubborn_drink": Fault("it claims to change a drink, but does not", _StubbornDrinks),
    "nothing_placed": Fault("it claims to place an order, but does not", _NothingPlaced),
    "never_cancels": Fault("it claims to cancel an order, but does not", _NeverCancels),
    "delivers": Fault("it says that it delivers", _with_menu(delivers=True)),
    "wrong_waiting_time": Fault("it says that a pizza takes 25 minutes", _with_menu(minutes_per_pizza=25)),
    "no_fallback": Fault(
        "it confirms requests that it does not understand", says=(_FALLBACK, "Certainly, I noted that.")
    ),
    "lazy_fallback": Fault(
        "it falls back when it is asked for its drinks", says=("Our drinks are", f"{_FALLBACK} I can help you order.")
    ),
}
"""All faults by name."""
