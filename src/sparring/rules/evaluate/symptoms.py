"""Symptoms of violated rules: names that the failed condition reads, and how their values differ."""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sparring.core.audit import EVERYTHING
from sparring.core.causes import CALL_OF, Relation, Symptom
from sparring.core.checks import named_tools
from sparring.core.value import is_number
from sparring.rules.evaluate.compiled_rule import CompiledRule
from sparring.rules.evaluate.decisions import EvaluateNode, shorten
from sparring.rules.functions.collections import repr_of
from sparring.rules.language.expressions import Comprehension, scoped_parts, variable, variables
from sparring.rules.recording import DERIVED
from sparring.rules.undecided import Failure

_LENGTH = 80
_GUARD = "hasattr"


def symptom_of(compiled: CompiledRule, valued: EvaluateNode, outputs: Mapping[str, Any]) -> Symptom:
    """Return what the first part of `then` saw that does not hold.

    It has the words that the part looks for in replies, else its subject is an output that the part reads, a variable
    or the first argument of a call, else the rule itself.
    """
    name = compiled.rule.name
    leaf, wanted = next(_failed(compiled.trees["then"], valued, True), (compiled.trees["then"], True))
    words = "" if _loops(leaf) else _words(leaf, valued, outputs)
    names = [] if _loops(leaf) or words else _subjects(leaf, outputs)
    if words:
        unsaid = wanted is not (isinstance(leaf, ast.Compare) and isinstance(leaf.ops[0], ast.NotIn))
        return Symptom(kind="rule", relation="missing" if unsaid else "unexpected", text=words, check=name)
    if not names:
        return Symptom(kind="rule", subject=name, check=name)
    subject = names[0]
    if isinstance(leaf, ast.Compare) and len(leaf.ops) == 1:
        left, right = leaf.left, leaf.comparators[0]
        seen, other = (left, right) if subject in _subjects(left, outputs) else (right, left)
        got, expected = valued(seen), valued(other)
        if expected == [] and isinstance(got, list) and got and _calls(seen, "changes"):
            path = str(got[0]["path"])
            return Symptom(kind="value", subject=path, relation="unexpected", check=name, got=_shown(got))
        relation = _relation(leaf.ops[0], wanted, got, expected)
        asked = _ASKED.get(type(leaf.ops[0]), "") if seen is left else ""
        shown = {"expected": asked + _shown(expected)} if wanted else {}
        return Symptom(kind="value", subject=subject, relation=relation, check=name, got=_shown(got), **shown)
    function = leaf.func.id if isinstance(leaf, ast.Call) and isinstance(leaf.func, ast.Name) else ""
    if function == "goal_answer":
        return Symptom(kind="goal", subject=subject, relation="missing", check=name)
    if not function and not isinstance(leaf, ast.Name):
        return Symptom(kind="value", subject=subject, check=name)
    absent: Relation = "missing" if wanted is not (function == "not_called") else "unexpected"
    if function in _OF_TOOLS and isinstance(leaf, ast.Call):
        if absent == "missing" and valued(_attempt(leaf)):
            absent = "different"
        subject = CALL_OF + subject
    return Symptom(kind="value", subject=subject, relation=absent, check=name)


_OF_TOOLS = ("attempted", "called", "not_called")


