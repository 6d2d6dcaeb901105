"""Every installed kind of scenario passes the suite, and the suite finds the faults that it names."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sparring import parsing
from sparring.core.case import Case
from sparring.core.errors import InputError
from sparring.parsing.json_reader import JsonDocument
from sparring.scenarios.expansion import Expansion, LoadOptions
from sparring.scenarios.kinds import ScenarioKind, SourceDocument, scenario_kind, scenario_kinds
from sparring.testing.conformance.roles import check_scenario_kind
from tables import table

TASKS = (
    '[{"id": 1, "user_scenario": {"instructions": "Cancel W1."},'
    ' "evaluation_criteria": {"actions": [{"name": "cancel", "arguments": {"order": "W1"}}]}}]'
)
VALID: dict[str, list[SourceDocument]] = {
    "profile": [
        parsing.parse(
            "test_name: t\nuser:\n  role: a customer\n  goals:\n"
            "    - a {{size}} pizza\n    - size:\n        function: forward()\n"
            "        type: string\n        data: [small, large]\nconversation: {number: all_combinations}\n",
            "profile.yml",
        )
    ],
    "scenario": [parsing.parse("goals: [a pizza]\nvariables: {size: [small, large]}\n", "scenario.yml")],
    "playbook": [parsing.parse("steps: [user: hello]\n", "playbook.yml")],
    "calls": [JsonDocument('[{"name": "One", "variables": {"ORDER_GOAL": "milk"}}]', "calls.json")],
    "tau2": [JsonDocument(TASKS, "tasks.json")],
    "policy": [
        parsing.parse(
            "policy: refunds\ntool: refund\nargs: {id: '{{id}}'}\nsays: Refund {{id}}.\n"
            "records:\n  - {id: A, days: 13}\n  - {id: B, days: 15}\nlimits: {days: {under: 15}}\n",
            "policy.yaml",
        )
    ],
}
INVALID: dict[str, list[SourceDocument]] = {
    "profile": [parsing.parse("user: 1\n", "profile.yml")],
    "scenario": [parsing.parse("goals: 1\n", "scenario.yml")],
    "playbook": [parsing.parse("steps: [jump: 1]\n", "playbook.yml")],
    "calls": [JsonDocument('[{"name": "One", "variables": {}}]', "calls.json")],
    "tau2": [JsonDocument(TASKS.replace("Cancel W1.", ""), "tasks.json")],
    "policy": [parsing.parse("policy: refunds\ntol: refund\n", "policy.yaml")],
}


@pytest.mark.parametrize("name", VALID)
def test_every_kind_conforms(name: str):
    check_scenario_kind(scenario_kind(name), valid=VALID[name], invalid=INVALID[name])


def test_no_installed_kind_is_left_out():
    assert {each.label for each in scenario_kinds()} == {scenario_kind(name).label for name in VALID}


def cases(document: SourceDocument, options: LoadOptions) -> Expansion:
    data = document.data
    if not isinstance(data, dict) or "note" not in data:
        raise InputError(document.problem((), "this is no note"))
    return Expansion((Case(id="note/1"),))


NOTES = ScenarioKind(label="note", recognises=lambda document: "note" in str(document.data), cases=cases)
NOTE = JsonDocument('{"note": 1}', "note.json")


def accepting(document: SourceDocument, options: LoadOptions) -> Expansion:
    return Expansion((Case(id="note/1"),))


def crashing(document: SourceDocument, options: LoadOptions) -> Expansion:
    return Expansion((Case(id=str(document.data["note"])),))  # type: ignore[index,call-overload]


def twice(document: SourceDocument, options: LoadOptions) -> Expansion:
    return Expansion(cases(document, options).cases * 2)


def unnamed(document: SourceDocument, options: LoadOptions) -> Expansion:
    try:
        return cases(document, options)
    except InputError:
        raise InputError("this is no note") from None


def counting() -> Callable[[SourceDocument, LoadOptions], Expansion]:
    seen: list[object] = []

    def counted(document: SourceDocument, options: LoadOptions) -> Expansion:
        seen.append(document)
        return Expansion((Case(id=f"note/{len(seen)}"),))

    return counted


def test_a_kind_of_ones_own_conforms():
    check_scenario_kind(NOTES, valid=[NOTE])


@table(
    ("changes", "message"),
    [
        ({"label": ""}, "not a name"),
        ({"recognises": lambda document: False}, "note.json is not recognised"),
        ({"cases": accepting}, "has mistakes and is accepted"),
        ({"cases": twice}, "two cases have the same id"),
        ({"cases": unnamed}, "names the file ''"),
        ({"cases": counting()}, "give different cases"),
        ({"cases": lambda document, options: Expansion(())}, "expands to no case"),
        (
            {"cases": lambda document, options: Expansion((Case(id="note/1", standard_rubric="none"),))},
            "'none' of note/1 is not installed",
        ),
        ({"informed": lambda case, facts: case}, "the facts are not the variables"),
        ({"canonical": lambda name: f"{name}_"}, "changes if it is asked again"),
    ],
)
def test_a_fault_is_found(changes: dict[str, Any], message: str):
    with pytest.raises(AssertionError, match=message):
        check_scenario_kind(replace(NOTES, **changes), valid=[NOTE])


def test_an_exception_of_another_type_is_not_swallowed():
    with pytest.raises((TypeError, KeyError)):
        check_scenario_kind(replace(NOTES, cases=crashing), valid=[NOTE])
