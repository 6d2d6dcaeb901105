"""Tasks of τ²-bench: a JSON list of `{id, user_scenario, evaluation_criteria}`, one conversation each.

`tau2:DOMAIN` is the file of a domain in the benchmark's data. An initial state becomes the setup of a case, with the
names of functions that `chatbots/prompted/tau2.py` calls. A check stands for each component of a task's
`reward_basis`, so that a case passes where τ²-bench pays a reward of 1:

- DB: the state must be as after the task's actions on a fresh copy. As there, actions that fail are passed over.
- ACTION: each action must be called. Only arguments that the call has are compared, or those in `compare_args`.
- COMMUNICATE: the chatbot must say each text; commas in its messages are ignored.
- ENV_ASSERTION: functions of the environment must return what is asserted.
- NL_ASSERTION: a model must find each assertion true.

Tasks whose user has tools are left out.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sparring.core.case import MAX_GOAL, Case, Goal, Persona
from sparring.core.checks import Expectation, Rule
from sparring.core.errors import InputError
from sparring.core.message import Message, ToolCall, message
from sparring.core.state import GoldenAction
from sparring.core.value import Json, decoded, mapping, mappings
from sparring.parsing.json_reader import JsonDocument
from sparring.scenarios.expansion import Expansion, LoadOptions
from sparring.scenarios.field_reader import MAX_CASES
from sparring.scenarios.file_names import slug, stem
from sparring.scenarios.kinds import ScenarioKind, SourceDocument

_BASIS = {"DB", "COMMUNICATE"}
"""The basis of a task that names none."""

_BY_ROLE = "do what the role says"
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
    if not mapping(task.get("user_scenario")).get("instructions"):
        return "its user has no instructions"
    if task.get("user_tools") or any(each.get("requestor") == "user" for each in mappings(criteria.get("actions"))):
        return "its user has tools"
    if unknown := _basis(criteria) - {"DB", "ACTION", "COMMUNICATE", "ENV_ASSERTION", "NL_ASSERTION"}:
        return f"its reward depends on {', '.join(sorted(unknown))}"
    return ""


def _basis(criteria: _Task) -> set[str]:
    return set(map(str, criteria.get("reward_basis") or _BASIS))


def _case(task: _Task, file: str, options: LoadOptions) -> Case:
    scenario = mapping(task["user_scenario"])
    instructions = scenario["instructions"]
    named = mapping(instructions) or {"reason_for_call": instructions}
    reason = str(named.get("reason_for_call") or "")
    is_goal = 0 < len(reason) <= MAX_GOAL
    moved = () if is_goal else ("reason_for_call",)
    known = [
        str(named[each]) for each in (*moved, "known_info", "unknown_info", "task_instructions") if named.get(each)
    ]
    past = mappings(mapping(task.get("initial_state")).get("message_history"))
    return Case(
        id=f"{slug(str(named.get('domain') or '')) or _domain(Path(file))}/{slug(str(task.get('id')))}",
        persona=Persona(role="\n".join(known), traits=(str(scenario["persona"]),) if scenario.get("persona") else ()),
        goals=(Goal(text=reason if is_goal else _BY_ROLE),),
        history=tuple(_history(past)),
        setup=setup_of(task),
        expectations=expectations(task, file),
        ends="farewell",
        seed=options.seed,
        limits=options.limits,
    )


def _domain(file: Path) -> str:
    """Return the name of a domain's folder in the data of the benchmark, or that of another file."""
    return slug(file.parent.name) if file.parent.parent.name == "domains" else stem(file)


def setup_of(task: _Task) -> tuple[GoldenAction, ...]:
    """Return the calls that bring the environment into the initial state of a task."""
    return tuple(_setup(task))


def _setup(task: _Task) -> Iterator[GoldenAction]:
    initial = mapping(task.get("initial_state"))
    data = mapping(initial.get("initialization_data"))
    for side, name in (("assistant", "agent_data"), ("user", "user_data")):
        if data.get(name):
            yield action({"name": "update_db", "requestor": side, "arguments": {"update_data": data[name]}})
    for each in mappings(initial.get("initialization_actions")):
        yield action({**each, "name": each.get("func_name"), "requestor": each.get("env_type")})
    for said in mappings(initial.get("message_history")):
        yield from [action(each, may_fail=True) for each in mappings(said.get("tool_calls"))]


def action(written: Mapping[str, Any], *, may_fail: bool = False) -> GoldenAction:
    """Return a call of the agent or of the user, whose functions begin with `user.`."""
    prefix = "user." if written.get("requestor") == "user" else ""
    arguments = mapping(written.get("arguments"))
    return GoldenAction(tool=f"{prefix}{written['name']}", arguments=arguments, may_fail=may_fail)


