"""Detection of how a chatbot behind a WebSocket speaks: the frame to send, and the place of the reply."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import yaml

from sparring.app.detect_answers import HELLOS, reply_path
from sparring.app.detect_fields import KEYS, MARK
from sparring.app.probe import places
from sparring.chatbots.contact import ServerContact
from sparring.chatbots.websocket import ReplyCut, SocketChatbot, SocketPreset
from sparring.core.case import Case
from sparring.core.clock import SystemClock
from sparring.core.errors import ChatbotError, ChatbotTimeout, ChatbotUnreachable, InputError
from sparring.core.message import message
from sparring.core.value import Json
from sparring.llm.client.network import Network
from sparring.llm.client.transport import NoConnection
from sparring.probes.lines import lines_of

_GREETING_SECONDS = 1.0
_REPLY_SECONDS = 10.0
_QUIET = 0.5
_LISTENING = 1.5
"""Seconds of silence after which a reply counts as ended during detection."""

_SHORTEST, _LONGEST = 0.15, 3.0
"""Bounds of the `quiet` of a preset."""

_GAPS, _MARGIN = 1.5, 0.1
"""A reply has ended after this multiple of the longest gap between two of its frames, plus this many seconds."""

_UNSURE = 10.0
"""`quiet` beside `until`: seconds of silence after which a reply without its last frame has ended."""

_MOST_WHOLE = 2
"""Most frames of a reply that are separate messages; more with one path are pieces of a text."""

_BODIES: tuple[Json, ...] = (
    MARK,
    *(dict[str, Json]({key: MARK}) for key in KEYS),
    *(dict[str, Json]({"type": "message", key: MARK}) for key in ("text", "content", "message")),
)
_ENDS = re.compile(r"(?:is_?)?(?:done|final|finished|complete|completed|last|end|eos)", re.IGNORECASE)
_TYPING = re.compile(r"typing|thinking|presence", re.IGNORECASE)
_REFUSAL = re.compile(r"\b(?:json|invalid|malformed|parse|expected|unknown)\b", re.IGNORECASE)


async def detect_websocket(url: str, environment: Mapping[str, str]) -> str:
    """Return a preset for the chatbot at an address. Raise InputError if no attempt succeeds.

    Raise NoConnection if no server answers. Each attempt is a conversation of two messages; a reply ends after half a
    second without frames. Two more conversations show which frame or which pause ends a reply.
    """
    try:
        opening = await _greeting(url, environment)
    except ChatbotUnreachable as error:
        raise NoConnection(str(error)) from error
    tried = []
    for body in _BODIES:
        preset = {"url": url, "body": body, "reply": "$", "answer": "text", "quiet": _QUIET, **opening}
        try:
            first, second = await _replies(preset, _REPLY_SECONDS, environment)
        except ChatbotError as error:
            tried.append(f"{json.dumps(body)} → {error}")
            continue
        if (found := _places(first, second)) is not None:
            start = {"start": {"reply": found["reply"]}} if opening else {}
            preset = {"url": url, "body": body, **found, **start}
            return _written({**preset, **await _ending(preset, environment), "timeout": 30})
        tried.append(f"{json.dumps(body)} → {second[-1].text[:80]!r}")
    raise InputError(
        f"{url}: found no way to talk to it: {'; '.join(tried)}",
        hint="sparring schema websocket",
    )


async def _greeting(url: str, environment: Mapping[str, str]) -> dict[str, Json]:
    """Return the start of a preset that waits for a greeting, or an empty one if none comes."""
    opening: dict[str, Json] = {"start": {"reply": "$"}}
    preset = {"url": url, "body": MARK, "reply": "$", "answer": "text", **opening}
    with suppress(ChatbotTimeout):
        with suppress(ReplyCut):  # the greeting is its first frame, and all that comes with it
            await _replies(preset, _GREETING_SECONDS, environment, said=())
        return opening
    return {}


class _Frame(NamedTuple):
    """A frame, and the seconds since the frame or message before it."""

    text: str
    after: float


async def _replies(
    preset: Mapping[str, Json], seconds: float, environment: Mapping[str, str], said: Sequence[str] = HELLOS
) -> list[list[_Frame]]:
    """Return the frames that answer each message of a conversation. Raise NoConnection or ChatbotError."""
    frames: list[_Frame] = []
    replies = []
    now = asyncio.get_running_loop().time
    last = now()

    def on_frame(_where: str, frame: str, _secrets: Sequence[str]) -> None:
        nonlocal last
        before, last = last, now()
        frames.append(_Frame(frame, last - before))

    chatbot = SocketChatbot(
        SocketPreset.model_validate(preset),
        environment,
        seconds,
        on_frame,
        ServerContact(SystemClock()),
        Network(environment),
    )
    async with chatbot.connect(Case(id="hello")) as session:
        for line in said:
            frames.clear()
            last = now()
            await session.reply(message("user", line))
            replies.append([*frames])
    return replies


def _places(first: Sequence[_Frame], second: Sequence[_Frame]) -> dict[str, Json] | None:
    """Return the places of the words in two replies as keys of a preset; None if there are none."""
    if not all(_is_json(each.text) for each in [*first, *second]):
        joined = " ".join(each.text for each in second)
        same = [each.text for each in first] == [each.text for each in second]
        return {"answer": "text", "reply": "$"} if not same and not _REFUSAL.search(joined) else None
    paths = [path for old in first for new in second if (path := reply_path(old.text.encode(), new.text.encode()))]
    if not paths:
        return None
    best = max(paths, key=paths.count)
    pieces = sum(reply_path(b"{}", each.text.encode()) == best for each in second)
    return {"answer": "deltas", "reply": best} if pieces > _MOST_WHOLE else {"reply": best}


async def _ending(preset: Mapping[str, Json], environment: Mapping[str, str]) -> dict[str, Json]:
    """Return how a reply ends, as keys of a preset: by its last frame, else by a pause."""
    lines = lines_of("en")
    talks = [(*HELLOS,), (lines["order"], lines["facts"][0][0])]
    patient = {**preset, "quiet": _LISTENING}
    try:
        received = await asyncio.gather(*(_replies(patient, _REPLY_SECONDS, environment, talk) for talk in talks))
    except ChatbotError:
        return {"quiet": _QUIET}
    replies = [reply for talk in received for reply in talk]
    for path, value in _last_frame(replies, str(preset["reply"])):
        ending: dict[str, Json] = {"until": {"path": path, "equals": value}, "quiet": _UNSURE}
        with suppress(ChatbotError):
            if min(map(len, await _replies({**preset, **ending}, _REPLY_SECONDS, environment))) > 1:
                return ending
    gaps = [each.after for reply in replies for each in reply[1:]]
    waits = [reply[0].after for reply in replies]
    quiet = max(_SHORTEST, _GAPS * max(gaps, default=0) + _MARGIN, max(waits) / 2)
    return {"quiet": round(min(quiet, _LONGEST), 2)}


def _is_json(frame: str) -> bool:
    with suppress(ValueError):
        return isinstance(json.loads(frame), dict | list)
    return False


def _last_frame(replies: Sequence[Sequence[_Frame]], reply: str) -> Iterator[tuple[str, Json]]:
    """Yield what only the last frame of every reply holds, with its path.

    A frame with words, or one that says that typing has ended, may be followed by another one in a longer reply.
    """
    if not all(len(frames) > 1 and all(_is_json(each.text) for each in frames) for frames in replies):
        return
    held = [[dict(places(json.loads(each.text))) for each in frames] for frames in replies]
    earlier = [item for frames in held for each in frames[:-1] for item in each.items()]
    for path, value in held[0][-1].items():
        shared = all(each[-1].get(path) == value for each in held) and (path, value) not in earlier
        named = _ENDS.fullmatch(path.rpartition(".")[2]) and value is True
        wordless = not any(reply_path(b"{}", frames[-1].text.encode()) == reply for frames in replies)
        if value is not None and shared and (named or wordless) and not _TYPING.search(f"{path} {value}"):
            yield path, value


def _written(preset: Mapping[str, Json]) -> str:
    return f"# How to talk to the chatbot, as detected by Sparring.\n{yaml.safe_dump(dict(preset), sort_keys=False)}"
