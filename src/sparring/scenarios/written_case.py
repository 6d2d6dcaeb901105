"""A case written as a scenario file, and the elements of the file that can be left out."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from copy import deepcopy
from datetime import date
from typing import Any

import yaml

from sparring import parsing
from sparring.core.case import Case, Goal, InjectReply, Say, Step, Style, ToolFault
from sparring.core.checks import Rule
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.value import Json
from sparring.parsing import KeyPath
from sparring.scenarios.expansion import LoadOptions
from sparring.scenarios.personas import conjunction
from sparring.scenarios.placeholders import as_text, placeholders
from sparring.scenarios.scenario_files import cases

Written = dict[str, Any]
"""A scenario as written in a file."""

_KEPT_FIRST = ("goals", "script", "outputs", "tags", "history", "answers", "variables", "fallbacks", "facts", "user")
"""Keys whose entries can be left out, those that are more worth keeping first."""


def scenario(case: Case, check: Rule | None) -> Written:
    """Return a case as a scenario with one expectation; values are literal."""
    asked = {each.name for each in case.outputs if each.ask}
    persona, limits = case.persona, case.limits.model_dump(exclude_defaults=True)
    facts = {each.slot: list(each.values) for each in case.facts if each.source in ("facts", "sparring")}
    user: Written = {"role": persona.role, "traits": list(persona.traits), "styles": list(map(_style, persona.styles))}
    if persona.language != "English":
        user["language"] = persona.language
    found: Written = {
        "user": {key: value for key, value in user.items() if value},
        "goals": [_goal(each, case) for each in case.goals if each.output not in asked],
        "script": [_step(each) for each in case.script],
        "variables": {name: variable(name, value, case) for name, value in case.variables.items()},
        "answers": dict(case.answers),
        "facts": facts,
        "hidden": [each for each in case.unspoken if each in case.variables],
        "history": [{each.role: each.text} for each in case.history],
        "starts": "" if case.starts == "either" else case.starts,
        "outputs": {each.name: _output(each.model_dump(exclude_defaults=True)) for each in case.outputs},
        "fallbacks": list(case.fallbacks),
        "right": "" if case.right == "act" else case.right,
        "tags": list(case.tags),
        "faults": list(map(_fault, case.faults)),
        "setup": [{"tool": each.tool, "arguments": each.arguments} for each in case.setup],
        "limits": limits,
        "seed": case.seed,
    }
    found = {key: value for key, value in found.items() if value not in ("", [], {})}
    return expecting(found, case, check)


def lines_of(conversation: Conversation, check: Rule | None) -> Written:
    """Return a conversation as a scenario whose user says only the recorded lines."""
    case = conversation.case
    said = [Say(text=each.text) for each in conversation.messages if each.role == "user" and each.text]
    fixed = case.changed(persona=case.persona.changed(styles=()), goals=(), script=tuple(said), facts=(), answers={})
    return scenario(fixed, check)


def expecting(found: Written, case: Case, check: Rule | None) -> Written:
    """Add the check to a scenario, unless one of its goals has it."""
    if check is None or any(each.goal and each.rule.name == check.name for each in case.expectations):
        return found
    clauses = {"name": check.name, "when": check.when, "if": check.if_, "then": check.then, "yields": check.yields}
    one = {key: text for key, text in clauses.items() if text not in ("", "True")}
    if check.name == check.then:
        del one["name"]
    wanted = check.then if [*one] == ["then"] else one
    after = next((each.after for each in case.expectations if each.rule.name == check.name), None)
    if after is None:
        return found | {"expect": [*found.get("expect", ()), wanted]}
    steps = list(found["script"])
    step = steps[after - 1] if isinstance(steps[after - 1], dict) else {"say": steps[after - 1]}
    steps[after - 1] = step | {"expect": [*step.get("expect", ()), wanted]}
    return found | {"script": steps}


def goal_form(goal: Goal, case: Case) -> str:
    """Return the text of a goal before values are filled in."""
    return open_form(goal.text, {name: case.variables[name] for name in goal.variables}, case)


def open_form(text: str, values: Mapping[str, Json], case: Case) -> str:
    """Return a text of a case with placeholders for the first places where these values stand."""
    for name, value in values.items():
        said = as_text(value, conjunction=conjunction(case.persona.language))
        text = re.sub(rf"(?<![\w{{]){re.escape(said)}(?![\w}}])", f"{{{{{name}}}}}", text, count=1) if said else text
    return text


def _goal(goal: Goal, case: Case) -> str | Written:
    text = goal_form(goal, case)
    right: Written = {
        "answer": [str(each) for each in goal.answer],
        "done": goal.done,
        "never": [f"/{each}/" for each in goal.never],
        "otherwise": list(goal.otherwise),
    }
    right = {key: value for key, value in right.items() if value}
    return {"asks": text, **right} if right else text


def _step(step: Step) -> str | Written:
    if isinstance(step, Say):
        return step.text
    if isinstance(step, InjectReply):
        return {"inject_reply": step.text, **({"ends": True} if step.ends else {})}
    return {"inject_tool": step.model_dump(exclude={"kind"})}


def _fault(fault: ToolFault) -> Written:
    when: object = {"nth": fault.nth} if fault.nth else {"share": fault.share} if fault.share else fault.when
    return {"tool": fault.tool, "fails": fault.fails, "when": when, "args": dict(fault.arguments)}


def _style(style: Style) -> str | Written:
    return {style.name: list(style.languages) or style.mode} if style.languages or style.mode else style.name


def variable(name: str, value: object, case: Case) -> object:
    """Return the value of a variable of a case as it stands in a file."""
    if isinstance(value, dict):
        return {"function": "random()", "data": [value]}
    several = value if isinstance(value, list) else [value] if name in (case.listed or ()) else None
    return value if several is None else {"function": "default()", "data": several}


def _output(fields: Written) -> object:
    del fields["name"]
    return fields or "string"


def elements(whole: Written) -> list[KeyPath]:
    """Return the paths of what can be left out, those that are more worth keeping first."""
    return [path for key in _KEPT_FIRST if key in whole for path in _paths(whole[key], (key,))]


def _paths(part: Any, path: KeyPath) -> Iterator[KeyPath]:
    """Yield the entries of a list or mapping: of lists in it the items, of a goal also what is right."""
    for key, value in part.items() if isinstance(part, dict) else enumerate(part):
        here = (*path, key)
        if isinstance(value, list):
            yield from ((*here, at) for at in range(len(value)))
        elif path == ("variables",) and isinstance(value, dict):
            yield from ((*here, "data", at) for at in range(len(value["data"])))
        else:
            yield here
        if path == ("goals",) and isinstance(value, dict):
            yield from ((*here, name) for name in value if name != "asks")


def without(whole: Written, dropped: Set[KeyPath]) -> Written:
    """Return a scenario without these elements; of a variable that it needs, one value stays."""
    found = deepcopy(whole)
    outermost = [path for path in dropped if not any(path[:end] in dropped for end in range(1, len(path)))]
    for path in sorted(outermost, key=_latest_first, reverse=True):
        part: Any = found
        for key in path[:-1]:
            part = part[key]
        del part[path[-1]]
    found = {key: _filled(value) for key, value in found.items()}
    used = set(placeholders(yaml.safe_dump({key: value for key, value in found.items() if key != "variables"})))
    used |= {each for each in found.get("answers", {}).values() if each in whole.get("variables", {})}
    variables = found.get("variables", {}) | {
        name: value | {"data": value["data"][:1]} if isinstance(value, dict) else value
        for name, value in whole.get("variables", {}).items()
        if name in used and name not in found.get("variables", {})
    }
    hidden = [each for each in found.get("hidden", ()) if each in variables]
    found |= {"variables": variables, "hidden": hidden}
    return {key: value for key, value in found.items() if value not in ({}, [])}


def _latest_first(path: KeyPath) -> tuple[tuple[bool, int, str], ...]:
    return tuple((isinstance(key, int), key if isinstance(key, int) else 0, str(key)) for key in path)


def _filled(part: Any) -> Any:
    """Return a list or mapping without empty lists in it."""
    if isinstance(part, Mapping):
        return {
            key: value for key, value in part.items() if value != [] and value != {"function": "default()", "data": []}
        }
    return part


class _Plain(yaml.SafeDumper):
    """Writes what occurs twice two times."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def text_of(written: Written) -> str:
    """Return the text of a scenario file."""
    return yaml.dump(written, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=10_000)


def loaded(text: str, file: str, today: date) -> Case | None:
    """Return the case of a scenario file, or None if it has a problem or several cases."""
    found = loaded_cases(text, file, today)
    return found[0] if len(found) == 1 else None


def loaded_cases(text: str, file: str, today: date) -> Sequence[Case]:
    """Return the cases of a scenario file, or none if it has a problem."""
    try:
        return cases(parsing.parse(text, file), LoadOptions(0, today)).cases
    except InputError:
        return ()
