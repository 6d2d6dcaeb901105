"""Faults to plant in the sales agent, such as `phone_orders:fault=wrong_packaging`."""

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
    """Records another packaging of the same product, if there is one."""

    def _write(self, line: Line) -> None:
        others = [kind for kind in line.product.packs if kind != line.packaging]
        super()._write(replace(line, packaging=others[0]) if others else line)


class WrongQuantity(Tools):
    """Records one more than was ordered."""

    def _write(self, line: Line) -> None:
        super()._write(replace(line, quantity=line.quantity + 1))


class WrongProduct(Tools):
    """Records the next product of the catalogue, if it comes in the same packaging."""

    def _write(self, line: Line) -> None:
        products = self._catalogue.products
        later = [each for each in products[products.index(line.product) + 1 :] if line.packaging in each.packs]
        super()._write(replace(line, product=later[0]) if later else line)


class ForgetsItem(Tools):
    """Confirms all products, and records the first only."""

    def _write(self, line: Line) -> None:
        if all(each.product == line.product for each in self._cart.lines):
            super()._write(line)


class AddsItem(Tools):
    """Adds a product to the cart that was not ordered."""

    def _write(self, line: Line) -> None:
        super()._write(line)
        extra = self._catalogue.products[-1]
        super()._write(Line(extra, next(iter(extra.packs)), 1))


class IgnoresRemoval(Tools):
    """Confirms a removal, and keeps the item."""

    def _strike(self, line: Line) -> None:
        pass


class IgnoresChange(Tools):
    """Confirms a new quantity, and keeps the old one."""

    def _write(self, line: Line) -> None:
        if all(each.product != line.product or each.packaging != line.packaging for each in self._cart.lines):
            super()._write(line)


class WrongDate(Tools):
    """Records the day after the agreed one."""

    def _schedule(self, day: date) -> None:
        super()._schedule(day + timedelta(1))


class WrongLocation(Tools):
    """Delivers to another location of the customer, if there is one."""

    def _send_to(self, place: Location) -> None:
        others = [each for each in self._call.locations if each != place]
        super()._send_to(others[0] if others else place)


class RaisesPrice(Tools):
    """Charges 10 % more after the customer has agreed."""

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
    """A model that states every amount of money a little too low."""

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
    """A model that replaces calls of the tool `name` by another call or none, and by other words."""

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
    """A planted fault: its description, the tools that have it, and a substitute for the agent's model."""

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
    "adds_item": Fault("something in the order that the caller did not ask for", AddsItem),
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
