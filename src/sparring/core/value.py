"""What every noun is made of."""

import json
from functools import cache
from typing import Annotated, Any, Self

import pydantic
from pydantic import AfterValidator, BaseModel, ConfigDict
from pydantic_core import PydanticSerializationError

Json = pydantic.JsonValue
"""Whatever JSON can hold: text, numbers, true, false, null, lists and mappings of these."""

DEEPEST = 50
"""How many lists and mappings may be nested in what is kept: deeper ones can be written, but not always read again."""


def is_deeper(value: Json, levels: int) -> bool:
    """Whether lists and mappings are nested in more levels than these."""
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


def _readable(value: Json) -> Json:
    if is_deeper(value, DEEPEST):
        raise ValueError(f"is nested too deep: no more than {DEEPEST} levels can be kept")
    return value


JsonValue = Annotated[Json, AfterValidator(_readable)]
"""JSON that is nested no deeper than can be stored and read again."""


class Value(BaseModel):
    """Frozen, compared by content, and the same in YAML, REST, store and memory.

    NaN and infinity are refused, at any depth: JSON has neither, and a file with one is a file others cannot read.
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
        """A value of all its fields, which whoever calls has checked: for what is made at every call of a model."""
        made = _new(cls)
        _set_values(made, fields)
        _set_names(made, _all_fields(cls))
        _set_extra(made, None)
        _set_private(made, None)
        return made

    def changed(self, **fields: Any) -> Self:
        """The same value with other fields, which whoever calls has checked."""
        return self.unchecked(self.__dict__ | fields)


# What pydantic itself sets in a value that it has checked; so it takes half the time that `object.__setattr__` does.
_new = object.__new__
_set_values = BaseModel.__dict__["__dict__"].__set__
_set_names = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private = BaseModel.__dict__["__pydantic_private__"].__set__


@cache
def _all_fields(kind: type[Value]) -> set[str]:
    """The names of all fields, one set for all values of a kind: nobody changes it, for they are frozen."""
    return set(kind.model_fields)


def to_json(value: Value, *, without: frozenset[str] = frozenset()) -> bytes:
    """`value` as one line of JSON, its keys in the order of the fields.

    A chatbot may say half of a surrogate pair, which UTF-8 cannot hold; a `?` stands for it then.
    """
    try:
        return value.model_dump_json(exclude=set(without)).encode()
    except PydanticSerializationError:
        return json.dumps(value.model_dump(mode="json", exclude=set(without)), ensure_ascii=False).encode(
            errors="replace"
        )
