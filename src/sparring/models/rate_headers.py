"""What providers say about their limits: in the headers of every answer, or in the words of a refusal."""

import re
from collections.abc import Mapping
from datetime import datetime

_COUNTED = ("requests", "tokens")
_PART = (
    r"\d{1,9}(?:\.\d{1,9})?\s*"
    r"(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s|milliseconds?|ms)(?![a-z])"
)
_PARTS = rf"{_PART}(?:[\s,]*(?:and\s+)?{_PART})*"
_DURATION = re.compile(_PARTS, re.IGNORECASE | re.ASCII)
_AMOUNT = re.compile(r"([\d.]+)\s*(milli|ms|[a-z])", re.IGNORECASE | re.ASCII)
_IN_SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1, "ms": 0.001, "milli": 0.001}
_SECONDS = re.compile(r"\d{1,9}(?:\.\d{1,9})?", re.ASCII)
_EPOCH = re.compile(r"1\d{9}(?:\d{3})?", re.ASCII)
_ASKED = re.compile(
    rf"\b(?:(?:try\s+again|retry)\s+(?:in|after)|wait(?:\s+for)?)\s+({_PARTS})", re.IGNORECASE | re.ASCII
)


def nothing_left(headers: Mapping[str, str]) -> float | None:
    """The seconds until there is something left again, where `x-ratelimit-remaining-...` says that nothing is."""
    if "x-ratelimit-remaining-requests" not in headers and "x-ratelimit-remaining-tokens" not in headers:
        return None
    waits = [
        duration(headers.get(f"x-ratelimit-reset-{counted}", ""))
        for counted in _COUNTED
        if headers.get(f"x-ratelimit-remaining-{counted}", "").strip() == "0"
    ]
    return max((wait for wait in waits if wait), default=None)


def duration(text: str) -> float | None:
    """The seconds in `6m0s`, `1 minute and 30 seconds`, `120ms` or a bare number; None for anything else, such as a
    date."""
    text = text.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    if not _DURATION.fullmatch(text):
        return None
    return sum(float(number) * _IN_SECONDS[unit.lower()] for number, unit in _AMOUNT.findall(text))


def reset_at(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds until the moment in `x-ratelimit-reset`, in seconds or milliseconds since 1970."""
    moment = headers.get("x-ratelimit-reset", "").strip()
    if not _EPOCH.fullmatch(moment):
        return None
    seconds = float(moment) / (1000 if len(moment) > 10 else 1) - now.timestamp()
    return seconds if seconds > 0 else None


def asked_in_words(words: str) -> float | None:
    """The seconds in `Please retry in 12.4s`, which for some providers is the only place to say so."""
    found = _ASKED.search(words)
    return duration(found[1]) or None if found else None
