"""What every noun is made of."""

import json

from pydantic import BaseModel, ConfigDict, JsonValue
from pydantic_core import PydanticSerializationError

Json = JsonValue
"""Whatever JSON can hold: text, numbers, true, false, null, lists and mappings of these."""


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