def _history(past: Sequence[Mapping[str, Any]]) -> Iterator[Message]:
    """Yield earlier messages, with the agent's calls and their results."""
    results = {str(each.get("id")): each for each in past if each.get("role") == "tool"}
    for said in past:
        calls = [_made(call, results) for call in mappings(said.get("tool_calls")) if call.get("requestor") != "user"]
        if said.get("role") in ("user", "assistant") and (calls or said.get("content")):
            yield message(
                "user" if said["role"] == "user" else "chatbot", str(said.get("content") or ""), tool_calls=tuple(calls)
            )


def _made(call: Mapping[str, Any], results: Mapping[str, Mapping[str, Any]]) -> ToolCall:
    result = results.get(str(call.get("id")), {})
    known: dict[str, Json] = {"name": str(call.get("name")), "arguments": mapping(call.get("arguments"))}
    content = (
        {"error": str(result.get("content"))} if result.get("error") else {"result": decoded(result.get("content"))}
    )
    return ToolCall.model_validate(known | (content if result else {"status": "attempted"}))


_Check = tuple[dict[str, str], dict[str, tuple[GoldenAction, ...]]]
"""The clauses of a rule, and the calls that it compares with."""


def expectations(task: _Task, file: str) -> tuple[Expectation, ...]:
    """Return the checks of a task."""
    return tuple(
        [Expectation(rule=Rule.model_validate({**clauses, "file": file}), **calls) for clauses, calls in _checks(task)]
    )


def _checks(task: _Task) -> Iterator[_Check]:
    criteria = mapping(task["evaluation_criteria"])
    basis, actions = _basis(criteria), [mapping(each) for each in mappings(criteria.get("actions"))]
    if "DB" in basis and criteria.get("actions") is not None:
        yield _state(actions)
    if "ACTION" in basis:
        yield from map(_action, actions)
    if "COMMUNICATE" in basis:
        yield from [_said(str(text)) for text in criteria.get("communicate_info") or ()]
    if "ENV_ASSERTION" in basis:
        yield from map(_assertion, mappings(criteria.get("env_assertions")))
    if "NL_ASSERTION" in basis:
        yield from [_holds(str(text)) for text in criteria.get("nl_assertions") or ()]


def _state(actions: list[Any]) -> _Check:
    if not actions:
        yields = "'expected no change; changed: ' + '; '.join([change.path for change in changes()])"
        return {"name": "state", "then": "changes() == []", "yields": yields}, {}
    golden = tuple([action(each, may_fail=True) for each in actions])
    yields = "'the state differs from that after the golden actions: ' + '; '.join(state_differences())"
    return {"name": "state after golden actions", "then": "state_differences() == []", "yields": yields}, {
        "golden": golden
    }


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
    }, {}


def _assertion(written: _Task) -> _Check:
    asked = action({**written, "name": written.get("func_name"), "requestor": written.get("env_type")})
    wanted = written.get("assert_value", True)
    found = f"tool_answer({asked.tool!r}, {asked.arguments!r})"
    expected = f"expected {asked.tool} to return {wanted}; it returned "
    return {
        "name": f"assertion {asked.tool}",
        "then": f"{found} == {wanted!r}",
        "yields": f"{expected!r} + str({found})",
    }, {"asks": (asked,)}


def _said(text: str) -> _Check:
    then = f"any([{text.lower()!r} in said.lower().replace(',', '') for said in chatbot_phrases])"
    return {"name": f"communicates {text[:60]}", "then": then, "yields": f"{f'the chatbot never said {text!r}'!r}"}, {}


def _holds(text: str) -> _Check:
    return {"name": "assertion", "then": f"holds({text!r})", "yields": f"{f'not so: {text}'!r}"}, {}


def tasks_of(domain: str) -> Path:
    """Return the file with the tasks of a domain. Raise InputError if there is none."""
    folder = os.environ.get("TAU2_DATA_DIR", "")
    files = [Path(folder) / "tau2" / "domains" / domain / name for name in ("tasks.json", "tasks_small.json")]
    found = next((each for each in files if folder and each.is_file()), None)
    if found is None:
        missing = f"there is no {files[0]}" if folder else "the environment has no TAU2_DATA_DIR"
        raise InputError(f"tau2:{domain}: {missing}", hint="TAU2_DATA_DIR is the folder `data` of the benchmark")
    return found


KIND = ScenarioKind(label="τ² task", precedence=40, recognises=recognises, cases=cases, address=tasks_of)
"""The plug-in `tau2`."""
