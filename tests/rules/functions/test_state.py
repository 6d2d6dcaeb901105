from sparring.core.state import GoldenAction, GoldenRun, StateRecord, changes_between, state_record
from sparring.core.value import Json
from sparring.rules.recording import Recording
from sparring.rules.undecided import Failure
from tables import table

START: Json = {"orders": {"W1": {"status": "pending"}, "W2": {"status": "sent"}}, "log": []}
END: Json = {"orders": {"W1": {"status": "cancelled"}, "W2": {"status": "sent"}}, "log": ["W1"]}
GOLDEN: Json = {"orders": {"W1": {"status": "cancelled"}, "W2": {"status": "cancelled"}}, "log": ["W1", "W2"]}
CANCEL = (GoldenAction(tool="cancel", arguments={"order": "W1"}),)
BROKEN = (GoldenAction(tool="break"),)


def recorded(record: StateRecord | None) -> Recording:
    return Recording("c", {"order": "W1"}, state=record)


RECORD = state_record(START, END, {}).model_copy(
    update={
        "golden": (
            GoldenRun(actions=CANCEL, changes=changes_between(START, GOLDEN)),
            GoldenRun(actions=BROKEN, error="the golden action break failed: no such tool"),
        )
    }
)


@table(
    ("text", "expected"),
    [
        ("state('orders.W1.status')", "cancelled"),
        ("state('orders.' + order + '.status') == 'cancelled'", True),
        ("state('orders.W9')", None),
        ("state().orders.W1.status", "cancelled"),
        ("state.orders['W2'].status", "sent"),
        ("state_before('orders.W1.status')", "pending"),
        ("changed('orders.W1')", True),
        ("changed('orders.*.status')", True),
        ("changed('orders.W2')", False),
        ("[change.path for change in changes()]", ["orders.W1.status", "log[0]"]),
        ("changes('log')[0].after", "cancelled"),
        ("changes('log', 'orders.W1') == []", True),
        ("len(changes)", 2),
        (
            "state_differences([{'tool': 'cancel', 'arguments': {'order': 'W1'}}])",
            ["orders.W2.status: expected cancelled, is sent", "log[1]: expected W2, is missing"],
        ),
        ("state_differences([{'tool': 'cancel', 'arguments': {'order': 'W1'}}], ['log', '**.W2'])", []),
    ],
)
def test_functions_over_the_state(value, text: str, expected: object):
    assert value(text, recorded(RECORD)) == expected


STORED = RECORD.for_storage(10)


@table(
    ("record", "text", "reason"),
    [
        (None, "state('a')", "the chatbot does not show its state"),
        (None, "changes() == []", "the chatbot does not show its state"),
        (None, "not changed('a')", "the chatbot does not show its state"),
        (None, "len(changes) == 0", "the chatbot does not show its state"),
        (state_record(None, END, {"start": "HTTP 404"}), "changes()", "HTTP 404"),
        (state_record(START, None, {"end": "HTTP 500"}), "state('log')", "HTTP 500"),
        (STORED, "state('orders.W2')", "the state is too large: only its changes are stored"),
        (STORED, "state_before('log')", "the state is too large: only its changes are stored"),
        (RECORD, "state_differences([{'tool': 'other'}])", "the golden actions were not run"),
        (RECORD, "state_differences([{'tool': 'break'}])", "the golden action break failed: no such tool"),
    ],
)
def test_without_a_reading_a_rule_on_the_state_is_undecided(value, record: StateRecord | None, text: str, reason: str):
    failure = value(text, recorded(record))

    assert isinstance(failure, Failure)
    assert str(failure.error) == reason


def test_what_is_known_of_a_large_state_decides(value):
    assert value("state('orders.W1.status')", recorded(STORED)) == "cancelled"
    assert value("state('log')", recorded(state_record(None, END, {"start": "HTTP 404"}))) == ["W1"]


def test_a_variable_may_be_called_state(value):
    assert value("state == 'Ohio'", Recording("c", {"state": "Ohio"}, state=RECORD)) is True
