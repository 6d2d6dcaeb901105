"""Format text and numbers for HTML.

Invisible characters and bidirectional controls in messages become visible.
"""

import json
import re
from datetime import UTC, datetime
from math import floor, log10

from markupsafe import Markup

from sparring.core.clock import in_seconds
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.reports import rate_text

UNKNOWN = "–"
_LINE_LENGTH = 80
_FOLDERS = re.compile(r"(?<![^\s'\"(=:])(?:~?/|[A-Za-z]:\\)(?:[^\s/\\:'\"<>]+[/\\])+(?=[^\s/\\])")
"""The folders of an absolute path, which tell about the machine that the text is from."""


def shown(text: str) -> str:
    """Return the text with its line breaks, and every invisible character escaped."""
    return "\n".join(visible(line) for line in text.replace("\r\n", "\n").split("\n"))


def portable(text: str) -> str:
    """Return a text with file names in place of absolute paths; web addresses stay."""
    return _FOLDERS.sub("", text)


_CHIPS = {
    "pass": ("passed", "pass", "PASSED", "completed", "better", "holds"),
    "fail": ("failed", "fail", "FAILED", "worse", "violated"),
    "open": ("undecided", "error", "UNDECIDED", "STOPPED", "cancelled", "inconclusive"),
    "run": ("running", "pending", "RUNNING"),
}


def chip_kind(value: str) -> str:
    """Return the kind of chip for an outcome, a status, or the word of a sentence."""
    return next((kind for kind, values in _CHIPS.items() if value in values), "void")


def plain(outcome: str) -> str:
    """Return an outcome as words."""
    return outcome.replace("_", " ")


def number(value: float | None) -> str:
    """Format a number with up to three significant digits."""
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3g}"


def counted(count: int, one: str, many: str = "") -> str:
    """Format a count with its noun, such as `3 turns`."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def money(dollars: float | None) -> str:
    """Format US dollars; None is "unknown"."""
    if dollars is None:
        return "unknown"
    if dollars == 0 or dollars >= 1:
        return f"${dollars:,.2f}"
    digits = max(4, 1 - floor(log10(dollars)))  # so that a small amount is not shown as zero
    return f"${dollars:.{digits}f}"


def seconds(value: float | None) -> str:
    """Format a duration in a suitable unit."""
    if value is None:
        return UNKNOWN
    if value < 1:
        return f"{value * 1000:,.0f} ms"
    if value < 60:
        return in_seconds(value)
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def percent(share: float | None) -> str:
    """Format a share in whole percent. Only exact shares of 0 and 1 are shown as 0 % and 100 %."""
    return UNKNOWN if share is None else f"{rate_text.percent(share)} %"


def moment(when: datetime | None) -> str:
    """Format a point in time in UTC."""
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M") if when else UNKNOWN


def as_json(value: Json) -> Markup:
    """Format a value as indented JSON for element content.

    Quotes are not escaped, so never use it in an attribute.
    """
    text = shown(_indented(value))
    return Markup(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def _indented(value: Json, indent: str = "") -> str:
    """Return JSON with short values on one line."""
    short = json.dumps(value, ensure_ascii=False)
    if len(short) <= _LINE_LENGTH or not isinstance(value, list | dict):
        return short
    more = f"{indent}  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(name, ensure_ascii=False)}: {_indented(each, more)}" for name, each in value.items()]
        return f"{{\n{more}{f',{chr(10)}{more}'.join(parts)}\n{indent}}}"
    return f"[\n{more}{f',{chr(10)}{more}'.join(_indented(each, more) for each in value)}\n{indent}]"
