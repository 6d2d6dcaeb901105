"""What a variable may say."""

import pytest

from sparring.scenarios.variables import Function, Variable, function, problems
from tables import table


def variable(name: str, call: str, *data: str | int) -> Variable:
    return Variable(name, data, function(call))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("forward", Function("forward")),
        (" another( 3 ) ", Function("another", "3")),
        ("random(rand)", Function("random", "rand")),
        ("forward(credit card)", Function("forward", "credit card")),
    ],
)
def test_functions_are_read_with_or_without_spaces_and_brackets(text: str, meant: Function):
    assert function(text) == meant


@table(
    ("text", "complaint"),
    [
        ("forwrd()", "unknown function 'forwrd': did you mean 'forward'?"),
        ("zzz()", "unknown function 'zzz': there are: default, random, another, forward, pairwise, covering"),
        ("random(", "'random(' is not a function: write it like random(), random(2) or forward(size)"),
        ("random(0)", "random() takes a count, or rand, not '0'"),
        ("another(x)", "another() takes a count, not 'x'"),
        ("covering(7)", "covering() takes a number from 1 to 6, not '7'"),
        ("covering()", "covering() takes a number from 1 to 6, not ''"),
        ("default(2)", "default() takes nothing, not '2'"),
    ],
)
def test_a_function_that_is_not_one_says_what_was_meant(text: str, complaint: str):
    with pytest.raises(ValueError, match=r".") as caught:
        function(text)

    assert str(caught.value) == complaint


def test_wrong_references_are_all_reported():
    wrong = [
        variable("a", "forward(drnk)", 1),
        variable("b", "forward(pick)", 1),
        variable("pick", "random()", 1),
        variable("d", "forward(e)", 1),
        variable("e", "forward(d)", 1),
        variable("f", "forward(e)", 1),
        variable("drink", "forward()", 1),
    ]

    assert [str(problem) for problem in problems(wrong)] == [
        "a: forward(drnk) names a variable that does not exist (did you mean 'drink'?)",
        "b: forward(pick) can only be nested in a forward() variable (pick is random())",
        "d: variables are nested in a circle (d -> e -> d)",
        "e: variables are nested in a circle (e -> d -> e)",
    ]
