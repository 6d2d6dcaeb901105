"""Logs of other products, in the smallest form that shows what is particular about each."""

from pathlib import Path
from typing import Any

import pytest

from read_logs import jsonl, read, said
from sparring.core.conversation import Ending
from sparring.core.plugins import names
from sparring.core.usage import Usage

TOLD = [("user", "refund me"), ("chatbot", "done", ("refund", {"id": 7}, {"ok": True}, "succeeded"))]
ARGUMENTS = '{"id": 7}'


def _turns(*turns: tuple[str, str]) -> list[dict[str, str]]:
    return [{"from": speaker, "value": text} for speaker, text in turns]


@pytest.mark.parametrize(
    "turns",
    [
        _turns(
            ("system", "be nice"),
            ("human", "refund me"),
            ("function_call", '{"name": "refund", "arguments": {"id": 7}}'),
            ("observation", '{"ok": true}'),
            ("gpt", "done"),
        ),
        _turns(
            ("system", "be nice"),
            ("user", "refund me"),
            ("gpt", '<tool_call>\n{"name": "refund", "arguments": {"id": 7}}\n</tool_call>'),
            ("tool", '<tool_response>\n{"ok": true}\n</tool_response>'),
            ("assistant", "done"),
        ),
    ],
)
def test_sharegpt_joins_results_in_order(tmp_path: Path, turns: list[dict[str, str]]):
    (tmp_path / "a.json").write_bytes(jsonl(tmp_path / "x", [{"id": "x", "conversations": turns}]).read_bytes())

    (found,) = read(tmp_path / "a.json")

    assert (found.id, said(found)) == ("x", TOLD)
    assert found.case.variables == {"system_prompt": "be nice"}


def test_tau_reads_the_word_error_and_the_instruction(tmp_path: Path):
    call = {"id": "1", "function": {"name": "refund", "arguments": ARGUMENTS}}
    traj = [
        {"role": "system", "content": "policy"},
        {"role": "user", "content": "refund me"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "name": "refund", "content": "Error: no such order"},
    ]
    run = {"task_id": 3, "trial": 1, "reward": 0.0, "info": {"task": {"instruction": "You want money."}}, "traj": traj}

    (found,) = read(jsonl(tmp_path / "a.json", [run]))

    assert (found.id, found.reports_tools, found.case.goals[0].text) == ("3~1", True, "You want money.")
    assert said(found)[1][2] == ("refund", {"id": 7}, "Error: no such order", "failed")


RUN: dict[str, Any] = {
    "id": "r",
    "task_id": "5",
    "trial": 2,
    "termination_reason": "max_steps",
    "agent_cost": 0.5,
    "reward_info": {"reward": 1.0},
    "messages": [
        {"role": "assistant", "content": "Hi! How can I help?"},
        {"role": "user", "content": "refund me"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "1", "name": "refund", "arguments": {"id": 7}, "requestor": "assistant"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 2},
        },
        {"role": "tool", "id": "1", "content": '{"ok": true}', "error": False, "requestor": "assistant"},
        {"role": "assistant", "content": "done"},
        {"role": "user", "tool_calls": [{"id": "2", "name": "restart", "arguments": {}, "requestor": "user"}]},
        {"role": "tool", "id": "2", "content": "on", "requestor": "user"},
        {"role": "user", "content": "###STOP###"},
    ],
}
TASKS = [{"id": "5", "user_scenario": {"instructions": {"reason_for_call": "A refund.", "known_info": "Order 7."}}}]


@pytest.mark.parametrize("form", ["file", "folder"])
def test_tau2_keeps_the_calls_of_users_apart(tmp_path: Path, form: str):
    about = {"timestamp": "now", "tasks": TASKS}
    if form == "folder":
        (tmp_path / "simulations").mkdir()
        jsonl(tmp_path / "results.json", about)
        jsonl(tmp_path / "simulations" / "r.json", RUN)
    else:
        jsonl(tmp_path / "results.json", about | {"simulations": [RUN]})

    (found,) = read(tmp_path)

    assert said(found) == [("chatbot", "Hi! How can I help?"), *TOLD]
    assert (found.id, found.ending, found.reports_tools) == ("5~2", Ending.TURN_LIMIT, True)
    assert found.case.goals[0].text == "A refund.\nOrder 7."
    assert found.case.variables["reward"] == 1.0
    assert found.case.variables["user_tool_calls"] == [
        {"tool_calls": RUN["messages"][5]["tool_calls"]},
        {"content": "on"},
    ]
    assert found.usage["chatbot"] == Usage(calls=1, input_tokens=10, output_tokens=2, cost=0.5)


