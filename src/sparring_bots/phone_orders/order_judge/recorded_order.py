"""The placed order, read from the results of a chatbot's tools by configurable field names."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sparring.core.conversation import Conversation
from sparring.core.message import ToolCall
from sparring.core.value import Json


@dataclass(frozen=True, slots=True)
class ResultFields:
    """Names of fields in tool results; the first that is present is used."""

    cart: tuple[str, ...] = ("cart", "items", "lines", "order_items", "products_in_cart")
    around: tuple[str, ...] = ("order", "cart", "result", "data")
    name: tuple[str, ...] = ("name", "title", "product_name", "product")
    code: tuple[str, ...] = ("product_code", "code", "sku", "id")
    quantity: tuple[str, ...] = ("quantity", "qty", "count", "amount")
    packaging: tuple[str, ...] = ("packaging", "packaging_type", "unit", "pack")
    price: tuple[str, ...] = ("price", "line_total", "total_price", "sum", "cost", "unit_price")
    date: tuple[str, ...] = ("delivery_date", "date")
    location: tuple[str, ...] = ("location", "address", "delivery_address", "location_id")
    status: tuple[str, ...] = ("status", "state")
    confirmed: tuple[str, ...] = ("confirmed", "placed", "ordered", "completed")
    confirming: tuple[str, ...] = ("confirm_order", "place_order", "create_order", "submit_order")


FIELDS = ResultFields()


@dataclass(frozen=True, slots=True)
class RecordedLine:
    """An item in a cart."""

    name: str
    code: str
    quantity: float | None
    packaging: str
    price: float | None = None


Cart = tuple[RecordedLine, ...]


@dataclass(frozen=True, slots=True)
class RecordedOrder:
    """A cart with its delivery and whether it was placed; `at` is the message with its last change.

    `carts` are the states of the cart so far.
    """

    lines: Cart = ()
    date: str = ""
    location: str = ""
    placed: bool = False
    at: int = 0
    carts: tuple[Cart, ...] = ()


def recorded_order(conversation: Conversation, fields: ResultFields = FIELDS) -> RecordedOrder | None:
    """Return the last placed order, else its final state; None if no tool result contains a cart."""
    seen: RecordedOrder | None = None
    placed: RecordedOrder | None = None
    for at, call in _calls(conversation):
        found = _seen(call, seen or RecordedOrder(), fields, at)
        seen = found or seen
        if seen is not None and _places(call, fields):
            placed = replace(seen, placed=True, at=at)
    return placed or seen


def _calls(conversation: Conversation) -> Iterator[tuple[int, ToolCall]]:
    for at, message in enumerate(conversation.messages):
        if message.role == "chatbot" and not message.injected and at >= len(conversation.case.history):
            yield from ((at, call) for call in message.tool_calls)


def _seen(call: ToolCall, before: RecordedOrder, fields: ResultFields, at: int) -> RecordedOrder | None:
    """Return the order after a call; None if the result has no cart and no delivery of a known one."""
    found: RecordedOrder | None = None
    for result in _layers(call.result, fields):
        lines = _lines(result, fields)
        if lines is not None:
            carts = before.carts if lines == before.lines else (*before.carts, lines)
            found = replace(found or before, lines=lines, at=at, carts=carts)
        date, location = _text(_first(result, fields.date)), _text(_first(result, fields.location))
        if (found or before.at) and (date or location):
            known = found or before
            found = replace(known, date=date or known.date, location=location or known.location, at=at)
    return found


def _layers(result: Json, fields: ResultFields) -> Iterator[Mapping[str, Json]]:
    """Yield a result and the mappings nested in it."""
    if isinstance(result, dict):
        yield result
        for name in fields.around:
            inner = result.get(name)
            if isinstance(inner, dict):
                yield inner


def _lines(result: Mapping[str, Json], fields: ResultFields) -> Cart | None:
    for name in fields.cart:
        value = result.get(name)
        if isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
            lines = [_line(entry, fields) for entry in value if isinstance(entry, dict)]
            if all(line.name or line.code for line in lines):
                return tuple(lines)
    return None


def _line(entry: Mapping[str, Json], fields: ResultFields) -> RecordedLine:
    name, code = _text(_first(entry, fields.name)), _text(_first(entry, fields.code))
    count, price = _number(_first(entry, fields.quantity)), _number(_first(entry, fields.price))
    return RecordedLine(name, code, count, _text(_first(entry, fields.packaging)), price)


def _number(value: Json) -> float | None:
    try:
        return None if value is None else float(str(value).replace(",", "."))
    except ValueError:
        return None


def _places(call: ToolCall, fields: ResultFields) -> bool:
    """Return True if a call placed the order: its result says so, or a confirming tool succeeded."""
    if call.error:
        return False
    for result in _layers(call.result, fields):
        status = _first(result, fields.status)
        if status is not None:
            return str(status).casefold() in fields.confirmed
        if any(result.get(name) is True for name in fields.confirmed):
            return True
    return call.name in fields.confirming and isinstance(call.result, dict) and not call.result.get("error")


def _first(entry: Mapping[str, Json], names: tuple[str, ...]) -> Json:
    return next((entry[name] for name in names if entry.get(name) is not None), None)


def _text(value: Json) -> str:
    """Return a value as words; for a place with a number and an address, both."""
    if isinstance(value, dict):
        return " ".join(str(inner) for inner in value.values() if isinstance(inner, str | int | float))
    return "" if value is None or isinstance(value, list) else str(value)
