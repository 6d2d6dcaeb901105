"""Answers of an unknown chatbot: JSON, plain text or a stream, and the place of the reply in them."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sparring.app.probe import places
from sparring.chatbots.response import Format, understand
from sparring.core.value import Json
from sparring.llm.client.transport import Response

HELLOS = ("Hello", "What can you do?")
ERROR = re.compile(r"\b(?:errors?|detail|exception|warning)\b", re.IGNORECASE)
"""Names of fields that hold an error instead of a reply, even with HTTP 200."""

FIRST_ERROR = 300
_ONE_OF_SEVERAL = re.compile(
    r"\[\d+\]$|(?<=messages)\[\d+\]|(?<=replies)\[\d+\]|(?<=responses)\[\d+\]|(?<=answers)\[\d+\]|(?<=generic)\[\d+\]"
)
"""Paths of one reply for chatbots that may send several."""
_NO_REPLY = re.compile(r"^(?:[\w-]{1,12}|[0-9a-f-]{16,}|\d[\d.:TZ+ -]*|https?://\S+)$")
_STREAMS = ("text/event-stream", "application/x-ndjson", "application/jsonl")
_DONE = "[DONE]"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as JSON, in which the parts of a stream are joined, and what a preset says of its format."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    form: Mapping[str, Json] = field(default_factory=dict)


def read(response: Response) -> Answer:
    """Return a response as an answer in JSON."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip()
    status, headers, body = response.status, response.headers, response.body
    if kind == "text/plain" and not _is_json(body):
        text = body.decode("utf-8", "replace")
        return Answer(status, headers, json.dumps(text).encode(), {"answer": "text"})
    if kind not in _STREAMS:
        return Answer(status, headers, body)
    events = understand(body, "events")
    texts: dict[str, list[str]] = {}
    for path, value in (place for event in events for place in places(event)):
        if isinstance(value, str):
            texts.setdefault(path, []).append(value)
    said = max(texts.values(), key=lambda pieces: sum(map(len, pieces)), default=[])
    form: Format = "events" if len(said) > 1 and all(map(_is_sentence, said)) else "deltas"
    joined: Json = None
    for event in events:
        joined = _joined(joined, event)
    final = {"final": _DONE} if body.rstrip().endswith(_DONE.encode()) else {}
    return Answer(status, headers, json.dumps(joined).encode(), {"answer": form, **final})


def _is_json(body: bytes) -> bool:
    try:
        return isinstance(json.loads(body), dict | list)
    except ValueError:
        return False


def _is_sentence(piece: str) -> bool:
    return len(piece.split()) > 1 and piece.rstrip()[-1:] in tuple(".?!")


def _joined(old: Json, new: Json) -> Json:
    """Return a value with that of the next event: texts follow each other, others are replaced."""
    if isinstance(old, str) and isinstance(new, str):
        return old + new
    if isinstance(old, dict) and isinstance(new, dict):
        return old | {key: _joined(old.get(key), value) for key, value in new.items()}
    if isinstance(old, list) and isinstance(new, list):
        both = [_joined(*pair) for pair in zip(old, new, strict=False)]
        return [*both, *old[len(both) :], *new[len(both) :]]
    return old if new is None else new


def texts_at(path: str, answer: Answer) -> Json:
    """Return the texts at the path of the reply; None for an error."""
    try:
        found = json.loads(answer.body) if answer.status < FIRST_ERROR else None
    except ValueError:
        return None
    if isinstance(found, list):
        found = found[0] if found else None
    wanted = path.removeprefix("[*].")
    return [value for place, value in places(found) if _ONE_OF_SEVERAL.sub("[*]", place) == wanted]


def reply_path(first: bytes, second: bytes) -> str | None:
    """Return the path of the text that differs between two answers; None if there is none."""
    try:
        before, after = json.loads(first), json.loads(second)
    except ValueError:
        return None
    if isinstance(after, list) and after and isinstance(after[0], dict):
        found = _differing(before[0] if isinstance(before, list) and before else {}, after[0])
        return f"[*].{found}" if found else None
    found = _differing(before, after)
    return found and _ONE_OF_SEVERAL.sub("[*]", found)


def _differing(before: Json, after: Json) -> str | None:
    """Return the path of the text with the most words, preferring texts that differ.

    A chatbot may greet first, whatever the message, so a text of several words need not differ.
    """
    earlier = dict(places(before))
    found = dict(places(after))
    texts = {path: value for path, value in found.items() if isinstance(value, str) and not _NO_REPLY.match(value)}
    likely = {
        path: text for path, text in texts.items() if text.strip() and text not in HELLOS and not ERROR.search(path)
    }
    differing = [path for path in likely if likely[path] != earlier.get(path)]
    sentences = [path for path in likely if len(likely[path].split()) > 2]
    spoken = [path for path in differing if path in sentences]
    return max(spoken or sentences or differing, key=lambda path: len(likely[path].split()), default=None)
