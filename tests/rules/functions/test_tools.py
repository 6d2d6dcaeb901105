import pytest

from sparring.core.checks import Rule, named_tools
from sparring.core.message import ToolCall
from sparring.rules.recording import RecordedMessage, Recording
from sparring.rules.undecided import Failure, is_missing
from tables import table

CALLS = (
    ToolCall(name="look_up", arguments={"id": 7}, result={"size": "big", "drink": None}),
    ToolCall(name="refund", arguments={"id": 7, "sum": 5}),
)
FAILED = (
    ToolCall(name="cancel", arguments={"id": 7}, error="TimeoutError"),
    ToolCall(name="cancel", arguments={"id": 8}, result={"outcome": "refused"}, status="failed"),
    ToolCall(name="cancle", error="there is no tool", status="attempted"),
    ToolCall(name="cancel", arguments={"id": 9}, result={"outcome": "cancelled"}),
    ToolCall(name="look_up"),
)
INJECTED = ToolCall(name="cancel", arguments={"id": 7})


@pytest.mark.slow
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
        ("calls('refund', {'id': number})", 1),
        ("calls('refund', {'id': 8})", 0),
        ("calls(args={'id': 7})", 2),
        ("calls(since='last_user')", 1),
        ("calls('look_up', since='last_user')", 0),
        ("tools_used()", "look_up(id=7), refund(id=7, sum=5)"),
        ("tools_used('last_user')", "refund(id=7, sum=5)"),
        ("tools_used() if calls('x') else 'none'", "none"),
    ],
)
def test_functions_over_tools(value, text: str, expected: object):
    said = (
        RecordedMessage("chatbot", "", CALLS[:1]),
        RecordedMessage("user", "now"),
        RecordedMessage("chatbot", "", CALLS[1:]),
    )
    told = Recording(
        "c", {"number": 7}, (*said, RecordedMessage("chatbot", "", (INJECTED,), injected=True)), reports_tools=True
    )

    assert value(text, told) == expected


@table(
    ("text", "expected"),
    [
        ("called('cancel')", True),
        ("called('cancel', id=7)", False),
        ("called('cancel', id=8)", False),
        ("attempted('cancel', id=7)", True),
        ("not_called('cancel', id=7)", False),
        ("not called('cancel', id=7)", True),
        ("not_called('cancle')", False),
        ("called('look_up')", True),
        ("calls('cancel')", 1),
        ("calls('cancel', {}, 'start', 'executed')", 3),
        ("calls(status='executed')", 4),
        ("calls(status='attempted')", 5),
        ("call_order('look_up', 'cancel')", False),
        ("call_order('cancel', 'look_up')", True),
        ("tool_result('cancel')", {"outcome": "cancelled"}),
        ("tool_result('cancel', 0)", {"outcome": "refused"}),
        ("tool_result('cancel', 2)", None),
        ("tool_result('cancel').outcome", "cancelled"),
        ("tool_calls('cancel')[1].result.outcome", "refused"),
        ("tool_calls('cancel')[0].error", "TimeoutError"),
        ("[call.status for call in tool_calls()]", ["failed", "failed", "attempted", "succeeded", "executed"]),
        ("tool_calls('refund')", []),
        (
            "tools_used()",
            "cancel(id=7) [failed], cancel(id=8) [failed], cancle() [did not run], cancel(id=9), look_up()",
        ),
    ],
)
def test_only_a_call_that_succeeded_counts_as_called(value, text: str, expected: object):
    told = Recording("c", messages=(RecordedMessage("chatbot", "", FAILED),), reports_tools=True)

    assert value(text, told) == expected


@table(
    "text",
    [
        "called('x')",
        "not_called('x')",
        "attempted('x')",
        "call_order('x')",
        "calls()",
        "tool_result('x')",
        "tool_calls('x')",
    ],
)
def test_without_reported_tools_their_absence_means_nothing(value, text: str):
    failure = value(text, Recording("c"))

    assert isinstance(failure, Failure)
    assert str(failure.error) == "chatbot reports no tools"


def test_a_call_that_is_seen_was_made_even_where_not_all_are_reported(value):
    assert value("called('refund')", Recording("c", messages=(RecordedMessage("chatbot", "", CALLS),))) is True


def test_of_several_results_the_last_one_counts(value):
    said = [
        RecordedMessage("chatbot", "", (ToolCall(name="tracker", result={"size": size}),)) for size in ("big", "small")
    ]

    assert value("tool_result('tracker')['size']", Recording("c", messages=tuple(said))) == "small"


def test_only_two_moments_are_known(value):
    failure = value("calls(since='yesterday')", Recording("c", reports_tools=True))

    assert str(failure.error) == "since should be 'start' or 'last_user', got 'yesterday'"


