"""Bots that violate a check on purpose, made from the check itself."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sparring.core.case import Case
from sparring.core.checks import Rule
from sparring.core.message import Message, ToolCall, message
from sparring.core.state import StateChange, StateRecord, parse_path
from sparring.core.value import Json
from sparring.discrimination.matching_text import matching_text
from sparring.discrimination.null_bots import ConstantChatbot
from sparring.extraction.goals import texts

MOST = 12
"""The most offending bots of a case."""

_TOOLS = frozenset({"called", "not_called", "calls", "attempted", "call_order", "tool_calls", "tool_result"})
_LONG = "This is a long answer that says nothing, again and again. " * 40


@dataclass(frozen=True, slots=True)
class OffendingBot:
    """A bot that says or calls what a check names, and what it writes into the state, by path."""

    chatbot: ConstantChatbot
    written: Mapping[str, str]

    def changed(self, state: StateRecord) -> StateRecord:
        """Return the state after the bot has written into it."""
        changes = tuple(StateChange(path=path, kind="changed", after=value) for path, value in self.written.items())
        return state.model_copy(update={"changes": changes, "stored": False}) if changes else state


def offenders(case: Case, rules: Iterable[Rule]) -> Iterator[OffendingBot]:
    """Yield bots that do what the rules name: all at once, and each alone.

    They call tools, say words, and write into the state.
    """
    trees = [tree for rule in rules for tree in _trees(rule)]
    calls = list({call.model_dump_json(): call for tree in trees for call in _calls(tree, case)}.values())
    said = list(dict.fromkeys(text for tree in trees for text in _texts(tree, case)))
    paths = [path for text in said if _is_path(path := text.replace("**", "*").replace("*", "any"))] or ["any"]
    alone = [*(_bot("OK", [call]) for call in calls), *(_bot(text, [], paths) for text in said)]
    yield _bot(" ".join(said) or "OK", [*calls, *calls], paths)
    yield from alone[: MOST - 2]
    yield _bot(_LONG, [])


def _bot(text: str, calls: Sequence[ToolCall], paths: Sequence[str] = ()) -> OffendingBot:
    def reply(said: str) -> Message:
        return message("chatbot", text, tool_calls=tuple(calls))

    return OffendingBot(ConstantChatbot(reply), dict.fromkeys(paths, text))


def _is_path(text: str) -> bool:
    with suppress(ValueError):
        return bool(parse_path(text))
    return False


def _trees(rule: Rule) -> Iterator[ast.AST]:
    from sparring.rules.evaluate.compiled_rule import CompiledRule, compile_rule  # only where there are rules

    compiled = compile_rule(rule)
    if isinstance(compiled, CompiledRule):
        yield from (tree for clause, tree in compiled.trees.items() if clause != "yields")


def _calls(tree: ast.AST, case: Case) -> Iterator[ToolCall]:
    """Yield calls of the tools that an expression names, with the arguments it names."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str()), *_]) if name in _TOOLS:
                names = [each.value for each in node.args if isinstance(each, ast.Constant)]
                tools = names if name == "call_order" else names[:1]
                arguments = _arguments(node, case)
                yield from (ToolCall(name=str(tool), arguments=arguments, result={"ok": True}) for tool in tools)


def _arguments(call: ast.Call, case: Case) -> dict[str, Json]:
    """Return the arguments of a tool that a call in an expression names."""
    named: list[tuple[object, ast.expr]] = [(each.arg, each.value) for each in call.keywords if each.arg]
    for each in call.args:
        if isinstance(each, ast.Dict):
            named += [(k.value, v) for k, v in zip(each.keys, each.values, strict=True) if isinstance(k, ast.Constant)]
    return {str(name): _value(node, case) for name, node in named}


def _value(node: ast.expr, case: Case) -> Json:
    """Return the value of a literal or of a variable of the case; None of anything else."""
    if isinstance(node, ast.Name):
        return case.variables.get(node.id)
    with suppress(ValueError):
        found = ast.literal_eval(node)
        if isinstance(found, str | int | float | bool | list | dict):
            return found
    return None


def _texts(tree: ast.AST, case: Case) -> Iterator[str]:
    """Yield the texts of an expression, matches of its patterns, and the values of its variables."""
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if text.strip():
                yield from dict.fromkeys(filter(str.strip, (matching_text(text), text)))
            case ast.Name(id=name) if name in case.variables:
                yield from texts(case.variables[name])
