"""Logs with unusual shapes: nothing raises, nothing is lost without a word, and no format is taken for another."""

import gzip
import json
import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from sparring.core.conversation import Conversation
from sparring.core.errors import Problem
from sparring.core.message import ToolCall
from sparring.rules.inputs.entries import LogEntry
from sparring.rules.inputs.log_format import detect, formats
from sparring.rules.inputs.recordings import Conversations

FUNCTION = {"name": "find-1", "arguments": '{"order": "two-1"}'}
CALL = {"id": "c1", "type": "function", "function": FUNCTION}
SAID = [
    {"role": "system", "content": "word-1"},
    {"role": "user", "content": "word-2"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": '{"status": "word-3"}'},
    {"role": "assistant", "content": [{"type": "text", "text": "word-4"}]},
]
STEPS = [
    {"step_id": 1, "source": "user", "message": "word-1"},
    {
        "step_id": 2,
        "source": "agent",
        "message": "word-2",
        "tool_calls": [{"tool_call_id": "c", "function_name": "find-1", "arguments": {"order": "two-1"}}],
        "observation": {"results": [{"source_call_id": "c", "content": "word-3"}]},
        "metrics": {"prompt_tokens": 5, "completion_tokens": 3, "cost_usd": 0.1},
    },
]
RUN = {
    "task_id": "7",
    "trial": 0,
    "termination_reason": "user_stop",
    "agent_cost": 0.1,
    "messages": [
        {"role": "user", "content": "word-1 ###STOP###"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "name": "find-1", "arguments": {"order": "two-1"}, "requestor": "assistant"}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 3},
        },
        {"role": "tool", "id": "c", "content": "word-2", "requestor": "assistant", "error": False},
        {"role": "assistant", "content": "word-3"},
    ],
}
TURNS = [
    {"from": "human", "value": "word-1"},
    {"from": "function_call", "value": '{"name": "find-1", "arguments": {"order": "two-1"}}'},
    {"from": "observation", "value": "word-2"},
    {"from": "gpt", "value": "word-3"},
]
EVENTS = [
    {"event": "action", "name": "action_extract_slots"},
    {"event": "user", "text": "word-1", "parse_data": {"intent": {"name": "ask"}}},
    {"event": "action", "name": "action_find-1"},
    {"event": "bot", "text": "word-2", "data": {"buttons": [{"title": "word-3"}], "image": None}},
]
MESSAGES = [
    {"role": "user", "message": "word-1"},
    {"role": "tool_calls", "toolCalls": [{"id": "c", "function": FUNCTION}]},
    {"role": "tool_call_result", "toolCallId": "c", "name": "find-1", "result": "word-2"},
    {"role": "bot", "message": "word-3"},
]
SPOKEN = [
    {"role": "user", "content": "word-1"},
    {"role": "tool_call_invocation", "tool_call_id": "c", **FUNCTION},
    {"role": "tool_call_result", "tool_call_id": "c", "content": "word-2"},
    {"role": "agent", "content": "word-3"},
]
OBSERVED = [
    {
        "id": "o1",
        "traceId": "t",
        "type": "GENERATION",
        "startTime": "2026-01-01",
        "input": "word-1",
        "output": "word-2",
    },
    {"id": "o2", "traceId": "t", "type": "TOOL", "name": "find-1", "startTime": "2026-01-01", "output": "word-3"},
]


def parts(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


SPANS = [
    {
        "traceId": "1" * 32,
        "spanId": "1" * 16,
        "startTimeUnixNano": "1",
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.input.messages", "value": {"stringValue": parts("user", "word-1")}},
            {"key": "gen_ai.output.messages", "value": {"stringValue": parts("assistant", "word-2")}},
        ],
    }
]
SAMPLES: dict[str, Any] = {
    "chatml": {"id": "a", "messages": SAID, "tools": [{"type": "function", "function": {"name": "find-1"}}]},
    "sharegpt": {"conversations": TURNS, "system": "word-4"},
    "tau": {"task_id": 1, "trial": 0, "reward": 1.0, "info": {"task": {"instruction": "x"}}, "traj": SAID},
    "tau2": {"tasks": [{"id": "7", "user_scenario": {"instructions": "x"}}], "simulations": [RUN]},
    "atif": {"schema_version": "ATIF-v1.5", "agent": {"name": "x", "model_name": "y"}, "steps": STEPS},
    "langfuse": {"id": "t", "timestamp": "2026-01-01", "sessionId": "s", "observations": OBSERVED},
    "otlp": {"resourceSpans": [{"scopeSpans": [{"spans": SPANS}]}]},
    "rasa": {"sender_id": "a", "slots": {"size": "word-4"}, "events": EVENTS},
    "vapi": {"message": {"type": "end-of-call-report", "call": {"id": "a"}, "artifact": {"messages": MESSAGES}}},
    "retell": {"call_id": "a", "disconnection_reason": "user_hangup", "transcript_with_tool_calls": SPOKEN},
}
_CONTENT = {"content", "value", "message", "text", "result", "output"}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value below the top of a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*path, key)
        yield from places(each, (*path, key))


