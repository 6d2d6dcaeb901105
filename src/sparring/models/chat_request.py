"""A request as the chat-completions format writes it: plain dicts, made anew for every call."""

from typing import Any

from sparring.models.model import ChatMessage, Request, Tool


def chat_request(model: str, request: Request) -> dict[str, Any]:
    """The body to send, without the shape of the answer. What the request leaves open is left out."""
    messages = [
        # Nearly all are words alone, and all of them are written at every call.
        {"role": role, "content": content} if role != "tool" and not requests else _with_tools(message)
        for message in request.messages
        for role, content, requests, _ in (message,)
    ]
    body: dict[str, Any] = {"model": model, "messages": messages}
    if request.tools:
        body["tools"] = [written_tool(tool) for tool in request.tools]
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.seed is not None:
        body["seed"] = request.seed
    if request.max_tokens is not None:
        body["max_tokens"] = request.max_tokens
    return body


def written_tool(tool: Tool) -> dict[str, Any]:
    """One entry of `tools`."""
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _with_tools(message: ChatMessage) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_request_id, "content": message.content}
    # Some servers read the arguments of the history as JSON, and "" is what models write for none.
    calls = [
        {"id": asked.id, "type": "function", "function": {"name": asked.name, "arguments": asked.arguments or "{}"}}
        for asked in message.tool_requests
    ]
    return {"role": message.role, "content": message.content or None, "tool_calls": calls}
