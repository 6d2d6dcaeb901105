import pytest

from sparring.checking.recording import Recording, Said
from sparring.checking.undecided import Failure
from sparring.core.message import ToolCall

CALLS = (
    ToolCall(name="look_up", arguments={"id": 7}, result={"size": "big", "drink": None}),
    ToolCall(name="refund", arguments={"id": 7, "sum": 5}),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("called('refund')", True),
        ("called('refund', id=number)", True),
        ("called('refund', id=8)", False),
        ("not_called('cancel')", True),
        ("call_order('look_up', 'refund')", True),
        ("call_order('refund', 'look_up')", False),
        ("calls()", 2),
        ("calls('refund')", 1),
        ("tool_result('look_up')['size'] == 'big'", True),
        ("tool_result('look_up')['drink'] is None", True),
        ("tool_result('cancel')", None),
    ],
)
def test_functions_over_tools(value, text: str, expected: object):
    told = Recording("c", {"number": 7}, (Said("chatbot", "", CALLS),), reports_tools=True)

    assert value(text, told) == expected


@pytest.mark.parametrize("text", ["called('x')", "not_called('x')", "call_order('x')", "calls()", "tool_result('x')"])
def test_without_reported_tools_their_absence_means_nothing(value, text: str):
    failure = value(text, Recording("c"))

    assert isinstance(failure, Failure)
    assert str(failure.error) == "chatbot reports no tools"


def test_a_call_that_is_seen_was_made_even_where_not_all_are_reported(value):
    assert value("called('refund')", Recording("c", messages=(Said("chatbot", "", CALLS),))) is True


def test_of_several_results_the_last_one_counts(value):
    said = [Said("chatbot", "", (ToolCall(name="tracker", result={"size": size}),)) for size in ("big", "small")]

    assert value("tool_result('tracker')['size']", Recording("c", messages=tuple(said))) == "small"
