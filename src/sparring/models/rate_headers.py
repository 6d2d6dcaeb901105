"""What providers say about their limits in the headers of every answer."""

import re
from collections.abc import Mapping

_COUNTED = ("requests", "tokens")
_DURATION = re.compile(
    r"(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?", re.ASCII
)
_SECONDS = re.compile(r"\d{1,9}(?:\.\d{1,9})?", re.ASCII)


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
    """The seconds in `6m0s`, `1.5s`, `120ms` or a bare number; None for anything else, such as a date."""
    text = text.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    found = _DURATION.fullmatch(text)
    if not text or found is None:
        return None
    hours, minutes, seconds, milliseconds = (float(part or 0) for part in found.groups())
    return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000
