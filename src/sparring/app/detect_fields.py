"""Fields of requests to an unknown chatbot: usual ones, and those that a server describes or misses."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import getitem
from typing import Any

from sparring.app.detect_answers import Answer
from sparring.app.probe import places
from sparring.core.value import Json

KEYS = ("message", "text", "input", "query", "prompt", "question", "content", "user_input")
SESSIONS = ("session_id", "sender")
OTHER_SESSIONS = ("user", "session", "user_id", "username", "conversation_id", "chat_id", "thread_id")
MESSAGE_FIELDS = (
    *KEYS, "msg", "user_message", "userMessage", "userInput", "chatInput", "inputText", "utterance", "say", "body", "q",
    "nachricht", "frage", "eingabe", "mensaje", "texto", "pregunta", "entrada", "mensagem", "pergunta", "messaggio",
    "testo", "domanda", "texte", "Body",
)  # fmt: skip
SESSION_FIELDS = (
    *SESSIONS, "session", "conversation_id", "conversation", "chat_id", "thread_id", "user_id", "user", "username",
    "sessionId", "conversationId", "chatId", "threadId", "userId", "sid", "uid", "sitzung", "sesion", "From",
    "customer", "customer_id", "client", "client_id", "kunde", "benutzer", "nutzer", "cliente", "usuario",
    "utilisateur", "utente",
)  # fmt: skip
KINDS = {"POST": "application/json", "FORM": "application/x-www-form-urlencoded"}
"""Types of content by how a body is sent."""

_WANTED_FIELD = re.compile(r"required|missing|must|expected|need|provide|fehl|falta|manqu|obligator|manca")
_FIELD = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")

MARK = "{{message}}"
SESSION = "{{new_session}}"
NAMED_SESSION = re.compile(r"session|conversation|thread|sender|chat_?id|user_?id|^user$|\bsid\b", re.IGNORECASE)


def described_body(api: Mapping[str, Any], path: str, kind: str) -> dict[str, Json] | None:
    """Return the body that an OpenAPI description gives for an address; None if it has no text."""
    try:
        schema = api["paths"][path]["post"]["requestBody"]["content"][kind]["schema"]
        leaves = list(_leaves(schema, api))
    except (KeyError, TypeError, AttributeError, RecursionError):
        return None
    named = (NAMED_SESSION.search(".".join(each)) or set(each) & {*SESSION_FIELDS} for each in leaves)
    sessions = [each for each, is_session in zip(leaves, named, strict=True) if is_session]
    texts = [each for each in leaves if each not in sessions]
    likely = min(texts, key=lambda each: (not set(each) & set(KEYS), texts.index(each)), default=None)
    return _nested({likely: MARK, **dict.fromkeys(sessions, SESSION)}) if likely else None


def _leaves(schema: Mapping[str, Any], api: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the texts in a schema, the required ones of each object first."""
    schema = next(iter(schema.get("anyOf", ())), schema)  # one that may be null
    if "$ref" in schema:
        schema = reduce(getitem, schema["$ref"].removeprefix("#/").split("/"), api)
    fields = schema.get("properties", {})
    if schema.get("type") == "string":
        yield path
    for name in dict.fromkeys([*(each for each in schema.get("required", ()) if each in fields), *fields]):
        yield from _leaves(fields[name], api, (*path, name))


def _nested(values: Mapping[tuple[str, ...], Json]) -> dict[str, Json]:
    """Return a body with values at their paths."""
    found: dict[str, Any] = {}
    for (*outer, last), value in values.items():
        inner = found
        for name in outer:
            inner = inner.setdefault(name, {})
        inner[last] = value
    return found


def missing_fields(answer: Answer, body: Mapping[str, Json]) -> dict[str, Json] | None:
    """Return a body with the fields that an error names as missing: one of FastAPI, or a sentence."""
    try:
        details = json.loads(answer.body)["detail"]
        fields = [_below_body(each["loc"]) for each in details if _is_missing(each)]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        fields = _named_fields(answer.body)
    if not fields:
        return None
    texts = [field for field in fields if not NAMED_SESSION.search(field)]
    found: dict[str, Json] = {}
    for field in fields:
        *outer, last = field.split(".")
        inner = found
        for name in outer:
            below = inner.setdefault(name, {})
            if not isinstance(below, dict):
                return None
            inner = below
        inner[last] = MARK if texts[:1] == [field] else SESSION
    if not texts:  # only the session was missing
        found |= {key: value for key, value in body.items() if value != SESSION}
    return found


def _below_body(place: Sequence[str | int]) -> str:
    """Return the field at a place that an error of FastAPI names: "user.id"."""
    return ".".join(map(str, place[1:] if place[0] == "body" and len(place) > 1 else place))


def _named_fields(answer: bytes) -> list[str]:
    """Return the fields that an error names: "sessionId and input.text required"."""
    try:
        error = " ".join(str(value) for _, value in places(json.loads(answer)))
    except ValueError:
        error = answer.decode(errors="replace")
    if not _WANTED_FIELD.search(error.lower()):
        return []
    known = {*MESSAGE_FIELDS, *SESSION_FIELDS} - {"body"}
    return [name for name in dict.fromkeys(_FIELD.findall(error)) if name.rpartition(".")[2] in known]


def _is_missing(problem: Mapping[str, Json]) -> bool:
    """Return True for the error of a missing field, as pydantic 1 and 2 and others word it."""
    return "missing" in str(problem.get("type")) or "required" in str(problem.get("msg")).lower()
