import pytest
from pydantic import ValidationError

from sparring.core.message import Message, ToolCall, message
from sparring.core.tool_errors import ToolError, with_failures
from sparring.core.value import Json


def called(result: Json, name: str = "cancel_order") -> Message:
    return message("chatbot", "It is cancelled.", tool_calls=(ToolCall(name=name, result=result),))


def failed(said: Message, **error: Json) -> bool:
    (call,) = with_failures(said, [ToolError.model_validate(error)]).tool_calls
    return call.status == "failed"


@pytest.mark.parametrize(
    ("result", "error", "means_it"),
    [
        ({"status": "error"}, {"path": "status", "equals": "error"}, True),
        ({"status": "refused"}, {"path": "status", "equals": ["error", "refused"]}, True),
        ({"status": "ok"}, {"path": "status", "equals": "error"}, False),
        ({"ok": False}, {"path": "ok", "equals": False}, True),
        ({"problems": ["no such order"]}, {"path": "problems"}, True),
        ({"problems": []}, {"path": "problems"}, False),
        ({"answer": {"code": 404}}, {"path": "answer.code", "equals": 404}, True),
        ("an order", {"path": "status", "equals": "error"}, False),
        (None, {"path": "status", "equals": "error"}, False),
    ],
)
def test_a_result_means_a_failure(result: Json, error: dict[str, Json], means_it: bool):
    assert failed(called(result), **error) is means_it


@pytest.mark.parametrize(("tool", "means_it"), [("cancel_order", True), ("cancel_*", True), ("get_*", False)])
def test_a_condition_is_for_some_tools(tool: str, means_it: bool):
    assert failed(called({"status": "error"}), tool=tool, path="status", equals="error") is means_it


def test_calls_that_failed_or_have_no_result_keep_their_status():
    refused = ToolCall(name="cancel_order", result={"status": "error"}, status="attempted")
    said = message("chatbot", "No.", tool_calls=(refused,))

    assert with_failures(said, [ToolError.model_validate({"path": "status", "equals": "error"})]) is said


def test_a_path_that_is_none_is_refused():
    with pytest.raises(ValidationError, match="path"):
        ToolError.model_validate({"path": "status..["})
