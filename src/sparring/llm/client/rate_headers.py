"""Limits that providers state in the headers and texts of their responses."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_NUMBER = re.compile(r"\d{1,12}(\.\d{1,12})?", re.ASCII)
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
    """Return the seconds until a used-up quota (`x-ratelimit-remaining-...: 0`) is reset, or None."""
    if "x-ratelimit-remaining-requests" not in headers and "x-ratelimit-remaining-tokens" not in headers:
        return None
    waits = [
        duration(headers.get(f"x-ratelimit-reset-{counted}", ""))
        for counted in _COUNTED
        if headers.get(f"x-ratelimit-remaining-{counted}", "").strip() == "0"
    ]
    return max((wait for wait in waits if wait), default=None)


def duration(text: str) -> float | None:
    """Return the seconds in `6m0s`, `1 minute and 30 seconds`, `120ms` or a plain number, else None."""
    text = text.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    if not _DURATION.fullmatch(text):
        return None
    return sum(float(number) * _IN_SECONDS[unit.lower()] for number, unit in _AMOUNT.findall(text))


def reset_at(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds until the time in `x-ratelimit-reset`.

    It is given in seconds or milliseconds since 1970.
    """
    moment = headers.get("x-ratelimit-reset", "").strip()
    if not _EPOCH.fullmatch(moment):
        return None
    seconds = float(moment) / (1000 if len(moment) > 10 else 1) - now.timestamp()
    return seconds if seconds > 0 else None


def asked_in_words(words: str) -> float | None:
    """Return the seconds in a text such as `Please retry in 12.4s`, or None."""
    found = _ASKED.search(words)
    return duration(found[1]) or None if found else None


def server_time(headers: Mapping[str, str], now: datetime) -> datetime:
    """Return the time of the server's clock, which may be minutes apart from ours."""
    try:
        return _moment(headers.get("date", ""))
    except (ValueError, OverflowError):
        return now


def _moment(date: str) -> datetime:
    moment = parsedate_to_datetime(date)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds a response asks to wait, stated in (milli)seconds or as a date, or None."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if _NUMBER.fullmatch(value):
            return float(value) * unit or None
    try:
        seconds = (_moment(headers.get("retry-after", "")) - now).total_seconds()
    except (ValueError, OverflowError):
        return None
    return seconds if seconds > 0 else None
