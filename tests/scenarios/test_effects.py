"""Expectations on the order of tools, the state and its changes, in playbooks and in scenario files."""

from pathlib import Path

import pytest

from sparring.core.case import Case
from sparring.core.checks import Expectation
from sparring.core.errors import InputError
from sparring.core.state import GoldenAction
from sparring.scenarios.loading import load

PLAYBOOK = """
variables: {order: ORD.1, when: 2026-01-02}
steps:
  - user: Cancel it.
  - expect_order: [check_policy, cancel_order]
  - user: Thanks.
  - expect_tool: cancel_order
    result: {outcome: cancelled}
  - expect_state: {"orders.{{order}}.status": cancelled, orders.W2: unchanged, "orders.{{order}}.at": "{{when}}"}
  - expect_changes: ["orders.{{order}}.**"]
  - expect_changes: none
  - expect_state: {after: [cancel_order: {order_id: "{{order}}"}, {tool: close}], ignore: orders.*.at}
"""


def read(tmp_path: Path, text: str) -> list[Case]:
    file = tmp_path / "cases.yml"
    file.write_text(text)
    return list(load([file], seed=1).cases)


def written(expectation: Expectation) -> tuple[str, int | None, str]:
    return expectation.rule.name, expectation.after, expectation.rule.then


def test_a_playbook_expects_what_the_chatbot_did(tmp_path: Path):
    (case,) = read(tmp_path, PLAYBOOK)

    golden = [
        {"tool": "cancel_order", "arguments": {"order_id": "ORD.1"}},
        {"tool": "close", "arguments": {}},
    ]
    assert [written(each) for each in case.expectations] == [
        ("step 2", 1, "call_order('check_policy', 'cancel_order')"),
        ("step 4", 2, "calls('cancel_order', {}, 'start', 'executed', {'outcome': 'cancelled'}) >= 1"),
        ("step 5", None, "state('orders[\"ORD.1\"].status') == 'cancelled'"),
        ("step 5", None, "not changed('orders.W2')"),
        ("step 5", None, "state('orders[\"ORD.1\"].at') == '2026-01-02'"),
        ("step 6", None, "changes('orders[\"ORD.1\"].**') == [] and changed('orders[\"ORD.1\"].**')"),
        ("step 7", None, "changes() == []"),
        ("step 8", None, f"state_differences({golden!r}, ['orders.*.at']) == []"),
    ]
    assert case.expectations[-1].golden == tuple(map(GoldenAction.model_validate, golden))
    assert {each.check for each in case.expectations} == {"playbook"}


def test_tools_are_called_before_a_conversation_and_at_its_end(tmp_path: Path):
    (case,) = read(
        tmp_path,
        """
script: [Cancel it.]
variables: {order: W1}
setup:
  - add_order: {id: "{{order}}"}
  - {tool: open}
expect_state: {ask: [{is_open: {id: "{{order}}"}, equals: false}, {is_paid: {}}]}
""",
    )
    assert case.setup == (GoldenAction(tool="add_order", arguments={"id": "W1"}), GoldenAction(tool="open"))
    assert [each.rule.then for each in case.expectations] == [
        "tool_answer('is_open', {'id': 'W1'}) == False",
        "tool_answer('is_paid', {}) == True",
    ]
    assert [each.asks for each in case.expectations] == [
        (GoldenAction(tool="is_open", arguments={"id": "W1"}),),
        (GoldenAction(tool="is_paid"),),
    ]


def test_a_question_to_a_tool_is_one_call(tmp_path: Path):
    with pytest.raises(InputError, match="should be one tool call and what it returns"):
        read(tmp_path, "script: [Hi.]\nexpect_state: {ask: [{equals: true}]}")


def test_a_scenario_expects_it_with_the_values_of_each_conversation(tmp_path: Path):
    cases = read(
        tmp_path,
        """
goals: ["cancel the order {{order}}"]
variables: {order: [W1, W2]}
expect: turns() < 9
expect_order: [find, cancel]
expect_changes: {"orders.{{order}}.status": cancelled}
""",
    )

    assert [[each.rule.then for each in case.expectations] for case in cases] == [
        [
            "turns() < 9",
            "call_order('find', 'cancel')",
            f"changes('orders.{order}.status') == [] and changed('orders.{order}.status')"
            f" and state('orders.{order}.status') == 'cancelled'",
        ]
        for order in ("W1", "W2")
    ]


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ("expect_state: cancelled", "6:19: steps[1].expect_state: should be a mapping of paths to values"),
        ("expect_state: {a..b: 1}", "'a..b' is no path into the state"),
        ("expect_state: {a: 1, ignore: [b]}", "needs golden actions: `after`"),
        ("expect_state: {after: [{arguments: {}}, 3]}", "should be a mapping, not a number"),
        ("expect_state: {after: []}", "should have at least one tool call"),
        ("expect_changes: ['{{nothing}}']", "{{nothing}} is not a variable"),
        ('expect_state: {"orders.{{nothing}}": 1}', "{{nothing}} is not a variable"),
        ("expect_order: []", "should name at least one tool"),
        ("expect_state: {a: 1}\n  - user: And?", "the state is read at the end"),
    ],
)
def test_what_cannot_be_expected_is_a_problem_with_its_place(tmp_path: Path, step: str, problem: str):
    with pytest.raises(InputError) as told:
        read(tmp_path, f"variables: {{}}\n\n\nsteps:\n  - user: Hi\n  - {step}\n")

    assert problem in str(told.value)
