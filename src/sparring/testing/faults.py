"""What can go wrong between a client and a model server, as values.

Connections that sometimes cannot be made.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import orjson

from sparring.llm.client.transport import Response, Transport

_HTML = b"<!doctype html>\n<html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>"
_SAID: dict[str, Any] = {"role": "assistant", "content": "Hello!"}


def completion(message: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A response in the chat-completions format; `fields` replace its parts, such as `usage=None`."""
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
    """A response as it goes over the wire, however wrong.

    It waits `before` seconds until the headers and `between` seconds until the second half of the body. With `sent`
    it breaks off after that many bytes of the body; with `hangs_up` it says nothing at all, and with `resets` the
    connection is not even closed in order. `{key}` in the body becomes the key that the client sent, as real providers
    echo it.
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
        """Any JSON, with any of the other fields."""
        return cls(body=orjson.dumps(body), **fields)

    @classmethod
    def status(cls, code: int, message: str = "", *, retry_after: str | float | None = None) -> "InjectedFault":
        """An error in the provider's form, with a Retry-After if there is one."""
        error = {"message": message or f"loopback says {code}", "type": "loopback_error", "param": None, "code": None}
        asked = () if retry_after is None else (("retry-after", str(retry_after)),)
        return cls.response({"error": error}, code=code, headers=(("content-type", "application/json"), *asked))

    @classmethod
    def html(cls, code: int = 502) -> "InjectedFault":
        """A page of a proxy in between."""
        return cls(code, _HTML, (("content-type", "text/html"),))

    @classmethod
    def slow_headers(cls, seconds: float) -> "InjectedFault":
        """A good answer that does not begin for a while."""
        return cls.response(completion(_SAID), before=seconds)

    @classmethod
    def slow_body(cls, seconds: float) -> "InjectedFault":
        """A good answer that stops in the middle for a while."""
        return cls.response(completion(_SAID), between=seconds)

    @classmethod
    def cut_off(cls) -> "InjectedFault":
        """A connection that breaks in the middle of the body."""
        return cls.response(completion(_SAID), sent=40)

    @classmethod
    def truncated(cls) -> "InjectedFault":
        """A body that ends in the middle, though the headers say that this is all of it."""
        return cls(body=orjson.dumps(completion(_SAID))[:40])

    @classmethod
    def invalid_json(cls) -> "InjectedFault":
        """A body that is not JSON."""
        return cls(body=b"{'choices': undefined}")

    @classmethod
    def empty_choices(cls) -> "InjectedFault":
        """An answer without a single choice."""
        return cls.response(completion(_SAID, choices=[]))

    @classmethod
    def wrong_shape(cls) -> "InjectedFault":
        """JSON of some other format."""
        return cls.response({"outputs": [{"generated_text": "Hello!"}], "status": "ok"})

    @classmethod
    def null_content(cls) -> "InjectedFault":
        """A message that says nothing and asks for nothing."""
        return cls.response(completion({"role": "assistant", "content": None, "tool_calls": []}))

    @classmethod
    def malformed_tool_call(cls, name: str = "order", arguments: str = '{"size": ') -> "InjectedFault":
        """A tool call whose arguments are not JSON."""
        call = {"id": "call_loopback", "type": "function", "function": {"name": name, "arguments": arguments}}
        return cls.response(completion({"role": "assistant", "content": None, "tool_calls": [call]}))

    @classmethod
    def nameless_tool_call(cls) -> "InjectedFault":
        """A tool call that does not say which tool."""
        call = {"id": "call_loopback", "type": "function", "function": {"name": None, "arguments": "{}"}}
        return cls.response(completion({"role": "assistant", "content": None, "tool_calls": [call]}))

    @classmethod
    def repeated_ids(cls, name: str = "end_conversation") -> "InjectedFault":
        """Two tool calls under one id."""
        call = {"id": "call_loopback", "type": "function", "function": {"name": name, "arguments": "{}"}}
        return cls.response(completion({"role": "assistant", "content": "Well.", "tool_calls": [call, call]}))

    @classmethod
    def no_usage(cls) -> "InjectedFault":
        """A good answer that does not say what it consumed."""
        return cls.response(completion(_SAID, usage=None))

    @classmethod
    def unsupported(cls, parameter: str = "response_format") -> "InjectedFault":
        """A refusal of one parameter."""
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
        """A refusal of the key, which it repeats."""
        error = {
            "message": "Incorrect API key provided: {key}.",
            "type": "invalid_request_error",
            "code": "invalid_api_key",
        }
        return cls.response({"error": error}, code=401)

    @classmethod
    def disconnect(cls) -> "InjectedFault":
        """A connection that closes before anything is said."""
        return cls(hangs_up=True)

    @classmethod
    def reset(cls) -> "InjectedFault":
        """A connection that is reset, as by a proxy that has forgotten it."""
        return cls(hangs_up=True, resets=True)


NOWHERE = "http://nowhere.invalid/"
"""A name that is never resolved, by RFC 6761."""


class FaultyTransport:
    """A transport for which, at a `rate`, the name of the server cannot be resolved, drawn from `seed`.

    It asks for a server that nobody has, so that what happens then is what really does.
    """

    def __init__(self, transport: Transport, *, rate: float, seed: int = 0) -> None:
        self._transport = transport
        self._rate = rate
        self._random = Random(seed)
        self.failed = 0

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        if self._random.random() < self._rate:
            self.failed += 1
            url = NOWHERE
        return await self._transport.send(method, url, headers=headers, body=body)