def test_a_call_is_counted_by_one_of_three_statuses(value):
    failure = value("calls(status='failed')", Recording("c", reports_tools=True))

    assert str(failure.error) == "status should be one of attempted, executed, succeeded, got 'failed'"


def test_the_reaction_to_a_fault_is_read_where_there_was_one(value):
    failed = ToolCall(name="pay", arguments={"id": 7}, error="TimeoutError", fault="timeout")
    said = (RecordedMessage("user", "Pay it."), RecordedMessage("chatbot", "It is paid.", (failed,)))
    recording = Recording("c", {}, said, reports_tools=True)

    assert value("recovery('pay')", recording) == "lied"
    assert value("risked_twice('pay')", recording) is False
    unbroken = value("recovery('look_up') == 'retried'", recording)
    assert isinstance(unbroken, Failure)
    assert is_missing(unbroken)


def acts(*said: tuple[str, str] | tuple[str, str, tuple[ToolCall, ...]]) -> Recording:
    return Recording("c", {}, tuple(RecordedMessage(*each) for each in said), reports_tools=True)


LOOK, PAY = ToolCall(name="look", arguments={"id": 7}, result=1), ToolCall(name="pay", arguments={"id": 7}, result=1)
FAILED_LOOK = ToolCall(name="look", arguments={"id": 7}, error="no")
OTHER_LOOK = ToolCall(name="look", arguments={"id": 8}, result=1)


@table(
    ("calls", "expected"),
    [
        ((LOOK, PAY), True),
        ((PAY, LOOK), False),
        ((FAILED_LOOK, PAY), False),
        ((OTHER_LOOK, PAY), False),
        ((LOOK,), True),
        ((LOOK, PAY, PAY), True),
    ],
)
def test_a_check_comes_first_for_the_same_arguments(value, calls: tuple[ToolCall, ...], expected: bool):
    assert value("checked_first('pay', 'look')", acts(("user", "Pay."), ("chatbot", "", calls))) is expected


@table(
    ("asked", "answer", "expected"),
    [
        ("Shall I pay 7 for it?", "Yes, please.", True),
        ("Shall I pay 7 for it?", "Go ahead.", True),
        ("¿Lo pago?", "Sí", True),
        ("Shall I pay 7 for it?", "No, leave it.", False),
        ("Shall I pay 7 for it?", "How much is it?", False),
        ("Anything else?", "Pay 7.", False),
        ("Which one do you mean?", "Number 7.", False),
        ("Welcome.", "Pay 7.", False),
    ],
)
def test_a_yes_comes_first(value, asked: str, answer: str, expected: bool):
    said = acts(("user", "Pay 7."), ("chatbot", asked), ("user", answer), ("chatbot", "", (PAY,)))

    assert value("confirmed_first('pay')", said) is expected
    assert value("confirmed_first('pay')", acts(("user", "Pay."), ("chatbot", "", (PAY,)))) is False
    assert value("confirmed_first('look')", said) is True


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tool_result('cancel', path='outcome')", "cancelled"),
        ("tool_result('cancel', id=8)['outcome']", "refused"),
        ("tool_result('cancel', 0, path='outcome')", "refused"),
        ("tool_result('cancel', path='a.b')", None),
        ("tool_result('pay', path='a.b')", None),
        ("[each.outcome for each in tool_results('cancel')]", ["refused", "cancelled"]),
        ("failed_calls()", 3),
        ("failed_calls('cancel')", 2),
        (
            "call_errors()",
            ["cancel: TimeoutError", 'cancel: {"outcome": "refused"}', "cancle: there is no tool"],
        ),
        ("each_preceded('cancel', by='look_up', same='id')", True),
        ("each_preceded('cancel', 'refund', same='id')", False),
        ("each_preceded('cancel', 'look_up', 'order')", False),
        ("each_preceded('pay', by='look_up')", True),
        ("same_turn('look_up', 'refund')", True),
        ("same_turn('refund', 'cancel')", False),
        ("[call.name for call in calls_in_turn(1)]", ["look_up", "refund"]),
        ("calls_in_turn(0)", []),
        ("calls_in_turn(9)", []),
    ],
)
def test_functions_over_calls_and_turns(value, text: str, expected: object):
    calls = (
        ToolCall(name="look_up", arguments={"id": 9}, result={}),
        ToolCall(name="refund", arguments={"id": 7}, result={}),
    )
    said = (
        RecordedMessage("user", "first"),
        RecordedMessage("chatbot", "", calls),
        RecordedMessage("user", "then"),
        RecordedMessage("chatbot", "", FAILED[:4]),
    )
    recording = Recording(id="c", names={}, messages=said, reports_tools=True)
    assert value(text, recording) == expected


def test_tools_of_rules_about_calls_are_named():
    rule = Rule(name="r", then="each_preceded('pay', by='check', same='id') and same_turn('pay', 'mail')")
    assert [each.tool for each in named_tools(rule)] == ["pay", "check", "pay", "mail"]
