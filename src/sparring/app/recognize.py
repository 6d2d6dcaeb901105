"""Recognition of the protocol that a server speaks, by its answers to a few requests."""

import json
from collections.abc import Iterator
from typing import Any

from sparring.chatbots.response import understand
from sparring.core.value import Json, mapping
from sparring.core.version import __version__
from sparring.llm.client.transport import NoConnection, Transport, TransportError

_HELLO = "Hello"
_UI: Json = {"id": "sparring-1", "role": "user", "parts": [{"type": "text", "text": _HELLO}]}
_MESSAGE: Json = {"id": "sparring-1", "role": "user", "content": _HELLO}
_RUN: dict[str, Json] = {
    "threadId": "sparring",
    "runId": "sparring-1",
    "state": {},
    "tools": [],
    "context": [],
    "forwardedProps": {},
}

_INITIALIZE: Json = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "sparring", "version": __version__},
    },
}

_REQUESTS: tuple[tuple[str, str, Json], ...] = (
    ("GET", "/.well-known/agent-card.json", None),
    ("POST", "/assistants/search", {}),
    ("GET", "/list-apps", None),
    ("GET", "/models", None),
    ("POST", "", _INITIALIZE),
    ("POST", "", {**_RUN, "messages": [_MESSAGE]}),
    ("POST", "", {"id": "sparring", "trigger": "submit-message", "messages": [_UI]}),
    ("POST", "", {"messages": [{"role": "user", "content": _HELLO}]}),
)
"""Requests below an address, safe ones first, then those that start a conversation."""


async def recognized(url: str, transport: Transport) -> str | None:
    """Return the name of the chatbot at an address, such as `agui:URL`, or None. Raise NoConnection."""
    base = url.rstrip("/")
    kinds = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    for method, below, body in _REQUESTS:
        sent = None if body is None else json.dumps(body).encode()
        try:
            answer = await transport.send(method, base + below, headers=kinds, body=sent)
        except NoConnection:
            raise
        except TransportError:
            continue
        if answer.status < 300 and (kind := kind_of(answer.body)):
            name, model = kind
            return f"{name}:{url}{f'#{model}' if model else ''}"
    return None


def kind_of(body: bytes) -> tuple[str, str] | None:
    """Return the kind of chatbot that gives such an answer, and its model or assistant if named."""
    try:
        says = understand(body, "json" if body.lstrip().startswith((b"{", b"[")) else "events")
    except ValueError:
        return None
    return next(_kinds(says[0]), None) if says else None


def _kinds(first: Any) -> Iterator[tuple[str, str]]:
    """Yield the kinds to which the first value of an answer belongs."""
    if isinstance(first, list) and first:
        yield from _kinds_of_item(first[0])
    if not isinstance(first, dict):
        return
    models = first.get("data")
    if "serverInfo" in mapping(first.get("result")):
        yield "mcp", ""
    elif "supportedInterfaces" in first or {"skills", "capabilities", "url"} <= first.keys() or "jsonrpc" in first:
        yield "a2a", ""
    elif first.get("object") == "response":
        yield "responses", str(first.get("model") or "")
    elif first.get("object") == "chat.completion":
        yield "openai", str(first.get("model") or "")
    elif first.get("object") == "list" and isinstance(models, list) and models and isinstance(models[0], dict):
        yield "openai", str(models[0].get("id") or "")
    elif first.get("type") == "message" and "stop_reason" in first:
        yield "anthropic", str(first.get("model") or "")
    elif first.get("type") == "RUN_STARTED":
        yield "agui", ""
    elif first.get("type") == "start" and first.keys() <= {"type", "messageId", "messageMetadata"}:
        yield "aisdk", ""
    elif _are_messages(first.get("messages")):
        yield "messages", ""


def _kinds_of_item(item: Any) -> Iterator[tuple[str, str]]:
    if isinstance(item, str):
        yield "adk", item
    elif isinstance(item, dict) and {"assistant_id", "graph_id"} <= item.keys():
        yield "langgraph", str(item["graph_id"])
    elif isinstance(item, dict) and isinstance(item.get("content"), dict) and "parts" in item["content"]:
        yield "adk", ""


def _are_messages(value: Any) -> bool:
    return isinstance(value, list) and any(
        isinstance(each, dict) and (each.get("role") == "assistant" or each.get("type") == "ai") for each in value
    )
