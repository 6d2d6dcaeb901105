"""Protocols that are recognized by the answers of a server."""

import json
from typing import Any

from sparring.app.recognize import kind_of, recognized
from sparring.llm.client.transport import ConnectionLost, Response
from tables import table

STARTED = 'data: {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}\n\ndata: {"type": "RUN_FINISHED"}\n\n'
UI = ': keep-alive\n\ndata: {"type":"start"}\n\ndata: {"type":"text-delta","id":"1","delta":"Hi"}\n\ndata: [DONE]\n\n'


@table(
    ("answer", "kind"),
    [
        (STARTED, ("agui", "")),
        (UI, ("aisdk", "")),
        ({"supportedInterfaces": [], "name": "x"}, ("a2a", "")),
        ({"skills": [], "capabilities": {}, "url": "http://x"}, ("a2a", "")),
        ({"jsonrpc": "2.0", "error": {}}, ("a2a", "")),
        ({"jsonrpc": "2.0", "id": 1, "result": {"serverInfo": {"name": "x"}, "capabilities": {}}}, ("mcp", "")),
        ({"object": "response", "model": "m"}, ("responses", "m")),
        ({"object": "chat.completion", "model": "m"}, ("openai", "m")),
        ({"object": "list", "data": [{"id": "m"}]}, ("openai", "m")),
        ({"type": "message", "stop_reason": "end_turn", "model": "m"}, ("anthropic", "m")),
        ([{"assistant_id": "a", "graph_id": "agent"}], ("langgraph", "agent")),
        (["shop", "other"], ("adk", "shop")),
        ([{"content": {"role": "model", "parts": []}}], ("adk", "")),
        ({"messages": [{"role": "user"}, {"role": "assistant"}]}, ("messages", "")),
        ({"messages": [{"type": "ai"}]}, ("messages", "")),
        ({"messages": ["Hello"]}, None),
        ({"reply": "Hello"}, None),
        ({"type": "start", "greeting": "Hello"}, None),
        ([], None),
        ("", None),
        ("Hello", None),
        ("{", None),
    ],
)
def test_a_protocol_is_recognized_by_its_answer(answer: Any, kind: Any):
    assert kind_of((answer if isinstance(answer, str) else json.dumps(answer)).encode()) == kind


class Serving:
    """A transport to a server that answers one path, and breaks off others."""

    def __init__(self, path: str, answer: str) -> None:
        self.path, self.answer = path, answer

    async def send(self, method: str, url: str, *, headers: Any, body: bytes | None = None) -> Response:
        if url.endswith("/models"):
            raise ConnectionLost("cut off")
        found = url == f"http://x{self.path}"
        return Response(200 if found else 404, {}, self.answer.encode() if found else b'{"object": "response"}')


async def test_an_address_is_named_with_its_assistant():
    assistants = '[{"assistant_id": "a", "graph_id": "agent"}]'

    assert await recognized("http://x/", Serving("/assistants/search", assistants)) == "langgraph:http://x/#agent"
    assert await recognized("http://x", Serving("", STARTED)) == "agui:http://x"
    assert await recognized("http://x", Serving("", "Hello")) is None
