"""Logs written into files and read again."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from sparring.core.conversation import Conversation
from sparring.rules.inputs.recordings import Conversations


def jsonl(path: Path, *values: object) -> Path:
    """Write values as JSON lines."""
    path.write_bytes(b"\n".join(map(orjson.dumps, values)))
    return path


def read(path: Path, **options: Any) -> list[Conversation]:
    """Return the conversations of a log in which nothing is skipped."""
    found = Conversations(path, **options)
    conversations = list(found)
    assert found.skipped == []
    return conversations


def problems(path: Path, **options: Any) -> list[str]:
    """Return the problems of a log without the names of files."""
    found = Conversations(path, **options)
    list(found)
    return [str(each).replace(each.file, "", 1) for each in found.skipped]


def said(conversation: Conversation) -> list[tuple[Any, ...]]:
    """Return what was said, with the calls of each message as (name, arguments, result or error, status)."""
    return [(each.role, each.text, *_calls(each.tool_calls)) for each in conversation.messages]


def _calls(calls: Iterable[Any]) -> Iterable[tuple[Any, ...]]:
    return [(call.name, call.arguments, call.error or call.result, call.status) for call in calls]
