"""Comprehensions: `x for x in items if ...`, at most two loops deep."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sparring.checking.bounds import bounded
from sparring.checking.library.ordering import in_order
from sparring.checking.scene import Scene, Term
from sparring.checking.tree import bound

Closure = Callable[[ast.expr, frozenset[str]], Term]
_STEPS_PER_ROUND = 5


@dataclass(frozen=True, slots=True)
class _Loop:
    names: tuple[str, ...]
    unpacks: bool
    items: Term
    conditions: list[Term]


def loop(node: ast.GeneratorExp | ast.ListComp | ast.SetComp, closure: Closure, local: frozenset[str]) -> Term:
    """A list, a set, or for `all(...)` and the like the items one by one, so that they may stop early."""
    loops = []
    for written in node.generators:
        items = closure(written.iter, local)
        local = local | bound(written.target)
        unpacks = isinstance(written.target, ast.Tuple)
        targets = written.target.elts if isinstance(written.target, ast.Tuple) else [written.target]
        names = tuple(target.id for target in targets if isinstance(target, ast.Name))
        loops.append(_Loop(names, unpacks, items, [closure(condition, local) for condition in written.ifs]))
    element = closure(node.elt, local)
    if isinstance(node, ast.GeneratorExp):
        return lambda scene: _in_own_scope(scene, loops, element)
    kind = list if isinstance(node, ast.ListComp) else set
    return lambda scene: bounded(kind(_in_own_scope(scene, loops, element)))


def _in_own_scope(scene: Scene, loops: list[_Loop], element: Term) -> Iterator[Any]:
    outer = scene.local
    inner = dict(outer)
    rounds = _rounds(scene, inner, loops, element)
    while True:
        scene.local = inner
        try:
            value = next(rounds)
        except StopIteration:
            return
        finally:
            scene.local = outer
        yield value


def _rounds(scene: Scene, local: dict[str, Any], loops: list[_Loop], element: Term) -> Iterator[Any]:
    first, *rest = loops
    for item in in_order(first.items(scene)):
        scene.burn(_STEPS_PER_ROUND)
        values = list(item) if first.unpacks else [item]
        if len(values) != len(first.names):
            raise ValueError(f"cannot take {len(values)} values apart into {len(first.names)}")
        local.update(zip(first.names, values, strict=True))
        if all(condition(scene) for condition in first.conditions):
            if rest:
                yield from _rounds(scene, local, rest, element)
            else:
                yield element(scene)
