"""Detection of how a chatbot behind an address speaks: the request, and the place of the reply."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

import yaml

from sparring.app.detect_answers import FIRST_ERROR, HELLOS, Answer, read, reply_path, texts_at
from sparring.app.detect_fields import (
    KEYS,
    KINDS,
    MARK,
    MESSAGE_FIELDS,
    NAMED_SESSION,
    OTHER_SESSIONS,
    SESSION,
    SESSION_FIELDS,
    SESSIONS,
    described_body,
    missing_fields,
)
from sparring.app.probe import places
from sparring.core.errors import InputError
from sparring.core.value import Json, map_texts
from sparring.llm.client.transport import NoConnection, Transport, TransportError

_MOST_REQUESTS = 18
_WITH_IDS: Mapping[str, Json] = {
    name: {"id": "{{new_session}}"} for name in ("user", "sender", "from", "conversation", "session")
}
"""Fields whose values hold an id."""

_ACCEPT = {"Accept": "application/json, text/event-stream;q=0.9, text/plain;q=0.8, */*;q=0.7"}
_NO_POST = (404, 405, 501)
_NO_ENTRY = ("HTTP 401", "HTTP 403")
_UNREAD = re.compile(
    r"\b(?:message|input|text|nachricht|mensaje|mensagem|messaggio)\b.{0,16}\b(?:empty|missing|blank|leer|vac[ií]o|vuoto|vide)"
    r"|\b(?:empty|no|leere) (?:message|input|text|nachricht)\b",
    re.IGNORECASE,
)
"""Words of a reply to a message that the server did not read."""

_VARIABLE = re.compile(r"\$\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Detected:
    """How a chatbot speaks: a preset, the body of a request, and the path of the reply in the answer."""

    preset: str
    body: Mapping[str, Json]
    reply: str
    differs: bool = True
    """False if the replies to both messages were the same, as a server's for a message that it did not read."""


_CONVERSATIONS = ("sessions", "conversations", "session", "conversation", "chats", "threads")
_MESSAGES = ("messages", "message", "chat", "turns", "reply")
"""Common paths of conversations, and of the messages of one."""

_IN_OTHER_LANGUAGES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("sesiones", "sesion", "conversaciones", "charlas"), ("mensajes", "mensaje")),
    **dict.fromkeys(("sitzungen", "sitzung", "gespraeche", "unterhaltungen"), ("nachrichten", "nachricht")),
    **dict.fromkeys(("sessioni", "sessione", "conversazioni"), ("messaggi", "messaggio")),
    **dict.fromkeys(("sessoes", "sessao", "conversas"), ("mensagens", "mensagem")),
}
"""Paths of messages by those of conversations. They are tried only below an address that ends so."""

_NAME = re.compile(r"id$|Id$|session|conversation|thread|token")
_PLACES = {"/v1": "/chat/completions", "": "/webhooks/rest/webhook"}
"""Common paths of chatbots below a base address."""


async def detect(url: str, transport: Transport) -> Detected:
    """Return how the chatbot at an address speaks, by sending it two different messages.

    Raise `InputError` with the requests that were tried and their answers if it understands none of them.
    """
    tried: list[str] = []
    path = urlsplit(url).path.rstrip("/")
    opens = path.rpartition("/")[2] in {*_CONVERSATIONS, *_IN_OTHER_LANGUAGES}  # its answer may greet
    if opens and (found := await _in_conversations(url, transport)) is not None:
        return found
    for place in [url, *(url.rstrip("/") + below for end, below in _PLACES.items() if path == end)]:
        if (found := await _detected_at(place, transport, tried)) is not None:
            return found
    opens |= any(each.endswith(_NO_ENTRY) for each in tried)
    if not opens and (found := await _in_conversations(url, transport)) is not None:
        return found
    said = "; ".join(_grouped(tried))
    raise InputError(f"{url}: found no way to talk to it: {said}", hint="sparring init --from-curl FILE")


