"""A chatbot whose tool reports an error, and that says that all went well."""

import json
from pathlib import Path

import pytest

from command_line import Sparring

BOT = """
from sparring.core.message import ToolCall, message


class Bot:
    reports_tools = True

    def reply(self, said):
        call = ToolCall(name="cancel_order", result={"status": "error"})
        return message("chatbot", "Your order is cancelled.", tool_calls=(call,))
"""
PLAYBOOK = "name: cancel\nsteps:\n  - user: Please cancel my order.\n  - expect_tool: cancel_order\n"
SETTING = "tool_errors:\n  - {path: status, equals: error}\n"


@pytest.mark.parametrize(("setting", "code"), [("", 0), (SETTING, 1)])
def test_a_playbook_fails_where_the_tool_failed(inside: Sparring, tmp_path: Path, setting: str, code: int):
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "cancel.yml").write_text(PLAYBOOK)
    (tmp_path / "sparring.yaml").write_text(f"model: offline\nnull_bots: false\n{setting}")

    done = inside("run", "cancel.yml", "--chatbot", "python:bot.py:Bot")

    assert done.returncode == code, done.stdout + done.stderr


@pytest.mark.parametrize(("setting", "code"), [("", 0), (SETTING, 1)])
def test_a_log_is_read_alike_by_check_and_import(inside: Sparring, tmp_path: Path, setting: str, code: int):
    asked = {"id": "1", "type": "function", "function": {"name": "cancel_order", "arguments": "{}"}}
    said = [
        {"role": "user", "content": "Please cancel my order."},
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": "1", "content": json.dumps({"status": "error"})},
        {"role": "assistant", "content": "Your order is cancelled."},
    ]
    (tmp_path / "log.jsonl").write_text(json.dumps({"messages": said}) + "\n")
    (tmp_path / "sparring.yaml").write_text(setting)

    inside("import", "log.jsonl", "--name", "log")
    checked = [
        inside("check", "--rule", "called('cancel_order')", "--conversations", of) for of in ("log", "log.jsonl")
    ]

    assert [each.returncode for each in checked] == [code, code], checked[0].stdout


def test_a_wrong_path_is_an_error_with_its_place(inside: Sparring, tmp_path: Path):
    (tmp_path / "sparring.yaml").write_text("tool_errors:\n  - {path: 'a..[', equals: 1}\n")

    done = inside("doctor")

    assert done.returncode == 2
    assert "sparring.yaml" in done.stderr
    assert "tool_errors" in done.stderr
