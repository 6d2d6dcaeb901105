"""Playbooks on the command line."""

import json
from pathlib import Path

import pytest

from command_line import Sparring

pytestmark = pytest.mark.slow  # its tests play batches

BOOK = """
cases:
  - id: good
    steps:
      - inject_bot_response: What would you like?
      - user: One large custom pizza with olives, please
      - expect_tool: {name: add_pizza, args: {size: large}}
  - id: bad
    steps:
      - user: When do you open?
      - expect_tool: add_pizza
      - inject_tool: {name: add_pizza, args: {size: large}, result: {status: sold out}}
      - user: Where can I pick it up?
      - expect_tool: {name: add_pizza, not: true}
      - expect_bot_regex: next door
"""
ARGUMENTS = ("--chatbot", "pizzeria", "--model", "offline")


def test_a_playbook_is_run_and_a_failure_names_its_steps(inside: Sparring, tmp_path: Path):
    (tmp_path / "book.yaml").write_text(BOOK)

    done = inside("run", "book.yaml", *ARGUMENTS)

    assert done.returncode == 1
    assert "FAILED: 1 of 2 failed" in done.stdout
    (failed,) = [line for line in done.stdout.splitlines() if "book/bad: " in line]
    assert "step 2: expected the tool add_pizza; called were: opening_hours()" in failed
    assert "step 6: expected /next door/ in the last reply; it was: " in failed
    assert "step 5" not in failed


def test_a_transcript_says_what_was_injected(inside: Sparring, tmp_path: Path):
    (tmp_path / "book.yaml").write_text(BOOK)
    inside("run", "book.yaml", *ARGUMENTS, "--name", "b")

    shown = inside("show", "b", "book/bad").stdout
    (said,) = [
        one for one in json.loads(inside("show", "b", "book/good", "--json").stdout)["messages"] if one["injected"]
    ]

    assert '(injected)\n  tool add_pizza {"size": "large"} -> {"status": "sold out"}' in shown
    assert said["parts"] == [{"kind": "text", "text": "What would you like?"}]


def test_a_tool_that_the_chatbot_lacks_is_refused_before_the_first_message(inside: Sparring, tmp_path: Path):
    (tmp_path / "book.yaml").write_text(BOOK.replace("inject_tool: {name: add_pizza", "inject_tool: {name: add_piza"))

    for command in ("run", "plan"):
        done = inside(command, "book.yaml", *ARGUMENTS)

        assert (done.returncode, done.stdout) == (2, "")
        assert "book/bad: there is no tool 'add_piza'; did you mean 'add_pizza'?" in done.stderr


def test_a_chatbot_that_takes_no_injections_is_refused(inside: Sparring, tmp_path: Path):
    (tmp_path / "book.yaml").write_text(BOOK)
    (tmp_path / "bot.yaml").write_text("command: cat\n")

    done = inside("run", "book.yaml", "--chatbot", "command:bot.yaml", "--model", "offline")

    assert done.returncode == 2
    assert "book/good: its script injects what this chatbot never said, which it cannot take" in done.stderr


def test_a_scripted_user_needs_no_player(inside: Sparring, tmp_path: Path):
    (tmp_path / "book.yaml").write_text("steps: [user: When do you open?, expect_tool: opening_hours]")

    for command in ("run", "plan"):
        done = inside(command, "book.yaml", "--chatbot", "pizzeria", "--chatbot-model", "offline")

        assert done.returncode == 0
        assert "user: scripted (no model)" in done.stdout


def test_a_plan_counts_what_the_user_says(inside: Sparring, tmp_path: Path):
    (tmp_path / "book.yaml").write_text(BOOK)

    done = inside("plan", "book.yaml", "--chatbot", "pizzeria", "--model", "offline")

    assert done.returncode == 0
    assert "book/good" in done.stdout


GOLDEN = """
customer_id: CUST-002
steps:
  - user: Please cancel my order {order}.
  - expect_state: {{after: [cancel_order: {{order_id: ORD-005}}]}}
"""


@pytest.mark.parametrize(
    ("order", "fault", "outcome", "reason"),
    [
        ("ORD-005", "", "passed", ""),
        ("ORD-006", "", "failed", "orders.ORD-005.status: expected cancelled, is "),
        ("ORD-006", "", "failed", "→ cancelled (should not have changed)"),
        ("ORD-005", ":fault=says_cancelled", "failed", "orders.ORD-005.status: expected cancelled, is "),
    ],
)
def test_the_end_state_is_compared_with_that_after_golden_actions(
    inside: Sparring, tmp_path: Path, order: str, fault: str, outcome: str, reason: str
):
    (tmp_path / "task.yaml").write_text(GOLDEN.format(order=order))

    done = inside("run", "task.yaml", "--chatbot", f"service{fault}", "--model", "offline", "--name", "b")

    assert (done.returncode, f"{outcome.upper()}: " in done.stdout) == (outcome == "failed", True)
    assert reason in inside("show", "b", "task").stdout


STATE = """
customer_id: CUST-001
steps:
  - user: Please cancel my order ORD-001.
  - expect_order: [validate_customer_ownership, check_cancellation_policy, cancel_order]
  - expect_tool: {name: cancel_order, result: {outcome: cancelled}}
  - expect_state: {orders.ORD-001.status: cancelled, orders.ORD-002: unchanged}
  - expect_changes: [orders.ORD-001]
"""


def test_the_state_is_expected_and_shown(inside: Sparring, tmp_path: Path):
    (tmp_path / "state.yaml").write_text(STATE)

    done = inside("run", "state.yaml", "--chatbot", "service", "--model", "offline", "--name", "b")
    shown = inside("show", "b", "state").stdout

    assert done.returncode == 0, done.stdout
    assert "state\n  - orders.ORD-001.status: processing → cancelled\n" in shown


def test_a_state_that_none_can_be_had_of_is_undecided(inside: Sparring, tmp_path: Path):
    (tmp_path / "state.yaml").write_text("steps: [user: Hi, expect_changes: none]")
    (tmp_path / "bot.py").write_text("def reply(messages, variables):\n    return 'OK'\n")

    done = inside("run", "state.yaml", "--chatbot", "python:bot.py:reply", "--model", "offline")

    assert done.returncode == 3
    assert "step 2: the chatbot does not show its state" in done.stdout


@pytest.mark.parametrize(
    ("chatbot", "step", "problem"),
    [
        ("service", "expect_tool: delete_database", "2:14: step 2: there is no tool 'delete_database'; there are: "),
        ("service", "expect_order: [cancel_ordr]", "there is no tool 'cancel_ordr'; did you mean 'cancel_order'?"),
        ("service", "expect_state: {after: [cancel: {}]}", "there is no tool 'cancel'; did you mean 'cancel_order'?"),
        (
            "service",
            "expect_state: {after: [cancel_order: {id: 1}]}",
            "the tool cancel_order takes no 'id'; there are: order_id, reason, customer_id",
        ),
        ("python:bot.py:reply", "expect_state: {after: [cancel: {}]}", "this chatbot takes no golden actions"),
    ],
)
def test_a_missing_capability_is_refused_before_the_run(
    inside: Sparring, tmp_path: Path, chatbot: str, step: str, problem: str
):
    (tmp_path / "state.yaml").write_text(f"steps:\n  [user: Hi, {step}]\n")
    (tmp_path / "bot.py").write_text("def reply(messages, variables):\n    return 'OK'\n")

    done = inside("run", "state.yaml", "--chatbot", chatbot, "--model", "offline")

    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr
    assert "state.yaml:2:" in done.stderr
