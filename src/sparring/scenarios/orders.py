"""What a customer wants to order, however it is written, in one shape: `{name, qty, packaging, code, from_history}`.

`removed` is ordered and taken back later, and of something with a `first_qty`, another quantity is ordered at first.
"""

import re

from sparring.core.errors import InputError
from sparring.core.value import Json
from sparring.parsing import Data
from sparring.parsing.json_reader import JsonDocument
from sparring.scenarios.field_reader import FieldReader

Item = dict[str, Json]

_NUMBER = re.compile(r"\s*-?[0-9]{1,15}([.,][0-9]{1,15})?\s*")

_ALSO = {"quantity": "qty", "title": "name", "product_code": "code", "packaging_type": "packaging"}
_FIELDS = ("name", "qty", "packaging", "code", "from_history", "removed", "first_qty")


def order(part: FieldReader, *, most: int) -> list[Item]:
    """The items of an ORDER_GOAL: a list, or the same as JSON in a text; a text that is no list is one item.

    Only the first `most` are looked at, with a complaint, where there are more.
    """
    data = part.data
    if isinstance(data, str):
        if not data.lstrip().startswith(("[", "{")):
            return [_named(part)] if data.strip() else []
        try:
            data = JsonDocument(data).data
        except InputError as error:
            part.wrong(error.problems[0].message, "write it as a list, without quotes around it")
            return []
    listed = part.with_data(data if isinstance(data, list) else [data])
    items = [item for inner in listed.items(most=most, what="things to order") for item in _item(inner)]
    if not listed.data:
        part.wrong("there is nothing to order")
    return items


def _item(part: FieldReader) -> list[Item]:
    if isinstance(part.data, str):
        return [_named(part)]
    if isinstance(part.data, list):
        return _pair(part, part.data)
    fields = part.fields(_FIELDS, also=_ALSO, required=("name",))
    if "name" not in fields:
        return []
    item: Item = {"qty": _single(fields["qty"])} if "qty" in fields else {}  # first, as somebody says it: 2 milk
    item["name"] = fields["name"].text()
    if "packaging" in fields:
        item["packaging"] = fields["packaging"].text()
    item |= {name: _single(fields[name]) for name in ("code", "first_qty") if name in fields}
    for name in ("qty", "first_qty"):
        if _too_few(item.get(name)):
            fields[name].wrong("should be greater than 0")
    item |= {name: fields[name].flag() for name in ("from_history", "removed") if name in fields}
    return [item]


def _too_few(qty: Json) -> bool:
    """Whether a quantity is a number, also one written as text, and none that can be ordered."""
    number = _NUMBER.fullmatch(str(qty))
    return number is not None and float(number[0].replace(",", ".")) <= 0


def _pair(part: FieldReader, pair: list[Data]) -> list[Item]:
    """`[title, code]`, as later files write it."""
    if len(pair) != 2:
        part.wrong("should be a name, [name, code], or {name, qty}")
        return []
    items = part.items()
    return [{"name": items[0].text(), "code": _single(items[1])}]


def _named(part: FieldReader) -> Item:
    return {"name": part.text()}


def _single(part: FieldReader) -> Json:
    if isinstance(part.data, str | int | float) and not isinstance(part.data, bool):
        return part.data
    part.wrong("should be a number or text")
    return None
