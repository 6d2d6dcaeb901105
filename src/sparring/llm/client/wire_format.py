"""Requests and responses in the chat-completions format, and JSON inside the text of a model.

Responses are parsed leniently, because servers differ. Errors contain the provider's text as sent; callers quote it
before they display it.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

import orjson

from sparring.core.errors import BadCompletion
from sparring.core.usage import Usage
from sparring.llm.model import ChatMessage, Completion, Request, Tool, ToolRequest
from sparring.llm.pricing import Price


def chat_request(model: str, request: Request) -> dict[str, Any]:
    """Return the request body without the schema of the answer. Unset options are left out."""
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
    """Return one entry of `tools`."""
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


_FILTERED = "content_filter"
_STOPPED = ("length", _FILTERED)
_THINKING = re.compile(
    r"\A\s*<(think|thinking|reasoning)>.*?(?:</\1>\s*|\Z)|\A(?!\s*[{\[])(?:(?!<think).)*</think>\s*",
    re.DOTALL | re.IGNORECASE,
)
"""Reasoning before an answer. Tags elsewhere may be quotes, such as a judge's."""
_THOUGHTS = ("thinking", "reasoning")
_MOST_TOKENS = 10**15
_MOST_DOLLARS = 1e9


class Filtered(BadCompletion):
    """A content filter stopped the answer, as it will the next one."""


class NoRoom(BadCompletion):
    """All tokens went into reasoning, or there was no answer at all."""


def read_body(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a response body."""
    try:
        read = orjson.loads(body)
    except orjson.JSONDecodeError:
        kind = "an HTML page" if body.lstrip()[:1] == b"<" else "something that is not JSON"
        raise BadCompletion(f"answered with {kind}: {body.decode(errors='replace')}") from None
    if not isinstance(read, dict):
        raise BadCompletion("answered with JSON that is not an object")
    return read


def read_completion(response: dict[str, Any], price: Price) -> Completion:
    """Return the completion in a response. Raise BadCompletion if something is missing."""
    choices = response.get("choices")
    if not isinstance(choices, list) or not choices:
        raise BadCompletion("answered without any choice")
    choice = choices[0] if isinstance(choices[0], dict) else {}
    message = choice.get("message")
    if not isinstance(message, dict):
        raise BadCompletion("answered with a choice that has no message")
    text = _without_thoughts(_text(message.get("content")))
    refusal = "" if text else _text(message.get("refusal"))
    text = text or refusal
    tool_requests = _tool_requests(message.get("tool_calls"))
    stopped = choice.get("finish_reason")
    stopped = stopped if stopped in _STOPPED else ""
    if stopped and not text and not tool_requests:
        kind = NoRoom if stopped == "length" else Filtered
        raise kind(f"said nothing before it was stopped ({stopped})")
    model = response.get("model")
    usage = read_usage(response.get("usage"), price)
    return Completion(
        text, tool_requests, usage, model if isinstance(model, str) else "", stopped=stopped, refused=bool(refusal)
    )


def _without_thoughts(text: str) -> str:
    return _THINKING.sub("", text) if "<" in text else text


def _text(content: Any) -> str:
    """Return the text of `content`: a string, null, or a list of parts, of which reasoning is left out."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [_said(part) if isinstance(part, dict) else part for part in content]
        return "".join(text for text in texts if isinstance(text, str))
    raise BadCompletion(f"answered with content that is no text but of type {type(content).__name__}")


def _said(part: dict[str, Any]) -> Any:
    return None if part.get("type") in _THOUGHTS else part.get("text")


def _tool_requests(calls: Any) -> tuple[ToolRequest, ...]:
    if not calls:
        return ()
    if not isinstance(calls, list):
        raise BadCompletion("answered with tool calls that are not a list")
    return tuple(_tool_request(call, number) for number, call in enumerate(calls, 1))


def _tool_request(call: Any, number: int) -> ToolRequest:
    function = call.get("function") if isinstance(call, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(function, dict) or not isinstance(name, str) or not name:
        raise BadCompletion(f"answered with tool call {number} that names no tool")
    id = call.get("id")
    return ToolRequest(id if isinstance(id, str) and id else f"call_{number}", name, _arguments(function))


def _arguments(function: dict[str, Any]) -> str:
    """Return tool arguments as text. Some servers send an object instead."""
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        return arguments
    try:
        return "" if arguments is None else orjson.dumps(arguments).decode()
    except orjson.JSONEncodeError:
        raise BadCompletion("answered with tool arguments that are nested too deep") from None


def read_usage(usage: Any, price: Price) -> Usage:
    """Return the usage of one call: the provider's price, else that of the price list, else unknown.

    Zero tokens, which some servers report for every call, count as unknown.
    """
    usage = usage if isinstance(usage, dict) else {}
    tokens = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    total = _count(usage.get("total_tokens"))
    if total is not None and tokens[0] is not None and total > tokens[0] + (tokens[1] or 0):
        tokens = tokens[0], total - tokens[0]  # some providers count what was thought in the total alone
    cost = _amount(usage.get("cost"))
    if tokens[0] is None or tokens[1] is None or not any(tokens):
        return Usage(calls=1, unknown_tokens=1, cost=cost or 0.0, unknown_costs=int(cost is None))
    details = usage.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    cached = min(cached or _count(usage.get("prompt_cache_hit_tokens")) or 0, tokens[0])
    if cost is None:
        cost = price(tokens[0], tokens[1], cached)
    figures = {  # each was looked at above
        "calls": 1,
        "input_tokens": tokens[0],
        "output_tokens": tokens[1],
        "cached_tokens": cached,
        "unknown_tokens": 0,
        "cost": cost or 0.0,
        "unknown_costs": int(cost is None),
        "from_cache": 0,
    }
    return Usage.unchecked(figures)


def _count(value: Any) -> int | None:
    """Return a plausible number of tokens, or None."""
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else None


def _amount(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= _MOST_DOLLARS else None


_MOST_STARTS = 200  # a text with more braces that open nothing is no answer, and reading it would take long


def first_object(text: str) -> dict[str, Any] | None:
    """Return the first complete JSON object in `text`.

    Prose, code fences and reasoning around it are ignored.
    """
    text = _without_thoughts(text)
    start = text.find("{")
    for _ in range(_MOST_STARTS):
        if start < 0:
            return None
        try:
            found: dict[str, Any] = _DECODER.raw_decode(text, start)[0]
            return found
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
    return None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse, strict=False)  # models put line breaks into strings


_UNWELCOME = {"default", "title"}  # refused by some providers, and of use to none
_PLAIN = {"const", "enum", "examples", "required"}  # values, not schemas
_NAMED = {"properties", "$defs", "definitions"}  # mappings whose keys are names, not keywords


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema with all properties required and no others allowed.

    Strict structured output needs this.
    """
    if "$ref" in schema:  # a reference may have nothing beside it but what it refers to
        return {key: _inside(key, value) for key, value in schema.items() if key in ("$ref", "$defs")}
    written = {key: _inside(key, value) for key, value in schema.items() if key not in _UNWELCOME}
    if "properties" in written or (written.get("type") == "object" and "additionalProperties" not in written):
        written["required"] = list(written.setdefault("properties", {}))
        written["additionalProperties"] = False
    return written


def _inside(key: str, value: Any) -> Any:
    if key in _PLAIN:
        return value
    if key in _NAMED:
        return {name: strict(part) for name, part in value.items()}
    if isinstance(value, Mapping):
        return strict(value)
    if isinstance(value, list):
        return [strict(part) if isinstance(part, Mapping) else part for part in value]
    return value
