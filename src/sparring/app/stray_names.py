"""Names in valid scenario files that look like misspelled variables."""

import re
from collections.abc import Iterator, Mapping, Sequence

from sparring.core.case import Case
from sparring.core.errors import Problem
from sparring.core.text import closest_name
from sparring.core.value import Json
from sparring.scenarios.field_reader import FieldReader, ProblemList
from sparring.scenarios.kinds import ScenarioKind, SourceDocument
from sparring.scenarios.placeholders import placeholders, texts

_PLAIN = re.compile(r"(?<![{$])\{([A-Za-z_]\w{0,60})\}(?!\})")
"""A name in single braces, as in prompts of the simulation service."""

_NOT_SAID = ("expect", "output", "judge", "llm", "limits", "never", "script", "steps", "data")
_SIMILAR = 0.8
_MAX_WARNINGS = 20


def stray_names(document: SourceDocument, kind: ScenarioKind, cases: Sequence[Case]) -> tuple[Problem, ...]:
    """Return a warning for each name that is no variable, with the one that was probably meant."""
    root = FieldReader(document.data, document, ProblemList())
    documented = _documented(kind)
    known = {*documented, *(name for case in cases for name in case.variables)}
    for part, text in texts(root):
        if not any(str(step).startswith(_NOT_SAID) for step in part.path):
            _report_text(part, text, known)
    for case_variables in _variables(root, documented):
        for name, part in case_variables:
            meant = closest_name(kind.canonical(name), documented, cutoff=_SIMILAR)
            if meant and kind.canonical(name) not in documented:
                part.report(f"{name!r} is no documented variable", f"did you mean {meant!r}?", key=True)
    return tuple(root.problems.ordered()[:_MAX_WARNINGS])


def _report_text(part: FieldReader, text: str, known: set[str]) -> None:
    for name in placeholders(text):
        if name not in known:
            part.report(f"{{{{{name}}}}} is not a variable", part.suggestion(name, known))
    for name in dict.fromkeys(_PLAIN.findall(text)):
        meant = closest_name(name, known, cutoff=_SIMILAR)
        if meant or name.isupper():
            hint = f"did you mean {{{{{meant}}}}}?" if meant else part.suggestion(name, known)
            part.report(f"{{{name}}} is said as it is written", hint)


def _documented(kind: ScenarioKind) -> list[str]:
    """Return the variables that a kind of the REST API documents."""
    found: Mapping[str, Json] = kind.schema() if kind.schema and kind.item_schema else {}
    for step in ("$defs", "scenario", "properties", "variables", "properties"):
        inner = found.get(step)
        found = inner if isinstance(inner, Mapping) else {}
    return list(found)


def _variables(root: FieldReader, documented: Sequence[str]) -> Iterator[list[tuple[str, FieldReader]]]:
    """Yield the variables of each scenario of a kind that documents names."""
    if not documented:
        return
    listed = root.at("scenarios", root.data["scenarios"]) if isinstance(root.data, dict) else root
    for item in listed.items():
        variables = item.data.get("variables") if isinstance(item.data, dict) else None
        if isinstance(variables, dict):
            yield item.at("variables", variables).entries()
