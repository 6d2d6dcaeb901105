"""The tools of the sales agent: they hold the order of one call, and are the only source of facts about anything.

Every result says with `next` what to ask for, and with `options` what there is to choose from. Results about the order
have `cart`, a list of `{product_code, name, quantity, packaging, price}`, and `delivery_date` and `location` once they
are known; `status: confirmed` with an `order_id` says that the order is placed.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Annotated

from pydantic import Field

from sparring.chatbots.tools import ends_conversation
from sparring.core.value import Json
from sparring.reading.packagings import counted, packaging_in
from sparring.reading.words import mentions, stems
from sparring_bots.phone_orders.call import Call, Location, call
from sparring_bots.phone_orders.cart import Cart, Line, Wanted
from sparring_bots.phone_orders.catalogue import CATALOGUE, Bought, apart
from sparring_bots.phone_orders.days import spoken
from sparring_bots.phone_orders.speaking import Speaking

Result = dict[str, Json]
Quantity = Annotated[int, Field(ge=1, le=100_000)]
_SHOWN = 5
"""How many products are named when there is a choice."""


class Tools:
    """The tools of one call. The name of the conversation decides the order id, so that runs repeat."""

    def __init__(self, session: str, variables: Mapping[str, Json]) -> None:
        self._session = session
        today = date.fromisoformat(str(variables["TODAY"]))
        given = variables["GIVEN"]
        given = given if isinstance(given, dict) else {}
        self._call: Call = call(given, CATALOGUE, language=str(variables["LANGUAGE"]), today=today)
        self._say = Speaking(self._call.language)
        self._cart = Cart()
        self._open: tuple[Wanted, ...] = ()
        self._date: date | None = None
        self._location: Location | None = self._call.locations[0] if len(self._call.locations) == 1 else None
        self._complete = False
        self._order_id = ""

    def find_products(self, message: str) -> Result:
        """Which products there are by that name, with their codes, packagings, prices in roubles and the stock."""
        found = CATALOGUE.meant(message)[:_SHOWN]
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
        words = apart(product or "")
        kind = packaging_in(packaging or ("" if words else product or ""))
        if words:
            return self._add(words, quantity, kind, as_before=as_before)
        if self._open:
            return self._say_more(quantity, kind, as_before=as_before)
        if as_before:
            past = tuple(
                Wanted((CATALOGUE.by_code[bought.product],), bought.packaging, bought.quantity)
                for bought in self._call.history
            )
            return self._take(past, "added" if past else "no_history")
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
            return self._add(apart(product or ""), quantity, kind, as_before=False)
        if kind and kind != line.packaging:
            self._cart = self._cart.without(line)
        changed = Wanted((line.product,), kind or line.packaging, quantity or line.quantity)
        return self._take((changed,), "changed")

    def remove_from_cart(self, product: str) -> Result:
        """Take something out of the cart, by its code or by what the customer calls it."""
        gone: list[str] = []
        for words in apart(product):
            line = self._line(words)
            if line is not None:
                gone.append(line.product.name(self._call.language))
                self._strike(line)
            for each in [each for each in self._open if CATALOGUE.meant(words, each.products)]:
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

    def change_delivery_date(self, delivery_date: str) -> Result:
        """Set the day of delivery: YYYY-MM-DD, or as the customer says it. Days without a delivery are refused."""
        day = self._call.days.meant(delivery_date)
        if day is None:
            return self._result("unknown_day", words=delivery_date, days=self._days())
        if not self._call.days.delivers(day):
            return self._result("no_delivery", day=spoken(day, self._call.language), days=self._days())
        self._schedule(day)
        return self._result("date_set", day=spoken(day, self._call.language), **self._shown())

    def set_current_location(self, location: str) -> Result:
        """Set where to deliver to: the number of one of the customer's locations, or its address."""
        found = self._place(location)
        if found is None:
            return self._result("unknown_location", words=location)
        self._send_to(found)
        return self._result("location_set", address=found.address, **self._shown())

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

    def _add(self, words: list[str], quantity: int | None, kind: str, *, as_before: bool) -> Result:
        """Add what these words name, each the same number of times; an answer to "which one?" names it anew."""
        wanted: list[Wanted] = []
        unknown: list[str] = []
        for each in words:
            item = self._asked_about(each) or Wanted(CATALOGUE.meant(each))
            if not item.products:
                unknown.append(each)
                continue
            item = replace(item, packaging=kind or item.packaging, quantity=quantity or item.quantity)
            wanted.append(self._remembered(item) if as_before else item)
        return self._take(tuple(wanted), "added" if wanted else "unknown", unknown=", ".join(unknown))

    def _asked_about(self, words: str) -> Wanted | None:
        """What was unclear and is named by these words now."""
        for waiting in self._open:
            meant = CATALOGUE.meant(words, waiting.products)
            if meant and any(product in waiting.products for product in CATALOGUE.meant(words)):
                self._open = tuple(each for each in self._open if each is not waiting)
                return replace(waiting, products=meant)
        return None

    def _say_more(self, quantity: int | None, kind: str, *, as_before: bool) -> Result:
        """The answer to what was asked last."""
        first, *rest = self._open
        self._open = ()
        more = replace(first, packaging=kind or first.packaging, quantity=quantity or first.quantity)
        return self._take((self._remembered(more, fully=True) if as_before else more, *rest), "added")

    def _remembered(self, wanted: Wanted, *, fully: bool = False) -> Wanted:
        """Which product, and in what packaging, it was the last time; `fully`, also how many."""
        codes = [product.code for product in wanted.products]
        past = next((bought for bought in self._call.history if bought.product in codes), None)
        if past is None:
            return wanted
        quantity = wanted.quantity or (past.quantity if fully else None)
        return Wanted((CATALOGUE.by_code[past.product],), wanted.packaging or past.packaging, quantity)

    def _take(self, wanted: tuple[Wanted, ...], status: str, /, *, unknown: str = "") -> Result:
        """Put into the cart what is clear, and keep the rest to ask about."""
        added, refused, short = list[str](), list[str](), list[str]()
        for each in wanted:
            item = each.settled()
            if each.packaging and item.packaging != each.packaging and item.product:
                refused.append(self._say.packaging_of(item.product, each.packaging))
                item = replace(item, quantity=None)  # five kilograms are not five bags
            line = item.line
            if line is not None and line.pieces > line.product.stock:
                short.append(
                    replace(line, quantity=line.quantity * line.product.stock // line.pieces).say(self._say.language)
                )
                item, line = replace(item, quantity=None), None
            if line is None:
                self._open = (*self._open, item)
                continue
            self._write(line)
            added.append(f"{line.say(self._say.language)}, {self._say.roubles(line.price)}")
            self._order_id = ""
        said: Result = {"added": "; ".join(added), "refused": "; ".join(refused), "short": "; ".join(short)}
        return self._result(status if added or not wanted else "noted", unknown=unknown, **said, **self._shown())

    def _write(self, line: Line) -> None:
        """Write a line down; what was read to the customer is what is written, unless a fault is planted here."""
        self._cart = self._cart.put(line)

    def _strike(self, line: Line) -> None:
        self._cart = self._cart.without(line)

    def _schedule(self, day: date) -> None:
        self._date, self._order_id = day, ""

    def _send_to(self, place: Location) -> None:
        self._location, self._order_id = place, ""

    def _line(self, words: str) -> Line | None:
        """The line of the cart that these words mean; of several, the last. Who names another product means no line."""
        lines = self._cart.lines
        meant = CATALOGUE.meant(words, tuple(line.product for line in lines)) if lines else ()
        if len(plain := CATALOGUE.meant(words)) == 1 and plain[0] not in meant:
            return None
        found = [line for line in lines if line.product in meant]
        kind = packaging_in(words)
        return next((line for line in reversed(found) if line.packaging == kind), found[-1] if found else None)

    def _place(self, words: str) -> Location | None:
        places = self._call.locations
        number = words.strip(" .№#")
        if number.isdecimal():
            return next((each for each in places if each.id == int(number)), None)
        exact = next((each for each in places if mentions(each.address, words) or mentions(words, each.address)), None)
        said = stems(words)
        close = max(places, key=lambda each: len(stems(each.address) & said), default=None)
        return exact or (close if close is not None and stems(close.address) & said else None)

    def _result(self, status: str, /, **fields: Json) -> Result:
        told = {name: value for name, value in fields.items() if value not in ("", None)}
        return {"status": status, **told, **self._next()}

    def _shown(self) -> Result:
        """The order as it stands."""
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
        """What to ask for next, and what there is to choose from."""
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
        name = CATALOGUE.by_code[bought.product].name(self._call.language)
        if bought.quantity is None or not bought.packaging:
            return name
        return f"{name}, {counted(bought.quantity, bought.packaging, self._call.language)}"
