"""Semantic checks of parsed expressions: names, functions, arguments and positions.

In rules over all conversations, the argument of an aggregate is evaluated per conversation and the rest combines
aggregates.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from sparring.core.conversation import Ending
from sparring.core.text import did_you_mean
from sparring.parsing.regex import lost_escape, pattern_problem
from sparring.rules.functions.aggregates import AGGREGATES, Aggregate
from sparring.rules.functions.registry import METHOD_NAMES, lookup, names
from sparring.rules.language.expressions import (
    Comprehension,
    impossible_values,
    index_of,
    loop_variables,
    position,
    variable,
)
from sparring.rules.language.parser import RuleRejected, SyntaxProblem, at, parse
from sparring.rules.limits import bounded
from sparring.rules.undecided import LimitReached

_ALSO_FUNCTIONS = {"min", "max", "sum"}


def aggregate_call(node: ast.AST) -> str | None:
    """Return the name of the aggregate that `node` calls, or None.

    `min`, `max` and `sum` of a list or of several arguments are plain functions.
    """
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in AGGREGATES:
        return None
    name = node.func.id
    if name in _ALSO_FUNCTIONS and (len(node.args) != 1 or not _is_one_value(node.args[0])):
        return None
    return name


def _is_one_value(node: ast.expr) -> bool:
    plural = (ast.List, ast.Tuple, ast.Set, ast.GeneratorExp, ast.ListComp, ast.SetComp)
    return not isinstance(node, plural) and not any(aggregate_call(inner) for inner in ast.walk(node))


def unquote_aggregates(tree: ast.expr) -> ast.expr:
    """Replace `exists('cost > 50')` by `exists(cost > 50)`, which means the same."""
    for node in ast.walk(tree):
        if aggregate_call(node) and isinstance(node, ast.Call) and node.args:
            quoted = node.args[0]
            if isinstance(quoted, ast.Constant) and isinstance(quoted.value, str):
                node.args[0] = _parse_quoted(quoted, quoted.value)
    return tree


def _parse_quoted(quoted: ast.Constant, text: str) -> ast.expr:
    try:
        inner = parse(text)
    except RuleRejected as error:
        raise RuleRejected(*(_relocate(fault, quoted) for fault in error.faults)) from None
    for node in ast.walk(inner):
        if isinstance(node, ast.expr | ast.keyword):
            node.lineno, node.col_offset = quoted.lineno, quoted.col_offset
    return inner


def _relocate(fault: SyntaxProblem, quoted: ast.Constant) -> SyntaxProblem:
    return replace(fault, line=quoted.lineno, column=quoted.col_offset)


MAX_CONVERSATIONS = 6
_MESSAGES = ("chatbot_phrases", "user_phrases")
_ENDING = ("ending", "conversation_ending")
_ENDINGS = tuple(str(ending) for ending in Ending)
_LOOKED_FOR = "to search for the value of a variable: any(NAME in phrase for phrase in chatbot_phrases)"
_PHRASE = re.compile(r"[\w'’,%$€£ -]+")
"""Words without punctuation that ends a sentence."""

FORMAT = re.compile(r"[<>=^]?[-+ ]?,?\d{0,3}(?:,?\.\d{1,2})?[bdeEfFgGnxX%s]?")


@dataclass(frozen=True, slots=True)
class Scope:
    """Names in scope: conversations 0 to `conversations` - 1, loop variables, or aggregates over all."""

    conversations: int | Literal["all"]
    local: frozenset[str] = frozenset()

    @property
    def last(self) -> int:
        return 0 if self.conversations == "all" else self.conversations - 1


def semantic_problems(node: ast.expr, scope: Scope) -> Iterator[SyntaxProblem]:
    """Yield every problem of `node` that is independent of the conversations."""
    if index_of(node) is not None:
        yield from _whole_conversation(node, scope)
    elif variable(node, scope.local) is not None:
        yield from _variable(node, scope)
    elif isinstance(node, ast.Attribute):
        if not _has_fields(node.value, scope.local) or node.attr in METHOD_NAMES or node.attr.startswith("_"):
            yield at(node, f"attribute '.{node.attr}' is not allowed here")
        yield from semantic_problems(node.value, scope)
    elif isinstance(node, ast.Constant):
        yield from _constant(node)
    elif isinstance(node, ast.Call):
        yield from _call(node, scope)
    elif isinstance(node, Comprehension):
        yield from _comprehension(node, scope)
    elif isinstance(node, ast.FormattedValue):
        yield from _formatted(node, scope)
    elif isinstance(node, ast.Dict) and None in node.keys:
        yield at(node, "** is not allowed in a rule")
    else:
        if isinstance(node, ast.Compare):
            yield from _identity(node)
            yield from _word_in_messages(node, scope)
            yield from _unknown_ending(node, scope)
            yield from impossible_values(node)
        yield from _children(node, scope)


_FIELDS = ("tool_calls", "calls_in_turn", "tool_result", "tool_results", "state", "state_before", "changes")
"""Functions and variables whose values have named fields."""


def _has_fields(node: ast.expr, local: frozenset[str]) -> bool:
    """Return True if the fields of a value may be read as attributes: `tool_calls('refund')[0].result.id`."""
    found = variable(node, local)
    if found is not None:
        return found[1] in _FIELDS
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _FIELDS
    if isinstance(node, ast.Attribute | ast.Subscript):
        return _has_fields(node.value, local)
    return isinstance(node, ast.Name) and node.id in local


def _children(node: ast.expr, scope: Scope) -> Iterator[SyntaxProblem]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.GeneratorExp):
            yield at(child, "a bare 'for' is always true", "wrap it in all(...), any(...) or [...]")
        elif isinstance(child, ast.expr):
            yield from semantic_problems(child, scope)


def _position(node: ast.expr, scope: Scope) -> Iterator[SyntaxProblem]:
    where, index = position(node), index_of(node)
    if where is None:
        yield at(index or node, "conv[...] needs a literal whole number")
    elif not 0 <= where <= scope.last:
        upto = f"conv[0] to conv[{scope.last}]" if scope.last else "conv[0]"
        hint = f"set conversations: {where + 1}" if 0 <= where < MAX_CONVERSATIONS else ""
        yield at(node, f"expected {upto}, got conv[{where}]: the rule has conversations: {scope.last + 1}", hint)


def _whole_conversation(node: ast.expr, scope: Scope) -> Iterator[SyntaxProblem]:
    found = list(_position(node, scope))
    yield from found or [at(node, "a whole conversation is not a value; use conv[i].variable")]


def _variable(node: ast.expr, scope: Scope) -> Iterator[SyntaxProblem]:
    found = variable(node, scope.local)
    name = found[1] if found else ""
    if name == "conv":
        yield at(node, "'conv' can only be used as conv[0], conv[1], ...")
    elif name.startswith("_"):
        yield at(node, f"{name!r}: names that begin with _ are not allowed")
    elif scope.conversations == "all":
        yield at(node, f"use an aggregate: exists({name} ...), count(...), is_unique({name}), mean({name}), ...")
    elif isinstance(node, ast.Name) and scope.last > 0:
        yield at(node, f"with conversations: {scope.last + 1}, select the conversation: conv[0].{name}")
    elif isinstance(node, ast.Attribute | ast.Subscript):
        yield from _position(node.value, scope)


def _constant(node: ast.Constant) -> Iterator[SyntaxProblem]:
    if type(node.value) not in (int, float, str, bool, type(None)):
        yield at(node, f"{type(node.value).__name__} constants are not allowed in a rule")
        return
    if isinstance(node.value, str) and (found := lost_escape(node.value)):
        yield at(node, *found)
    try:
        bounded(node.value)
    except LimitReached as error:
        yield at(node, str(error))


def _identity(node: ast.Compare) -> Iterator[SyntaxProblem]:
    for operator, right in zip(node.ops, node.comparators, strict=True):
        singleton = isinstance(right, ast.Constant) and (right.value is None or type(right.value) is bool)
        if isinstance(operator, ast.Is | ast.IsNot) and not singleton:
            yield at(right, "'is' can only be used with None, True or False", "use == to compare")


def _word_in_messages(node: ast.Compare, scope: Scope) -> Iterator[SyntaxProblem]:
    """Yield a problem for a word searched in a list of messages: it never equals a whole message."""
    for operator, left, right in zip(node.ops, [node.left, *node.comparators], node.comparators, strict=False):
        found = variable(right, scope.local)
        text = left.value if isinstance(left, ast.Constant) and isinstance(left.value, str) else ""
        if not isinstance(operator, ast.In | ast.NotIn) or found is None or found[1] not in _MESSAGES:
            continue
        if _PHRASE.fullmatch(text):
            never = "not " if isinstance(operator, ast.NotIn) else ""
            hint = f"to search in them: {never}any({text!r} in phrase for phrase in {ast.unparse(right)})"
            yield at(left, f"{found[1]} are whole messages, so none of them equals {text!r}", hint)


def _unknown_ending(node: ast.Compare, scope: Scope) -> Iterator[SyntaxProblem]:
    """Yield a problem for a comparison with an unknown ending, which would never be equal.

    A scenario may define its own `ending`; then only near misses of real endings are reported.
    """
    sides = [node.left, *node.comparators]
    named = {found[1] for side in sides if (found := variable(side, scope.local)) and found[1] in _ENDING}
    if not named:
        return
    for side in sides:
        for text in [side, *(side.elts if isinstance(side, ast.List | ast.Tuple | ast.Set) else ())]:
            ending = text.value if isinstance(text, ast.Constant) and isinstance(text.value, str) else None
            if ending is not None and ending not in _ENDINGS:
                near = did_you_mean(ending, _ENDINGS)
                if near or _ENDING[1] in named:
                    yield at(text, f"unknown ending {ending!r}", near or f"endings: {', '.join(_ENDINGS)}")


def _comprehension(node: ast.GeneratorExp | ast.ListComp | ast.SetComp, scope: Scope) -> Iterator[SyntaxProblem]:
    if len(node.generators) > 2:
        yield at(node, "more than two 'for' in one comprehension")
    for loop in node.generators:
        if loop.is_async:
            yield at(node, "'async' is not allowed in a rule")
        yield from semantic_problems(loop.iter, scope)
        yield from _targets(loop.target)
        scope = replace(scope, local=scope.local | loop_variables(loop.target))
        for condition in loop.ifs:
            yield from semantic_problems(condition, scope)
    yield from semantic_problems(node.elt, scope)


def _targets(target: ast.expr) -> Iterator[SyntaxProblem]:
    for name in target.elts if isinstance(target, ast.Tuple) else [target]:
        if not isinstance(name, ast.Name):
            yield at(name, "only a name can be a loop variable")
        elif name.id == "conv" or name.id.startswith("_"):
            yield at(name, f"{name.id!r} cannot be a loop variable")


def _formatted(node: ast.FormattedValue, scope: Scope) -> Iterator[SyntaxProblem]:
    if node.conversion not in (-1, ord("s"), ord("r")):
        yield at(node, "in a message, only !s and !r can be used")
    if node.format_spec is not None:
        parts = node.format_spec.values if isinstance(node.format_spec, ast.JoinedStr) else []
        texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        if len(texts) != len(parts) or not FORMAT.fullmatch("".join(texts)):
            yield at(node, "this format is not supported", "for example {price:.2f}")
    yield from semantic_problems(node.value, scope)


def _call(node: ast.Call, scope: Scope) -> Iterator[SyntaxProblem]:
    if any(isinstance(argument, ast.Starred) for argument in node.args) or any(k.arg is None for k in node.keywords):
        yield at(node, "* and ** are not allowed in a rule")
    elif isinstance(node.func, ast.Attribute):
        yield from _method(node, node.func, scope)
    elif not isinstance(node.func, ast.Name):
        yield at(node.func, "only functions of the rule language can be called")
    elif node.func.id == "hasattr":
        yield from _hasattr(node, scope)
    elif scope.conversations == "all" and aggregate_call(node):
        yield from _aggregate(node, AGGREGATES[node.func.id])
    else:
        yield from _function(node, node.func, scope)


def _aggregate(node: ast.Call, aggregate: Aggregate) -> Iterator[SyntaxProblem]:
    if node.keywords or len(node.args) != aggregate.arguments:
        usage = "x" if aggregate.arguments == 1 else "x, q"
        yield at(node, f"{aggregate.name}() is used as {aggregate.name}({usage})")
        return
    for argument in node.args:
        if any(aggregate_call(inner) for inner in ast.walk(argument)):
            yield at(argument, f"{aggregate.name}() cannot contain another aggregate")
        else:
            yield from semantic_problems(argument, Scope(1))


def _method(node: ast.Call, method: ast.Attribute, scope: Scope) -> Iterator[SyntaxProblem]:
    if method.attr not in METHOD_NAMES:
        yield at(method, f"method '.{method.attr}()' is not allowed", did_you_mean(method.attr, METHOD_NAMES))
    if node.keywords:
        yield at(node.keywords[0].value, "methods of values take no named arguments")
    yield from semantic_problems(method.value, scope)
    yield from _arguments(node, scope, method.attr)


def _hasattr(node: ast.Call, scope: Scope) -> Iterator[SyntaxProblem]:
    literal = len(node.args) == 2 and isinstance(node.args[1], ast.Constant) and isinstance(node.args[1].value, str)
    if not literal or node.keywords or position(node.args[0]) is None:
        yield at(node, "hasattr must be written hasattr(conv[0], 'variable')")
    else:
        yield from _position(node.args[0], scope)


def _function(node: ast.Call, called: ast.Name, scope: Scope) -> Iterator[SyntaxProblem]:
    function = lookup(called.id)
    if function is None:
        aggregate = f"{called.id}() needs a rule over all conversations" if called.id in AGGREGATES else ""
        hint = "set conversations: all" if aggregate else did_you_mean(called.id, names())
        yield at(called, aggregate or f"unknown function {called.id!r}", hint)
        return
    args = node.args
    if function.of_conversation:
        if args and index_of(args[0]) is not None:
            yield from _position(args[0], scope)
            args = args[1:]
        elif scope.conversations == "all":
            yield at(node, f"use an aggregate: exists({called.id}(...) ...), mean({called.id}(...)), ...")
            return
        elif scope.last > 0:
            example = f"{called.id}(conv[0]{', ...' if args else ''})"
            yield at(node, f"with conversations: {scope.last + 1}, select the conversation: {example}")
            return
    try:
        given = function.signature.bind(*args, **{str(k.arg): k.value for k in node.keywords})
    except TypeError as error:
        yield at(node, f"{called.id}(): {error}", f"usage: {function.usage}")
        return
    for name in function.patterns & given.arguments.keys():
        yield from _pattern(given.arguments[name])
    yield from _arguments(ast.Call(called, args, node.keywords), scope, called.id)


def _pattern(node: ast.expr) -> Iterator[SyntaxProblem]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and lost_escape(node.value):
        return  # every text is checked for it
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        yield at(node, "the pattern must be a literal string", _LOOKED_FOR)
        return
    problem = pattern_problem(node.value)
    if problem:
        yield at(node, f"this pattern cannot be used: {problem}")


def _takes_generator(name: str) -> bool:
    function = lookup(name)
    return name == "join" or (function is not None and function.lazy)


def _arguments(node: ast.Call, scope: Scope, name: str) -> Iterator[SyntaxProblem]:
    for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
        if isinstance(argument, ast.GeneratorExp) and not _takes_generator(name):
            yield at(argument, f"{name}() needs a list", "put [ ] around it")
        else:
            yield from semantic_problems(argument, scope)
