"""Scenarios JSON of the calling service: a list of `{name, variables}`, alone or under `scenarios`.

Names of variables are case-insensitive. Documented ones are stored in capitals, all others unchanged. `ORDER_GOAL`
becomes the goals, and is stored as a list of `{name, qty, packaging, code, from_history}`. `SEED` overrides the seed of
the run. `AMB_LEVEL` sets how vaguely a user without a model mentions items at first. `PATIENCE` limits the fallbacks in
a row and the turns.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from random import Random

from sparring.core.case import Case, Limits, Persona
from sparring.core.text import did_you_mean
from sparring.core.value import Json
from sparring.extraction.goals import texts
from sparring.parsing import Data
from sparring.parsing.json_reader import JsonDocument
from sparring.scenarios.expansion import Expansion, LoadOptions
from sparring.scenarios.field_reader import MAX_CASES, MAX_GOALS, MAX_VARIABLES, FieldReader, ProblemList
from sparring.scenarios.field_types import (
    ANYTHING,
    TEXT,
    AnyOf,
    Key,
    ListOf,
    Plain,
    Record,
    Shared,
    schema_of_file,
)
from sparring.scenarios.file_names import slug, stem
from sparring.scenarios.kinds import ScenarioKind, SourceDocument
from sparring.scenarios.personas import LANGUAGES
from sparring.scenarios.placeholders import to_json
from sparring_bots.phone_orders.call import listed
from sparring_bots.phone_orders.delivery_days import days
from sparring_bots.phone_orders.order_goals import ORDER, Item, goals, parse_order

ROLE = "You are a customer on the phone, and you want to place an order."

_FACTS = {
    "CLIENT_NAME": "Your name is {}.",
    "CURRENT_DATE": "Today is {}.",
    "LOCATION": "Your address: {}.",
    "LOCATIONS": "Your addresses: {}.",
    "DELIVERY_DAYS": "Days of delivery: {}.",
    "DELIVERY_DATE": "You want it delivered on this day: {}.",
    "PURCHASE_HISTORY": "You have ordered before: {}.",
}
_PATIENCE = (
    "You have no patience: at the first misunderstanding you complain and want to end the call.",
    "You have little patience: you repeat yourself once, and then you want to end the call.",
    "You are fairly patient: you repeat and explain when you are asked to.",
    "You are very patient: you take all the time that is needed.",
)
_AMBIGUITY = (
    "You say exactly what you want, with all details at once.",
    "You are sometimes vague: you leave out a detail now and then, and give it when asked.",
    "You are often vague: you name things roughly, and give details only when asked.",
    "You are very vague: you hint at what you want, and give details one by one, only when asked.",
)
_UNSPOKEN = {
    "PERSONALITY", "AMB_LEVEL", "PATIENCE", "ORDER_GOAL", "LANGUAGE", "CURRENT_DATE", "DELIVERY_DAYS", "CLIENT_ID",
    "CATALOGUE",
}  # fmt: skip
_BORNE = (1, 2, 4, 6)
_TURNS = ((8, 4), (10, 5), (12, 6))
"""Turns by patience: a base, and an increment for each item."""

ASKED_WHEN = (
    r"(?:когда|день|дня|дату|дата|числ).*(?:достав|привез|привёз)|(?:достав|привез|привёз).*(?:когда|день|дату|дата|числ)"
    r"|\b(?:when|day|date)\b.*\bdeliver|\bdeliver\w*\b.*\b(?:when|day|date)\b"
)
ASKED_WHERE = r"адрес|куда|\baddress\b|\blocation\b|\bwhere\b.*\bdeliver"
ASKED_WHO = r"вас зовут|ваше имя|представьтесь|\byour name\b|\bwho is calling\b"
_NUMBER = Plain(("integer", "string"))
_VARIABLES = Record(
    {
        "ORDER_GOAL": Key(ORDER, "what to order: a list, or JSON in a text"),
        "PERSONALITY": Key(TEXT, "who is calling"),
        "AMB_LEVEL": Key(_NUMBER, "how vague, from 0 to 3"),
        "PATIENCE": Key(_NUMBER, "how patient, from 0 to 3"),
        "SEED": Key(_NUMBER, "beats the seed of the run"),
        "LANGUAGE": Key(TEXT, "what the caller speaks"),
        **{name: Key(ANYTHING) for name in _FACTS},
    },
    open=True,
)
_SCENARIO = Record(
    {
        "name": Key(TEXT, "what the scenario is called", required=True),
        "variables": Key(_VARIABLES, "documented ones in any case; others are kept as they are", required=True),
        "webhook": Key(Plain(("boolean", "string")), "false if no webhook is asked about it"),
    }
)
_LIST = ListOf(Shared("scenario", lambda: _SCENARIO))
_FILE = Record(
    {
        "scenarios": Key(_LIST, required=True),
        **{name: Key(ANYTHING) for name in ("prompt_version", "prompt_spec_name", "use_tools", "use_autogen")},
    }
)
DECISIVE = frozenset({"ORDER_GOAL", "SEED", "PERSONALITY", "AMB_LEVEL", "PATIENCE", "LANGUAGE"})
"""Variables that determine the case and cannot be changed later."""

_DATES = {
    re.compile(r"\b([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})\b"): [(1, 2, 3)],
    re.compile(r"\b([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})\b"): [(3, 2, 1)],
    re.compile(r"\b([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})\b"): [(3, 2, 1), (3, 1, 2)],
}
_CYRILLIC = re.compile(r"[Ѐ-ӿ]")


def recognises(document: SourceDocument) -> bool:
    """Return True for any JSON document: this kind is asked last."""
    return isinstance(document, JsonDocument)


def cases(document: SourceDocument, options: LoadOptions) -> Expansion:
    """Return the cases of a list of scenarios; raise an `InputError` with all problems."""
    root = FieldReader(document.data, document, ProblemList())
    id = stem(Path(document.file))
    if _has_goals(root.data):
        file = f", and {id}.yml may hold this text" if isinstance(root.data, dict) else ""
        root.report(
            "goals and scripts are not read from JSON", f"scenario files are YAML: `scenarios:` and a list{file}"
        )
        root.problems.require_none()
    listed = _listed(root, options.extra_keys)
    if isinstance(listed.data, list) and not listed.check_count(len(listed.data), MAX_CASES, "scenarios"):
        root.problems.require_none()
    scenarios = listed.items()
    found = []
    for index, item in enumerate(scenarios):
        case = _case(id, index, item, options)
        if not root.problems:  # else they are not played, and take more memory than their source
            found.append(case)
    if not scenarios and not root.problems:
        root.report("there is no scenario")
    root.problems.require_none()
    return Expansion(tuple(found))


def canonical(name: str) -> str:
    """Return the stored spelling of a variable. Webhooks call CLIENT_NAME `name`."""
    upper = name.upper()
    return "CLIENT_NAME" if upper == "NAME" else upper if upper in _VARIABLES.keys else name


def informed(case: Case, variables: Mapping[str, Json]) -> Case:
    """Return the case with new values of variables, and with a user who knows and states them."""
    if not variables:
        return case
    kept = {**case.variables, **variables}
    facts = {name: sentence for name, sentence in _FACTS.items() if name in variables}
    stale = {sentence.format(_text(case.variables[name])) for name, sentence in facts.items() if name in case.variables}
    traits = [trait for trait in case.persona.traits if trait not in stale]
    traits += [sentence.format(_text(variables[name])) for name, sentence in facts.items()]
    changes = {
        "variables": kept,
        "persona": case.persona.model_copy(update={"traits": tuple(traits)}),
        "unspoken": tuple(sorted({*case.unspoken, *(name for name in variables if name.upper() in _UNSPOKEN)})),
    }
    if case.ends == "farewell":  # a call, in which these are always asked for
        changes["answers"] = {**case.answers, **dict(_answers(kept))}
    return case.model_copy(update=changes)


def _has_goals(data: Data) -> bool:
    """Return True if scenarios have what only scenario files have."""
    scenarios = data.get("scenarios", [data]) if isinstance(data, dict) else data
    listed = scenarios if isinstance(scenarios, list) else []
    return any(isinstance(each, dict) and not each.keys().isdisjoint(("goals", "script")) for each in listed)


def _listed(root: FieldReader, also: Sequence[str]) -> FieldReader:
    if not isinstance(root.data, dict):
        return root
    fields = root.fields(_FILE | Record({name: Key(ANYTHING) for name in also}))
    return fields.get("scenarios", root.with_data([]))


def _case(file: str, index: int, scenario: FieldReader, options: LoadOptions) -> Case:
    fields = scenario.fields(_SCENARIO)
    name = fields["name"].text() if "name" in fields else ""
    variables = _variables(fields["variables"]) if "variables" in fields else {}
    if "CURRENT_DATE" in variables:
        _check_date(variables["CURRENT_DATE"])
    items = _items(variables["ORDER_GOAL"]) if "ORDER_GOAL" in variables else []
    levels = {level: _level(part) for level, part in variables.items() if level in ("PATIENCE", "AMB_LEVEL")}
    id, language = f"{file}/{slug(name) or index}", _language(variables)
    seed = _seed(variables["SEED"]) if "SEED" in variables else options.seed
    kept = _kept(variables, levels, items)
    return Case(
        id=id,
        persona=Persona(role=ROLE, traits=tuple(_traits(variables, levels)), language=language),
        goals=goals(items, language, levels.get("AMB_LEVEL", 0), Random(f"{seed}/{id}/wishes")),
        variables=kept,
        answers=dict(_answers(kept)),
        unspoken=tuple(sorted(name for name in kept if name.upper() in _UNSPOKEN)),
        ends="farewell",
        standard_rubric="order",
        tags=(name,) if name else (),
        seed=seed,
        limits=_limits(options.limits, levels.get("PATIENCE"), len(items)),
        webhook=fields["webhook"].boolean() if "webhook" in fields else True,
    )


def _limits(limits: Limits, patience: int | None, things: int) -> Limits:
    if patience is None:
        return limits
    turns = limits.turns
    if patience < len(_TURNS):
        base, each = _TURNS[patience]
        turns = min(turns, base + each * things)
    return limits.model_copy(update={"fallbacks": _BORNE[patience], "turns": turns})


def _answers(variables: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """Yield answers to questions for a day, a place or a name: the wanted value, or the first option.

    Delivery days that name no single day, such as "1-2 working days", leave the choice to what is offered.
    """
    days_named = filter(_is_a_day, _choices(variables.get("DELIVERY_DAYS")))
    for pattern, said in (
        (ASKED_WHEN, (*_choices(variables.get("DELIVERY_DATE")), *days_named)),
        (ASKED_WHERE, (*_choices(variables.get("LOCATION")), *_choices(variables.get("LOCATIONS")))),
        (ASKED_WHO, _choices(variables.get("CLIENT_NAME"))),
    ):
        if said:
            yield pattern, said[0]


def _is_a_day(text: str) -> bool:
    found = days(text, date(2000, 1, 1))
    return found is not None and len(found.weekdays) + len(found.dates) == 1


def _choices(value: Json) -> tuple[str, ...]:
    """Return the entries of a list, even of one in a text; of a place with an address, the address."""
    if isinstance(value, str):
        return listed(value)
    entries = value if isinstance(value, list) else [value]
    return texts([entry.get("address", entry) if isinstance(entry, dict) else entry for entry in entries])


def _variables(part: FieldReader) -> dict[str, FieldReader]:
    """Return the variables that have a value: documented ones in capitals, all others unchanged."""
    if isinstance(part.data, list):
        part.report("should be a mapping, not a list")
        return {}
    found: dict[str, FieldReader] = {}
    for written, item in part.entries(most=MAX_VARIABLES, what="variables"):
        name = written.upper() if written.upper() in _VARIABLES.keys else written
        if item.data in (None, ""):
            continue
        if name in found and found[name].data != item.data:
            item.report(f"is a second {name} with another value", key=True)
        found.setdefault(name, item)
    if "ORDER_GOAL" not in found and isinstance(part.data, dict):
        part.at("ORDER_GOAL", None).report(
            "is missing", "" if part.problems.full else did_you_mean("ORDER_GOAL", found)
        )
    return found


def _items(part: FieldReader) -> Sequence[Item]:
    return parse_order(part, most=MAX_GOALS)


def _check_date(part: FieldReader) -> None:
    """Report a date that does not exist. Of two numbers with a slash, either may be the day."""
    text = part.data if isinstance(part.data, str) else ""
    for pattern, orders in _DATES.items():
        found = pattern.search(text)
        if found and not any(_exists(*(int(found[name]) for name in order)) for order in orders):
            part.report(f"there is no such day: {found[0]}")


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _level(part: FieldReader) -> int:
    level = _whole(part)
    if level is None or not 0 <= level <= 3:
        part.report("should be a whole number from 0 to 3")
        return 0
    return level


def _seed(part: FieldReader) -> int:
    seed = _whole(part)
    if seed is None or seed < 0:
        part.report("should be a whole number, 0 or more")
        return 0
    return seed


def _whole(part: FieldReader) -> int | None:
    """Return a whole number, even one written as text, else None."""
    data = part.data
    if isinstance(data, str) and data.strip().isdecimal() and len(data) < 20:
        return int(data)
    return data if isinstance(data, int) and not isinstance(data, bool) else None


def _traits(variables: Mapping[str, FieldReader], levels: Mapping[str, int]) -> Iterator[str]:
    if "PERSONALITY" in variables:
        yield variables["PERSONALITY"].text()
    if "PATIENCE" in levels:
        yield _PATIENCE[levels["PATIENCE"]]
    if "AMB_LEVEL" in levels:
        yield _AMBIGUITY[levels["AMB_LEVEL"]]
    for name, sentence in _FACTS.items():
        if name in variables:
            yield sentence.format(_text(variables[name].data))


def _text(data: object) -> str:
    """Return a fact in one line: a text unchanged, a list separated by semicolons, all else as JSON."""
    if isinstance(data, list) and all(isinstance(item, str | int | float) for item in data):
        return "; ".join(map(str, data))
    return " ".join(data.split()) if isinstance(data, str) else json.dumps(data, ensure_ascii=False)


def _language(variables: Mapping[str, FieldReader]) -> str:
    """Return LANGUAGE; by default Russian if the personality or the order is in Cyrillic, else English."""
    if "LANGUAGE" in variables:
        return variables["LANGUAGE"].one_of(LANGUAGES) or "English"
    said = " ".join(str(variables[name].data) for name in ("PERSONALITY", "ORDER_GOAL") if name in variables)
    return "Russian" if _CYRILLIC.search(said) else "English"


def _kept(variables: Mapping[str, FieldReader], levels: Mapping[str, int], items: Sequence[Item]) -> dict[str, Json]:
    """Return the variables that rules see. The seed is a field of the case instead."""
    understood: dict[str, Json] = {**levels, "ORDER_GOAL": [*items]} if "ORDER_GOAL" in variables else {**levels}
    return {
        name: understood[name] if name in understood else to_json(part.data)
        for name, part in variables.items()
        if name != "SEED"
    }


EXAMPLE: Json = {
    "name": "Calm reorder",
    "variables": {
        "PERSONALITY": "calm and friendly",
        "AMB_LEVEL": 0,
        "PATIENCE": 3,
        "ORDER_GOAL": [{"name": "a large custom pizza with ham", "qty": 1}],
        "CURRENT_DATE": "2026-03-02 Monday",
        "LOCATIONS": ["1 Example Street"],
        "DELIVERY_DAYS": ["Tuesday"],
        "PURCHASE_HISTORY": [],
        "SEED": 7,
    },
}
"""A scenario for the API reference."""

ITEM_SCHEMA: Mapping[str, Json] = {
    "type": "object",
    "required": ["name", "variables"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "variables": {"type": "object", "required": ["ORDER_GOAL"], "additionalProperties": True},
        "webhook": {"anyOf": [{"type": "boolean"}, {"enum": ["true", "false"]}]},
    },
}
"""The JSON Schema of one scenario, for the API reference."""

KIND = ScenarioKind(
    label="scenarios",
    precedence=90,
    recognises=recognises,
    cases=cases,
    canonical=canonical,
    decisive=DECISIVE,
    informed=informed,
    schema=lambda: schema_of_file("Scenarios as JSON, alone or under `scenarios`", AnyOf((_LIST, _FILE))),
    item_schema=ITEM_SCHEMA,
    example=EXAMPLE,
)
"""The plug-in `calls`."""