def test_atif_skips_copied_steps_and_flattens_agents_that_were_called(tmp_path: Path):
    inner = {
        "trajectory_id": "t2",
        "agent": {"name": "cashier"},
        "steps": [
            {
                "step_id": 1,
                "source": "agent",
                "message": "",
                "tool_calls": [{"tool_call_id": "9", "function_name": "pay", "arguments": {}}],
                "observation": {"results": [{"source_call_id": "9", "content": "paid"}]},
            }
        ],
    }
    steps = [
        {"step_id": 1, "source": "user", "message": "before", "is_copied_context": True},
        {"step_id": 2, "source": "user", "message": [{"type": "text", "text": "refund me"}]},
        {
            "step_id": 3,
            "source": "agent",
            "message": "",
            "reasoning_content": "hm",
            "tool_calls": [{"tool_call_id": "1", "function_name": "refund", "arguments": {"id": 7}}],
            "observation": {
                "results": [{"content": '{"ok": true}', "subagent_trajectory_ref": [{"trajectory_id": "t2"}]}]
            },
            "metrics": {"prompt_tokens": 10, "completion_tokens": 2, "cost_usd": 0.5},
        },
        {"step_id": 4, "source": "agent", "message": "done"},
    ]
    trajectory = {
        "schema_version": "ATIF-v1.7",
        "session_id": "s",
        "agent": {"name": "clerk"},
        "steps": steps,
        "subagent_trajectories": [inner],
    }

    (found,) = read(jsonl(tmp_path / "trajectory.json", trajectory))

    assert said(found) == [
        ("user", "refund me"),
        (
            "chatbot",
            "done",
            ("refund", {"id": 7}, {"ok": True}, "succeeded"),
            ("hand_off", {"agent": "cashier"}, '{"ok": true}', "succeeded"),
            ("pay", {}, "paid", "succeeded"),
        ),
    ]
    assert (found.id, found.reports_tools, found.usage["chatbot"].cost) == ("s", True, 0.5)


def test_rasa_shows_custom_actions_as_calls_without_results(tmp_path: Path):
    events = [
        {"event": "action", "name": "action_session_start"},
        {"event": "action", "name": "action_listen"},
        {"event": "user", "text": "refund me", "parse_data": {"intent": {"name": "refund"}}},
        {"event": "action", "name": "action_refund"},
        {"event": "slot", "name": "order", "value": "7"},
        {"event": "action", "name": "utter_done"},
        {"event": "bot", "text": "done", "data": {"buttons": [{"title": "Again", "payload": "/again"}]}},
    ]

    (found,) = read(jsonl(tmp_path / "a.json", {"sender_id": "s", "slots": {"order": "7"}, "events": events}))

    assert said(found) == [("user", "refund me"), ("chatbot", "done\n[Again]", ("action_refund", {}, None, "executed"))]
    assert (found.id, found.case.variables) == ("s", {"order": "7"})


VAPI = [
    {"role": "system", "message": "Be brief."},
    {"role": "bot", "message": "Hello?", "secondsFromStart": 1.2},
    {"role": "user", "message": "Refund me."},
    {
        "role": "tool_calls",
        "message": "",
        "toolCalls": [{"id": "c", "function": {"name": "refund", "arguments": "{}"}}],
    },
    {"role": "tool_call_result", "toolCallId": "c", "name": "refund", "result": '{"ok": true}'},
    {"role": "bot", "message": "Done."},
]


@pytest.mark.parametrize("nested", [True, False])
def test_calls_of_vapi_are_read_from_reports_and_from_the_api(nested: bool, tmp_path: Path):
    call = {"endedReason": "assistant-ended-call", "artifact": {"messages": VAPI}, "assistant": {"name": "clerk"}}
    report = {"message": {"type": "end-of-call-report", "call": {"id": "v1"}, **call}}

    (found,) = read(jsonl(tmp_path / "a.json", report if nested else {"id": "v1", **call}))

    assert said(found) == [
        ("chatbot", "Hello?"),
        ("user", "Refund me."),
        ("chatbot", "Done.", ("refund", {}, {"ok": True}, "succeeded")),
    ]
    assert (found.id, found.ending, found.reports_tools) == ("v1", Ending.CHATBOT_DONE, True)
    assert found.case.variables == {
        "assistant": "clerk",
        "system_prompt": "Be brief.",
        "ended_reason": "assistant-ended-call",
    }


def test_calls_of_retell_show_all_tool_calls_and_those_that_failed(tmp_path: Path):
    turns = [
        {"role": "agent", "content": "Hello?", "words": []},
        {"role": "node_transition", "former_node_id": "a", "new_node_id": "b"},
        {"role": "dtmf", "digit": "1"},
        {"role": "tool_call_invocation", "tool_call_id": "c", "name": "refund", "arguments": '{"id": 7}'},
        {"role": "tool_call_result", "tool_call_id": "c", "content": "too late", "successful": False},
        {"role": "agent", "content": "I cannot."},
    ]
    call = {"call_id": "r1", "transcript_with_tool_calls": turns, "disconnection_reason": "error_llm_websocket_open"}

    for entry in (call, {"event": "call_ended", "call": call}):
        (found,) = read(jsonl(tmp_path / "a.json", entry))

        assert said(found) == [
            ("chatbot", "Hello?"),
            ("user", "[pressed 1]"),
            ("chatbot", "I cannot.", ("refund", {"id": 7}, "too late", "failed")),
        ]
        assert (found.id, found.ending, found.error) == ("r1", Ending.CHATBOT_FAILED, "error_llm_websocket_open")
        assert found.reports_tools


def test_every_format_has_a_line_in_the_docs():
    page = Path(__file__).parents[3] / "docs/how-to/import-logs.md"

    listed = {line.split("`")[1] for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| `")}
    assert listed == {*names("sparring.logs")}
