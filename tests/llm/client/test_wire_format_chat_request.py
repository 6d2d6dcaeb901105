from sparring.llm.client.wire_format import chat_request
from sparring.llm.model import ChatMessage, Request, Tool, ToolRequest


def test_a_request_is_written_in_the_chat_completions_format():
    parameters = {"type": "object", "properties": {"size": {"type": "string"}}}
    request = Request(
        (
            ChatMessage("system", "Sell pizza."),
            ChatMessage("user", "Two, please."),
            ChatMessage("assistant", "", (ToolRequest("a", "order", '{"size": "L"}'), ToolRequest("b", "menu", ""))),
            ChatMessage("tool", '"ok"', tool_request_id="a"),
            ChatMessage("tool", "[]", tool_request_id="b"),
        ),
        tools=(Tool("order", "Order a pizza.", parameters),),
        temperature=0.0,
        seed=7,
        max_tokens=100,
    )

    assert chat_request("m", request) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Sell pizza."},
            {"role": "user", "content": "Two, please."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "order", "arguments": '{"size": "L"}'}},
                    {"id": "b", "type": "function", "function": {"name": "menu", "arguments": "{}"}},
                ],
            },
            {"role": "tool", "tool_call_id": "a", "content": '"ok"'},
            {"role": "tool", "tool_call_id": "b", "content": "[]"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {"name": "order", "description": "Order a pizza.", "parameters": parameters},
            }
        ],
        "temperature": 0.0,
        "seed": 7,
        "max_tokens": 100,
    }


def test_what_is_left_open_is_left_out():
    assert chat_request("m", Request(())) == {"model": "m", "messages": []}
