"""Scripts of cases."""

import pytest
from pydantic import ValidationError

from sparring.core.case import Case, InjectReply, InjectTool, Say
from sparring.core.message import ToolCall, message

OLD = b"""{
    "id": "a",
    "script": [{"kind": "say", "text": "Hi"}],
    "history": [{"role": "user", "parts": [], "ends": false}],
    "expectations": [{"rule": {"name": "x", "then": "True"}, "after": 1}]
}"""


def test_a_case_that_was_stored_before_there_were_injections_reads_as_it_did():
    case = Case.model_validate_json(OLD)

    assert (case.script, case.history[0].injected) == ((Say(text="Hi"),), False)


def test_a_step_is_of_one_kind():
    with pytest.raises(ValidationError, match="union_tag_invalid"):
        Case.model_validate({"id": "a", "script": [{"kind": "shout", "text": "Hi"}]})


def test_injected_steps_are_messages_of_the_script():
    call = ToolCall(name="track", arguments={"order": 1}, result={"status": "lost"})

    assert InjectReply(text="Bye", ends=True).message == message("chatbot", "Bye", ends=True, injected=True)
    assert InjectTool(name="track", arguments={"order": 1}, result={"status": "lost"}).message == message(
        "chatbot", "", tool_calls=(call,), injected=True
    )


def test_the_lines_of_a_script_are_what_the_user_says():
    script = (InjectReply(text="Hello"), Say(text="Hi"), InjectTool(name="track"), Say(text="Bye"))

    assert Case(id="a", script=script).lines == ("Hi", "Bye")