@dataclass(frozen=True, slots=True)
class _Start:
    """A request that opens a conversation: its address, and the places of name and greeting."""

    url: str
    name: str
    greeting: str | None

    async def open(self, transport: Transport) -> str:
        """Open a conversation, and return its name."""
        answer = await _post(self.url, {}, "", transport)
        return str(dict(places(json.loads(answer.body)))[self.name])

    def preset(self, preset: str, name: str) -> str:
        """Return a preset for one conversation as one that opens each conversation."""
        comment, _, shown = preset.partition("\n")
        start: dict[str, Json] = {"url": self.url, "body": {}, "keep": {"conversation": self.name}}
        if self.greeting:
            start["reply"] = self.greeting
        found = yaml.safe_load(shown)
        if set(SESSION_FIELDS) < found.get("body", {}).keys():  # none of them is read
            found["body"] = {key: value for key, value in found["body"].items() if value != SESSION}
        opened = {"url": found.pop("url").replace(name, "{{conversation}}"), **found, "start": start}
        return f"{comment}\n{yaml.safe_dump(opened, sort_keys=False)}"


async def _in_conversations(url: str, transport: Transport) -> Detected | None:
    """Return how a server speaks that opens a conversation, and takes messages below it."""
    base = url.rstrip("/")
    own = _IN_OTHER_LANGUAGES.get(base.rpartition("/")[2], ())
    for place in (base, *(f"{base}/{each}" for each in _CONVERSATIONS)):
        try:
            answer = await _post(place, {}, "", transport)
            found = dict(places(json.loads(answer.body))) if answer.status < FIRST_ERROR else {}
            names = [path for path, value in found.items() if _NAME.search(path) and isinstance(value, str | int)]
            path = min(names, key=lambda each: NAMED_SESSION.search(each) is None, default="")
            start = _Start(place, path, reply_path(b"{}", answer.body))
            for below in (*own, *_MESSAGES) if path else ():
                name = await start.open(transport)
                if (talk := await _detected_at(f"{place}/{name}/{below}", transport, [])) is not None:
                    return Detected(start.preset(talk.preset, name), talk.body, talk.reply)
        except NoConnection:
            raise
        except (TransportError, ValueError, KeyError):  # it breaks there, or names no conversation any more
            continue
    return None


async def _detected_at(url: str, transport: Transport, tried: list[str]) -> Detected | None:
    described, method = await _described(url, transport)
    likely = None if described else await _lenient(url, transport) or await _lenient(url, transport, people=True)
    if likely is not None and likely.differs:
        return likely
    queue = [*described, *_bodies()]
    asked: list[Mapping[str, Json]] = []
    while queue and len(asked) < _MOST_REQUESTS:
        body = queue.pop(0)
        how = method if body in described else "POST"
        asked.append(body)
        try:
            answer = await _send(url, json.dumps(body), HELLOS[0], transport, method=how)
        except NoConnection:
            raise
        except TransportError as error:  # some servers break where a field is missing
            tried.append(f"{json.dumps(_short(body))} → {error}")
            continue
        tried.append(f"{json.dumps(_short(body))} → HTTP {answer.status}")
        if tried[-1].endswith(_NO_ENTRY):
            return None
        if answer.status in _NO_POST:
            return await _lenient(url, transport, method="GET")
        if answer.status in (400, 422) and (named := missing_fields(answer, body)) is not None and named not in asked:
            queue.insert(0, named)
        if answer.status >= FIRST_ERROR:
            continue
        again = await _send(url, json.dumps(body), HELLOS[1], transport, method=how)
        path = reply_path(answer.body, again.body)
        if path is not None:
            both = texts_at(path, answer), texts_at(path, again)
            is_read = both[0] != both[1] and not _UNREAD.search(str(both[1]))
            found = Detected(_preset(url, body, path, again, method=how), body, path, is_read)
            if found.differs:
                return found
            likely = likely or found
            continue
        is_page = answer.body.lstrip()[:1] == b"<"
        tried[-1] += " with a web page" if is_page else ", without a text that differs between two messages"
    form = await _lenient(url, transport, method="FORM")
    return form if form is not None and form.differs else likely or form


