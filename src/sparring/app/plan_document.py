"""A plan as a document for programs."""

from collections.abc import Mapping

from sparring.app.estimate import ASSUMED, Range, turns
from sparring.app.plan import Planned
from sparring.core.case import Case
from sparring.core.value import Json


def plan_json(found: Planned, *, prompts: bool = False) -> dict[str, Json]:
    """Return a plan as `plan --json` prints it."""
    roles: list[Json] = [
        {
            "role": role.name,
            "model": role.model,
            "calls": ends(role.takes.calls),
            "input_tokens": ends(role.takes.input_tokens),
            "output_tokens": ends(role.takes.output_tokens),
            "cost": ends(role.cost),
        }
        for role in found.roles
    ]
    return {
        "conversations": found.conversations,
        "repeats": found.repeats,
        "players": found.who.model_dump(mode="json"),
        "who": found.who.model_dump(mode="json"),
        "calls": ends(found.calls),
        "cost": ends(found.cost),
        "assumed": ASSUMED,
        "models": roles,
        "notes": list(found.notes),
        "warnings": [warning.model_dump(mode="json") for warning in found.warnings],
        "cases": [_case(case, found.rendered_prompts(case) if prompts else None) for case in found.shown],
    }


def _case(case: Case, prompts: Mapping[str, str] | None) -> Json:
    document: dict[str, Json] = {
        "id": case.id,
        "turns": ends(turns(case)),
        "persona": case.persona.name,
        "language": case.persona.language,
        "styles": [style.name for style in case.persona.styles],
        "goals": [goal.text for goal in case.goals],
        "variables": case.variables,
    }
    return document if prompts is None else document | {"prompt": prompts["user"], "prompts": dict(prompts)}


def ends(range: Range | None) -> Json:
    """Return the minimum and the maximum; counts are integers."""
    if range is None:
        return None
    return [round(end) if round(end) == end else round(end, 6) for end in (range.low, range.high)]
