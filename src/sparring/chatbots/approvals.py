"""Approvals of tool calls: an agent asks for one, and the user's next message grants or refuses it."""

import json
from collections.abc import Iterable
from typing import NamedTuple

from sparring.core.message import Button, Part, Text
from sparring.core.value import Json
from sparring.extraction.speech_acts import is_agreement, is_denial

BUTTONS = (Button(title="Approve"), Button(title="Reject"))


class WaitingCall(NamedTuple):
    """A tool call that waits for an approval, with the ids of both."""

    approval: str
    id: str
    name: str
    arguments: Json


def question(name: str, arguments: Json) -> str:
    """Return the question for the approval of a tool call."""
    return f"Approve {name}({arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)})?"


def questions(waiting: Iterable[WaitingCall]) -> tuple[Part, ...]:
    """Return the questions for the approval of tool calls, with buttons."""
    return tuple(part for each in waiting for part in (Text(text=question(each.name, each.arguments)), *BUTTONS))


def decision(text: str) -> bool | None:
    """Return True for the user's approval, False for a refusal, and None for words that are neither."""
    word = text.strip().casefold()
    if word == "reject" or is_denial(text):
        return False
    return True if word == "approve" or is_agreement(text) else None