def _grouped(tried: Iterable[str]) -> Iterator[str]:
    """Yield each different answer once, with the first request that had it."""
    bodies: dict[str, list[str]] = {}
    for each in tried:
        body, _, answer = each.rpartition(" → ")
        bodies.setdefault(answer, []).append(body)
    for answer, sent in bodies.items():
        others = f" and {len(sent) - 1} other requests" if len(sent) > 1 else ""
        yield f"{sent[0]}{others} → {answer}"


async def _lenient(url: str, transport: Transport, *, method: str = "POST", people: bool = False) -> Detected | None:
    """Return how a server speaks that ignores unknown fields; None if it does not.

    A chatbot may answer the same to all first messages, but not to a GET request, which may show a page of the server.
    Fields that are not known to be ignored stay in the body. If replies are random, a field counts as ignored if there
    are replies without it.
    """
    messages: dict[str, Json] = dict.fromkeys(MESSAGE_FIELDS, MARK)
    sessions: dict[str, Json] = {**dict.fromkeys(SESSION_FIELDS, SESSION), **(_WITH_IDS if people else {})}
    try:
        talks = await asyncio.gather(*(_talk(url, messages | sessions, transport, method) for _ in range(2)))
        first, second = talks[0]
        path = reply_path(first.body, second.body) if max(first.status, second.status) < FIRST_ERROR else None
        if path is None:
            return None

        expected = [texts_at(path, each) for each in (first, second)]
        if method == "GET" and expected[0] == expected[1]:
            return None
        again = [texts_at(path, each) for each in talks[1]]
        if is_random := again != expected:
            expected = [True, True]

        async def replies_to(body: Mapping[str, Json]) -> list[Json]:
            try:
                talk = await _talk(url, body, transport, method)
            except NoConnection:
                raise
            except TransportError:  # it breaks without a field
                return []
            replies = [texts_at(path, each) for each in talk]
            return [bool(each) for each in replies] if is_random else replies

        async def is_enough(body: Mapping[str, Json]) -> bool:
            return all(each == expected for each in await asyncio.gather(replies_to(body), replies_to(body)))

        async def is_read(name: str) -> bool:
            return await replies_to({name: MARK} | sessions) == expected

        async def is_session(name: str) -> bool:
            return await is_enough(messages | {name: every_session[name]})

        every_session = sessions
        first_message, first_session = MESSAGE_FIELDS[0], SESSION_FIELDS[0]  # the common ones, asked for together
        unread, usual = await asyncio.gather(replies_to(sessions), is_read(first_message))
        if unread != expected:
            named = first_message if usual else await _first(MESSAGE_FIELDS[1:], is_read)
            messages = {named: MARK} if named else messages
        enough, usual = await asyncio.gather(is_enough(messages), is_session(first_session))
        if not enough:
            named = first_session if usual else await _first(SESSION_FIELDS[1:], is_session)
            sessions = {named: sessions[named]} if named else sessions
    except NoConnection:
        raise
    except TransportError:
        return None
    body = messages | sessions
    return Detected(_preset(url, body, path, first, method=method), body, path, is_random or expected[0] != expected[1])


async def _first(names: Iterable[str], fits: Callable[[str], Awaitable[bool]]) -> str | None:
    for name in names:
        if await fits(name):
            return name
    return None


async def _talk(url: str, body: Mapping[str, Json], transport: Transport, method: str) -> list[Answer]:
    """Return the answers to two messages of one conversation."""
    text = json.dumps(body).replace(SESSION, f"try-{uuid4().hex[:12]}")
    return [await _send(url, text, hello, transport, method=method) for hello in HELLOS]


async def reply_in(preset: str, transport: Transport, values: Mapping[str, str]) -> str | None:
    """Return the path of the reply by sending two messages as a preset says; None if it stays unclear.

    `values` are those of `${NAME}`. Presets without a JSON body are left alone.
    """
    filled = map_texts(
        yaml.safe_load(preset), lambda text: _VARIABLE.sub(lambda found: values.get(found[1], found[0]), text)
    )
    if not isinstance(filled, dict) or not isinstance(filled.get("body"), dict) or _VARIABLE.search(json.dumps(filled)):
        return None
    headers = filled.get("headers")
    sent = {name: str(value) for name, value in headers.items()} if isinstance(headers, dict) else {}
    answers = []
    for hello in HELLOS:
        body = json.dumps(filled["body"]).replace('"{{messages}}"', json.dumps([{"role": "user", "content": hello}]))
        answers.append(await _send(str(filled["url"]), body, hello, transport, sent))
    if any(each.status >= FIRST_ERROR for each in answers):
        return None
    return reply_path(answers[0].body, answers[1].body)


