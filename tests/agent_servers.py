"""A small server for every protocol that chatbots speak. All of them repeat what the user has said so far.

A message with "order" in it makes them call a tool twice first: it returns for order 7 and fails for order 8.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from secrets import token_hex
from typing import Any

from aiohttp import WSMsgType, web

CALLS = [("c1", {"id": 7}, {"shipped": True}), ("c2", {"id": 8}, None)]
FAILURE = "no such order"
USAGE = (5, 3)

Protocol = Callable[[web.Request, Any, dict[str, list[str]]], Any]


def server(protocol: Protocol) -> Callable[[web.Request], Any]:
    """Return a server that remembers conversations for protocols that do not send them."""
    told: dict[str, list[str]] = defaultdict(list)

    async def answer(request: web.Request) -> web.StreamResponse:
        text = await request.text()
        said = protocol(request, json.loads(text) if text[:1] in ("{", "[") else dict(await request.post()), told)
        if isinstance(said, web.StreamResponse):
            return said
        return sent(said) if isinstance(said, Events) else web.json_response(said)

    return answer


class Events(list[Any]):
    """Events of a stream."""


def sent(events: Iterable[Any]) -> web.Response:
    data = "".join(f"data: {each if isinstance(each, str) else json.dumps(each)}\n\n" for each in events)
    return web.Response(text=data, content_type="text/event-stream")


def broken_off(protocol: Protocol) -> Callable[[web.Request], Any]:
    """Return a server whose streams lack their last event, and whose other answers lack their end."""
    whole = server(protocol)

    async def answer(request: web.Request) -> web.StreamResponse:
        response = await whole(request)
        assert isinstance(response, web.Response)
        if response.content_type == "text/event-stream":
            events = str(response.text).split("\n\n")
            last = next(at for at in reversed(range(len(events))) if events[at] not in ("", "data: [DONE]"))
            return web.Response(text="".join(f"{each}\n\n" for each in events[:last]), content_type="text/event-stream")
        return web.Response(body=bytes(response.body)[:-3], content_type=response.content_type)  # type: ignore[arg-type]

    return answer


def repeated(texts: list[str]) -> str:
    return " / ".join(texts)


def calls(texts: list[str]) -> list[tuple[str, dict[str, Any], Any]]:
    return CALLS if "order" in texts[-1] else []


def remembered(told: dict[str, list[str]], session: str, text: str) -> list[str]:
    told[session].append(text)
    return told[session]


def _of_users(messages: Iterable[Any]) -> list[str]:
    return [each["content"] for each in messages if each.get("role") == "user"]


def http(request: web.Request, asked: Any, told: dict[str, list[str]]) -> Any:
    """A server of one's own, as described in a preset: every name there is one here."""
    texts = remembered(told, asked["id"], asked["text"])
    made = [
        {"name": "cancel", "arguments": given, "result": result, "error": None if result else FAILURE}
        for _, given, result in calls(texts)
    ]
    return {"text": repeated(texts), "calls": made, "usage": {"in": 5, "out": 3}}


def rasa(request: web.Request, asked: Any, told: dict[str, list[str]]) -> Any:
    if request.method == "GET":
        return web.json_response({}, status=404)
    if asked["message"] == "/restart":
        told[asked["sender"]].clear()
        return []
    return [{"text": repeated(remembered(told, asked["sender"], asked["message"]))}]


def taskyto(request: web.Request, asked: Any, told: dict[str, list[str]]) -> Any:
    if request.path.endswith("/new"):
        return {"id": f"t{token_hex(4)}"}
    return {"message": repeated(remembered(told, asked["id"], asked["message"]))}


def millionbot(request: web.Request, asked: Any, told: dict[str, list[str]]) -> Any:
    if request.path.endswith("/users"):
        return {"user": {"_id": "u"}}
    if request.path.endswith("/conversations"):
        answer = web.json_response({"conversation": {"_id": f"m{token_hex(4)}"}})
        answer.headers["x-chat-session-token"] = "token"
        return answer
    texts = remembered(told, asked["conversation"], asked["message"]["text"])
    return {"response": [{"text": repeated(texts)}]}


