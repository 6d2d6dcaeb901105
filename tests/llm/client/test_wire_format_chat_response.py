from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.core.errors import BadCompletion
from sparring.core.usage import Usage
from sparring.llm.client.wire_format import read_body, read_completion, read_usage
from sparring.llm.model import Completion, ToolRequest
from sparring.llm.pricing import unknown_price
from tables import table

UNKNOWN = Usage(calls=1, unknown_tokens=1, unknown_costs=1)


def read(message: Any, **fields: Any) -> Completion:
    return read_completion({"choices": [{"message": message, **fields}]}, unknown_price)


@table(
    ("content", "text"),
    [
        ("Hello!", "Hello!"),
        (None, ""),
        ([{"type": "text", "text": "Hel"}, {"type": "image_url", "image_url": {}}, {"text": "lo!"}], "Hello!"),
        (["Hel", "lo!", None], "Hello!"),
        (
            [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"type": "text", "text": "Hello!"}],
            "Hello!",
        ),
        ([{"type": "reasoning", "text": "Hm."}, {"type": "text", "text": "Hello!"}], "Hello!"),
    ],
)
def test_content_is_text_or_parts_or_nothing(content: Any, text: str):
    assert read({"content": content}) == Completion(text, usage=UNKNOWN)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<think>Hm.\nA greeting?</think>\n\nHello!", "Hello!"),
        ("Hm. A greeting?</think>Hello!", "Hello!"),
        ("<reasoning>Hm.", ""),
        ('{"reason": "it shows <think> and </think>"}', '{"reason": "it shows <think> and </think>"}'),
        ('{"reason": "it ends with </think>"}', '{"reason": "it ends with </think>"}'),
        ("I think 1 < 2.", "I think 1 < 2."),
    ],
)
def test_reasoning_before_an_answer_is_no_part_of_it(content: str, text: str):
    assert read({"content": content}).text == text


@pytest.mark.parametrize(
    ("reason", "stopped"), [("length", "length"), ("content_filter", "content_filter"), ("stop", ""), (None, "")]
)
def test_an_answer_that_was_cut_off_says_so(reason: str | None, stopped: str):
    assert read({"content": "A piz"}, finish_reason=reason).stopped == stopped


def test_a_refusal_is_what_was_said():
    refused = read({"content": None, "refusal": "I cannot."})

    assert (refused.text, refused.refused) == ("I cannot.", True)
    assert read({"content": "I cannot.", "refusal": None}).refused is False


@pytest.mark.parametrize("calls", [None, []])
def test_no_tool_calls_is_none_or_an_empty_list(calls: Any):
    assert read({"content": "a", "tool_calls": calls}).tool_requests == ()


def test_parallel_tool_calls_keep_their_order_and_their_arguments_as_written():
    calls = [
        {"id": "x", "function": {"name": "a", "arguments": '{"n":1'}},
        {"function": {"name": "b", "arguments": {"n": [1, None]}}},
        {"id": "", "function": {"name": "c", "arguments": None}},
        {"id": None, "function": {"name": "d"}},
    ]

    assert read({"tool_calls": calls}).tool_requests == (
        ToolRequest("x", "a", '{"n":1'),
        ToolRequest("call_2", "b", '{"n":[1,null]}'),
        ToolRequest("call_3", "c", ""),
        ToolRequest("call_4", "d", ""),
    )


