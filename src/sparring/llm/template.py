"""Logic-less templates with {{fields}}, for prompts and the replies of a grammar.

`{{name}}` and `{{order.id}}` are filled in; a list reads "a, b and c". `{{#name}}...{{/name}}` is left out if `name` is
missing, false or empty, and repeated for each entry of a list, whose fields come first and which is itself `{{.}}`;
`{{^name}}...{{/name}}` is the opposite. There is nothing else: values are never read as templates, and nothing is
computed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import orjson

from sparring.core.errors import InputError, Problem
from sparring.core.value import Json

# It never goes back: what opens many fields and closes none would be read over and over again.
_TAG = re.compile(r"\{\{\s*+([#^/]?+)\s*+((?:[^{}\s]++|\s++(?!\}\}))*+)\s*+\}\}")
_MOST = 100  # mistakes of a kind: each is looked up in the text, and more would not be read
_NAME = re.compile(r"\.|[A-Za-z_][\w-]*(?:\.[\w-]+)*")


class MissingField(LookupError):
    """A template has a field without a value."""


@dataclass(frozen=True, slots=True)
class _Field:
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Section:
    path: tuple[str, ...]
    inverted: bool
    parts: "tuple[_Part, ...]"


_Part = str | _Field | _Section


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed template that can be filled many times. `fields` are its names, in order."""

    text: str
    parts: tuple[_Part, ...]
    fields: tuple[str, ...]

    def fill(self, values: dict[str, Json]) -> str:
        """Return the text with its fields filled.

        Raise `MissingField` with the name of a field without a value.
        """
        return _fill(self.parts, (values,))

    def missing(self, values: dict[str, Json]) -> tuple[str, ...]:
        """Return every name that `fill` would find no value for."""
        missing: dict[str, None] = {}
        _fill(self.parts, (values,), missing)
        return tuple(missing)

    def needs(self) -> Iterator[tuple[str, int]]:
        """Yield the names and their positions, except inside a section that may have its own."""
        inside: list[str] = []
        for tag in _TAG.finditer(self.text):
            sign, name = tag.groups()
            if sign == "/":
                inside.pop()
                continue
            if "#" not in inside and name != ".":
                yield name, tag.start()
            if sign:
                inside.append(sign)


def read(text: str) -> Template:
    """Parse a template. Raise InputError with its mistakes, up to a limit, with line and column."""
    tags = list(_TAG.finditer(text))
    problems = [*islice(_stray_braces(text), _MOST), *islice(_bad_names(text, tags), _MOST)]
    closing = list[re.Match[str]]()
    open_sections: list[tuple[re.Match[str], list[_Part]]] = []
    parts: list[_Part] = []
    end = 0
    for tag in tags:
        _add_text(parts, text[end : tag.start()])
        end = tag.end()
        sign, name = tag.groups()
        if sign in ("#", "^"):
            open_sections.append((tag, parts))
            parts = []
        elif sign == "/":
            if not open_sections or open_sections[-1][0][2] != name:
                closing.append(tag)
                continue
            opened, outer = open_sections.pop()
            outer.append(_Section(_path(name), opened[1] == "^", tuple(parts)))
            parts = outer
        else:
            parts.append(_Field(_path(name)))
    _add_text(parts, text[end:])
    problems += [problem_at(text, tag.start(), f"{tag[0]} closes nothing that is open") for tag in closing[:_MOST]]
    problems += [problem_at(text, tag.start(), f"{tag[0]} is never closed") for tag, _ in open_sections[:_MOST]]
    if problems:
        raise InputError(sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0)))
    names = dict.fromkeys(tag[2] for tag in tags if tag[1] != "/" and tag[2] != ".")
    return Template(text, tuple(parts), tuple(names))


def read_with(text: str, needed: Sequence[str], known: Sequence[str]) -> Template:
    """Parse a template with all `needed` fields and no unknown ones. Raise InputError with all mistakes."""
    found = read(text)
    problems = [Problem(message=f"{{{{{name}}}}} is missing") for name in needed if name not in found.fields]
    hint = f"there are: {', '.join(known)}"
    for name in [name for name in found.fields if name not in known]:
        at = next(tag.start() for tag in _TAG.finditer(text) if tag[2] == name)
        problems.append(problem_at(text, at, f"nothing is called {{{{{name}}}}}", hint))
    if problems:
        raise InputError(problems)
    return found


def joined(templates: Sequence[Template]) -> Template:
    """Return several texts as one, separated by empty lines."""
    return read("\n\n".join(each.text.strip() for each in templates))


@lru_cache(maxsize=64)
def shared(text: str) -> str:
    """Return an equal text that is already in memory: thousands of conversations may have the same prompt."""
    return text


def written(value: Json) -> str:
    """Return a value as people write it: "a, b and c" for a list, yes and no for booleans."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        words = [written(entry) for entry in value]
        return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
    return orjson.dumps(value).decode() if isinstance(value, dict) else str(value)


def _path(name: str) -> tuple[str, ...]:
    return () if name == "." else tuple(name.split("."))


def _add_text(parts: list[_Part], text: str) -> None:
    if text:
        parts.append(text)


def _stray_braces(text: str) -> Iterator[Problem]:
    rest = _TAG.sub(lambda tag: " " * len(tag[0]), text)
    for brace in re.finditer(r"\{\{|\}\}", rest):
        yield problem_at(text, brace.start(), f"{brace[0]} belongs to no field", "a field is written {{name}}")


def _bad_names(text: str, tags: Sequence[re.Match[str]]) -> Iterator[Problem]:
    for tag in tags:
        if not _NAME.fullmatch(tag[2]):
            yield problem_at(text, tag.start(), f"{tag[2]!r} is no field name", "use letters, digits, _ and - only")


def problem_at(text: str, at: int, message: str, hint: str = "") -> Problem:
    """Return a problem at a position of a text, with line and column."""
    line_start = text.rfind("\n", 0, at) + 1
    return Problem(line=text.count("\n", 0, at) + 1, column=at - line_start + 1, message=message, hint=hint)


def _fill(parts: tuple[_Part, ...], scopes: tuple[Json, ...], missing: dict[str, None] | None = None) -> str:
    """Return filled parts. A field without a value is added to `missing`, or raises `MissingField`."""
    return "".join([part if isinstance(part, str) else _fill_one(part, scopes, missing) for part in parts])


def _fill_one(part: _Field | _Section, scopes: tuple[Json, ...], missing: dict[str, None] | None) -> str:
    value = _look_up(part.path, scopes)
    if isinstance(part, _Field):
        if value is not None:
            return written(value)
        name = ".".join(part.path) or "."
        if missing is None:
            raise MissingField(name)
        missing[name] = None
        return ""
    absent = value is None or value is False or value in ("", [], {})
    if absent is not part.inverted:
        return ""
    if part.inverted:
        return _fill(part.parts, scopes, missing)
    if isinstance(value, list):
        return written([_fill(part.parts, (entry, *scopes), missing) for entry in value])
    return _fill(part.parts, (value, *scopes), missing)


def _look_up(path: tuple[str, ...], scopes: tuple[Json, ...]) -> Json:
    if not path:
        return scopes[0]
    for scope in scopes:
        if isinstance(scope, dict) and path[0] in scope:
            value = scope[path[0]]
            for name in path[1:]:
                value = value.get(name) if isinstance(value, dict) else None
            return value
    return None
