"""The pizzeria's tools: they hold the order of one conversation and are the only source of facts.

Every result names the `next` detail to ask for and its `options`.
"""

import hashlib
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from sparring.chatbots.prompted.tools import fails_if
from sparring.core.value import Json
from sparring_bots.pizzeria.menu import CUSTOM, MENU, Drink, Kind, Menu, Size, Topping, dollars, join_names
from sparring_bots.pizzeria.order import Drinks, Order, Pizza

Result = dict[str, Json]
Quantity = Annotated[int, Field(ge=1, le=100)]
Topic = Literal["pizzas", "toppings", "sizes", "drinks"]


@dataclass(frozen=True, slots=True)
class PlacedOrder:
    """A placed order, in words."""

    order_id: str
    order: str
    total: str


class Tools:
    """The tools of one conversation. Order ids derive from `session`, so that runs are reproducible.

    The docstring of each public method is its description for the model.
    """

    def __init__(self, session: str) -> None:
        self._session = session
        self._menu: Menu = MENU
        self._order = Order()
        self._placed: list[PlacedOrder] = []
        self._changing = False

    def state(self) -> Result:
        """Return the order in progress and the placed orders."""
        order = self._order
        pizzas: list[Json] = [str(pizza) for pizza in order.pizzas]
        drinks: list[Json] = [str(line) for line in order.drinks]
        placed: list[Json] = [asdict(each) for each in self._placed]
        return {"order": {"pizzas": pizzas, "drinks": drinks}, "placed": placed}

    def show_menu(self, topic: Topic) -> Result:
        """List the choices: the pizzas, the toppings of a custom pizza, the sizes, or the drinks."""
        menu = self._menu
        names = {
            "pizzas": [*menu.pizzas],
            "toppings": [*menu.toppings],
            "sizes": [*menu.sizes],
            "drinks": [*menu.drinks],
        }
        return self._result("menu", topic=topic, names=join_names(names[topic]))

    def check_availability(self, what: str) -> Result:
        """Check if something is on the menu, by any name that the customer uses."""
        return self._result("available" if self._menu.sells(what) else "unavailable", what=what)

    def show_prices(
        self,
        topic: Topic | None = None,
        size: Size | None = None,
        kind: Kind | None = None,
        toppings: list[Topping] | None = None,
        drinks: list[Drink] | None = None,
    ) -> Result:
        """Return the price of drinks, of a pizza, or of a whole topic; all prices if nothing is named."""
        menu = self._menu
        kind = kind or (CUSTOM if toppings else None)
        everything = not (topic or size or kind or drinks)
        named = [f"{Drinks(drink)} for {dollars(menu.drinks[drink])}" for drink in drinks or ()]
        if kind is not None and size is not None:
            pizza = Pizza(size, kind, tuple(toppings or ()))
            named.insert(0, f"{pizza} for {dollars(pizza.price(menu))}")
        listing = everything or topic in ("pizzas", "toppings") or bool(kind) != bool(size)
        sizes = [size] if size else menu.sizes
        custom = listing and kind in (None, CUSTOM)
        return self._result(
            "prices",
            named=join_names(named) if named else None,
            pizzas=menu.pizza_prices([kind] if kind else menu.pizzas, sizes) if listing else None,
            drinks=menu.drink_prices() if everything or topic == "drinks" else None,
            like=menu.custom.like if custom else None,
            included=menu.custom.included,
            further=dollars(menu.custom.further),
        )

    def opening_hours(self) -> Result:
        """Return the opening hours."""
        return self._result("hours", hours=self._menu.opening_hours)

    def pickup_and_delivery(self) -> Result:
        """Return the ways to receive an order, and the address of the pizzeria."""
        return self._result("delivery" if self._menu.delivers else "pickup", address=self._menu.address)

    def waiting_time(self) -> Result:
        """Return the waiting time for an order."""
        return self._result("waiting_time", minutes_per_pizza=self._menu.minutes_per_pizza, minutes=self._minutes())

    def add_pizza(
        self,
        size: Size | None = None,
        kind: Kind | None = None,
        toppings: list[Topping] | None = None,
        quantity: Quantity | None = None,
        another: bool = False,
    ) -> Result:
        """Add a pizza, or complete the one that something is missing of. Give what the customer said and no more.

        `another` says that the customer wants one more than those ordered already.
        """
        said = Pizza(size, kind, tuple(toppings or ()))
        pizzas = self._order.pizzas
        if another:
            said = replace(pizzas[-1], quantity=1) if pizzas and said == Pizza() else said
            return self._update_pizza(len(pizzas), said, quantity)
        if self._order.open_pizza is not None:
            return self._update_pizza(self._order.open_pizza, said, quantity)
        # A repeated pizza is a confirmation, not a second one.
        same = next((index for index, pizza in enumerate(pizzas) if pizza.matches(said)), len(pizzas))
        return self._update_pizza(same, Pizza() if same < len(pizzas) else said, quantity)

    def change_pizza(
        self,
        size: Size | None = None,
        kind: Kind | None = None,
        toppings: list[Topping] | None = None,
        quantity: Quantity | None = None,
    ) -> Result:
        """Say more about the pizza that is being ordered, or change it; toppings replace those it had."""
        return self._update_pizza(self._current(), Pizza(size, kind, tuple(toppings or ())), quantity)

    def add_toppings(self, toppings: list[Topping]) -> Result:
        """Put more toppings on the custom pizza that is being ordered."""
        return self._update_pizza(self._current(), Pizza(toppings=tuple(dict.fromkeys([*self._toppings(), *toppings]))))

    def remove_toppings(self, toppings: list[Topping]) -> Result:
        """Take toppings off the custom pizza that is being ordered."""
        if not self._order.pizzas:
            return self._result("no_such_pizza")
        index = self._current()
        left = tuple(name for name in self._toppings() if name not in toppings)
        pizza = replace(self._order.pizzas[index], toppings=left)
        return self._set_order(self._order.with_pizza(index, pizza), "pizza", pizza=str(pizza))

    def swap_topping(self, old: Topping, new: Topping) -> Result:
        """Put one topping in place of another on the custom pizza that is being ordered."""
        swapped = [new if name == old else name for name in self._toppings()]
        return self._update_pizza(self._current(), Pizza(toppings=tuple(dict.fromkeys([*swapped, new]))))

    def remove_pizza(self) -> Result:
        """Take the pizza that was spoken of last off the order."""
        if not self._order.pizzas:
            return self._result("no_such_pizza")
        index = self._current()
        pizza = self._order.pizzas[index]
        rest = tuple(each for number, each in enumerate(self._order.pizzas) if number != index)
        return self._set_order(replace(self._order, pizzas=rest), "removed", what=str(pizza))

    def add_drink(self, drink: Drink | None = None, quantity: Quantity | None = None, another: bool = False) -> Result:
        """Add a drink. Without saying which, the customer is asked.

        `another` says that the customer wants one more than those ordered already.
        """
        if drink is None:
            return self._result("which_drink") | {"next": "drink", "options": self._options("drink")}
        had = next((line.quantity for line in self._order.drinks if line.drink == drink), 0)
        drinks = Drinks(drink, had + (quantity or 1) if another else quantity or had or 1)
        return self._set_order(replace(self._order, no_drink=False).with_drinks(drinks), "drinks", drinks=str(drinks))

    def change_drink(self, new: Drink, old: Drink | None = None, quantity: Quantity | None = None) -> Result:
        """Replace a drink, or the one ordered last, by another; as many as of that, or so many."""
        lines = self._order.drinks
        gone = next((line for line in lines if line.drink == old), lines[-1] if lines else Drinks(new))
        order = self._order.with_drinks(Drinks(gone.drink, 0))
        drinks = Drinks(new, quantity or gone.quantity)
        return self._set_order(order.with_drinks(drinks), "drinks", drinks=str(drinks))

    def remove_drink(self, drink: Drink) -> Result:
        """Take a drink off the order."""
        return self._set_order(self._order.with_drinks(Drinks(drink, 0)), "removed", what=drink)

    def no_drinks(self) -> Result:
        """The customer wants no drinks."""
        return self._set_order(replace(self._order, drinks=(), no_drink=True), "no_drink")

    def decline(self) -> Result:
        """The customer said no to what was asked last."""
        missing = self._order.missing
        if self._order.empty:
            return self._result("nothing_open")
        if missing == "drink":
            return self.no_drinks()
        if missing == "pizza":
            return self._set_order(replace(self._order, no_pizza=True), "no_pizza")
        if missing == "toppings":
            index = self._current()
            pizza = replace(self._order.pizzas[index], plain=True)
            return self._set_order(self._order.with_pizza(index, pizza), "pizza", pizza=str(pizza))
        if missing != "nothing":
            return self._result("incomplete")
        self._changing = not self._changing
        return self._result("not_placed" if self._changing else "kept", order=str(self._order))

    def finish(self) -> Result:
        """The customer said that this is all."""
        if self._order.empty:
            return self._result("nothing_open")
        if self._order.missing in ("drink", "pizza"):
            return self.decline()
        return self.place_order()

    def order_summary(self) -> Result:
        """Summarize the current order, or the last placed one, with its price."""
        if not self._order.empty:
            so_far = self._total() if self._order.missing != "nothing" else None
            return self._result("summary", order=str(self._order), so_far=so_far)
        if not self._placed:
            return self._result("empty")
        last = self._placed[-1]
        return self._result("placed_before", order=last.order, order_id=last.order_id, total=last.total)

    @fails_if(lambda result: result["status"] not in ("placed", "already_placed"))
    def place_order(self) -> Result:
        """Place the order, once the customer has heard the total and agreed."""
        order, total = self._order, self._total()
        if order.empty and self._placed:
            return self._result("already_placed", order_id=self._placed[-1].order_id)
        if order.empty:
            return self._result("empty") | {"next": "pizza", "options": self._options("pizza")}
        if order.missing != "nothing" or total is None:
            return self._result("incomplete")
        if self._changing:
            return self.decline()
        name = f"{self._session}/{len(self._placed) + 1}"
        placed = PlacedOrder(hashlib.sha256(name.encode()).hexdigest()[:6], str(order), total)
        fields: Result = {"order": placed.order, "order_id": placed.order_id, "total": total}
        fields |= {"minutes": self._minutes(), "address": self._menu.address}
        self._placed.append(placed)
        return self._set_order(Order(), "placed", **fields)

    def cancel_order(self) -> Result:
        """Forget everything that was ordered and not placed yet."""
        return self._set_order(Order(), "empty" if self._order.empty else "cancelled")

    def _current(self) -> int:
        """Return the index of the pizza in question: the first incomplete one, or the last."""
        unfinished = self._order.open_pizza
        return unfinished if unfinished is not None else max(0, len(self._order.pizzas) - 1)

    def _toppings(self) -> tuple[str, ...]:
        return self._order.pizzas[self._current()].toppings if self._order.pizzas else ()

    def _update_pizza(self, index: int, said: Pizza, quantity: int | None = None) -> Result:
        """Add details to a pizza of the order, or to a new one."""
        pizzas = self._order.pizzas
        pizza = (pizzas[index] if index < len(pizzas) else Pizza()).with_details(said, quantity)
        order = replace(self._order.with_pizza(index, pizza), no_pizza=False)
        status = "as_it_comes" if said.toppings and not pizza.toppings else "pizza"
        return self._set_order(order, status, pizza=str(pizza))

    def _set_order(self, order: Order, status: str, /, **fields: Json) -> Result:
        self._order = order
        self._changing = False
        return self._result(status, **fields)

    def _result(self, status: str, /, **fields: Json) -> Result:
        """Return the result of a tool with the state of the order."""
        result: Result = {"status": status, **fields}
        if self._order.empty:
            return result | {"next": None}
        if self._changing:
            return result | {"next": "change"}
        missing = self._order.missing
        if missing == "nothing":
            return result | {"next": "confirm", "total": self._total()}
        return result | {"next": missing, "options": self._options(missing)}

    def _options(self, missing: str) -> str:
        menu = self._menu
        names = {
            "size": [*menu.sizes],
            "toppings": [*menu.toppings],
            "drink": [*menu.drinks],
        }
        return join_names(names.get(missing, [*menu.pizzas, f"a {CUSTOM} pizza with your own toppings"]), "or")

    def _total(self) -> str | None:
        return dollars(self._order.total(self._menu)) if self._order.open_pizza is None else None

    def _minutes(self) -> int | None:
        return self._order.minutes(self._menu) or None
