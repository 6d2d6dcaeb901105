import pytest

from sparring.rules.language.parser import RuleRejected, parse
from tables import table


@table(
    ("text", "line", "column", "message"),
    [
        ("any([lambda: 1])", 0, 5, "'lambda' is not allowed in a rule"),
        ("(a := 1)", 0, 1, "':=' is not allowed in a rule; to compare, use =="),
        ("f'{a}'", 0, 0, "f-strings are only allowed in 'yields'; join texts with +"),
        ("a) or (b", 0, 1, "there is no bracket to close"),
        ("a and\n  b) or (c", 1, 3, "there is no bracket to close"),
        ("", 0, 0, "the expression is empty"),
        ("  # nothing", 0, 0, "the expression is empty"),
        ("'é' == b @ c", 0, 7, "MatMult is not allowed in a rule"),
        ("a\u202e == b", 0, 1, "invisible or control character U+202E"),
        ("-" * 60 + "1", 0, 0, "the expression is nested too deeply"),
        ("[" * 60 + "]" * 60, 0, 0, "the expression is nested too deeply"),
        ("a" * 5000, 0, 0, "the expression is longer than 4,000 characters"),
        ("+".join(["a"] * 300), 0, 500, "the expression is too large"),
    ],
)
def test_what_a_rule_may_not_say_is_refused_at_its_place(text: str, line: int, column: int, message: str):
    with pytest.raises(RuleRejected) as caught:
        parse(text)

    fault = caught.value.faults[0]
    assert (fault.line, fault.column, fault.message) == (line, column, message)


def test_an_assignment_gets_a_hint_to_compare():
    with pytest.raises(RuleRejected) as caught:
        parse("size = 'small'")

    assert caught.value.faults[0].hint == "use == to compare"


@pytest.mark.parametrize(
    "text", ["a and\n  b", "'a) or (b' == c  # a comment", r"matches('\d+', a)", "'👩\u200d🍳' in a"]
)
def test_benign_look_alikes_are_accepted(text: str):
    assert parse(text)
