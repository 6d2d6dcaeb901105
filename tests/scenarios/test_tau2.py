"""Tasks of τ²-bench: what becomes of them, and that the checks decide as its evaluator does."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

import sparring
from sparring.app.notices import left_out_notices
from sparring.core.errors import InputError
from sparring.core.message import Message, ToolCall, message
from sparring.scenarios import loading

CANCEL = ("cancel", {"order": "W1"})
MISSING = ("look_up", {"order": "W9"})


def task(actions: list[tuple[str, dict[str, Any]]] | None = None, **criteria: Any) -> dict[str, Any]:
    """Return a task whose reward depends on the state, unless `criteria` name another basis."""
    written = None if actions is None else [{"name": name, "arguments": given} for name, given in actions]
    return {
        "id": "7",
        "user_scenario": {
            "persona": "impatient",
            "instructions": {
                "domain": "shop",
                "reason_for_call": "Cancel your order.",
                "known_info": "Your order is W1.",
                "unknown_info": "You forgot your email.",
                "task_instructions": "Be brief.",
            },
        },
        "evaluation_criteria": {"actions": written, "reward_basis": ["DB"], **criteria},
    }


def tasks_file(folder: Path, *tasks: dict[str, Any]) -> Path:
    file = folder / "tasks.json"
    file.write_text(json.dumps(tasks))
    return file


@dataclass
class Status:
    """A result that is an object, as those of the benchmark's tools are."""

    status: str


def bot(made: list[tuple[str, dict[str, Any]]], says: str = "Goodbye.") -> type:
    """Return a chatbot that makes these calls and says goodbye."""

    class Shop:
        reports_tools = True

        def __init__(self) -> None:
            self.orders = {"W1": {"status": "pending"}, "W2": {"status": "pending"}}

        def state(self) -> dict[str, Any]:
            return {"orders": self.orders}

        def call_tool(self, name: str, arguments: dict[str, Any]) -> Status | bool:
            if name == "update_db":
                self.orders |= arguments["update_data"]["orders"]
                return Status("updated")
            order = self.orders[arguments["order"]]
            if name == "has_status":
                return order["status"] == arguments["status"]
            if name == "ship":
                order["status"] = "shipped"
            if name == "cancel":
                order["status"] = "cancelled" if order["status"] == "pending" else "cancelled twice"
            return Status(order["status"])

        def reply(self, message_: Message) -> Message:
            return message("chatbot", says, tool_calls=tuple(self._called(*each) for each in made), ends=True)

        def _called(self, name: str, arguments: dict[str, Any]) -> ToolCall:
            try:
                return ToolCall(name=name, arguments=arguments, result=asdict(self.call_tool(name, arguments)))
            except KeyError as error:
                return ToolCall(name=name, arguments=arguments, error=repr(error), status="failed")

    return Shop


def outcome(folder: Path, one: dict[str, Any], chatbot: type) -> str:
    results = sparring.run(tasks_file(folder, one), chatbot, user="agenda", judge="none", store=":memory:")
    return next(iter(results)).outcome.value


def test_the_user_gets_the_instructions(tmp_path: Path):
    (case,) = loading.load([tasks_file(tmp_path, task([CANCEL]))], seed=1).cases
    assert case.id == "shop/7"
    assert [goal.text for goal in case.goals] == ["Cancel your order."]
    assert case.persona.role.splitlines() == ["Your order is W1.", "You forgot your email.", "Be brief."]
    assert case.persona.traits == ("impatient",)


def test_instructions_may_be_one_text(tmp_path: Path):
    one = task([CANCEL])
    one["user_scenario"]["instructions"] = "Cancel your order W1."
    (case,) = loading.load([tasks_file(tmp_path, one)], seed=1).cases
    assert (case.id, case.goals[0].text) == ("tasks/7", "Cancel your order W1.")


@pytest.mark.parametrize(
    ("wanted", "made", "expected"),
    [
        ([CANCEL], [CANCEL], "passed"),
        ([CANCEL], [], "failed"),
        ([CANCEL], [CANCEL, CANCEL], "failed"),
        ([CANCEL], [("cancel", {"order": "W2"})], "failed"),
        ([CANCEL], [("look_up", {"order": "W1"}), CANCEL], "passed"),
        ([MISSING, CANCEL], [CANCEL], "passed"),  # an action that fails is passed over
        ([MISSING], [], "passed"),
        ([MISSING], [CANCEL], "failed"),
        ([], [], "passed"),
        ([], [CANCEL], "failed"),
    ],
)
def test_the_state_must_be_as_after_the_actions(tmp_path: Path, wanted: Any, made: Any, expected: str):
    assert outcome(tmp_path, task(wanted), bot(made)) == expected


@pytest.mark.parametrize(
    ("compared", "made", "expected"),
    [
        (None, {"order": "W1", "reason": "late"}, "passed"),
        (None, {"order": "W1"}, "passed"),  # an argument that the call leaves out is not compared
        (None, {"order": "W1", "reason": "other"}, "failed"),
        (None, {"order": "W1", "reason": "late", "more": 1}, "failed"),
        (["order"], {"order": "W1", "reason": "other"}, "passed"),
        (["order", "reason"], {"order": "W1"}, "failed"),
        (["more"], {"order": "W2"}, "passed"),  # both lack it
        ([], {"order": "W2"}, "passed"),
    ],
)
def test_actions_must_be_called(tmp_path: Path, compared: Any, made: dict[str, Any], expected: str):
    one = task([("cancel", {"order": "W1", "reason": "late"})], reward_basis=["ACTION"])
    one["evaluation_criteria"]["actions"][0]["compare_args"] = compared
    assert outcome(tmp_path, one, bot([("cancel", made)])) == expected


