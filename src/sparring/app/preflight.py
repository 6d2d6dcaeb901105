"""Checks before a run: what the chatbot cannot do, and what expectations and rules refer to."""

from collections.abc import Iterable, Iterator, Sequence

from sparring.chatbots.chatbot import Capabilities, Chatbot, unsupported
from sparring.core.case import Case, length_problems
from sparring.core.checks import NamedTool, Rule, named_tools
from sparring.core.errors import InputError, Problem
from sparring.core.prompts import ToolSchema
from sparring.core.text import suggest
from sparring.parsing import shortened


def check_lengths(cases: Iterable[Case]) -> None:
    """Raise InputError with all goals too long to be read, which a stored batch may have as well."""
    if problems := [problem for case in cases for problem in length_problems(case)]:
        raise InputError(shortened(problems))


def check_refusals(
    cases: Iterable[Case], chatbot: Chatbot, *, informed: bool = False, rules: Iterable[Rule] = ()
) -> None:
    """Raise InputError with everything in these cases and rules that the chatbot does not support.

    If the tools of the chatbot are known, rules and expectations may name no others. For `informed` cases, a missing
    variable is no problem: a webhook may supply it.
    """
    cases, capabilities = tuple(cases), chatbot.capabilities
    problems = [
        problem.model_copy(update={"path": problem.path or case.id})
        for case in cases
        for problem in (
            *unsupported(case, capabilities, complete=not informed),
            *chatbot.check(case, complete=not informed),
        )
    ]
    expected = {_key(each.rule): each.rule for case in cases for each in case.expectations}
    if capabilities.tools is not None:
        problems += _unknown_tools((*expected.values(), *rules), capabilities.tools)
    problems += _of_golden_actions(cases, capabilities)
    if problems:
        raise InputError(problems)


_NO_GOLDEN_ACTIONS = "this chatbot takes no golden actions, so that the state after them is not known"
_HOW_TO_TAKE_THEM = (
    "tools of `prompted:` take them if they have a method `state`, and a Python class if it has `call_tool`"
)


def _of_golden_actions(cases: Iterable[Case], capabilities: Capabilities) -> Iterator[Problem]:
    """Yield a problem for each expectation with golden actions that the chatbot cannot carry out."""
    golden = {(_key(each.rule), repr(each.golden)): each for case in cases for each in case.expectations if each.golden}
    for each in golden.values():
        line, column = each.rule.place("then", 0, 0)
        place = {"file": each.rule.file, "line": line, "column": column, "path": each.rule.name}
        if not capabilities.calls_tools:
            yield Problem(message=_NO_GOLDEN_ACTIONS, hint=_HOW_TO_TAKE_THEM, **place)
        elif capabilities.tools is not None:
            named = [NamedTool(action.tool, tuple(action.arguments)) for action in each.golden]
            messages = [message for tool in named for message in _wrong_name(tool, capabilities.tools)]
            yield from (Problem(message=message, **place) for message in messages)


def _unknown_tools(rules: Iterable[Rule], known: Sequence[ToolSchema]) -> Iterator[Problem]:
    """Yield a problem for each tool or argument that a rule names and the chatbot does not have."""
    for rule in rules:
        for named in dict.fromkeys(named_tools(rule)):
            place = {"file": rule.file, "line": named.line, "column": named.column, "path": rule.name}
            yield from (Problem(message=message, **place) for message in _wrong_name(named, known))


def _wrong_name(named: NamedTool, known: Sequence[ToolSchema]) -> Iterator[str]:
    tools = {tool.name: tool.parameters.get("properties") for tool in known}
    if named.tool not in tools:
        yield f"there is no tool {named.tool[:100]!r}; {suggest(named.tool, tools)}"
    elif isinstance(taken := tools[named.tool], dict):
        for name in named.arguments:
            if name not in taken:
                yield f"the tool {named.tool} takes no {name[:100]!r}; {suggest(name, taken)}"


_LACKS = "the scenario has no variable or output"
_NONE_HAS = "no scenario has a variable or output"


def check_expectations(
    cases: Iterable[Case], *, rules: Iterable[Rule] = (), beside: Iterable[Case] = (), informed: bool = False
) -> None:
    """Raise InputError with everything that is wrong with expectations and rules.

    An expectation must be an expression, use only names of its case, and compare values that can be equal. A rule may
    use the names of any case, including the cases `beside` those that run. For `informed` cases, a missing name is no
    problem: a webhook may supply it.
    """
    cases = tuple(cases)
    problems = list(_of_expectations([case for case in cases if case.expectations], informed=informed))
    active = [rule for rule in rules if rule.active]
    if active and not informed:
        problems += _of_rules(active, (*cases, *beside))
    if problems:
        raise InputError(problems)


def _of_rules(rules: Sequence[Rule], cases: Sequence[Case]) -> Iterator[Problem]:
    # Without rules, their modules are not imported.
    from sparring.rules.evaluate.compiled_rule import compile_rule
    from sparring.rules.evaluate.doubts import indexed_texts
    from sparring.rules.recording import is_scenario, names_of, plain_texts

    for rule in rules:
        own = [case for case in cases if not rule.scenarios or is_scenario(case.id, rule.scenarios)]
        shapes = {_names_shape(case): case for case in own}
        known = {name for case in shapes.values() for name in names_of(case)}
        texts = frozenset[str]().union(*(plain_texts(each.variables, each.listed) for each in shapes.values()))
        compiled = compile_rule(rule)
        if isinstance(compiled, list):
            yield from compiled
        elif own:
            yield from compiled.unknown(known, lacks=_NONE_HAS)
            yield from indexed_texts(compiled, texts)


def _of_expectations(expecting: Sequence[Case], *, informed: bool) -> Iterator[Problem]:
    if not expecting:
        return
    # Nor are they without expectations.
    from sparring.rules.evaluate.compiled_rule import compile_rule
    from sparring.rules.evaluate.doubts import Comparisons, indexed_texts
    from sparring.rules.recording import names_of, plain_texts

    rules = {_key(each.rule): each.rule for case in expecting for each in case.expectations}
    compiled = {key: compile_rule(rule) for key, rule in rules.items()}
    problems = {problem: None for each in compiled.values() if isinstance(each, list) for problem in each}
    comparisons = {key: Comparisons(each) for key, each in compiled.items() if not isinstance(each, list)}
    for case in () if informed else {_shape(case): case for case in expecting}.values():
        names = names_of(case)
        for compared in [comparisons[key] for each in case.expectations if (key := _key(each.rule)) in comparisons]:
            problems |= dict.fromkeys(compared.compiled.unknown(names.keys(), lacks=_LACKS))
            problems |= dict.fromkeys(indexed_texts(compared.compiled, plain_texts(case.variables, case.listed)))
            compared.see(names)
    problems |= {problem: None for compared in comparisons.values() for problem in compared.idle()}
    yield from problems


def _names_shape(case: Case) -> tuple[object, ...]:
    """Return what the names of a case, and the texts among them, depend on."""
    texts = frozenset(name for name, value in case.variables.items() if isinstance(value, str))
    return frozenset(case.variables), texts, case.listed is None, frozenset(wanted.name for wanted in case.outputs)


def _shape(case: Case) -> tuple[object, ...]:
    """Return the part of a case that its expectations depend on, to check it once for thousands of cases."""
    return (
        frozenset((name, type(value)) for name, value in case.variables.items()),
        tuple((wanted.name, wanted.type) for wanted in case.outputs),
        tuple(_key(each.rule) for each in case.expectations),
    )


def _key(rule: Rule) -> tuple[str, int | None, str]:
    return rule.file, rule.line, rule.then
