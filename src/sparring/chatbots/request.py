"""Requests of a preset: placeholders filled, sent, and every failure turned into one sentence.

The state of a session has the values of placeholders.
"""

import asyncio
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from urllib.parse import quote as percent_encoded
from urllib.parse import urlencode
from uuid import UUID

from sparring.chatbots.approvals import WaitingCall
from sparring.chatbots.contact import ServerContact, refused, unanswered
from sparring.chatbots.histories import chat_messages, openai_messages, ui_answers, ui_messages
from sparring.chatbots.placeholders import PlaceholderValues, as_text, asked, fill, fill_address, fill_text, variables
from sparring.chatbots.preset import RequestTemplate, SessionOptions
from sparring.chatbots.response import BROKEN_OFF, Format, RawResponse, ResponseBody, understand
from sparring.chatbots.secrets import keys_of, secrets_of, shown_address
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, ChatbotTimeout, InputError
from sparring.core.json_path import JsonPath
from sparring.core.message import Button, Message
from sparring.core.seeding import session_id, unique_id
from sparring.core.value import Json
from sparring.llm.call_context import current_call
from sparring.llm.client.transport import ConnectionLost, Response, Transport, TransportError
from sparring.llm.plugin_context import PluginContext
from sparring.llm.redaction import quote

_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def filled_url(asking: RequestTemplate, known: PlaceholderValues) -> str:
    """Return the URL of a request. A value can only become part of a path or a query."""
    url = fill_address(asking.url, known)
    if not asking.query:
        return url
    query = urlencode({name: _field(value, known) for name, value in asking.query.items()})
    return f"{url}{'&' if '?' in url else '?'}{query}"


def filled_headers(asking: RequestTemplate, known: PlaceholderValues) -> dict[str, str]:
    """Return the headers of a request. A value cannot start a new header."""
    headers = {"Accept": "application/json, text/event-stream, text/plain;q=0.9, */*;q=0.8"}
    if asking.body is not None:
        headers["Content-Type"] = "application/json"
    elif asking.form is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    for name, template in asking.headers.items():
        headers = {other: value for other, value in headers.items() if other.lower() != name.lower()}
        headers[name] = _CONTROL.sub(" ", fill_text(template, known)).strip()
    return headers


def trace_header() -> dict[str, str]:
    """Return the headers that put the spans of this turn into a trace of its own, if traces are received.

    The baggage names the conversation and the turn, for spans and logs of the chatbot.
    """
    call = current_call()
    turn = call.replay.turn
    if not call.traceparent or not turn:
        return {}
    baggage = f"sparring.conversation={percent_encoded(call.conversation)},sparring.turn={turn}"
    return {"traceparent": call.traceparent(turn), "baggage": baggage}


@contextmanager
def traced() -> Iterator[None]:
    """Let a chatbot in this process continue the trace of this turn, if it uses OpenTelemetry."""
    header = trace_header()
    if not header or "opentelemetry.trace" not in sys.modules:
        yield
        return
    from opentelemetry import context, propagate  # the chatbot's own

    token = context.attach(propagate.extract(header))
    try:
        yield
    finally:
        context.detach(token)


def filled_body(asking: RequestTemplate, known: PlaceholderValues) -> bytes | None:
    """Return the body of a request, or None."""
    if asking.body is not None:
        return as_json(fill(asking.body, known)).encode()
    if asking.form is not None:
        return urlencode({name: _field(value, known) for name, value in asking.form.items()}).encode()
    return None


