"""Validation of documents against pydantic models, with every problem at its position in the file."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, RootModel, ValidationError
from pydantic_core import ErrorDetails

from sparring.core.errors import InputError, Problem
from sparring.core.text import did_you_mean
from sparring.parsing.document import Document, KeyPath, shortened

Kind = TypeVar("Kind", bound=BaseModel)

JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema"
"""Dialect of the JSON Schemas of files."""


def validate(document: Document, kind: type[Kind], *, at: KeyPath = ()) -> Kind:
    """Return the document, or its part `at`, as a `kind`. Raise InputError with all problems."""
    data: Any = document.data
    for step in at:
        data = data[step]
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        # The cause contains the values, which may be secrets.
        raise InputError(misfits(error, kind, document, at=at)) from None


def misfits(error: ValidationError, kind: type[BaseModel], document: Document, *, at: KeyPath = ()) -> list[Problem]:
    """Return each validation error as a problem with its position, in the order of the file."""
    found: dict[KeyPath, list[ErrorDetails]] = {}
    for detail in error.errors(include_url=False):
        found.setdefault(_path(detail, document, at), []).append(detail)
    inner = {path[:length] for path in found for length in range(len(path))}
    problems = []
    for path, details in found.items():
        # For a union, the alternative that got furthest has the most useful error.
        relevant = [detail for detail in details if not (path in inner and _of_wrong_kind(detail))]
        if relevant:
            unknown = relevant[0]["type"] == "extra_forbidden"
            hint = _meant(str(path[-1]), _names(kind, path[len(at) : -1])) if unknown else _chosen(relevant[0])
            problems.append(document.problem(path, _message(relevant), hint, key=unknown))
    return shortened(sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0)))


def _path(detail: ErrorDetails, document: Document, at: KeyPath) -> KeyPath:
    """Return the path of an error without the names of alternatives that pydantic inserts."""
    node, path = document.root, list[str | int]()
    for step in (*at, *detail["loc"]):
        if step in node.children:
            node = node.children[step]
            path.append(step)
    return (*path, detail["loc"][-1]) if detail["type"] == "missing" else tuple(path)


def _message(details: list[ErrorDetails]) -> str:
    """Return the message without the value, which may be a secret."""
    wanted = " or ".join(dict.fromkeys(_wanted(detail) for detail in details))
    return f"should be {wanted}, not {type_name(details[0]['input'])}" if _of_wrong_kind(details[0]) else wanted


def _of_wrong_kind(detail: ErrorDetails) -> bool:
    return detail["type"].endswith(("_type", "_parsing"))


def _wanted(detail: ErrorDetails) -> str:
    kind, said = detail["type"], detail["msg"]
    if kind in _WANTED:
        return _WANTED[kind]
    if kind in ("value_error", "assertion_error"):
        return said.partition(", ")[2]
    said = said.removeprefix("Input ").removeprefix("should be " if _of_wrong_kind(detail) else "")
    return said[:200]


_WANTED = {
    "extra_forbidden": "unknown key",
    "missing": "is missing",
    "invalid-json-value": "is not JSON; a date needs quotes",
    "string_type": "text",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
}


def type_name(value: object) -> str:
    """Return the type of a value in words. The value itself may be long or secret."""
    names = {bool: "true or false", int: "a number", float: "a number", str: "text", date: "a date", list: "a list"}
    return "empty" if value is None else names.get(type(value), "a mapping")


def _chosen(detail: ErrorDetails) -> str:
    """Return a hint with the closest of the allowed words."""
    if detail["type"] not in ("literal_error", "enum") or not isinstance(detail["input"], str):
        return ""
    return _meant(detail["input"], re.findall(r"'([^']*)'", detail["msg"]), otherwise="")


def _meant(name: str, names: Iterable[str], otherwise: str = "known here: {}") -> str:
    return did_you_mean(name, names) or otherwise.format(", ".join(names))


def _names(kind: type[BaseModel], path: KeyPath) -> list[str]:
    """Return the keys allowed at `path` of a `kind`."""
    annotations: list[Any] = [kind]
    for step in path:
        annotations = [inner for annotation in annotations for inner in _inside(annotation, step)]
    fields = [
        item for annotation in annotations for model in _models(annotation) for item in model.model_fields.items()
    ]
    return sorted({field.alias or name for name, field in fields})


def _inside(annotation: Any, step: str | int) -> Iterator[Any]:
    """Yield the annotations of the entry `step`, for each alternative."""
    for kind in _alternatives(annotation):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from (field.annotation for name, field in kind.model_fields.items() if step in (name, field.alias))
        elif arguments := get_args(kind):
            yield arguments[0] if arguments[-1] is ... else arguments[-1]


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    for kind in _alternatives(annotation):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield kind


def _alternatives(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Annotated:
        yield from _alternatives(get_args(annotation)[0])
    elif isinstance(annotation, type) and issubclass(annotation, RootModel):
        yield from _alternatives(annotation.model_fields["root"].annotation)
    elif get_origin(annotation) in (Union, UnionType):
        for alternative in get_args(annotation):
            yield from _alternatives(alternative)
    else:
        yield annotation
        if get_origin(annotation) in (tuple, list):
            # A model may accept a single item in place of a list.
            yield from _alternatives(get_args(annotation)[0])
