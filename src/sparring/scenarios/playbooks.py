"""Playbooks: conversations with a chatbot that are written out, and what is expected on the way.

A file holds one case (`steps`), or several (`cases`, or a list of cases); what stands beside `cases` holds for all of
them. What one of them says replaces that, but variables and tags add up.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from sparring.core.case import Case, Limits
from sparring.core.errors import InputError
from sparring.core.value import Json
from sparring.parsing import Document
from sparring.scenarios.bounds import MAX_CASES
from sparring.scenarios.complaints import Complaints
from sparring.scenarios.expansion import Expansion, Terms
from sparring.scenarios.limits import limits
from sparring.scenarios.part import Part
from sparring.scenarios.plain import plain
from sparring.scenarios.playbook_steps import Steps
from sparring.scenarios.script import history
from sparring.scenarios.slug import slug, stem

SHARED = ("description", "customer_id", "variables", "tags", "limits", "seed")
KEYS = ("id", "name", *SHARED, "history", "steps")

Fields = Mapping[str, Part]


def recognised(document: Document) -> bool:
    """Whether this is a playbook: it has steps, or cases that have."""
    data = document.data
    if isinstance(data, dict):
        return not data.keys().isdisjoint(("steps", "cases"))
    return isinstance(data, list) and any(isinstance(item, dict) and "steps" in item for item in data)


def cases(document: Document, terms: Terms) -> Expansion:
    """The cases of a playbook; an InputError with everything that is wrong with it."""
    root = Part(document.data, document, Complaints())
    found = tuple(_cases(root, stem(Path(document.file)), terms))
    if root.problems:
        raise InputError(root.problems.in_order())
    return Expansion(found)


def _cases(root: Part, file: str, terms: Terms) -> Iterator[Case]:
    """Every case of a file, as far as it makes sense."""
    if isinstance(root.data, dict) and "steps" in root.data:
        yield _case(file, root.fields(KEYS), {}, root, terms)
        return
    common = root.fields(("name", *SHARED, "cases")) if isinstance(root.data, dict) else {}
    several = common.get("cases", root)
    items = several.items(most=MAX_CASES, what="cases")
    if not items:
        several.wrong("there is no case")
    for index, part in enumerate(items, 1):
        own = part.fields(KEYS)
        name = slug(next((own[key].text() for key in ("id", "name") if key in own), ""))
        yield _case(f"{file}/{name or index}", own, common, part, terms)


def _case(id: str, own: Fields, common: Fields, whole: Part, terms: Terms) -> Case:
    last = {**common, **own}
    values = {**_variables(common), **_variables(own)}
    steps = Steps(values, about=last["description"].text() if "description" in last else "")
    written = last["steps"].items() if "steps" in own else []
    for step in written:
        steps.read(step)
    case = Case(
        id=id,
        script=tuple(steps.script),
        expectations=tuple(steps.expectations),
        variables=values,
        history=history(last["history"]) if "history" in last else (),
        tags=tuple(dict.fromkeys(tag for each in (common, own) if "tags" in each for tag in each["tags"].texts())),
        seed=last["seed"].whole(least=0) if "seed" in last else terms.seed,
    )
    if "steps" not in own or own["steps"].data == []:
        whole.wrong("there is no step")
    elif written and not any(isinstance(step.data, dict) and "user" in step.data for step in written):
        whole.wrong("the user says nothing: there is no step `user`")
    return case.model_copy(update={"limits": _limits(last.get("limits"), len(case.lines), terms.limits)})


def _variables(fields: Fields) -> dict[str, Json]:
    """The variables of a case; its customer is one of them."""
    found = {name: plain(part.data) for name, part in fields["variables"].entries()} if "variables" in fields else {}
    if "customer_id" in fields:
        if "customer_id" in found:
            fields["customer_id"].wrong("stands among the variables too", key=True)
        found["customer_id"] = fields["customer_id"].text()
    return found


def _limits(part: Part | None, lines: int, common: Limits) -> Limits:
    """The limits of a case, in which there is room for all its lines: it is played to its end, whatever is said."""
    set_here = limits(part, common) if part else common
    if part and isinstance(part.data, dict) and "turns" in part.data and set_here.turns < lines:
        part.at("turns", part.data["turns"]).wrong(f"is too little: the user speaks {lines} times")
    given = part.data if part and isinstance(part.data, dict) else {}
    patience = set_here.fallbacks if "fallbacks" in given else max(set_here.fallbacks, lines + 1)
    return set_here.model_copy(update={"turns": max(set_here.turns, lines), "fallbacks": patience})