async def _described(url: str, transport: Transport) -> tuple[list[dict[str, Json]], str]:
    """Return the body that the OpenAPI description at the origin gives, if any, and how it is sent."""
    parts = urlsplit(url)
    answer = await transport.send("GET", f"{parts.scheme}://{parts.netloc}/openapi.json", headers={})
    try:
        api = json.loads(answer.body)
    except ValueError:
        return [], "POST"
    found = {method: described_body(api, parts.path, kind) for method, kind in KINDS.items()}
    return next((([body], method) for method, body in found.items() if body), ([], "POST"))


def _bodies() -> Iterator[dict[str, Json]]:
    for key in KEYS:
        yield {key: MARK, **dict.fromkeys(SESSIONS, SESSION)}
    yield {"messages": [{"role": "user", "content": MARK}]}
    yield {"input": {"text": MARK}, **dict.fromkeys(SESSIONS, SESSION)}
    yield {"message": {"text": MARK, "content": MARK}, **dict.fromkeys(SESSIONS, SESSION)}
    for key in KEYS[:3]:
        yield {key: MARK, **dict.fromkeys(OTHER_SESSIONS, SESSION)}
    yield {**dict.fromkeys(KEYS, MARK), **_WITH_IDS}
    for key in KEYS[:3]:
        yield {key: MARK, **_WITH_IDS}


async def _post(url: str, body: Mapping[str, Json], text: str, transport: Transport) -> Answer:
    return await _send(url, json.dumps(body), text, transport)


async def _send(
    url: str,
    body: str,
    text: str,
    transport: Transport,
    headers: Mapping[str, str] | None = None,
    *,
    method: str = "POST",
) -> Answer:
    written = body.replace(f'"{MARK}"', json.dumps(text)).replace(SESSION, f"try-{uuid4().hex[:12]}")
    if method == "GET":
        separator = "&" if urlsplit(url).query else "?"
        url = f"{url}{separator}{urlencode(json.loads(written))}"
        return read(await transport.send("GET", url, headers=_ACCEPT))
    if method == "FORM":
        sent, kind = urlencode(json.loads(written)), KINDS["FORM"]
        return read(await transport.send("POST", url, headers={"Content-Type": kind, **_ACCEPT}, body=sent.encode()))
    kinds = {"Content-Type": KINDS["POST"], **_ACCEPT, **(headers or {})}
    return read(await transport.send("POST", url, headers=kinds, body=written.encode()))


def _short(body: Mapping[str, Json]) -> Json:
    return {key: value for key, value in body.items() if key not in SESSIONS + OTHER_SESSIONS}


def _preset(url: str, body: Mapping[str, Json], reply: str, answer: Answer, *, method: str = "POST") -> str:
    requests: dict[str, dict[str, Json]] = {
        "GET": {"method": "GET", "query": {**body}},
        "FORM": {"form": {**body}},
        "POST": {"body": _with_history(body)},
    }
    request = requests[method]
    preset: dict[str, Json] = {"url": url, **request, **answer.form, "reply": reply, "timeout": 30}
    if "set-cookie" in answer.headers:  # each conversation starts without one
        preset |= {
            "headers": {"Cookie": "{{cookie}}"},
            "keep_headers": {"cookie": "set-cookie"},
            "values": {"cookie": ""},
        }
    shown = yaml.safe_dump(preset, sort_keys=False)
    return f"# How to talk to the chatbot, as detected by Sparring.\n{shown}"


def _with_history(body: Mapping[str, Json]) -> dict[str, Json]:
    """Return the body of a preset, in which a list of messages is the whole conversation."""
    return {key: "{{messages}}" if isinstance(value, list) else value for key, value in body.items()}
