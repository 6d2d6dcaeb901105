"""Agents that speak A2A over JSON-RPC, 1.0 or 0.3: `a2a:URL`, the agent's base or its endpoint.

The agent's card names the endpoint. A URL without a card is the endpoint itself.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import uuid4

from sparring.chatbots.chatbot import BaseChatbot, Capabilities
from sparring.chatbots.preset import RequestTemplate
from sparring.chatbots.request import RequestSender, sender_for
from sparring.chatbots.response import ResponseBody, cleaned_reply
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, ChatbotTimeout
from sparring.core.message import Image, Link, Message, Part, Text
from sparring.core.value import Json, mapping, mappings
from sparring.llm.plugin_context import PluginContext

_HEADERS = {"Authorization": "Bearer ${CHATBOT_API_KEY:-none}"}
_PAUSE, _LONGEST_PAUSE = 0.2, 2.0  # seconds between questions for the state of a task
_LISTENING = frozenset({"0.0.0.0", "::", "localhost", "127.0.0.1"})
"""Hosts in cards that say where a server listens, and not how it is reached."""

_RUNNING = frozenset({"SUBMITTED", "WORKING"})
_OPEN = "INPUT_REQUIRED"
_FAILURES = {"FAILED": "the task failed", "CANCELED": "the task was canceled", "AUTH_REQUIRED": "it wants a log-in"}


class Dialect(NamedTuple):
    """Names of one version of A2A. Version 0.3 also has a `kind` in messages and parts."""

    version: str
    send: str = "SendMessage"
    get: str = "GetTask"
    cancel: str = "CancelTask"
    user: str = "ROLE_USER"
    old: bool = False


_CURRENT = Dialect("1.0")
_OLD = Dialect("0.3", "message/send", "tasks/get", "tasks/cancel", "user", old=True)


def connect(argument: str, context: PluginContext) -> "A2aChatbot":
    """Return the chatbot of `a2a:URL`. Its key is CHATBOT_API_KEY."""
    return A2aChatbot(argument, sender_for("a2a", RequestTemplate(url=argument, headers=_HEADERS), context))


class A2aChatbot(BaseChatbot):
    """An agent behind A2A. The protocol does not report tools."""

    capabilities = Capabilities()

    def __init__(
        self, url: str, sender: RequestSender, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._url, self._sender, self._sleep = url.rstrip("/"), sender, sleep
        self._found: tuple[str, Dialect] | None = None

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["A2aSession"]:
        self._found = self._found or await self._discover()
        yield A2aSession(*self._found, self._sender, self._sleep)

    async def _discover(self) -> tuple[str, Dialect]:
        """Return the endpoint of the agent and its version."""
        asking = RequestTemplate(url=f"{self._url}/.well-known/agent-card.json", method="GET", headers=_HEADERS)
        try:
            card = mapping((await self._sender.ask(asking, {})).says[0])
        except ChatbotError as error:
            if not str(error).startswith(("HTTP 4", "the answer is not JSON")):
                raise
            return self._url, _CURRENT
        offers = mappings(card.get("supportedInterfaces"))
        spoken = [each for each in offers if each.get("protocolBinding") == "JSONRPC"]
        current = next((each for each in spoken if str(each.get("protocolVersion")).startswith("1.")), None)
        if offers and current is None:
            raise ChatbotError("the agent's card offers no JSON-RPC of A2A 1.x")
        url = str((current or card).get("url") or self._url)
        named, base = urlsplit(url), urlsplit(self._url)
        if named.hostname != base.hostname and named.hostname in _LISTENING:
            url = named._replace(scheme=base.scheme, netloc=base.netloc).geturl()
        elif named.hostname != base.hostname:
            hint = "write the address of the endpoint itself behind a2a:"
            raise ChatbotError(f"the agent's card names another host, {named.hostname}", hint=hint)
        return url, _CURRENT if current else _OLD


class A2aSession:
    """One conversation, which is a context; the next message goes to a task that asks for input."""

    greeting: Message | None = None

    def __init__(
        self, url: str, dialect: Dialect, sender: RequestSender, sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._dialect, self._sender, self._sleep = dialect, sender, sleep
        headers = {**_HEADERS, "A2A-Version": dialect.version}
        self._asking = RequestTemplate(url=url, headers=headers, body="{{call}}")
        self._ids: dict[str, Json] = {}

    async def reply(self, message: Message) -> Message:
        kind = {"kind": "text"} if self._dialect.old else {}
        sent: dict[str, Json] = {
            "messageId": str(uuid4()),
            "role": self._dialect.user,
            "parts": [{**kind, "text": message.text}],
            **({"kind": "message"} if self._dialect.old else {}),
            **self._ids,
        }
        result, answer = await self._call(self._dialect.send, {"message": sent})
        task = mapping(result if self._dialect.old and result.get("kind") == "task" else result.get("task"))
        if not task:
            said = result if self._dialect.old else mapping(result.get("message"))
            self._ids = _named(contextId=said.get("contextId") or self._ids.get("contextId"))
            return _message(_parts(said), answer)
        task, answer = await self._finished(task, answer)
        state, context = _state(task), task.get("contextId")
        self._ids = _named(contextId=context, taskId=task.get("id") if state == _OPEN else None)
        parts = _spoken(task, str(sent["messageId"]))
        if failure := _FAILURES.get(state):
            words = " ".join(part.text for part in parts if isinstance(part, Text))
            raise ChatbotError(answer.received.quote(f"{failure}: {words}" if words else failure))
        return _message(parts, answer, ends=state == "REJECTED")

    async def _finished(self, task: dict[str, Any], answer: ResponseBody) -> tuple[dict[str, Any], ResponseBody]:
        """Return the task when it does not run any more. Cancel it if that takes too long."""
        pause, wanted = _PAUSE, {"id": task.get("id")}
        try:
            async with asyncio.timeout(self._sender.seconds):
                while _state(task) in _RUNNING:
                    await self._sleep(pause)
                    pause = min(2 * pause, _LONGEST_PAUSE)
                    task, answer = await self._call(self._dialect.get, wanted)
        except TimeoutError:
            with suppress(ChatbotError):
                await self._call(self._dialect.cancel, wanted)
            raise ChatbotTimeout(f"the task was not done within {self._sender.seconds:g} s") from None
        return task, answer

    async def _call(self, method: str, params: Mapping[str, Json]) -> tuple[dict[str, Any], ResponseBody]:
        """Return the result of a method. Raise ChatbotError for an error."""
        call: Json = {"jsonrpc": "2.0", "id": str(uuid4()), "method": method, "params": dict(params)}
        answer = await self._sender.ask(self._asking, {"call": call})
        payload = mapping(answer.says[0])
        if error := mapping(payload.get("error")):
            reasons = [each["reason"] for each in mappings(error.get("data")) if each.get("reason")]
            words = ": ".join(map(str, [error.get("message"), *reasons]))
            raise ChatbotError(f"error {error.get('code')}: {answer.received.quote(words)}")
        if not isinstance(payload.get("result"), dict):
            raise ChatbotError(f"the answer is not A2A: {answer.shown}")
        return payload["result"], answer


def _named(**ids: Json) -> dict[str, Json]:
    return {name: id for name, id in ids.items() if id}


def _state(task: Mapping[str, Any]) -> str:
    """Return the state of a task; version 0.3 writes `input-required` for TASK_STATE_INPUT_REQUIRED."""
    state = str(mapping(task.get("status")).get("state") or "")
    return state.removeprefix("TASK_STATE_").upper().replace("-", "_")


def _spoken(task: Mapping[str, Any], id: str) -> list[Part]:
    """Return what a task says: its artifacts, its status, or its messages after the one with `id`."""
    status = mapping(mapping(task.get("status")).get("message"))
    artifacts = [part for each in mappings(task.get("artifacts")) for part in _parts(each)]
    if _state(task) != "COMPLETED" or not artifacts:
        artifacts = [*_parts(status)]
    if artifacts:
        return artifacts
    history = mappings(task.get("history"))
    after = next((at for at, each in enumerate(history, 1) if each.get("messageId") == id), len(history))
    return [part for each in history[after:] if "agent" in str(each.get("role")).lower() for part in _parts(each)]


def _parts(said: Mapping[str, Any]) -> Iterator[Part]:
    for part in mappings(said.get("parts")):
        file = mapping(part.get("file")) or part
        kind = str(file.get("mediaType") or file.get("mimeType") or "")
        if url := file.get("url") or file.get("uri"):
            yield Image(url=str(url)) if kind.startswith("image/") else Link(url=str(url))
        elif isinstance(part.get("text"), str):
            yield Text(text=part["text"])
        elif "data" in part:
            yield Text(text=json.dumps(part["data"], ensure_ascii=False))


def _message(parts: Iterable[Part], answer: ResponseBody, *, ends: bool = False) -> Message:
    said = [Text(text=answer.received.hide(part.text)) if isinstance(part, Text) else part for part in parts]
    spoken = tuple(part for part in said if not isinstance(part, Text) or part.text.strip())
    return cleaned_reply(Message(role="chatbot", parts=spoken, ends=ends))
