"""Queries on a syntax tree: conversations, variables, conjuncts, and comparisons with known results."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeGuard

from sparring.core.text import did_you_mean
from sparring.rules.functions.registry import lookup
from sparring.rules.functions.text import CURRENCIES, LANGUAGE_CODES
from sparring.rules.language.parser import SyntaxProblem, at

Comprehension = (ast.GeneratorExp, ast.ListComp, ast.SetComp)


def index_of(node: ast.AST) -> ast.expr | None:
    """Return the index expression of `conv[...]`; None for any other node."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "conv":
        return node.slice
    return None


def position(node: ast.AST) -> int | None:
    """Return the i of `conv[i]`; None for any other node."""
    index = index_of(node)
    if isinstance(index, ast.Constant) and type(index.value) is int:
        return index.value
    return None


def loop_variables(target: ast.expr) -> set[str]:
    """Return the loop variables that `for target in ...` defines."""
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def variable(node: ast.AST, local: frozenset[str] = frozenset()) -> tuple[int, str] | None:
    """Return (position, name) if `node` is a variable: `price`, `conv[1].price`, `conv[1]['a price']`."""
    if isinstance(node, ast.Name) and node.id not in local:
        return 0, node.id
    owner = node.value if isinstance(node, ast.Attribute | ast.Subscript) else None
    where = position(owner) if owner is not None else None
    if where is None:
        return None
    if isinstance(node, ast.Attribute):
        return where, node.attr
    key = node.slice if isinstance(node, ast.Subscript) else None
    return (where, key.value) if isinstance(key, ast.Constant) and isinstance(key.value, str) else None


def conversation_index(call: ast.Call) -> int | None:
    """Return the conversation a function reads: the i of a first argument `conv[i]`, else 0.

    None if the call does not read a conversation.
    """
    function = lookup(call.func.id) if isinstance(call.func, ast.Name) else None
    if isinstance(call.func, ast.Name) and call.func.id == "hasattr" and call.args:
        return position(call.args[0])
    if function is None or not function.of_conversation:
        return None
    named = position(call.args[0]) if call.args else None
    return 0 if named is None else named


def uses_model(node: ast.expr) -> bool:
    """Return True if evaluating the expression may ask a language model."""
    calls = (inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call))
    called = (lookup(name.id) for name in calls if isinstance(name, ast.Name))
    return any(function is not None and function.asks for function in called)


def arguments(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a function without a leading `conv[i]` that selects the conversation."""
    written = [*call.args, *(keyword.value for keyword in call.keywords)]
    return written[1:] if written and position(written[0]) is not None else written


def parts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the direct sub-expressions, without function names, `conv[i]` and loop variables."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            yield node.func.value
        yield from () if _is_hasattr(node) else arguments(node)
    elif isinstance(node, Comprehension):
        for loop in node.generators:
            yield from (loop.iter, *loop.ifs)
        yield node.elt
    elif variable(node) is None:
        yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))


def _is_hasattr(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "hasattr"


def variables(node: ast.expr, local: frozenset[str] = frozenset()) -> Iterator[tuple[ast.expr, int, str]]:
    """Yield every variable that is read: its node, its position and its name."""
    found = variable(node, local)
    if found is not None:
        yield node, *found
        return
    for part, inner in scoped_parts(node, local):
        yield from variables(part, inner)


def scoped_parts(node: ast.expr, local: frozenset[str]) -> Iterator[tuple[ast.expr, frozenset[str]]]:
    """Yield the direct sub-expressions, each with the loop variables in scope."""
    if not isinstance(node, Comprehension):
        yield from ((part, local) for part in parts(node))
        return
    for loop in node.generators:
        yield loop.iter, local
        local = local | loop_variables(loop.target)
        yield from ((condition, local) for condition in loop.ifs)
    yield node.elt, local


def conjuncts(node: ast.expr) -> list[ast.expr]:
    """Split `a and b`, `not (a or b)` and `a < b < c` into conditions that must all hold."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return [part for value in node.values for part in conjuncts(value)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = node.operand
        if isinstance(inner, ast.BoolOp) and isinstance(inner.op, ast.Or):
            return [part for value in inner.values for part in conjuncts(_negated(value))]
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        sides = [node.left, *node.comparators]
        return [_comparison(sides[at], op, sides[at + 1]) for at, op in enumerate(node.ops)]
    return [node]


def _negated(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.UnaryOp(ast.Not(), node), node)


def _comparison(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Compare(left, [operator], [right]), left)


_ISO_639_1 = frozenset(
    """aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en
    eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka
    kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl
    nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw
    ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu""".split()
)
_TONES = ("POSITIVE", "NEGATIVE", "NEUTRAL")
_LANGUAGES = (*LANGUAGE_CODES.values(), "OTHER", "unknown")
_VALUES: Mapping[str, Sequence[str]] = {"language": _LANGUAGES, "currency": CURRENCIES}
"""Functions that return one of these texts."""


def impossible_values(node: ast.Compare) -> Iterator[SyntaxProblem]:
    """Yield a problem for each text that a function in the comparison never returns."""
    for call, texts in _compared(node):
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        known = _ISO_639_1 | {"unknown"} if _is_iso(call) else _VALUES.get(name, ())
        for text in texts:
            if known and text.value not in known:
                near = did_you_mean(str(text.value), known)
                shown = "two letters, such as es" if _is_iso(call) else ", ".join(known)
                yield at(text, f"{name}() never returns {text.value!r}", near or f"values: {shown}")
    left = node.left
    looks_in = isinstance(node.ops[0], ast.In | ast.NotIn) and _calls(node.comparators[0], "tone")
    if looks_in and _is_text(left) and left.value not in _TONES:
        yield at(left, f"tone() never returns {left.value!r}", f"values: {', '.join(_TONES)}")


def with_iso_languages(tree: ast.expr) -> ast.expr:
    """Let `language(x) == 'es'` compare codes of ISO 639-1: a comparison with such a code asks for them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            for call, texts in _compared(node):
                if _calls(call, "language") and len(call.args) == 1 and any(text.value in _ISO_639_1 for text in texts):
                    call.keywords.append(ast.keyword("iso", ast.copy_location(ast.Constant(True), call)))
                    for text in texts:
                        text.value = _iso_of().get(str(text.value), text.value)
    return tree


@lru_cache(maxsize=1)
def _iso_of() -> Mapping[str, str]:
    return {code: iso for iso, code in LANGUAGE_CODES.items()}


def _compared(node: ast.Compare) -> Iterator[tuple[ast.Call, list[ast.Constant]]]:
    """Yield each call in an equality or membership with the texts that it is compared with."""
    for operator, left, right in zip(node.ops, [node.left, *node.comparators], node.comparators, strict=False):
        if isinstance(operator, ast.Eq | ast.NotEq | ast.In | ast.NotIn):
            for call, other in ((left, right), (right, left)):
                if isinstance(call, ast.Call) and (call is left or isinstance(operator, ast.Eq | ast.NotEq)):
                    texts = other.elts if isinstance(other, ast.List | ast.Tuple | ast.Set) else [other]
                    yield call, list(filter(_is_text, texts))


def _is_text(node: ast.expr) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_iso(call: ast.Call) -> bool:
    return any(keyword.arg == "iso" for keyword in call.keywords)


def _calls(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
