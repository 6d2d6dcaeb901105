"""Types of the keys in a file, for its parser and its JSON Schema.

A `Record` is the one table of the keys, spellings, types, limits and meanings of a mapping: the parser passes it to
`FieldReader.fields`, and the schema for editors is generated from it. This module is public for plug-ins.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sparring.core.value import Json
from sparring.parsing.validate import JSON_SCHEMA

Schema = dict[str, Json]


class FieldType(Protocol):
    """The type of a value in a file."""

    def schema(self, shared: dict[str, Json]) -> Schema:
        """Return the JSON Schema; add those of shared types to `shared`."""


def schema_of_file(title: str, written: FieldType) -> Schema:
    """Return the JSON Schema of a file."""
    shared: dict[str, Json] = {}
    found: Schema = {"$schema": JSON_SCHEMA, "title": title, **written.schema(shared)}
    return {**found, "$defs": shared} if shared else found


@dataclass(frozen=True, slots=True)
class Plain:
    """A value of one or several of JSON's types; of any type if none is named."""

    types: tuple[str, ...] = ()

    def schema(self, shared: dict[str, Json]) -> Schema:
        return {"type": self.types[0] if len(self.types) == 1 else list(self.types)} if self.types else {}


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """A whole number within limits."""

    least: int = 1
    most: int | None = None

    def schema(self, shared: dict[str, Json]) -> Schema:
        most: Schema = {} if self.most is None else {"maximum": self.most}
        return {"type": "integer", "minimum": self.least, **most}


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several names; `also` maps further spellings to them."""

    names: tuple[str, ...]
    also: Mapping[str, str] = field(default_factory=dict)

    def schema(self, shared: dict[str, Json]) -> Schema:
        return {"enum": [*self.names, *self.also]}


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of values of one type."""

    item: FieldType
    least: int = 0
    most: int | None = None

    def schema(self, shared: dict[str, Json]) -> Schema:
        limits: Schema = {"minItems": self.least} if self.least else {}
        if self.most is not None:
            limits["maxItems"] = self.most
        return {"type": "array", "items": self.item.schema(shared), **limits}


@dataclass(frozen=True, slots=True)
class EntriesOf:
    """A mapping from any names to values of one type."""

    value: FieldType

    def schema(self, shared: dict[str, Json]) -> Schema:
        return {"type": "object", "additionalProperties": self.value.schema(shared)}


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A value of any of several types."""

    types: tuple[FieldType, ...]

    def schema(self, shared: dict[str, Json]) -> Schema:
        return {"anyOf": [each.schema(shared) for each in self.types]}


@dataclass(frozen=True, slots=True)
class Shared:
    """A type that a schema defines once by `name`, because it is large or contains itself."""

    name: str
    type: Callable[[], FieldType]

    def schema(self, shared: dict[str, Json]) -> Schema:
        if self.name not in shared:
            shared[self.name] = None
            shared[self.name] = self.type().schema(shared)
        return {"$ref": f"#/$defs/{self.name}"}


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a record: the type of its value, its meaning, and further spellings of its name."""

    type: FieldType
    meaning: str = ""
    required: bool = False
    also: tuple[str, ...] = ()

    def schema(self, shared: dict[str, Json]) -> Schema:
        described: Schema = {"description": self.meaning} if self.meaning else {}
        return {**self.type.schema(shared), **described}


class Record:
    """A mapping with known keys, of which it has from `least` to `most`.

    An `open` one may have others, too.
    """

    def __init__(self, keys: Mapping[str, Key], *, least: int = 0, most: int | None = None, open: bool = False) -> None:
        self.keys = keys
        self.spellings = {written: name for name, key in keys.items() for written in (name, *key.also)}
        self.required = tuple(name for name, key in keys.items() if key.required)
        self._limits: Schema = {"minProperties": least} if least else {}
        if most is not None:
            self._limits["maxProperties"] = most
        self._open = open

    def __or__(self, other: "Record") -> "Record":
        return Record({**self.keys, **other.keys})

    def picked(self, names: Iterable[str]) -> "Record":
        """Return a record with some of the keys."""
        return Record({name: self.keys[name] for name in names})

    def parent_of(self, key: str) -> str | None:
        """Return the key of this record whose value is a record with `key`, or None."""
        return next(
            (name for name, own in self.keys.items() if any(key in e.spellings for e in _records(own.type))), None
        )

    def schema(self, shared: dict[str, Json]) -> Schema:
        """Return the JSON Schema. A required key with several spellings is checked by the parser only."""
        properties: Schema = {
            written: self.keys[name].schema(shared)
            | ({} if written == name else {"description": f"the same as `{name}`"})
            for written, name in self.spellings.items()
        }
        required: list[Json] = [name for name in self.required if not self.keys[name].also]
        found: Schema = {"type": "object", "properties": properties, "additionalProperties": self._open}
        return found | self._limits | ({"required": required} if required else {})


def _records(type: FieldType) -> Iterator[Record]:
    if isinstance(type, Record):
        yield type
    elif isinstance(type, AnyOf):
        for each in type.types:
            yield from _records(each)


TEXT = Plain(("string",))
TEXTS = AnyOf((TEXT, ListOf(TEXT)))
BOOLEAN = Plain(("boolean",))
AMOUNT = Plain(("number", "string"))
"""A number, which may be in quotes."""

SINGLE = Plain(("string", "number", "boolean"))
MAPPING = Plain(("object",))
NOTHING = Plain(("null",))
ANYTHING = Plain()
COUNT = WholeNumber()
SEED = WholeNumber(least=0)
TAGS = Key(TEXTS, "labels")
RIGHT = OneOf(("act", "refuse"))
