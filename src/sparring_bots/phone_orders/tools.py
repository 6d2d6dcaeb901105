"""The tools of the sales agent: they hold the order of one call, and are its only source of facts.

Every result says with `next` what to ask for, and with `options` what to choose from. Results about the order have
`cart`, a list of `{product_code, name, quantity, packaging, price}`, and `delivery_date` and `location` once they are
known. `status: confirmed` with an `order_id` means that the order is placed.
"""

import hashlib
from collections.abc import Mapping
from datetime import date
from typing import Annotated

from pydantic import Field

from sparring.chatbots.prompted.tools import ends_conversation, fails_if
from sparring.core.value import Json
from sparring_bots.phone_orders.call import call
from sparring_bots.phone_orders.catalogue import Bought, shipped_catalogue, split_items
from sparring_bots.phone_orders.delivery_days import spoken
from sparring_bots.phone_orders.order import Order, RequestOutcome, Wanted
from sparring_bots.phone_orders.packaging import counted, packaging_in

Result = dict[str, Json]
Quantity = Annotated[int, Field(ge=1, le=100_000)]
_EVERYTHING = frozenset({"everything", "all", "order", "the order", "всё", "все", "заказ", "весь заказ"})
_SHOWN = 5
"""The maximum number of products named in a choice."""


