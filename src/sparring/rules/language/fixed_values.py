"""Comparisons of functions whose values are known: `language(text) == 'spanish'` never holds."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeGuard

from sparring.core.text import did_you_mean
from sparring.rules.functions.text import CURRENCIES, LANGUAGE_CODES
from sparring.rules.language.parser import SyntaxProblem, at

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
