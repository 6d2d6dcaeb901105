"""A client of MCP servers over stdio or streamable HTTP: their tools and resources.

Versions with a handshake are tried first, then the one without. A server may not ask for anything in return.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Protocol

from pydantic import model_validator

from sparring.chatbots.line_process import Program
from sparring.chatbots.preset import RequestTemplate
from sparring.chatbots.request import RequestSender, as_json
from sparring.chatbots.response import parsed, understand
from sparring.core.errors import ChatbotError, ChatbotUnreachable
from sparring.core.value import Json, Value, mapping, mappings
from sparring.core.version import __version__

HANDSHAKES = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
WITHOUT_HANDSHAKE = "2026-07-28"
_ABOUT_US: Json = {"name": "sparring", "version": __version__}
_META = "io.modelcontextprotocol/"
_NAMED = {"tools/call": "name", "resources/read": "uri"}
_PAGES = 100
_FAREWELL = 2.0  # seconds for the end of a session
_NO_METHOD = -32601


class ServerToolFailed(Exception):
    """A tool of a server returned an error, or the server refused the call, so that it never `ran`."""

    def __init__(self, message: str, *, ran: bool = True) -> None:
        super().__init__(message)
        self.ran = ran


class McpConnection(Protocol):
    """Carries JSON-RPC messages to a server. `ask` returns the response to a request."""

    async def ask(self, call: dict[str, Json]) -> dict[str, Any]: ...

    async def send(self, call: dict[str, Json]) -> None: ...


@dataclass(slots=True)
class StdioConnection:
    """A server that is a process: one JSON message per line; other lines are its log."""

    program: Program

    async def ask(self, call: dict[str, Json]) -> dict[str, Any]:
        await self.send(call)
        while True:
            with suppress(ValueError):
                payload = mapping(parsed(await self.program.line()))
                if "method" not in payload and payload.get("id") == call["id"]:
                    return payload
                if "method" in payload and "id" in payload:
                    await self.send(_answer(payload))

    async def send(self, call: dict[str, Json]) -> None:
        await self.program.send(as_json(call))


def _answer(asked: Mapping[str, Any]) -> dict[str, Json]:
    """Return the answer to a request of the server: only a ping is granted."""
    ping = asked["method"] == "ping"
    declined = {"code": _NO_METHOD, "message": "not supported"}
    return {"jsonrpc": "2.0", "id": asked["id"], **({"result": {}} if ping else {"error": declined})}


@dataclass(slots=True)
class HttpConnection:
    """A server behind streamable HTTP: each message is a request of its own."""

    sender: RequestSender
    place: RequestTemplate
    names: Mapping[str, Json]
    session: dict[str, str] = field(default_factory=dict)

    async def ask(self, call: dict[str, Json]) -> dict[str, Any]:
        params = mapping(call.get("params"))
        named = {"Mcp-Method": str(call["method"])}
        if name := params.get(_NAMED.get(str(call["method"]), "")):
            named["Mcp-Name"] = str(name)
        asking = self.place.model_copy(update={"headers": {**self.place.headers, **self.session, **named}})
        answer = await self.sender.ask(asking, {**self.names, "call": call}, "text")
        response = answer.received.response
        form = "events" if "event-stream" in response.headers.get("content-type", "") else "json"
        try:
            for payload in map(mapping, understand(response.body, form)):  # type: ignore[arg-type]
                answers = "method" not in payload and payload.keys() & {"result", "error"}
                if answers and payload.get("id") in (call.get("id"), None):
                    if id := response.headers.get("mcp-session-id"):
                        self.session["Mcp-Session-Id"] = id
                    return payload
        except ValueError:
            pass
        raise ChatbotError(f"HTTP {response.status}: the answer is not MCP: {answer.shown}")

    async def send(self, call: dict[str, Json]) -> None:
        asking = self.place.model_copy(update={"headers": {**self.place.headers, **self.session}})
        await self.sender.ask(asking, {**self.names, "call": call}, "text")

    async def leave(self) -> None:
        """End the session, if the server began one."""
        if "Mcp-Session-Id" in self.session:
            headers = {**self.place.headers, **self.session}
            asking = self.place.model_copy(update={"method": "DELETE", "body": None, "headers": headers})
            with suppress(ChatbotError):
                await replace(self.sender, seconds=_FAREWELL).ask(asking, self.names, "text")


class ServerState(Value):
    """Where the state of a server is: the result of a tool, or a resource."""

    tool: str = ""
    arguments: dict[str, Json] = {}
    resource: str = ""

    @model_validator(mode="after")
    def _one(self) -> "ServerState":
        if bool(self.tool) == bool(self.resource):
            raise ValueError("needs `tool` or `resource`, and not both")
        return self


class McpSession:
    """A session with the server `name`; `seconds` limit each answer, and models see `visible` tools."""

    def __init__(
        self,
        name: str,
        connection: McpConnection,
        seconds: float,
        place: ServerState | None = None,
        visible: Callable[[str], bool] = lambda tool: True,
    ) -> None:
        self._name, self._connection, self._seconds, self._place = name, connection, seconds, place
        self._visible = visible
        self._ids = count(1)
        self._meta: dict[str, Json] = {}

    async def open(self) -> None:
        """Agree on a version. Raise ChatbotError if the server speaks none that is known."""
        try:
            payload = await self._ask(
                "initialize", {"protocolVersion": HANDSHAKES[0], "capabilities": {}, "clientInfo": _ABOUT_US}
            )
        except (ServerToolFailed, ChatbotError) as error:
            if isinstance(error, ChatbotUnreachable):
                raise
            if isinstance(error, ChatbotError) and not str(error).startswith("HTTP 4"):
                raise self._broken(error) from error
            await self._discover(error)
            return
        version = str(payload.get("protocolVersion"))
        if version not in HANDSHAKES:
            raise ChatbotError(f"the MCP server {self._name} speaks version {version[:40]}, which is not known")
        self._agreed(version)
        await self._connection.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def _discover(self, refusal: Exception) -> None:
        """Speak the version without a handshake to a server that refused the handshake."""
        named: dict[str, Json] = {"protocolVersion": WITHOUT_HANDSHAKE, "clientInfo": _ABOUT_US}
        self._meta = {f"{_META}{key}": value for key, value in {**named, "clientCapabilities": {}}.items()}
        self._agreed(WITHOUT_HANDSHAKE)
        try:
            await self._ask("server/discover", {})
        except (ServerToolFailed, ChatbotError):
            raise self._broken(refusal) from refusal

    def _agreed(self, version: str) -> None:
        if isinstance(self._connection, HttpConnection):
            self._connection.session["MCP-Protocol-Version"] = version

    def _broken(self, error: Exception) -> ChatbotError:
        return ChatbotError(f"the MCP server {self._name} does not work: {error}")

    async def tools(self) -> list[dict[str, Any]]:
        """Return the tools that the model may see now. Raise ChatbotError."""
        found, page = list[dict[str, Any]](), dict[str, Json]()
        for _ in range(_PAGES):
            try:
                payload = await self.ask("tools/list", page)
            except ServerToolFailed as error:
                raise ChatbotError(f"the tools of {self._name} cannot be listed: {error}") from error
            found += mappings(payload.get("tools"))
            if not payload.get("nextCursor"):
                break
            page = {"cursor": payload["nextCursor"]}
        return [each for each in found if self._visible(str(each.get("name") or ""))]

    async def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Return the result of a tool. Raise ServerToolFailed, or ChatbotError if the server is broken."""
        payload = await self.ask("tools/call", {"name": tool, "arguments": dict(arguments)})
        result = _result(payload)
        if payload.get("isError"):
            raise ServerToolFailed(result if isinstance(result, str) else json.dumps(result, ensure_ascii=False))
        return result

    @property
    def has_state(self) -> bool:
        return self._place is not None

    async def state(self) -> Json:
        """Return the state. Raise ChatbotError if there is none."""
        assert self._place is not None
        try:
            if self._place.tool:
                return await self.call(self._place.tool, self._place.arguments)
            payload = await self.ask("resources/read", {"uri": self._place.resource})
        except ServerToolFailed as error:
            raise ChatbotError(f"the state of {self._name} cannot be read: {error}") from error
        return _content(mappings(payload.get("contents")))

    async def ask(self, method: str, params: dict[str, Json]) -> dict[str, Any]:
        """Return the result of a method. Raise ServerToolFailed, or ChatbotError if the server is broken."""
        try:
            payload = await self._ask(method, params)
        except ChatbotUnreachable:
            raise
        except ChatbotError as error:
            raise self._broken(error) from error
        if payload.get("resultType") == "input_required":
            raise ServerToolFailed("the tool wants input of the user, which it cannot have", ran=False)
        return payload

    async def _ask(self, method: str, params: dict[str, Json]) -> dict[str, Any]:
        sent: dict[str, Json] = {**params, **({"_meta": self._meta} if self._meta else {})}
        id = next(self._ids)
        try:
            async with asyncio.timeout(self._seconds):
                payload = await self._connection.ask({"jsonrpc": "2.0", "id": id, "method": method, "params": sent})
        except TimeoutError:
            cancelled: Json = {"requestId": id}
            with suppress(ChatbotError):
                await self._connection.send(
                    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}
                )
            raise ServerToolFailed(f"no answer within {self._seconds:g} s") from None
        if error := mapping(payload.get("error")):
            raise ServerToolFailed(str(error.get("message") or f"error {error.get('code')}"), ran=False)
        return mapping(payload.get("result"))


def _result(payload: Mapping[str, Any]) -> Json:
    """Return the result of a call: structured content, or else what its content says."""
    structured: Json = payload.get("structuredContent")
    return _content(mappings(payload.get("content"))) if structured is None else structured


def _content(content: list[dict[str, Any]]) -> Json:
    """Return content as it is, but a single text as its JSON or its words."""
    if len(content) != 1 or not isinstance(content[0].get("text"), str):
        return [*content]
    text: str = content[0]["text"]
    try:
        return parsed(text)
    except ValueError:
        return text


class ToolServer(Protocol):
    """A server with tools, which may have a state. Each conversation has a session of its own."""

    @property
    def has_state(self) -> bool: ...

    def session(self, session: str) -> AbstractAsyncContextManager[McpSession]: ...
