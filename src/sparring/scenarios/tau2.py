"""Tasks of τ²-bench: a JSON list of `{id, user_scenario, evaluation_criteria}`, one conversation each.

A check stands for each component of a task's `reward_basis`, so that a case passes where τ²-bench pays a reward of 1:

- DB: the state must be as after the task's actions on a fresh copy. As there, actions that fail are passed over.
- ACTION: each action must be called. Only arguments that the call has are compared, or those in `compare_args`.
- COMMUNICATE: the chatbot must say each text; commas in its messages are ignored.
- NL_ASSERTION: a model must find each assertion true.

Tasks whose user has tools, that begin in another state, or that assert about the environment are left out.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sparring.core.case import Case, Goal, Persona
from sparring.core.checks import Expectation, Rule
from sparring.core.errors import InputError
from sparring.core.state import GoldenAction
from sparring.core.value import mapping, mappings
from sparring.parsing.json_reader import JsonDocument
from sparring.scenarios.expansion import Expansion, LoadOptions
from sparring.scenarios.field_reader import MAX_CASES
from sparring.scenarios.file_names import slug, stem
from sparring.scenarios.kinds import ScenarioKind, SourceDocument

_BASIS = {"DB", "COMMUNICATE"}
"""The basis of a task that names none."""

_Task = Mapping[str, Any]


def recognises(document: SourceDocument) -> bool:
    """Return True for a JSON list that begins with a task."""
    data = document.data if isinstance(document, JsonDocument) else None
    return isinstance(data, list) and bool(data) and mapping(data[0]).keys() >= {"user_scenario", "evaluation_criteria"}


def cases(document: SourceDocument, options: LoadOptions) -> Expansion:
    """Return the cases of all playable tasks; raise an `InputError` if there are none."""
    tasks = [mapping(each) for each in document.data] if isinstance(document.data, list) else []
    reasons = {at: reason for at, task in enumerate(tasks) if (reason := _unplayable(task))}
    left_out = tuple([document.problem((at,), f"the task is left out: {reason}") for at, reason in reasons.items()])
    if len(left_out) == len(tasks) or len(tasks) > MAX_CASES:
        raise InputError(left_out if left_out else document.problem((), f"there are more than {MAX_CASES:,} tasks"))
    played = [task for at, task in enumerate(tasks) if at not in reasons]
    return Expansion(tuple([_case(task, document.file, options) for task in played]), left_out=left_out)


def _unplayable(task: _Task) -> str:
    """Return why a task cannot be played as τ²-bench plays it, or nothing."""
    criteria = mapping(task.get("evaluation_criteria"))
    initial = mapping(task.get("initial_state"))
    if not mapping(task.get("user_scenario")).get("instructions"):
        return "its user has no instructions"
    if task.get("user_tools") or any(each.get("requestor") == "user" for each in mappings(criteria.get("actions"))):
        return "its user has tools"
    if any(initial.get(name) for name in ("initialization_data", "initialization_actions", "message_history")):
        return "it begins in a state of its own"
    if unknown := _basis(criteria) - {"DB", "ACTION", "COMMUNICATE", "NL_ASSERTION"}:
        return f"its reward depends on {', '.join(sorted(unknown))}"
    return ""


def _basis(criteria: _Task) -> set[str]:
    return set(map(str, criteria.get("reward_basis") or _BASIS))


def _case(task: _Task, file: str, options: LoadOptions) -> Case:
    scenario = mapping(task["user_scenario"])
    instructions = scenario["instructions"]
    named = mapping(instructions) or {"reason_for_call": instructions}
    known = [str(named[name]) for name in ("known_info", "unknown_info", "task_instructions") if named.get(name)]
    return Case(
        id=f"{slug(str(named.get('domain', ''))) or stem(Path(file))}/{slug(str(task.get('id')))}",
        persona=Persona(role="\n".join(known), traits=(str(scenario["persona"]),) if scenario.get("persona") else ()),
        goals=(Goal(text=str(named.get("reason_for_call") or known[0])),),
        expectations=tuple([_expectation(rule, golden, file) for rule, golden in _checks(task)]),
        ends="farewell",
        seed=options.seed,
        limits=options.limits,
    )


_Check = tuple[dict[str, str], tuple[GoldenAction, ...]]
"""The clauses of a rule, and the golden actions that it compares with."""


def _expectation(clauses: dict[str, str], golden: tuple[GoldenAction, ...], file: str) -> Expectation:
    return Expectation(rule=Rule.model_validate({**clauses, "file": file}), golden=golden)


def _checks(task: _Task) -> Iterator[_Check]:
    criteria = mapping(task["evaluation_criteria"])
    basis, actions = _basis(criteria), [mapping(each) for each in mappings(criteria.get("actions"))]
    if "DB" in basis and criteria.get("actions") is not None:
        yield _state(actions)
    if "ACTION" in basis:
        yield from map(_action, actions)
    if "COMMUNICATE" in basis:
        yield from [_said(str(text)) for text in criteria.get("communicate_info") or ()]
    if "NL_ASSERTION" in basis:
        yield from [_holds(str(text)) for text in criteria.get("nl_assertions") or ()]


def _state(actions: list[Any]) -> _Check:
    if not actions:
        yields = "'expected no change; changed: ' + '; '.join([change.path for change in changes()])"
        return {"name": "state", "then": "changes() == []", "yields": yields}, ()
    golden = [
        GoldenAction(tool=each["name"], arguments=mapping(each.get("arguments")), may_fail=True) for each in actions
    ]
    yields = "'the state differs from that after the golden actions: ' + '; '.join(state_differences())"
    return {"name": "state after golden actions", "then": "state_differences() == []", "yields": yields}, tuple(golden)


def _action(action: _Task) -> _Check:
    """Return the check that a call was made. Arguments that it leaves out are not compared by default."""
    name, wanted, compared = str(action["name"]), mapping(action.get("arguments")), action.get("compare_args")
    if compared is None:
        alike = f"all([key in {wanted!r} and {wanted!r}[key] == call.arguments[key] for key in call.arguments])"
    else:
        equal = f"{wanted!r}[key] == call.arguments[key] if key in {wanted!r} and key in call.arguments"
        neither = f"key not in {wanted!r} and key not in call.arguments"
        alike = f"all([{equal} else {neither} for key in {list(compared)!r}])"
    then = f"any([{alike} for call in tool_calls({name!r})])"
    return {
        "name": f"action {name}",
        "then": then,
        "yields": f"{f'expected {name}; called were: '!r} + tools_used()",
    }, ()


def _said(text: str) -> _Check:
    then = f"any([{text.lower()!r} in said.lower().replace(',', '') for said in chatbot_phrases])"
    return {"name": f"communicates {text[:60]}", "then": then, "yields": f"{f'the chatbot never said {text!r}'!r}"}, ()


def _holds(text: str) -> _Check:
    return {"name": "assertion", "then": f"holds({text!r})", "yields": f"{f'not so: {text}'!r}"}, ()


KIND = ScenarioKind(label="τ² task", precedence=40, recognises=recognises, cases=cases)
"""The plug-in `tau2`."""
