"""The largest parts of an expression that read one conversation only: what each conversation has to be known by."""

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy

from sparring.checking.closures import Cell
from sparring.checking.faults import Fault, at
from sparring.checking.recording import DERIVED
from sparring.checking.tree import Comprehension, bound, index_of, parts, scoped_parts, variable, whose

NO_LOCALS: frozenset[str] = frozenset()
Choose = Callable[[ast.expr, frozenset[str]], ast.expr | None]


def positions(node: ast.expr, local: frozenset[str] = NO_LOCALS) -> set[int]:
    """Which conversations an expression reads."""
    if isinstance(node, Cell):
        return {node.position}
    found = variable(node, local)
    if found is not None:
        return {found[0]}
    own = whose(node) if isinstance(node, ast.Call) else None
    inside = [positions(part, inner) for part, inner in scoped_parts(node, local)]
    return set().union(*inside, () if own is None else (own,))


def unit(node: ast.expr, local: frozenset[str] = NO_LOCALS) -> int | None:
    """The conversation that `node` reads, if it reads only one, needs no loop variable from outside and has a value."""
    if isinstance(node, ast.GeneratorExp | ast.Slice | ast.FormattedValue) or _reads_local(node, local):
        return None
    read = positions(node, local)
    return read.pop() if len(read) == 1 else None


def _reads_local(node: ast.expr, local: frozenset[str]) -> bool:
    if not local:
        return False
    if isinstance(node, ast.Name):
        return node.id in local
    if isinstance(node, Comprehension):
        for loop in node.generators:
            if _reads_local(loop.iter, local):
                return True
            local = local - bound(loop.target)
            if any(_reads_local(condition, local) for condition in loop.ifs):
                return True
        return _reads_local(node.elt, local)
    return any(_reads_local(part, local) for part in parts(node))


def of_conversation(node: ast.expr) -> bool:
    """Whether `node` needs more of a conversation than its variables: what was said in it, or whether it has some."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and whose(inner) is not None:
            return True
        found = variable(inner)
        if found is not None and found[1] in DERIVED:
            return True
    return False


def units(node: ast.expr, local: frozenset[str] = NO_LOCALS) -> Iterator[tuple[ast.expr, int]]:
    """Every largest part that is a unit, and whose it is."""
    where = unit(node, local)
    if where is not None:
        yield node, where
        return
    for part, inner in scoped_parts(node, local):
        yield from units(part, inner)


def inseparable(node: ast.expr, local: frozenset[str] = NO_LOCALS) -> Iterator[Fault]:
    """What asks one conversation for something that depends on another: by then, nothing but values is left of it."""
    if unit(node, local) is not None:
        return
    if isinstance(node, ast.Call) and whose(node) is not None:
        yield at(node, "its arguments must be written out, or come from the same conversation")
        return
    for part, inner in scoped_parts(node, local):
        yield from inseparable(part, inner)


def with_units(node: ast.expr, make: Callable[[ast.expr, int], ast.expr]) -> ast.expr:
    """A copy of the tree with `make(unit, position)` in place of every unit."""

    def choose(part: ast.expr, local: frozenset[str]) -> ast.expr | None:
        where = unit(part, local)
        return None if where is None else make(part, where)

    return replaced(node, choose)


def over_cells(node: ast.expr) -> ast.expr:
    """A copy of the tree that takes its variables from cells."""

    def choose(part: ast.expr, local: frozenset[str]) -> ast.expr | None:
        found = variable(part, local)
        return None if found is None else Cell(*found)

    return replaced(node, choose)


def replaced(node: ast.expr, choose: Choose) -> ast.expr:
    """A copy of the tree with what `choose` makes of a part, if anything, in its place."""
    return _replaced(deepcopy(node), choose, NO_LOCALS)


def _replaced(node: ast.expr, choose: Choose, local: frozenset[str]) -> ast.expr:
    chosen = choose(node, local)
    if chosen is not None:
        return chosen
    new = {id(part): _replaced(part, choose, inner) for part, inner in scoped_parts(node, local)}
    for owner in [node, *_holders(node)]:
        for name, value in ast.iter_fields(owner):
            if isinstance(value, list):
                setattr(owner, name, [new.get(id(item), item) for item in value])
            else:
                setattr(owner, name, new.get(id(value), value))
    return node


def _holders(node: ast.expr) -> Iterator[ast.AST]:
    """What stands between an expression and the expressions inside it: loops, named arguments, methods."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.comprehension | ast.keyword):
            yield child
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield node.func


def rebased(node: ast.expr) -> ast.expr:
    """A copy that reads conv[0] whatever it read, so that one column serves every position."""
    copy = deepcopy(node)
    for inner in ast.walk(copy):
        index = index_of(inner)
        if isinstance(index, ast.Constant):
            index.value = 0
    return copy
