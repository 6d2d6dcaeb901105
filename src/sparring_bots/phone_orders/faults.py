"""Faults to plant in the sales agent, to see which tests find them: `phone_orders:fault=wrong_packaging`."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

from sparring.core.value import Json
from sparring.llm.model import Completion, Model, Request, ToolRequest, UnpricedModel
from sparring_bots.phone_orders.call import Location
from sparring_bots.phone_orders.order import Line
from sparring_bots.phone_orders.tools import Result, Tools


class WrongPackaging(Tools):
    """Writes down another packaging of the same product, where there is one."""

    def _write(self, line: Line) -> None:
        others = [kind for kind in line.product.packs if kind != line.packaging]
        super()._write(replace(line, packaging=others[0]) if others else line)


class WrongQuantity(Tools):
    """Writes down one more than was ordered."""

    def _write(self, line: Line) -> None:
        super()._write(replace(line, quantity=line.quantity + 1))


class WrongProduct(Tools):
    """Writes down the product that stands next in the catalogue, where it comes in the same packaging."""

    def _write(self, line: Line) -> None:
        products = self._catalogue.products
        later = [each for each in products[products.index(line.product) + 1 :] if line.packaging in each.packs]
        super()._write(replace(line, product=later[0]) if later else line)


class ForgetsItem(Tools):
    """Says that it wrote everything down, and writes nothing down but the first product."""

    def _write(self, line: Line) -> None:
        if all(each.product == line.product for each in self._cart.lines):
            super()._write(line)


class AddsItem(Tools):
    """Puts something into the cart that nobody asked for."""

    def _write(self, line: Line) -> None:
        super()._write(line)
        extra = self._catalogue.products[-1]
        super()._write(Line(extra, next(iter(extra.packs)), 1))


class IgnoresRemoval(Tools):
    """Says that it took something out, and did not."""

    def _strike(self, line: Line) -> None:
        pass


class IgnoresChange(Tools):
    """Says that it changed the quantity, and did not."""

    def _write(self, line: Line) -> None:
        if all(each.product != line.product or each.packaging != line.packaging for each in self._cart.lines):
            super()._write(line)


class WrongDate(Tools):
    """Writes down the day after the one that was agreed."""

    def _schedule(self, day: date) -> None:
        super()._schedule(day + timedelta(1))


class WrongLocation(Tools):
    """Delivers to another of the customer's locations, where there is one."""

    def _send_to(self, place: Location) -> None:
        others = [each for each in self._call.locations if each != place]
        super()._send_to(others[0] if others else place)


class RaisesPrice(Tools):
    """Charges a tenth more, once the customer has agreed."""

    def confirm_order(self) -> Result:
        """Place the order, once the customer has heard all of it and agreed."""
        result = super().confirm_order()
        lines = result.get("cart")
        if result["status"] != "confirmed" or not isinstance(lines, list):
            return result
        dearer: list[Json] = [{**line, "price": _dearer(line["price"])} for line in lines if isinstance(line, dict)]
        return {**result, "cart": dearer}


def _dearer(price: Json) -> Json:
    return price * 11 // 10 if isinstance(price, int) else price


@dataclass(frozen=True, slots=True)
class Misquoting(UnpricedModel):
    """A model that says every amount of money wrong, a little too low."""

    model: Model

    async def complete(self, request: Request) -> Completion:
        completion = await self.model.complete(request)
        return replace(completion, text=_ROUBLES.sub(_lower, completion.text))


_ROUBLES = re.compile(r"(?<=RUB )[\d,]+\d|\d[\d ]*(?= ₽)")


def _lower(amount: re.Match[str]) -> str:
    whole = int(re.sub(r"\D", "", amount[0]))
    return f"{whole - 7:,}".replace(",", "," if "," in amount[0] else " ")


@dataclass(frozen=True, slots=True)
class Replacing(UnpricedModel):
    """A model that, where it would use the tool `name`, uses another one or none, and says something instead."""

    model: Model
    name: str
    instead: tuple[ToolRequest, ...] = ()
    says: Mapping[str, str] | None = None

    async def complete(self, request: Request) -> Completion:
        completion = await self.model.complete(request)
        if not any(each.name == self.name for each in completion.tool_requests):
            return completion
        if self.says is None:
            return replace(completion, tool_requests=self.instead)
        russian = any("а" <= letter <= "я" for letter in request.messages[-1].content.lower())
        return Completion(self.says["Russian" if russian else "English"], (), completion.usage, completion.model)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, the tools that do it, and who plays the agent in place of its model."""

    what: str
    tools: type[Tools] = Tools
    played_by: Callable[[Model], Model] = lambda model: model


_HANGS_UP = (ToolRequest("hangs_up", "end_call", '{"reason": "fault"}'),)
_DONE = {"Russian": "Готово, всё сделано!", "English": "All done!"}
_CLAIMS = {"Russian": "Заказ 0A0A0A оформлен. Спасибо за заказ.", "English": "Order 0A0A0A is placed. Thank you."}

FAULTS: Mapping[str, Fault] = {
    "wrong_packaging": Fault("another packaging than was ordered", WrongPackaging),
    "wrong_quantity": Fault("one more than was ordered", WrongQuantity),
    "wrong_product": Fault("another product than was ordered", WrongProduct),
    "forgets_item": Fault("nothing is in the order but the first thing", ForgetsItem),
    "adds_item": Fault("something in the order that nobody asked for", AddsItem),
    "ignores_removal": Fault("what was taken back stays in the order", IgnoresRemoval),
    "ignores_change": Fault("another quantity than the one that it was changed to", IgnoresChange),
    "wrong_date": Fault("another day than was agreed", WrongDate),
    "wrong_location": Fault("another place than was agreed", WrongLocation),
    "ends_early": Fault(
        "hangs up before the order is complete", played_by=lambda m: Replacing(m, "checkout", _HANGS_UP)
    ),
    "claims_success": Fault(
        "says that the order is placed, and does not place it",
        played_by=lambda model: Replacing(model, "confirm_order", says=_CLAIMS),
    ),
    "claims_vaguely": Fault(
        "says that all is done, and does not place the order",
        played_by=lambda model: Replacing(model, "confirm_order", says=_DONE),
    ),
    "wrong_price": Fault("names other amounts than its tools gave", played_by=Misquoting),
    "raises_price": Fault("charges more than the customer agreed to", RaisesPrice),
}