def _calls(node: ast.expr, function: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function


def _attempt(call: ast.Call) -> ast.expr:
    """Return a condition that holds if the tool of a call was called at all, whatever its arguments."""
    return ast.Call(func=ast.Name(id="attempted", ctx=ast.Load()), args=call.args[:1], keywords=[])


_ASKED: Mapping[type[ast.cmpop], str] = {
    ast.NotEq: "anything but ",
    ast.IsNot: "anything but ",
    ast.Lt: "less than ",
    ast.LtE: "at most ",
    ast.Gt: "more than ",
    ast.GtE: "at least ",
    ast.In: "one of ",
    ast.NotIn: "none of ",
}
"""What a comparison asks of its left side."""


def _words(leaf: ast.expr, valued: EvaluateNode, outputs: Mapping[str, Any]) -> str:
    """Return the text that a part looks for in replies; empty if it looks for a value by its name."""
    if isinstance(leaf, ast.Compare) and isinstance(leaf.ops[0], ast.In | ast.NotIn):
        left, right = ({name for _, _, name in variables(each)} for each in (leaf.left, leaf.comparators[0]))
        by_name = isinstance(leaf.left, ast.Name) or not left.isdisjoint(outputs)
        text = valued(leaf.left) if right == {"chatbot_phrases"} and not by_name else None
        return text if isinstance(text, str) else ""
    if isinstance(leaf, ast.Call) and isinstance(leaf.func, ast.Name) and leaf.func.id in _SAYING and leaf.args:
        first, read = leaf.args[0], {name for each in leaf.args[1:] for _, _, name in variables(each)}
        if isinstance(first, ast.Constant) and read <= {"chatbot_phrases"}:
            return _DIGITS.sub("0", _FLAGS.sub("", str(first.value)))
    return ""


def _failed(node: ast.expr, valued: EvaluateNode, wanted: bool) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the innermost parts that are not as wanted, guards (`hasattr`) last."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _failed(node.operand, valued, not wanted)
        return
    if isinstance(node, ast.IfExp):
        yield from _failed(node.body if valued(node.test) is True else node.orelse, valued, wanted)
        return
    if isinstance(node, ast.BoolOp):
        inner = [each for part in node.values for each in _failed(part, valued, wanted)]
        yield from sorted(inner, key=lambda each: _is_guard(each[0]))
        return
    value = valued(node)
    if type(value) is not Failure and bool(value) is not wanted:
        yield node, wanted


def _is_guard(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == _GUARD


def _loops(node: ast.expr) -> bool:
    return any(isinstance(inner, Comprehension) for inner in ast.walk(node))


def _subjects(node: ast.expr, outputs: Mapping[str, Any]) -> list[str]:
    """Return the outputs that a part reads, then what its calls read by name, then its variables.

    A variable in the arguments of such a call says where to look, and is no subject.
    """
    read = [*_read(node)]
    names = sorted({name for name, called in read if not called} - DERIVED.keys())
    stated = [each for each in names if each in outputs]
    return [*stated, *(name for name, called in read if called), *(each for each in names if each not in outputs)]


def _read(node: ast.expr, key: str = "") -> Iterator[tuple[str, bool]]:
    """Yield variables, and with True what calls read by name, such as `total of book` for the key `total`."""
    if found := variable(node, frozenset()):
        yield found[1], False
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        yield from _read(node.value, str(node.slice.value))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NAMING and node.args:
        name = _pattern(node.args[0])
        yield f"{key} of {name}" if key else name, True
    else:
        for part, _ in scoped_parts(node, frozenset()):
            yield from _read(part)


def _pattern(node: ast.expr) -> str:
    """Return an argument as text, with the names that it joins in braces: `orders.{number}.status`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _pattern(node.left) + _pattern(node.right)
    return str(node.value) if isinstance(node, ast.Constant) else f"{{{ast.unparse(node)}}}"


_NAMING = set("attempted called calls changed changes goal_answer not_called state state_before tool_result".split())
"""Functions whose first argument names a tool, a part of the state, or a goal."""


_SAYING = {"chatbot_says", "last_reply_says", "matches"}
"""Functions whose first argument is an expression that finds words."""

_FLAGS = re.compile(r"^\(\?[a-z]+\)")
_DIGITS = re.compile(r"(?:(?:\[[\d-]+\]|\\d)[+*?]?)+")


def _relation(operator: ast.cmpop, wanted: bool, got: object, expected: object) -> Relation:
    """Return how the value differs from the expected one."""
    if isinstance(operator, ast.In | ast.NotIn):
        return "not_among" if isinstance(operator, ast.In) is wanted else "unexpected"
    if got is None or type(got) is Failure or got in ("", [], {}):
        return "missing"
    if isinstance(operator, ast.Is | ast.IsNot | ast.NotEq) or not wanted:
        return "unexpected" if got == expected else "different"
    if is_number(got) and is_number(expected) and got != expected:
        return "lower" if got < expected else "higher"
    return "repeated" if got == expected else "different"


def _shown(value: object) -> str:
    return "" if type(value) is Failure else shorten(repr_of(value), _LENGTH)


_WHOLE = {"state", "state_before", "changed", "changes", "state_differences", "missing_slots", "data_collected"}
"""Functions whose result may depend on anything that the user said."""


def names_read(compiled: CompiledRule) -> tuple[str, ...]:
    """Return the variables, outputs, tools, goals and literal values in the conditions of a rule."""
    trees = [tree for clause, tree in compiled.trees.items() if clause != "yields"]
    return tuple(dict.fromkeys([*_tools(compiled), *(name for tree in trees for name in _names(tree))]))


def _tools(compiled: CompiledRule) -> Iterator[str]:
    for each in named_tools(compiled.rule):
        yield f"tool:{each.tool}"
        yield from each.arguments


def _names(tree: ast.expr) -> Iterator[str]:
    for _, _, name in variables(tree):
        yield name
        yield f"output:{name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in _WHOLE:
                yield EVERYTHING
            elif node.func.id == "goal_answer" and node.args and isinstance(node.args[0], ast.Constant):
                yield f"goal:{node.args[0].value!r}"
        elif isinstance(node, ast.Constant) and type(node.value) in (str, int, float):
            yield f"value:{node.value!s}".casefold()
