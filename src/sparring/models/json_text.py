"""The JSON inside what a model wrote around it."""

import json
import re
from typing import Any

_MOST_STARTS = 200  # a text with more braces that open nothing is no answer, and reading it would take long
_THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)


def first_object(text: str) -> dict[str, Any] | None:
    """The first complete JSON object in `text`, whatever prose, code fences or thoughts surround it."""
    text = _THINKING.sub("", text)
    start = text.find("{")
    for _ in range(_MOST_STARTS):
        if start < 0:
            return None
        try:
            found: dict[str, Any] = _DECODER.raw_decode(text, start)[0]
            return found
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
    return None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse, strict=False)  # models put line breaks into strings
