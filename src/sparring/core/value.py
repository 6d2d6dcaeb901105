"""What every noun is made of."""

from pydantic import BaseModel, ConfigDict, JsonValue

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
