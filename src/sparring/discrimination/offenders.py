"""Bots that violate a check on purpose, made from the check itself."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from re import _parser  # type: ignore[attr-defined]  # the only public way to a parsed pattern is a parser of our own
from typing import Any

from sparring.core.case import Case
from sparring.core.checks import Rule
from sparring.core.message import Message, ToolCall, message
from sparring.core.state import StateChange, StateRecord, parse_path
from sparring.core.value import Json
from sparring.discrimination.null_bots import ConstantChatbot
from sparring.extraction.goals import texts
from sparring.parsing.regex import compiled, pattern_problem

_LONGEST = 400
_CATEGORIES = {"DIGIT": "7", "SPACE": " ", "WORD": "a", "NOT_DIGIT": "a", "NOT_SPACE": "a", "NOT_WORD": "-"}


def matching_text(pattern: str) -> str:
    """Return a short text that the pattern matches; empty if none was found."""
    if pattern_problem(pattern):
        return ""
    try:
        text = _text(_parser.parse(pattern))[:_LONGEST]
    except (re.error, OverflowError, RecursionError):
        return ""
    return text if compiled(pattern).search(text) else ""


def _text(parts: Iterable[tuple[Any, Any]]) -> str:
    return "".join(_part(str(code), argument) for code, argument in parts)


def _part(code: str, argument: Any) -> str:
    """Return a text for one part of a parsed pattern; nothing for anchors."""
    match code:
        case "LITERAL":
            return chr(argument)
        case "NOT_LITERAL":
            return "b" if argument == ord("a") else "a"
        case "ANY":
            return "a"
        case "IN":
            return _one_of(argument)
        case "BRANCH":
            return _text(argument[1][0])
        case "SUBPATTERN":
            return _text(argument[3])
        case "MAX_REPEAT" | "MIN_REPEAT":
            return _text(argument[2]) * min(int(argument[0]), _LONGEST)
        case _:
            return ""


def _one_of(choices: list[tuple[Any, Any]]) -> str:
    """Return a character of a set."""
    if str(choices[0][0]) == "NEGATE":
        candidates = (chr(code) for code in (97, 55, 45, 32, *range(33, 127), 0x4E00))
        return next((each for each in candidates if not any(_holds(each, *one) for one in choices[1:])), "")
    code, argument = str(choices[0][0]), choices[0][1]
    if code == "CATEGORY":
        return _CATEGORIES.get(str(argument).removeprefix("CATEGORY_"), "")
    return chr(argument[0] if code == "RANGE" else argument)


def _holds(character: str, code: Any, argument: Any) -> bool:
    """Return True if a character belongs to one part of a set."""
    match str(code):
        case "LITERAL":
            return ord(character) == int(argument)
        case "RANGE":
            return int(argument[0]) <= ord(character) <= int(argument[1])
        case _:
            shorthand = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
            shorthand |= {f"NOT_{name}": one.upper() for name, one in shorthand.items()}
            return bool(re.match(shorthand[str(argument).removeprefix("CATEGORY_")], character))


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