class Tools(Order):
    """The tools of one call. The order id derives from the name of the conversation, so that runs repeat."""

    def __init__(self, session: str, variables: Mapping[str, Json]) -> None:
        today = date.fromisoformat(str(variables["TODAY"]))
        given = variables["GIVEN"]
        given = given if isinstance(given, dict) else {}
        super().__init__(call(given, shipped_catalogue(), language=str(variables["LANGUAGE"]), today=today))
        self._session = session

    def state(self) -> Result:
        """Return the order, and its number once it is placed."""
        shown = self._shown()
        return {**{name: shown[name] for name in ("cart", "delivery_date", "location")}, "order_id": self._order_id}

    def find_products(self, message: str) -> Result:
        """Which products there are by that name, with their codes, packagings, prices in roubles and the stock."""
        found = self._catalogue.meant(message)[:_SHOWN]
        products: list[Json] = [self._say.described(product) for product in found]
        offers = self._say.offers(found)
        return self._result("found" if found else "unknown", words=message, products=products, offers=offers)

    def add_to_cart(
        self,
        product: str | None = None,
        quantity: Quantity | None = None,
        packaging: str | None = None,
        as_before: bool = False,
    ) -> Result:
        """Add something, or say more about what is not clear yet. Give what the customer said and no more.

        `product` is a code, or what the customer calls it; a product in a packaging that is in the cart already gets
        the new quantity. `as_before` says that the customer wants it as in earlier orders.
        """
        words = split_items(product or "")
        kind = packaging_in(packaging or ("" if words else product or ""))
        if words:
            taken = self._add(words, quantity, kind, as_before=as_before)
            return self._cart_result(taken, "added" if taken.asked else "unknown")
        if self._open:
            return self._cart_result(self._say_more(quantity, kind, as_before=as_before), "added")
        if as_before:
            past = tuple(
                Wanted((self._catalogue.by_code[bought.product],), bought.packaging, bought.quantity)
                for bought in self._call.history
            )
            return self._cart_result(self._take(past), "added" if past else "no_history")
        if not self._cart.lines or (quantity is None and not kind):
            return self._result("unknown")
        return self.change_item(None, quantity, kind)

    def change_item(
        self, product: str | None = None, quantity: Quantity | None = None, packaging: str | None = None
    ) -> Result:
        """Change how many of something are in the cart, or in what packaging; without a product, of the last one."""
        line = self._line(product) if product else (self._cart.lines[-1] if self._cart.lines else None)
        kind = packaging_in(packaging or "")
        if line is None:
            taken = self._add(split_items(product or ""), quantity, kind, as_before=False)
            return self._cart_result(taken, "added" if taken.asked else "unknown")
        if kind and kind != line.packaging:
            self._cart = self._cart.without(line)
        changed = Wanted((line.product,), kind or line.packaging, quantity or line.quantity)
        return self._cart_result(self._take((changed,)), "changed")

    def remove_from_cart(self, product: str) -> Result:
        """Take something out of the cart, by its code or by what the customer calls it; `everything` cancels."""
        if product.strip().casefold() in _EVERYTHING and self._cart.lines:
            for ordered in self._cart.lines:
                self._strike(ordered)
            self._open, self._complete, self._order_id = (), False, ""
            return self._result("not_there" if self._cart.lines else "cancelled", **self._shown())
        gone: list[str] = []
        for words in split_items(product):
            line = self._line(words)
            if line is not None:
                gone.append(line.product.name(self._call.language))
                self._strike(line)
            for each in [each for each in self._open if self._catalogue.meant(words, each.products)]:
                gone += [] if line else [words]
                self._open = tuple(other for other in self._open if other is not each)
        self._order_id = ""
        return self._result("removed" if gone else "not_there", removed=", ".join(gone), words=product, **self._shown())

    def show_cart(self) -> Result:
        """What is in the cart, what it costs, when and where it goes."""
        return self._result("cart" if self._cart.lines else "empty", **self._shown())

    def get_purchase_history(self) -> Result:
        """What the customer ordered before."""
        lines = [self._recalled(bought) for bought in self._call.history]
        return self._result("history" if lines else "no_history", history="; ".join(lines))

    def checkout(self) -> Result:
        """The customer wants nothing more: from now on, the day, the place and the confirmation are asked for."""
        self._complete = bool(self._cart.lines)
        return self._result("complete" if self._complete else "empty", **self._shown())

    @fails_if(lambda result: result["status"] != "date_set")
    def change_delivery_date(self, delivery_date: str) -> Result:
        """Set the day of delivery: YYYY-MM-DD, or as the customer says it. Days without a delivery are refused."""
        day = self._call.days.meant(delivery_date)
        if day is None:
            return self._result("unknown_day", words=delivery_date, days=self._days())
        if not self._call.days.delivers(day):
            return self._result("no_delivery", day=spoken(day, self._call.language), days=self._days())
        self._schedule(day)
        return self._result("date_set", day=spoken(day, self._call.language), **self._shown())

    @fails_if(lambda result: result["status"] != "location_set")
    def set_current_location(self, location: str) -> Result:
        """Set where to deliver to: the number of one of the customer's locations, or its address."""
        found = self._place(location)
        if found is None:
            return self._result("unknown_location", words=location)
        self._send_to(found)
        return self._result("location_set", address=found.address, **self._shown())

    @fails_if(lambda result: result["status"] not in ("confirmed", "confirmed_before"))
    def confirm_order(self) -> Result:
        """Place the order, once the customer has heard all of it and agreed."""
        if not self._cart.lines:
            return self._result("empty")
        self._complete = True
        if self._order_id:
            return self._result("confirmed_before", order_id=self._order_id, **self._shown())
        if self._date is None or self._next()["next"] != "confirm":
            return self._result("incomplete", **self._shown())
        order = ",".join(f"{line.product.code}/{line.packaging}/{line.quantity}" for line in self._cart.lines)
        self._order_id = hashlib.sha256(f"{self._session}/{order}".encode()).hexdigest()[:6].upper()
        day = spoken(self._date, self._call.language)
        return self._result("confirmed", order_id=self._order_id, day=day, **self._shown())

    @ends_conversation
    def end_call(self, reason: str = "") -> Result:
        """Hang up after your next words: the customer took leave, or there is nothing left to do."""
        return {"status": "ended", "reason": reason, "ordered": bool(self._order_id)}

    def _cart_result(self, taken: RequestOutcome, status: str) -> Result:
        """Return the outcome of a request, and the order so far."""
        said = {name: "; ".join(getattr(taken, name)) for name in ("added", "refused", "short")}
        done = status if taken.added or not taken.asked else "noted"
        return self._result(done, unknown=", ".join(taken.unknown), **said, **self._shown())

    def _result(self, status: str, /, **fields: Json) -> Result:
        given = {name: value for name, value in fields.items() if value not in ("", None)}
        return {"status": status, **given, **self._next()}

    def _shown(self) -> Result:
        """Return the order so far."""
        cart: list[Json] = [line.shown(self._call.language) for line in self._cart.lines]
        place = self._location
        return {
            "cart": cart,
            "summary": self._cart.say(self._call.language),
            "total": self._say.roubles(self._cart.total),
            "delivery_date": self._date.isoformat() if self._date else None,
            "location": {"id": place.id, "address": place.address} if place else None,
        }

    def _next(self) -> Result:
        """Return the next question and its options."""
        if self._open:
            return self._unclear(self._open[0])
        if not self._cart.lines:
            return {"next": "item"}
        if self._order_id:
            return {"next": "goodbye"}
        if not self._complete:
            return {"next": "more"}
        if self._date is None:
            return {"next": "date", "options": self._days()}
        if self._location is None and self._call.locations:
            return {"next": "location", "options": self._say.either([each.address for each in self._call.locations])}
        when = spoken(self._date, self._call.language)
        where: Result = {"where": self._location.address} if self._location else {}
        order = self._cart.say(self._call.language)
        return {"next": "confirm", "order": order, "sum": self._say.roubles(self._cart.total), "when": when, **where}

    def _unclear(self, wanted: Wanted) -> Result:
        product = wanted.product
        if product is None:
            names = [each.name(self._call.language) for each in wanted.products[:_SHOWN]]
            return {"next": "product", "options": self._say.either(names)}
        about = product.name(self._call.language)
        if not wanted.packaging:
            return {
                "next": "packaging",
                "about": about,
                "packs": self._say.offers((product,)),
                "options": self._say.kinds(product),
            }
        many = counted(5, wanted.packaging, self._call.language).removeprefix("5 ")
        return {"next": "quantity", "about": about, "many": many}

    def _days(self) -> str:
        return self._say.either(self._call.days.spoken(self._call.language))

    def _recalled(self, bought: Bought) -> str:
        name = self._catalogue.by_code[bought.product].name(self._call.language)
        if bought.quantity is None or not bought.packaging:
            return name
        return f"{name}, {counted(bought.quantity, bought.packaging, self._call.language)}"