@table(
    ("response", "reason"),
    [
        ({}, "without any choice"),
        ({"choices": []}, "without any choice"),
        ({"choices": {}}, "without any choice"),
        ({"choices": ["x"]}, "has no message"),
        ({"choices": [{"message": None}]}, "has no message"),
        ({"choices": [{"message": {"content": 7}}]}, "no text but of type int"),
        ({"choices": [{"message": {"tool_calls": "x"}}]}, "not a list"),
        ({"choices": [{"message": {"tool_calls": [None]}}]}, "tool call 1 that names no tool"),
        ({"choices": [{"message": {"tool_calls": [{"function": {"name": None}}]}}]}, "names no tool"),
        ({"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}, r"it was stopped \(length\)"),
    ],
)
def test_an_invalid_completion_names_the_missing_key(response: dict[str, Any], reason: str):
    with pytest.raises(BadCompletion, match=reason):
        read_completion(response, unknown_price)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "something that is not JSON"),
        (b"\n <html>Please log in", "an HTML page: \n <html>Please log in"),
        (b'{"choices": [', "something that is not JSON"),
        (b"[]", "JSON that is not an object"),
    ],
)
def test_a_response_other_than_a_json_object_names_its_type(body: bytes, reason: str):
    with pytest.raises(BadCompletion, match=reason):
        read_body(body)


@table(
    ("usage", "expected"),
    [
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}, "cost": 0.25},
            Usage(calls=1, input_tokens=10, output_tokens=5, cached_tokens=4, cost=0.25),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "prompt_cache_hit_tokens": 40},
            Usage(calls=1, input_tokens=10, output_tokens=5, cached_tokens=10, cost=10 + 5 * 2 - 10 * 0.5),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": None, "cost": "free"},
            Usage(calls=1, input_tokens=10, output_tokens=5, cost=20),
        ),
        ({"prompt_tokens": 10, "completion_tokens": 5, "cost": 0}, Usage(calls=1, input_tokens=10, output_tokens=5)),
        (None, UNKNOWN),
        ({"prompt_tokens": 10}, UNKNOWN),
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, UNKNOWN),
        ({"prompt_tokens": 0, "completion_tokens": 0, "cost": 0.5}, Usage(calls=1, unknown_tokens=1, cost=0.5)),
        ({"prompt_tokens": 0, "completion_tokens": 5}, Usage(calls=1, output_tokens=5, cost=10)),
        ({"prompt_tokens": -1, "completion_tokens": True}, UNKNOWN),
        ({"prompt_tokens": 10**15 + 1, "completion_tokens": 5}, UNKNOWN),
        ({"prompt_tokens": 10, "completion_tokens": 10**400, "cost": 10**400}, UNKNOWN),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "cost": 1.1e9},
            Usage(calls=1, input_tokens=10, output_tokens=5, cost=20),
        ),
        ({"cost": 0.5}, Usage(calls=1, unknown_tokens=1, cost=0.5)),
    ],
)
def test_the_providers_own_cost_goes_before_the_price_list_and_nothing_stated_is_unknown(usage: Any, expected: Usage):
    def price(input_tokens: int, output_tokens: int, cached_tokens: int) -> float:
        return input_tokens + output_tokens * 2 - cached_tokens * 0.5

    assert read_usage(usage, price) == expected


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.slow
@given(
    st.fixed_dictionaries(
        {
            "choices": st.lists(
                st.fixed_dictionaries(
                    {
                        "message": st.fixed_dictionaries(
                            {"content": json, "tool_calls": st.lists(st.fixed_dictionaries({"function": json})) | json}
                        )
                    }
                )
                | json,
                max_size=2,
            )
            | json
        },
        optional={
            "usage": st.fixed_dictionaries({"prompt_tokens": json, "completion_tokens": json, "cost": json}),
            "model": json,
        },
    )
)
def test_any_response_is_a_completion_or_an_invalid_one(response: dict[str, Any]):
    try:
        completion = read_completion(response, unknown_price)
    except BadCompletion:
        return

    assert completion.usage.calls == 1


@pytest.mark.parametrize(
    ("usage", "answered"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 610}, 510),
        ({"prompt_tokens": 100, "total_tokens": 610}, 510),
        ({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}, 10),
        ({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 0}, 10),
        ({"prompt_tokens": 100, "completion_tokens": 10}, 10),
    ],
    ids=["apart from the answer", "instead of it", "none", "no total", "not told"],
)
def test_tokens_that_were_thought_are_counted_where_only_the_total_has_them(usage: dict[str, int], answered: int):
    assert read_usage(usage, unknown_price).output_tokens == answered