def serviceform(request: web.Request, asked: Any, told: dict[str, list[str]]) -> Any:
    return {"response": repeated(remembered(told, asked["sid"], asked["message"]))}


def kuki(request: web.Request, asked: Any, told: dict[str, list[str]]) -> Any:
    if "intro" in asked:
        return {"sessionid": f"k{token_hex(4)}", "responses": ["Hello"]}
    return {"responses": [repeated(remembered(told, asked["sessionid"], asked["input"]))]}


def julie(request: web.Request, asked: Any, told: dict[str, list[str]]) -> Any:
    return {"text": repeated(remembered(told, asked["sessionId"], asked["question"]))}


def openai(request: web.Request, asked: Any, told: dict[str, list[str]]) -> Any:
    said = repeated(_of_users(asked["messages"]))
    usage = {"prompt_tokens": 5, "completion_tokens": 3}
    pieces = [{"role": "assistant"}, *({"content": each} for each in (said[:3], said[3:]))]
    chunks = [{"choices": [{"index": 0, "delta": each, "finish_reason": None}]} for each in pieces]
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage}
    return Events([*chunks, last, "[DONE]"])


def messages(request: web.Request, asked: Any, told: dict[str, list[str]]) -> Any:
    texts = _of_users(asked["messages"])
    made = calls(texts)
    asking = [{"id": id, "function": {"name": "cancel", "arguments": json.dumps(given)}} for id, given, _ in made]
    results = [
        {"role": "tool", "tool_call_id": id, "content": json.dumps(result) if result else FAILURE}
        | ({} if result else {"status": "error"})
        for id, _, result in made
    ]
    said = {"role": "assistant", "content": repeated(texts)}
    called = [{"role": "assistant", "content": "", "tool_calls": asking}, *results] if made else []
    usage = {"prompt_tokens": 5, "completion_tokens": 3}
    return {"messages": [*asked["messages"], *called, said], "usage": usage}


def responses(request: web.Request, asked: Any, told: dict[str, list[str]]) -> Any:
    texts = _of_users(asked["input"])
    made = [
        {"type": "mcp_call", "id": id, "name": "cancel", "arguments": json.dumps(given)}
        | ({"output": json.dumps(result)} if result else {"error": FAILURE})
        for id, given, result in calls(texts)
    ]
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": repeated(texts)}]}
    thought = {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "hm"}]}
    usage = {"input_tokens": 5, "output_tokens": 3}
    return {"object": "response", "status": "completed", "output": [thought, *made, said], "usage": usage}


def anthropic(request: web.Request, asked: Any, told: dict[str, list[str]]) -> Any:
    texts = _of_users(asked["messages"])
    made: list[Any] = [{"type": "thinking", "thinking": "hm", "signature": "s"}]
    for id, given, result in calls(texts):
        made.append({"type": "server_tool_use", "id": id, "name": "cancel", "input": given})
        outcome = {"type": "mcp_tool_result", "tool_use_id": id, "content": json.dumps(result) if result else FAILURE}
        made.append(outcome | ({} if result else {"is_error": True}))
    usage = {"input_tokens": 5, "output_tokens": 3}
    return {"role": "assistant", "content": [*made, {"type": "text", "text": repeated(texts)}], "usage": usage}


def langgraph(request: web.Request, asked: Any, told: dict[str, list[str]]) -> Any:
    if request.path.endswith("/threads"):
        return {"thread_id": asked["thread_id"]}
    thread = request.path.split("/")[2]
    if request.path.endswith("/state"):
        return {"values": {"messages": [], "orders": len(told[thread])}}
    texts = remembered(told, thread, asked["input"]["messages"][0]["content"])
    made = calls(texts)
    asking = [{"id": id, "name": "cancel", "args": given} for id, given, _ in made]
    results = [
        {"type": "tool", "id": f"r{id}", "tool_call_id": id, "content": json.dumps(result) if result else FAILURE}
        | {"status": "success" if result else "error"}
        for id, _, result in made
    ]
    used = {"input_tokens": 5, "output_tokens": 3}
    said = {"type": "ai", "id": f"a{len(texts)}", "content": repeated(texts), "usage_metadata": used}
    called = [{"type": "ai", "id": f"c{len(texts)}", "content": "", "tool_calls": asking}, *results] if made else []
    return {"messages": [{"type": "human", "id": f"h{len(texts)}", "content": texts[-1]}, *called, said]}