def test_a_call_of_another_tool_is_no_action(tmp_path: Path):
    assert outcome(tmp_path, task([CANCEL], reward_basis=["ACTION"]), bot([("look_up", CANCEL[1])])) == "failed"


@pytest.mark.parametrize(
    ("says", "expected"), [("You get 1,200 POINTS. Bye.", "passed"), ("You get 1200. Bye.", "failed")]
)
def test_texts_must_be_said(tmp_path: Path, says: str, expected: str):
    one = task([], reward_basis=["COMMUNICATE"], communicate_info=["1200 points"])
    assert outcome(tmp_path, one, bot([], says)) == expected


def test_without_a_basis_state_and_texts_decide(tmp_path: Path):
    one = task([CANCEL], communicate_info=["cancelled"])
    del one["evaluation_criteria"]["reward_basis"]
    assert outcome(tmp_path, one, bot([CANCEL], "It is cancelled.")) == "passed"
    assert outcome(tmp_path, one, bot([CANCEL], "Goodbye.")) == "failed"
    assert outcome(tmp_path, one, bot([], "It is cancelled.")) == "failed"


def test_an_assertion_needs_a_model(tmp_path: Path):
    one = task([], reward_basis=["DB", "NL_ASSERTION"], nl_assertions=["The agent is polite."])
    assert outcome(tmp_path, one, bot([])) == "undecided"


INITIAL = {
    "initialization_data": {"agent_data": {"orders": {"W3": {"status": "pending"}}}},
    "initialization_actions": [{"env_type": "assistant", "func_name": "ship", "arguments": {"order": "W1"}}],
    "message_history": [
        {"role": "user", "content": "Cancel W2."},
        {"role": "assistant", "tool_calls": [{"id": "1", "name": "cancel", "arguments": {"order": "W2"}}]},
        {"role": "tool", "id": "1", "content": "{}"},
        {"role": "assistant", "content": "Done."},
    ],
}


@pytest.mark.parametrize(
    ("made", "expected"),
    [([("cancel", {"order": "W3"})], "passed"), ([], "failed"), ([("cancel", {"order": "W2"})], "failed")],
)
def test_a_task_begins_in_its_initial_state(tmp_path: Path, made: Any, expected: str):
    one = {**task([("cancel", {"order": "W3"})]), "initial_state": INITIAL}
    assert outcome(tmp_path, one, bot(made)) == expected


def test_earlier_messages_are_the_history(tmp_path: Path):
    (case,) = loading.load([tasks_file(tmp_path, {**task([CANCEL]), "initial_state": INITIAL})], seed=1).cases
    assert [(each.role, each.text) for each in case.history] == [
        ("user", "Cancel W2."),
        ("chatbot", ""),
        ("chatbot", "Done."),
    ]
    assert [call.name for each in case.history for call in each.tool_calls] == ["cancel"]
    assert [each.tool for each in case.setup] == ["update_db", "ship", "cancel"]


@pytest.mark.parametrize(("made", "expected"), [([CANCEL], "passed"), ([], "failed")])
def test_the_environment_is_asked_at_the_end(tmp_path: Path, made: Any, expected: str):
    asserted = {"env_type": "assistant", "func_name": "has_status"}
    arguments = {"order": "W1", "status": "cancelled"}
    one = task(reward_basis=["ENV_ASSERTION"], env_assertions=[{**asserted, "arguments": arguments}])
    assert outcome(tmp_path, one, bot(made)) == expected


def test_actions_may_be_longer_than_a_rule(tmp_path: Path):
    many = [("cancel", {"order": "W1", "note": "x" * 1_000})] * 9
    loading.load([tasks_file(tmp_path, task(many))], seed=1)
    assert outcome(tmp_path, task([CANCEL] + [("look_up", {"order": "W1"})] * 200), bot([CANCEL])) == "passed"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"user_tools": ["toggle"]}, "its user has tools"),
        ({"evaluation_criteria": {"reward_basis": ["STYLE"]}}, "its reward depends on STYLE"),
        ({"user_scenario": {"instructions": ""}}, "its user has no instructions"),
    ],
)
def test_a_task_that_cannot_be_played_as_there_is_left_out(tmp_path: Path, change: dict[str, Any], reason: str):
    loaded = loading.load([tasks_file(tmp_path, task([CANCEL]), {**task([CANCEL]), **change})], seed=1)
    assert [case.id for case in loaded.cases] == ["shop/7"]
    (notice,) = left_out_notices(loaded.left_out)
    assert notice.message == f"1 scenario: the task is left out: {reason}; `sparring validate` lists each"
    with pytest.raises(InputError, match=reason):
        loading.load([tasks_file(tmp_path, {**task([CANCEL]), **change})], seed=1)
