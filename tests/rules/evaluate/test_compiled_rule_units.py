import ast

import pytest

from sparring.rules.evaluate.compiled_rule import inseparable, rebase, units, with_units
from sparring.rules.evaluate.compiler import CompiledExpression
from sparring.rules.language.parser import parse
from tables import table


@table(
    ("text", "found"),
    [
        ("len(conv[0].t) > len(conv[1].t)", ["0 len(conv[0].t)", "1 len(conv[1].t)"]),
        ("conv[0].x + conv[0].y < 3", ["0 conv[0].x + conv[0].y < 3"]),
        ("all(a in conv[0].t for a in conv[1].t)", ["1 conv[1].t", "0 conv[0].t"]),
        ("[a for a in conv[1].t if a] == conv[0].t", ["1 [a for a in conv[1].t if a]", "0 conv[0].t"]),
        ("conv[0].t[1:conv[1].n]", ["0 conv[0].t", "1 conv[1].n"]),
        (
            "turns(conv[1]) < conv[0].n and hasattr(conv[1], 'x')",
            ["1 turns(conv[1])", "0 conv[0].n", "1 hasattr(conv[1], 'x')"],
        ),
        ("1 + 2", []),
    ],
)
def test_the_largest_parts_about_one_conversation(text: str, found: list[str]):
    assert [f"{at} {ast.unparse(node)}" for node, at in units(parse(text))] == found


def test_a_copy_with_cells_leaves_the_tree_as_it_was():
    tree = parse("abs(conv[0].x - conv[1].x) <= min(conv[1].y, 2)")
    before = ast.dump(tree)

    cells: list[str] = []
    copy = with_units(tree, lambda node, at: (cells.append(ast.unparse(rebase(node))), CompiledExpression(at, "c"))[1])

    assert (cells, ast.dump(tree)) == (["conv[0].x", "conv[0].x", "min(conv[0].y, 2)"], before)
    assert sum(isinstance(node, CompiledExpression) for node in ast.walk(copy)) == 3


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("called(conv[0], conv[1].tool)", 1),
        ("any(called(conv[0], tool) for tool in conv[1].tools)", 1),
        ("any(called(conv[0], tool) for tool in conv[0].tools) == conv[1].x", 0),
    ],
)
def test_a_function_of_one_conversation_cannot_depend_on_another(text: str, faults: int):
    assert len(list(inseparable(parse(text)))) == faults
