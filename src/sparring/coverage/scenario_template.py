"""A scenario of which only cases are known, written again with other values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from sparring.core.case import Case
from sparring.core.value import Json, map_texts
from sparring.scenarios.written_case import Written, expecting, loaded, open_form, scenario, text_of, variable

_TEXTS = ("user", "goals", "script", "answers", "facts", "faults")
"""Keys whose texts may have placeholders."""


@dataclass(frozen=True, slots=True)
class ScenarioTemplate:
    """A scenario like a case, with placeholders where its values stand."""

    like: Case
    written: Written

    def with_values(self, values: Mapping[str, Json], **keys: Json) -> Written:
        """Return the scenario with other values and keys."""
        written = {name: variable(name, value, self.like) for name, value in values.items()}
        found = self.written | {"variables": self.written.get("variables", {}) | written} | keys
        return {key: value for key, value in found.items() if value}


def template(cases: Sequence[Case]) -> ScenarioTemplate | None:
    """Return a scenario that gives each of these cases again from its values; None if none does."""
    like = cases[0]
    plain = _expecting(scenario(like, None), like)
    varied = {name: value for name, value in like.variables.items() if len(like.choices.get(name, ())) > 1}
    filled = {key: map_texts(plain[key], lambda text: open_form(text, varied, like)) for key in _TEXTS if key in plain}
    others = [each for each in cases if each.variables != like.variables]
    checked = (like, *others[:1], *others[1:][-1:])
    for written in (plain | filled, plain):
        found = ScenarioTemplate(like, written)
        if all(_gives(found, each) for each in checked):
            return found
    return None


def _expecting(written: Written, case: Case) -> Written:
    """Add the expectations that hold with any values: those that use a variable where they have its value."""
    several = {name: value for name, value in case.variables.items() if len(case.choices.get(name, ())) > 1}
    for each in case.expectations:
        fixed = (repr(value) in each.rule.then and name not in each.rule.then for name, value in several.items())
        if each.goal is None and each.after is None and not any(fixed):
            written = expecting(written, case, each.rule)
    return written


def _gives(found: ScenarioTemplate, case: Case) -> bool:
    written = found.with_values(case.variables)
    made = loaded(text_of(written), "suggested.yml", date.min)
    return made is not None and [*_said(made)] == [*_said(case)]


def _said(case: Case) -> Iterable[object]:
    """Yield what stands in a case that depends on its values."""
    yield from ([each.text for each in case.goals], case.persona.role, case.persona.traits, case.script, case.answers)
