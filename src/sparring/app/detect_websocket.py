"""Detection of how a chatbot behind a WebSocket speaks: the frame to send, and the place of the reply."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

import yaml

from sparring.app.detect import HELLOS, KEYS, MARK, reply_path
from sparring.chatbots.contact import ServerContact
from sparring.chatbots.websocket import SocketChatbot, SocketPreset
from sparring.core.case import Case
from sparring.core.clock import SystemClock
from sparring.core.errors import ChatbotError, ChatbotTimeout, ChatbotUnreachable, InputError
from sparring.core.message import message
from sparring.core.value import Json
from sparring.llm.client.network import Network
from sparring.llm.client.transport import NoConnection

_GREETING_SECONDS = 1.0
_REPLY_SECONDS = 10.0
_QUIET = 0.5
_MOST_WHOLE = 2
"""Frames of a reply; more of the same place are pieces of a text."""

_BODIES: tuple[Json, ...] = (
    MARK,
    *(dict[str, Json]({key: MARK}) for key in KEYS),
    *(dict[str, Json]({"type": "message", key: MARK}) for key in ("text", "content", "message")),
)
_REFUSAL = re.compile(r"\b(?:json|invalid|malformed|parse|expected|unknown)\b", re.IGNORECASE)


async def detect_websocket(url: str, environment: Mapping[str, str]) -> str:
    """Return a preset for the chatbot at an address. Raise InputError if none of the attempts succeeds.

    Raise NoConnection if no server answers. Each attempt is a conversation of two messages; a reply has ended if half a
    second brings no more frames.
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
            return _written(url, body, found, greets=bool(opening))
        tried.append(f"{json.dumps(body)} → {second[-1][:80]!r}")
    raise InputError(
        f"{url}: no way to speak to it was found: {'; '.join(tried)}",
        hint="sparring schema websocket",
    )


async def _greeting(url: str, environment: Mapping[str, str]) -> dict[str, Json]:
    """Return the start of a preset that waits for a greeting, or an empty one if none comes."""
    opening: dict[str, Json] = {"start": {"reply": "$"}}
    preset = {"url": url, "body": MARK, "reply": "$", "answer": "text", **opening}
    with suppress(ChatbotTimeout):
        await _replies(preset, _GREETING_SECONDS, environment, said=())
        return opening
    return {}


async def _replies(
    preset: Mapping[str, Json], seconds: float, environment: Mapping[str, str], said: Sequence[str] = HELLOS
) -> list[list[str]]:
    """Return the frames that answer each message of a conversation. Raise NoConnection, or ChatbotError."""
    frames: list[str] = []
    replies = []

    def hear(_where: str, frame: str, _secrets: Sequence[str]) -> None:
        frames.append(frame)

    chatbot = SocketChatbot(
        SocketPreset.model_validate(preset),
        environment,
        seconds,
        hear,
        ServerContact(SystemClock()),
        Network(environment),
    )
    async with chatbot.connect(Case(id="hello")) as session:
        for line in said:
            frames.clear()
            await session.reply(message("user", line))
            replies.append([*frames])
    return replies


def _places(first: Sequence[str], second: Sequence[str]) -> dict[str, Json] | None:
    """Return where the words of two replies are, as keys of a preset; None if they tell no reply."""
    if not all(map(_is_json, [*first, *second])):
        told = " ".join(second)
        return {"answer": "text", "reply": "$"} if first != second and not _REFUSAL.search(told) else None
    paths = [path for before in first for after in second if (path := reply_path(before.encode(), after.encode()))]
    if not paths:
        return None
    best = max(paths, key=paths.count)
    pieces = sum(reply_path(b"{}", each.encode()) == best for each in second)
    return {"answer": "deltas", "reply": best} if pieces > _MOST_WHOLE else {"reply": best}


def _is_json(frame: str) -> bool:
    with suppress(ValueError):
        return isinstance(json.loads(frame), dict | list)
    return False


def _written(url: str, body: Json, found: Mapping[str, Json], *, greets: bool) -> str:
    preset = {"url": url, "body": body, **found, "quiet": _QUIET, "timeout": 30}
    if greets:
        preset |= {"start": {"reply": found["reply"]}}
    return f"# How to talk to the chatbot, as Sparring found out.\n{yaml.safe_dump(preset, sort_keys=False)}"