def adk(request: web.Request, asked: Any, told: dict[str, list[str]]) -> Any:
    if request.method == "GET":
        return {"state": {"orders": len(told[request.path.rpartition("/")[2]])}}
    if not request.path.endswith("/run"):
        return {"id": "s"}
    texts = remembered(told, asked["sessionId"], asked["newMessage"]["parts"][0]["text"])
    made = calls(texts)
    asking = [{"functionCall": {"id": id, "name": "cancel", "args": given}} for id, given, _ in made]
    results = [
        {
            "functionResponse": {
                "id": id,
                "name": "cancel",
                "response": result or {"status": "error", "reason": FAILURE},
            }
        }
        for id, _, result in made
    ]
    said = {"content": {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": repeated(texts)}]}}
    called = [{"content": {"role": "model", "parts": asking}}, {"content": {"role": "user", "parts": results}}]
    return [
        *(called if made else []),
        {**said, "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 3}},
    ]


def aisdk(request: web.Request, asked: Any, told: dict[str, list[str]]) -> Any:
    texts = [part["text"] for each in asked["messages"] if each["role"] == "user" for part in each["parts"]]
    made: list[Any] = [{"type": "start"}, {"type": "reasoning-delta", "id": "r", "delta": "hm"}]
    for id, given, result in calls(texts):
        made.append({"type": "tool-input-available", "toolCallId": id, "toolName": "cancel", "input": given})
        if result:
            made.append({"type": "tool-output-available", "toolCallId": id, "output": result})
        else:
            made.append({"type": "tool-output-error", "toolCallId": id, "errorText": FAILURE})
    deltas = [{"type": "text-delta", "id": "t", "delta": each} for each in _pieces(repeated(texts))]
    orders = {"type": "data-orders", "data": {"number": len(calls(texts))}}
    return Events([*made, *deltas, orders, {"type": "finish"}, "[DONE]"])


def agui(request: web.Request, asked: Any, told: dict[str, list[str]]) -> Any:
    texts = _of_users(asked["messages"])
    made: list[Any] = [{"type": "RUN_STARTED"}, {"type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "hm"}]
    for id, given, result in calls(texts):
        made.append({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": "cancel"})
        made += [{"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": each} for each in _pieces(json.dumps(given))]
        outcome = {"type": "TOOL_CALL_RESULT", "toolCallId": id, "content": json.dumps(result)}
        made.append(outcome if result else outcome | {"content": FAILURE, "error": FAILURE})
    deltas = [
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": f"m{len(texts)}", "delta": each}
        for each in _pieces(repeated(texts))
    ]
    usage = [{"inputTokens": 5, "outputTokens": 3}]
    return Events([*made, *deltas, {"type": "RUN_FINISHED", "outcome": {"type": "success"}, "usage": usage}])


def a2a(request: web.Request, asked: Any, told: dict[str, list[str]]) -> Any:
    base = f"http://{request.host}"
    if request.method == "GET":
        offer = {"url": f"{base}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        return {"supportedInterfaces": [offer]}
    said = asked["params"]["message"]
    context = said.get("contextId") or f"x{token_hex(4)}"
    texts = remembered(told, context, said["parts"][0]["text"])
    answer = {"message": {"role": "ROLE_AGENT", "contextId": context, "parts": [{"text": repeated(texts)}]}}
    return {"jsonrpc": "2.0", "id": asked["id"], "result": answer}


async def websocket(request: web.Request) -> web.WebSocketResponse:
    """The frames of `http` behind a WebSocket: a connection is a conversation."""
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    told: dict[str, list[str]] = defaultdict(list)
    async for frame in socket:
        if frame.type is WSMsgType.TEXT:
            await socket.send_json(http(request, json.loads(frame.data), told))
    return socket


def _pieces(text: str) -> list[str]:
    return [text[:3], text[3:]]
