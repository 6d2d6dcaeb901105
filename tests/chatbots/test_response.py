from contextlib import suppress
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.chatbots.preset import Preset
from sparring.chatbots.reply import parse_reply
from sparring.chatbots.response import RawResponse, ResponseBody, cleaned_reply, understand
from sparring.core.errors import ChatbotError
from sparring.core.message import Button, Message, Text, message
from sparring.llm.client.transport import Response
from tables import table

PRESET = Preset.model_validate(
    {
        "url": "http://localhost",
        "body": "{{message}}",
        "reply": {
            "each": "[*]",
            "text": ["a", "b.a"],
            "images": "b",
            "buttons": {"each": "c", "title": "a", "payload": "b"},
            "links": {"each": ["c[*].a", "d"], "title": "$", "url": "a"},
            "markup": "html",
        },
        "tools": {"each": "[*].c", "name": "a", "arguments": "b", "result": "c", "error": "d"},
        "ended": {"path": "[*].a", "equals": [1, "x"]},
        "usage": {"input_tokens": "[0].a", "output_tokens": "[0].b", "cost": "[-1].c"},
    }
)
words = st.text(max_size=4) | st.sampled_from(["<a href=x>y</a>", "<image>z</image>", "http://x", '{"a": 1}', "x"])
leaves = (
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | words
)
answers = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4)
)


def answer(says: Any) -> ResponseBody:
    return ResponseBody((says,), RawResponse(Response(200, {}, b"the answer"), ()))


@pytest.mark.slow
@settings(max_examples=300)
@given(answers)
def test_any_answer_becomes_a_message_or_a_failure_of_the_chatbot(says: Any):
    with suppress(ChatbotError):
        parsed = parse_reply(PRESET, answer([says]))
        assert Message.model_validate_json(parsed.model_dump_json()) == parsed


@table(
    ("said", "text"),
    [
        ("<think>Refund?</think>Of course.", "Of course."),
        ("Refund?\n</think>\nOf course.", "Of course."),
        ("Of course.<thinking>Or not?", "Of course."),
    ],
)
def test_reasoning_of_a_model_is_removed_and_noted(said: str, text: str):
    assert cleaned_reply(message("chatbot", said)) == message("chatbot", text).changed(repaired=("thoughts",))


def test_a_message_without_thoughts_stays_the_same_and_one_of_thoughts_alone_has_no_text():
    plain = message("chatbot", "1 < 2")
    alone = Message(role="chatbot", parts=(Text(text="<think>Hm.</think>"), Button(title="Yes")))

    assert cleaned_reply(plain) is plain
    assert cleaned_reply(alone).parts == (Button(title="Yes"),)


@given(st.binary(max_size=60), st.sampled_from(["json", "text", "events", "deltas"]))
def test_any_bytes_are_parsed_or_refused(body: bytes, form: Any):
    with suppress(ValueError):
        assert orjson.dumps(list(understand(body, form)))