def at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def changed(document: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the document with one change: another value, none, one twice, or in another order."""
    for path in places(document):
        old = at(document, path)
        others = [
            None,
            "",
            1.5,
            True,
            -1,
            [],
            {},
            [None],
            [old],
            {"type": "text", "text": old},
            {"type": "x", "x": old},
        ]
        for new in others:
            copy = deepcopy(document)
            at(copy, path[:-1])[path[-1]] = new
            yield path, copy
        less, more = deepcopy(document), deepcopy(document)
        del at(less, path[:-1])[path[-1]]
        yield path, less
        if isinstance(at(more, path[:-1]), list):
            at(more, path[:-1]).append(deepcopy(old))
            yield path, more
            at(less, path[:-1]).append(old)
            yield path, less


def read(document: Any, name: str) -> tuple[list[Conversation], list[Problem]]:
    """Return what an entry says; a problem if it is recognized as nothing or something else."""
    entry = LogEntry(document, Path("a.json"), "a.json")
    format = detect(entry, formats())
    assert isinstance(format, Problem) or format == name
    found = [format] if isinstance(format, Problem) else [*formats()[format].read([entry])]
    return [each for each in found if isinstance(each, Conversation)], [
        each for each in found if isinstance(each, Problem)
    ]


def words_in(value: Any) -> set[str]:
    return set(re.findall(r"[a-z]+-\d", json.dumps(value)))


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_a_log_with_one_thing_changed_is_read_or_refused_with_a_word(name: str):
    whole, problems = read(SAMPLES[name], name)
    said = words_in([each.model_dump(mode="json") for each in whole])
    assert (said, problems) == (words_in(SAMPLES[name]), [])

    lost = {
        path
        for path, document in changed(SAMPLES[name])
        for found, problems in [read(document, name)]
        if path[-1] in _CONTENT - ({"value"} if name == "otlp" else set())
        and not problems
        and words_in(document) - words_in([each.model_dump(mode="json") for each in found])
    }
    assert lost == set()


def conversations(file: Path) -> tuple[list[tuple[str, list[str], list[ToolCall]]], list[str]]:
    """Return the conversations of a file, each with its id, its words and its calls, and what is said of losses."""
    found = Conversations(file)
    read = [
        (each.id, [said.text for said in each.messages], [call for said in each.messages for call in said.tool_calls])
        for each in found
    ]
    return read, [str(each).removeprefix(f"{file}") for each in found.skipped]


LINE = json.dumps({"id": "a", "messages": SAID}).encode()
READ = ToolCall(name="find-1", arguments={"order": "two-1"}, result={"status": "word-3"})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("crlf.jsonl", LINE + b"\r\n\r\n"),
        ("mark.jsonl", b"\xef\xbb\xbf" + LINE),
        ("packed.jsonl", gzip.compress(LINE)),
        ("packed.json.gz", gzip.compress(LINE)),
        ("early.json", json.dumps({"id": "a", "messages": [SAID[1], SAID[3], SAID[2], SAID[4]]}).encode()),
        ("other.json", json.dumps({"conversation_id": "a", "conversation": SAID}).encode()),
        ("a", json.dumps(SAID, indent=1).encode()),
    ],
)
def test_files_are_read_however_they_are_written(name: str, content: bytes, tmp_path: Path):
    file = tmp_path / name
    file.write_bytes(content)

    assert conversations(file) == ([("a", ["word-2", "word-4"], [READ])], [])


def test_a_list_of_messages_is_one_conversation_and_a_list_of_lists_several(tmp_path: Path):
    (tmp_path / "one.json").write_text(json.dumps(SAID))
    (tmp_path / "several.json").write_text(json.dumps([SAID, SAID]))

    assert [len(conversations(tmp_path / name)[0]) for name in ("one.json", "several.json")] == [1, 2]


@pytest.mark.parametrize(
    ("messages", "calls", "problems"),
    [
        (
            [
                {"role": "assistant", "tool_calls": [{"id": "1", "custom": {"name": "sql", "input": "SELECT 1"}}]},
                {"type": "web_search_call", "id": "2", "action": {"query": "q"}},
            ],
            [("sql", {"input": "SELECT 1"}, "executed"), ("web_search_call", {"query": "q"}, "executed")],
            "",
        ),
        (
            [
                {"role": "assistant", "tool_calls": [{"id": "1", "function": FUNCTION}, {"id": "2"}, "look"]},
                {"role": "tool", "tool_call_id": "1", "content": [{"type": "image_url", "image_url": {"url": "x"}}]},
            ],
            [("find-1", {"order": "two-1"}, "succeeded")],
            "tool call that is no object (look), tool call without a name, part of the type 'image_url'",
        ),
        (
            [{"role": "user", "content": {"image": "x.png"}}, {"role": "user", "content": [True, {"type": "text"}]}],
            [],
            "part with ['image'], part True",
        ),
    ],
)
def test_what_messages_hold_is_read_or_named(messages: list[Any], calls: list[Any], problems: str, tmp_path: Path):
    (tmp_path / "a.jsonl").write_text(
        json.dumps({"id": "a", "messages": [{"role": "user", "content": "Hi"}, *messages]})
    )

    ((_, _, found),), lost = conversations(tmp_path / "a.jsonl")

    assert [(each.name, each.arguments, each.status) for each in found] == calls
    assert lost == ([f":1: a: left out: {problems}"] if problems else [])


def test_words_of_systems_before_the_first_message_are_kept_together_and_audio_is_what_was_said(tmp_path: Path):
    messages = [
        {"role": "system", "content": "Be kind."},
        {"role": "developer", "content": "Be brief."},
        {"role": "assistant", "content": None, "audio": {"id": "x", "transcript": "Hello."}},
    ]
    (tmp_path / "a.json").write_text(json.dumps({"messages": messages}))

    (found,) = Conversations(tmp_path / "a.json")

    assert (found.case.variables["system_prompt"], found.messages[0].text) == ("Be kind.\nBe brief.", "Hello.")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (LINE.decode().encode("utf-16"), ": is in UTF-16: save it in UTF-8"),
        (b'{"dialogue": [], "n": 1}\n', ":1: is of no known format (.*); it has 'dialogue', 'n'"),
    ],
)
def test_a_refusal_says_what_was_found(content: bytes, problem: str, tmp_path: Path):
    (tmp_path / "a.jsonl").write_bytes(content)

    found, (lost,) = conversations(tmp_path / "a.jsonl")

    assert (found, bool(re.fullmatch(problem, lost))) == ([], True)


def test_a_simulation_of_tau2_without_its_end_is_one_that_failed(tmp_path: Path):
    run = {name: value for name, value in RUN.items() if name != "termination_reason"}
    (tmp_path / "results.json").write_text(json.dumps({"tasks": [], "simulations": [run]}))

    (found,) = Conversations(tmp_path / "results.json")

    assert (found.error, found.case.variables["task_id"]) == ("no termination_reason", "7")


def test_actions_of_rasa_itself_are_no_tool_calls_and_custom_parts_are_named(tmp_path: Path):
    custom = {"event": "bot", "text": None, "data": {"custom": {"card": 1}}}
    (tmp_path / "a.json").write_text(json.dumps({"sender_id": "a", "events": [*EVENTS, custom]}))

    ((_, _, calls),), lost = conversations(tmp_path / "a.json")

    assert ([each.name for each in calls], lost) == (["action_find-1"], [": a: left out: 'custom' of a message"])


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Hi", "Hi"),
        ({"args": ["Hi"], "kwargs": {}}, "Hi"),
        ({"args": [], "kwargs": {"question": "Hi"}}, "Hi"),
        ({"question": "Hi", "customer": "7"}, "Hi"),
        ({"messages": [{"role": "user", "content": "Hi"}]}, "Hi"),
        ({"order": 7}, '{"order": 7}'),
    ],
)
def test_a_turn_of_langfuse_may_be_the_call_of_a_function(said: Any, text: str, tmp_path: Path):
    row = {
        "id": "o",
        "traceId": "t",
        "type": "SPAN",
        "startTime": "2026-01-01",
        "input": said,
        "output": {"answer": "Yo"},
    }
    (tmp_path / "a.jsonl").write_text(json.dumps(row))

    assert conversations(tmp_path / "a.jsonl") == ([("t", [text, "Yo"], [])], [])
