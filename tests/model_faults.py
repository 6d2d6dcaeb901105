"""Faulty responses of a model server, and a transport whose connections sometimes fail."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import orjson

from sparring.llm.client.transport import Response, Transport

_HTML = b"<!doctype html>\n<html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>"
_GREETING: dict[str, Any] = {"role": "assistant", "content": "Hello!"}


def completion(message: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a response in the chat-completions format.

    `fields` override its fields, such as `usage=None`.
    """
    finish_reason = "tool_calls" if message.get("tool_calls") else "stop"
    return {
        "id": "chatcmpl-loopback",
        "object": "chat.completion",
        "created": 0,
        "model": "loopback",
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15},
        **fields,
    }


@dataclass(frozen=True, slots=True)
class InjectedFault:
    """A raw response of the model server, correct or not.

    Waits `before` seconds before the headers and `between` seconds before the second half of the body. `sent` cuts the
    body after that many bytes, `hangs_up` closes the connection without a response, and `resets` resets it. `{key}` in
    the body is replaced by the client's key, as real providers echo it.
    """

    code: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = (("content-type", "application/json"),)
    before: float = 0
    between: float = 0
    sent: int | None = None
    hangs_up: bool = False
    resets: bool = False

    @classmethod
    def response(cls, body: Any, **fields: Any) -> "InjectedFault":
        """Return any JSON body, with other fields as given."""
        return cls(body=orjson.dumps(body), **fields)

    @classmethod
    def status(cls, code: int, message: str = "", *, retry_after: str | float | None = None) -> "InjectedFault":
        """Return an error in the provider's format, optionally with Retry-After."""
        error = {"message": message or f"loopback says {code}", "type": "loopback_error", "param": None, "code": None}
        asked = () if retry_after is None else (("retry-after", str(retry_after)),)
        return cls.response({"error": error}, code=code, headers=(("content-type", "application/json"), *asked))

    @classmethod
    def html(cls, code: int = 502) -> "InjectedFault":
        """Return an HTML error page, as a proxy sends it."""
        return cls(code, _HTML, (("content-type", "text/html"),))

    @classmethod
    def slow_headers(cls, seconds: float) -> "InjectedFault":
        """Return a valid response whose headers are delayed."""
        return cls.response(completion(_GREETING), before=seconds)

    @classmethod
    def slow_body(cls, seconds: float) -> "InjectedFault":
        """Return a valid response with a pause in the middle of the body."""
        return cls.response(completion(_GREETING), between=seconds)

    @classmethod
    def cut_off(cls) -> "InjectedFault":
        """Return a response whose connection breaks in the middle of the body."""
        return cls.response(completion(_GREETING), sent=40)

    @classmethod
    def truncated(cls) -> "InjectedFault":
        """Return a truncated body with a matching content length."""
        return cls(body=orjson.dumps(completion(_GREETING))[:40])

    @classmethod
    def invalid_json(cls) -> "InjectedFault":
        """Return a body that is not JSON."""
        return cls(body=b"{'choices': undefined}")

    @classmethod
    def empty_choices(cls) -> "InjectedFault":
        """Return a response without choices."""
        return cls.response(completion(_GREETING, choices=[]))

    @classmethod
    def filtered(cls, **fields: Any) -> "InjectedFault":
        """Return an answer of which a content filter left nothing."""
        choice = {"index": 0, "message": {"role": "assistant", "content": None}, "finish_reason": "content_filter"}
        return cls.response(completion(_GREETING, choices=[choice], **fields))

    @classmethod
    def wrong_shape(cls) -> "InjectedFault":
        """Return JSON in another format."""
        return cls.response({"outputs": [{"generated_text": "Hello!"}], "status": "ok"})

    @classmethod
    def null_content(cls) -> "InjectedFault":
        """Return a message without content and tool calls."""
        return cls.response(completion({"role": "assistant", "content": None, "tool_calls": []}))

    @classmethod
    def malformed_tool_call(cls, name: str = "order", arguments: str = '{"size": ') -> "InjectedFault":
        """Return a tool call whose arguments are not JSON."""
        call = {"id": "call_loopback", "type": "function", "function": {"name": name, "arguments": arguments}}
        return cls.response(completion({"role": "assistant", "content": None, "tool_calls": [call]}))

    @classmethod
    def nameless_tool_call(cls) -> "InjectedFault":
        """Return a tool call without a name."""
        call = {"id": "call_loopback", "type": "function", "function": {"name": None, "arguments": "{}"}}
        return cls.response(completion({"role": "assistant", "content": None, "tool_calls": [call]}))

    @classmethod
    def repeated_ids(cls, name: str = "end_conversation") -> "InjectedFault":
        """Return two tool calls with the same id."""
        call = {"id": "call_loopback", "type": "function", "function": {"name": name, "arguments": "{}"}}
        return cls.response(completion({"role": "assistant", "content": "Well.", "tool_calls": [call, call]}))

    @classmethod
    def no_usage(cls) -> "InjectedFault":
        """Return a valid response without usage."""
        return cls.response(completion(_GREETING, usage=None))

    @classmethod
    def unsupported(cls, parameter: str = "response_format") -> "InjectedFault":
        """Return the error for an unsupported parameter."""
        message = f"Unsupported parameter: '{parameter}' is not supported with this model."
        error = {
            "message": message,
            "type": "invalid_request_error",
            "param": parameter,
            "code": "unsupported_parameter",
        }
        return cls.response({"error": error}, code=400)

    @classmethod
    def wrong_key(cls) -> "InjectedFault":
        """Return the error for a wrong key, which quotes the key."""
        error = {
            "message": "Incorrect API key provided: {key}.",
            "type": "invalid_request_error",
            "code": "invalid_api_key",
        }
        return cls.response({"error": error}, code=401)

    @classmethod
    def disconnect(cls) -> "InjectedFault":
        """Close the connection without a response."""
        return cls(hangs_up=True)

    @classmethod
    def reset(cls) -> "InjectedFault":
        """Reset the connection, as a proxy does after its timeout."""
        return cls(hangs_up=True, resets=True)


UNRESOLVABLE = "http://nowhere.invalid/"
"""A host name that never resolves (RFC 6761)."""


class FaultyTransport:
    """A transport that fails to resolve the host name for a share of requests, drawn from `seed`.

    It requests a name that does not resolve, so the failures are real ones.
    """

    def __init__(self, transport: Transport, *, rate: float, seed: int = 0) -> None:
        self._transport = transport
        self._rate = rate
        self._random = Random(seed)
        self.failed = 0

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        if self._random.random() < self._rate:
            self.failed += 1
            url = UNRESOLVABLE
        return await self._transport.send(method, url, headers=headers, body=body)
