"""Repairs of lines in which a model wrapped the user's words."""

import json
import re
from dataclasses import dataclass

from sparring.core.text import without_thoughts

_FENCE = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)
_LABEL = re.compile(
    r"\A[*_]{0,2}(?:user|customer|client|me|usuari[oa]|cliente|yo|пользователь|клиент|покупатель|я)"
    r"[*_]{0,2} ?:[*_]{0,2}\s+",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "“": "”", "«": "»", "'": "'", "„": "“"}
_END_CALL = re.compile(r"[`*\[(]{0,3}\bend_conversation\b(?:\([^()\n]{0,80}\))?[`*\])]{0,3}[.;]?")


@dataclass(frozen=True, slots=True)
class RepairedLine:
    """A line as it is said, True if it ends the conversation, and the names of its repairs."""

    text: str
    ends: bool = False
    repairs: tuple[str, ...] = ()


def repaired(text: str) -> RepairedLine:
    """Return a line without reasoning, label, quotes, JSON, and an end written as text."""
    repairs: list[str] = []
    ends = False
    for name, repair in (
        ("reasoning", without_thoughts),
        ("json", _unwrapped),
        ("label", _unlabelled),
        ("quotes", _unquoted),
    ):
        plain = repair(text).strip()
        if plain != text.strip():
            repairs.append(name)
        text = plain
    if _END_CALL.search(text):
        text, ends = _END_CALL.sub("", text).strip(), True
        repairs.append("end_conversation")
    return RepairedLine(text.strip(), ends, tuple(repairs))


def _unwrapped(text: str) -> str:
    """Return the text of a JSON object with one field of text, else the text itself."""
    text = text.strip()
    fenced = _FENCE.match(text)
    inside = fenced[1].strip() if fenced else text
    if not inside.startswith("{"):
        return text
    try:
        found = json.loads(inside)
    except (ValueError, RecursionError):
        return text
    values = list(found.values()) if isinstance(found, dict) else []
    return values[0] if len(values) == 1 and isinstance(values[0], str) else text


def _unlabelled(text: str) -> str:
    return _LABEL.sub("", text)


def _unquoted(text: str) -> str:
    closing = _QUOTES.get(text[:1])
    inner = text[1:-1]
    if closing is None or len(text) < 3 or text[-1] != closing or closing in inner or text[0] in inner:
        return text
    return inner
