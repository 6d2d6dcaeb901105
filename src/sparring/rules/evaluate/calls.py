"""The context of an evaluation, its calls, and operators that refuse to build oversized values."""

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Any

from sparring.parsing.regex import search_cost
from sparring.rules.functions.function import Ask, EvidenceNotes, RuleFunction
from sparring.rules.functions.registry import call_method, lookup
from sparring.rules.language.expressions import conversation_index, position
from sparring.rules.limits import MAX_BITS, MAX_ITEMS, MAX_STEPS, MAX_TEXT, bounded, cost
from sparring.rules.recording import Recording
from sparring.rules.undecided import Failure, LimitReached, NeedsModel


class EvaluationContext:
    """Conversations by position, loop variables, and remaining steps of one evaluation.

    `cells` holds precomputed values by position and column; `notes` the evidence of the last evaluation.
    """

    __slots__ = ("ask", "cells", "local", "notes", "recordings", "steps")

    def __init__(self, recordings: Sequence[Recording] = (), ask: Ask | None = None) -> None:
        self.recordings = recordings
        self.ask = ask or no_model
        self.local: dict[str, Any] = {}
        self.steps = MAX_STEPS
        self.notes = EvidenceNotes()
        self.cells: dict[tuple[int, str], Any] = {}

    def consume_steps(self, steps: int) -> None:
        """Consume steps. Raise LimitReached if none are left."""
        self.steps -= steps
        if self.steps < 0:
            raise LimitReached("the evaluation took too many steps")


Term = Callable[[EvaluationContext], Any]


def no_model(prompt: str, answers: tuple[str, ...], /, **fields: str) -> str:
    """Raise NeedsModel: no model is configured."""
    raise NeedsModel("needs a model")


def evaluate(term: Term, context: EvaluationContext) -> Any:
    """Return the value of an expression, or a Failure."""
    context.steps = MAX_STEPS
    if context.local:
        context.local = {}
    if context.notes:
        context.notes = EvidenceNotes()
    try:
        return term(context)
    except Exception as error:  # noqa: BLE001 - any exception of an expression or a plug-in is the result of that expression
        error.__traceback__ = error.__context__ = None
        return Failure(error)


_SIZED = (str, list, tuple, set, dict)


def call(node: ast.Call, make: Callable[[ast.expr], Term]) -> Term:
    """Compile a call of a method, of `hasattr`, or of a function of the rule language."""
    if isinstance(node.func, ast.Attribute):
        return _method(make(node.func.value), node.func.attr, [make(argument) for argument in node.args])
    if isinstance(node.func, ast.Name) and node.func.id == "hasattr":
        return _hasattr(node)
    function = lookup(node.func.id) if isinstance(node.func, ast.Name) else None
    assert function is not None, "semantics rejects unknown functions"
    written = node.args[1:] if node.args and position(node.args[0]) is not None else node.args
    args = [make(argument) for argument in written]
    named = {str(keyword.arg): make(keyword.value) for keyword in node.keywords}
    times = _weight(function, written, node.keywords)
    if function.given:
        return _given(function, conversation_index(node) or 0, args, named, times)
    return _plain(function, args, named, times)


def _weight(function: RuleFunction, args: list[ast.expr], keywords: list[ast.keyword]) -> int:
    """Return the cost factor of a call: the weight of the most expensive literal pattern in it."""
    if not function.patterns:
        return 1
    given = function.signature.bind(*args, **{str(keyword.arg): keyword.value for keyword in keywords})
    patterns = [given.arguments[name] for name in function.patterns if name in given.arguments]
    return max(search_cost(str(node.value)) for node in patterns if isinstance(node, ast.Constant))


def _method(owner: Term, name: str, arguments: list[Term]) -> Term:
    def evaluate(context: EvaluationContext) -> Any:
        value = owner(context)
        return call_method(value, name, [argument(context) for argument in arguments], context.consume_steps)

    return evaluate


def _hasattr(node: ast.Call) -> Term:
    where, name = position(node.args[0]) or 0, node.args[1]
    wanted = name.value if isinstance(name, ast.Constant) else ""
    return lambda context: context.recordings[where].has(str(wanted))


def _plain(function: RuleFunction, args: list[Term], named: dict[str, Term], times: int) -> Term:
    use = function.call
    if len(args) == 1 and not named:
        only = args[0]

        def one(context: EvaluationContext) -> Any:
            value = only(context)
            if type(value) in _SIZED:
                context.consume_steps(1 + cost(value))
            return bounded(use(value))

        return one

    def several(context: EvaluationContext) -> Any:
        values = [argument(context) for argument in args]
        for value in values:
            if type(value) in _SIZED:
                context.consume_steps(1 + cost(value) * times)
        return bounded(use(*values, **{name: term(context) for name, term in named.items()}))

    return several


def _given(function: RuleFunction, where: int, args: list[Term], named: dict[str, Term], times: int) -> Term:
    def evaluate(context: EvaluationContext) -> Any:
        context.consume_steps(function.steps)
        if function.of_conversation:
            context.consume_steps(sum(len(said.text) for said in context.recordings[where].messages) // 50 * times)
        given = [_for(kind, context, where) for kind in function.given]
        values = [argument(context) for argument in args]
        return bounded(function.call(*given, *values, **{name: term(context) for name, term in named.items()}))

    return evaluate


def _for(kind: type, context: EvaluationContext, where: int) -> Any:
    if kind is Recording:
        return context.recordings[where]
    return context.ask if kind is Ask else context.notes


Binary = Callable[[Any, Any], Any]


def _add(left: Any, right: Any) -> Any:
    if type(left) is str and type(right) is str and len(left) + len(right) > MAX_TEXT:
        raise LimitReached("+ makes too long a text")
    return bounded(left + right)


def _multiply(left: Any, right: Any) -> Any:
    for sequence, times in ((left, right), (right, left)):
        if type(times) in (int, bool) and type(sequence) in (str, bytes, list, tuple):
            most = MAX_TEXT if type(sequence) in (str, bytes) else MAX_ITEMS
            if len(sequence) * times > most:
                raise LimitReached("* makes too large a value")
    return bounded(left * right)


def _power(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() * abs(right) > MAX_BITS:
        raise LimitReached("** makes too large a number")
    return bounded(left**right)


def _modulo(left: Any, right: Any) -> Any:
    if isinstance(left, str | bytes):
        raise TypeError("% on texts is not supported")
    return left % right


BINARY: dict[type[ast.operator], Binary] = {
    ast.Add: _add,
    ast.Sub: lambda left, right: bounded(left - right),
    ast.Mult: _multiply,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _modulo,
    ast.Pow: _power,
}
COMPARISONS: dict[type[ast.cmpop], Binary] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