def as_json(value: Json) -> str:
    """Return a value as JSON for any server; a lone surrogate becomes a question mark."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()


def _field(template: Json, known: PlaceholderValues) -> str:
    return as_text(fill(template, known)).encode("utf-8", "replace").decode()


_LARGEST = 2_000_000  # bytes of one answer


@dataclass(frozen=True, slots=True)
class RequestSender:
    """Sends requests to a chatbot's server.

    `ok` are the statuses of success (all of 200-299 if empty), and `error` is the place of a reported failure.
    """

    transport: Transport
    contact: ServerContact
    environment: Mapping[str, str] = field(repr=False)
    seconds: float
    ok: tuple[int, ...] = ()
    error: JsonPath | None = None

    async def ask(self, asking: RequestTemplate, names: Mapping[str, Json], form: Format = "json") -> ResponseBody:
        """Return the answer to a request, filled with `names`. Raise ChatbotError."""
        known = PlaceholderValues(names, self.environment)
        url, headers, body = filled_url(asking, known), filled_headers(asking, known), filled_body(asking, known)
        headers |= trace_header()

        async def send() -> Response:
            async with asyncio.timeout(self.seconds):
                return await self.transport.send(asking.method, url, headers=headers, body=body)

        try:
            response = await self.contact.send(send)
        except TimeoutError as error:
            raise ChatbotTimeout(
                f"no answer from {shown_address(asking.url, self.environment)} within {self.seconds:g} s"
            ) from error
        except TransportError as error:
            if isinstance(error, ConnectionLost) and form in ("events", "deltas", "chunks"):
                raise ChatbotError(BROKEN_OFF) from None
            reason = quote(str(error), *secrets_of(asking, headers, self.environment))
            # The cause may hold the whole request, keys and all.
            raise unanswered(error, f"no answer from {shown_address(asking.url, self.environment)}: {reason}") from None
        if len(response.body) > _LARGEST:
            raise ChatbotError(f"the answer has {len(response.body):,} bytes; no more than {_LARGEST:,} are read")
        secrets = secrets_of(asking, headers, self.environment)
        return self._answer(RawResponse(response, secrets, keys_of(asking, headers, self.environment)), form)

    def _answer(self, received: RawResponse, form: Format) -> ResponseBody:
        status = received.response.status
        counts = status in self.ok if self.ok else 200 <= status < 300
        try:
            answer = ResponseBody(understand(received.response.body, form), received)
        except ValueError as error:
            if counts:
                raise ChatbotError(f"the answer {error}: {received.shown}") from None
            answer = ResponseBody((), received)
        admitted = answer.last(self.error)
        if not counts:
            words = received.quote(as_text(admitted)) if admitted else received.shown
            raise refused(status, f"HTTP {status}: {words}" if received.response.body else f"HTTP {status}")
        if admitted:
            raise ChatbotError(f"the chatbot reports an error: {received.quote(as_text(admitted))}")
        return answer


def sender_for(kind: str, asking: RequestTemplate, context: PluginContext) -> RequestSender:
    """Return a sender of requests to the server of a chatbot, for example of the kind `agui`."""
    if not asking.url.startswith(("http://", "https://")):
        raise InputError(f"{kind}: needs the address of a server", hint=f"{kind}:http://localhost:8000")
    names = variables([asking.url, dict(asking.headers)])
    environment = {name: context.environment[name] for name in names & context.environment.keys()}
    return RequestSender(context.transport, ServerContact(context.clock), environment, context.llm.call_seconds)


class SessionState:
    """Values of placeholders in one conversation, and its messages."""

    def __init__(self, options: SessionOptions, case: Case, environment: Mapping[str, str]) -> None:
        values = {name: fill(value, PlaceholderValues({}, environment)) for name, value in options.values.items()}
        self._environment = environment
        self._names: dict[str, Json] = {**values, **case.variables, **_sessions(case)}
        self._said = list(case.history)
        self.waiting: list[WaitingCall] = []

    def names(self, message: Message | None = None) -> dict[str, Json]:
        """Return all values for the user's `message`."""
        said = self._said if message is None else [*self._said, message]
        spoken: dict[str, Json] = {} if message is None else {"message": self._spoken(message)}
        context = {
            "messages": chat_messages(said),
            "history": openai_messages(self._said),
            "ui_messages": ui_messages(said),
            "ui_answers": ui_answers(self._said, self.waiting, message.text if message else ""),
        }
        turn = 1 + sum(each.role == "user" for each in self._said)
        return {**self._names, **spoken, **context, "turn": turn, "traceparent": trace_header().get("traceparent", "")}

    def keep(self, found: Mapping[str, Json]) -> None:
        """Keep values by name; null values change nothing."""
        self._names.update({name: value for name, value in found.items() if value is not None})

    def append(self, added: Mapping[str, list[Json]], message: Message) -> None:
        """Append items, filled for the user's message, to lists of values."""
        known = PlaceholderValues(self.names(message), self._environment)
        for name, items in added.items():
            before, new = self._names.get(name), fill(items, known)
            self._names[name] = [*(before if isinstance(before, list) else []), *(new if isinstance(new, list) else [])]

    def add(self, *messages: Message) -> None:
        """Add messages."""
        self._said += messages

    def _spoken(self, message: Message) -> str:
        """Return the user's words, or the payload of the offered button with that title."""
        offered = self._said[-1].parts if self._said else ()
        titles = {part.title.strip().casefold(): part for part in offered if isinstance(part, Button)}
        pressed = next((part for part in message.parts if isinstance(part, Button)), None)
        pressed = pressed or titles.get(message.text.strip().casefold())
        return (pressed.payload or pressed.title) if pressed else message.text


def _sessions(case: Case) -> dict[str, Json]:
    """Return the names of the conversation in the formats that chatbots need."""
    id = session_id(case)
    uuid = str(UUID(bytes=sha256(id.encode()).digest()[:16], version=4))
    return {"session": id, "session_uuid": uuid, "new_session": unique_id()}


def repeats_names(sent: Json, kept: Iterable[str] = ()) -> bool:
    """Return True if requests name a conversation as in other runs.

    `kept` are names that the chatbot assigns.
    """
    return bool(asked(sent) & {"session", "session_uuid"} - set(kept))
