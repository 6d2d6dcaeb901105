"""`Value`, the frozen base class of all data, and JSON as a type."""

import json
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Self, TypeGuard, TypeVar

import orjson
import pydantic
from pydantic import AfterValidator, BaseModel, ConfigDict
from pydantic_core import PydanticSerializationError

Json = pydantic.JsonValue
"""Any JSON value."""

V = TypeVar("V", bound="Value")

MAX_DEPTH = 50
"""Maximum nesting of stored JSON: deeper values can be written, but not always read back."""


def is_deeper(value: Json, levels: int) -> bool:
    """Return True if lists and mappings are nested in more than `levels` levels."""
    nested: list[dict[str, Json] | list[Json]] = [value] if isinstance(value, (dict, list)) else []
    for _ in range(levels):
        nested = [
            inner
            for outer in nested
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not nested:
            return False
    return bool(nested)


def is_number(value: object) -> TypeGuard[int | float]:
    """Return True for numbers, which booleans are not here."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def mapping(value: Any) -> dict[str, Any]:
    """Return a mapping as it is, and an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def mappings(value: Any) -> list[dict[str, Any]]:
    """Return the mappings of a list, and an empty list for anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list | tuple) else []


def decoded(value: Any) -> Any:
    """Return a text that is a JSON list or object as what it says, and anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value


def map_texts(value: Json, change: Callable[[str], Json], *, names: Callable[[str], str] = str) -> Json:
    """Return the value with every text in it changed, at any depth, and names of mappings by `names`."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [map_texts(each, change, names=names) for each in value]
    if isinstance(value, dict):
        return {names(name): map_texts(each, change, names=names) for name, each in value.items()}
    return value


def _check_depth(value: Json) -> Json:
    if is_deeper(value, MAX_DEPTH):
        raise ValueError(f"is nested too deep: at most {MAX_DEPTH} levels can be stored")
    return value


JsonValue = Annotated[Json, AfterValidator(_check_depth)]
"""JSON nested at most `MAX_DEPTH` levels, so that it can be stored and read back."""


class Value(BaseModel):
    """Frozen base class, compared by content, with the same form in YAML, REST, store and memory.

    NaN and infinity are rejected at any depth, because JSON cannot represent them.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
    )

    @classmethod
    def unchecked(cls, fields: dict[str, Any]) -> Self:
        """Return a value of already valid fields without validation, for values made at every model call.

        All fields must be given.
        """
        made = _new(cls)
        _set_values(made, fields)
        _set_names(made, _all_fields(cls))
        _set_extra(made, None)
        _set_private(made, None)
        return made

    def changed(self, **fields: Any) -> Self:
        """Return a copy with other fields, which must already be valid."""
        return self.unchecked(self.__dict__ | fields)


def with_shared_parts(value: V, seen: dict[tuple[str, int], Any]) -> V:
    """Return an equal value that takes equal parts from `seen`; add its other parts there.

    Thousands of similar values take a fraction of the memory.
    """
    fields = {}
    for name, part in value.__dict__.items():
        if part and isinstance(part, (Value, tuple)):
            key = name, hash(repr(part))
            if (known := seen.get(key)) != part:
                known = part.changed() if isinstance(part, Value) else tuple(map(_lean, part))
                seen.setdefault(key, known)
            part = known
        fields[name] = part
    return value.unchecked(fields)


def _lean(part: Any) -> Any:
    return part.changed() if isinstance(part, Value) else part


# The slots that pydantic sets after validation; assigning them directly takes half the time of `object.__setattr__`.
_new = object.__new__
_set_values = BaseModel.__dict__["__dict__"].__set__
_set_names = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private = BaseModel.__dict__["__pydantic_private__"].__set__


@cache
def _all_fields(kind: type[Value]) -> set[str]:
    """Return the names of all fields, one shared set for all values of a class. Do not modify it."""
    return set(kind.model_fields)


def to_json(value: Value, *, without: frozenset[str] = frozenset()) -> bytes:
    """Return `value` as one line of JSON with its keys in field order.

    Lone surrogates, which chatbots may send and UTF-8 cannot encode, become `?`.
    """
    try:
        return value.model_dump_json(exclude=set(without)).encode()
    except PydanticSerializationError:
        return json.dumps(value.model_dump(mode="json", exclude=set(without)), ensure_ascii=False).encode(
            errors="replace"
        )
