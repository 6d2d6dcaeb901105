"""How words and figures stand on a page: nothing that was said can hide, turn text around, or pass for a figure."""

import json
from datetime import UTC, datetime
from math import floor, log10

from markupsafe import Markup

from sparring.core.clock import in_seconds
from sparring.core.text import visible
from sparring.core.value import Json

UNKNOWN = "–"
_SHORT = 80

_OUTCOMES = {"pass": "passed", "fail": "failed", "error": "undecided", "not_applicable": "void"}


def shown(text: str) -> str:
    """Text with its lines, in which every invisible character can be seen."""
    return "\n".join(visible(line) for line in text.replace("\r\n", "\n").split("\n"))


def plain(outcome: str) -> str:
    """An outcome of a conversation in a word."""
    return _OUTCOMES.get(outcome, outcome.replace("_", " "))


def number(value: float | None) -> str:
    """A figure with no more digits than it needs."""
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3g}"


def counted(count: int, one: str, many: str = "") -> str:
    """So many of something."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def money(dollars: float | None) -> str:
    """US dollars; what is unknown is not nothing."""
    if dollars is None:
        return "unknown"
    if dollars == 0 or dollars >= 1:
        return f"${dollars:,.2f}"
    digits = max(4, 1 - floor(log10(dollars)))  # so that the smallest sum is not shown as nothing
    return f"${dollars:.{digits}f}"


def seconds(value: float | None) -> str:
    """A time, in the unit that people would use."""
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
    """A share of all, in percent; only all of them are 100%, and only none are 0%."""
    if share is None:
        return UNKNOWN
    if share in (0, 1):
        return f"{share:.0%}"
    return f"{min(max(share * 100, 0.1), 99.9):.1f}%"


def moment(when: datetime | None) -> str:
    """A moment, in UTC."""
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M") if when else UNKNOWN


def as_json(value: Json) -> Markup:
    """A value as people read it, to stand inside an element and never in an attribute: quotes are left as they are."""
    text = shown(_written(value))
    return Markup(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def _written(value: Json, indent: str = "") -> str:
    """JSON in which whatever is short stands in one line."""
    short = json.dumps(value, ensure_ascii=False)
    if len(short) <= _SHORT or not isinstance(value, list | dict):
        return short
    more = f"{indent}  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(name, ensure_ascii=False)}: {_written(each, more)}" for name, each in value.items()]
        return f"{{\n{more}{f',{chr(10)}{more}'.join(parts)}\n{indent}}}"
    return f"[\n{more}{f',{chr(10)}{more}'.join(_written(each, more) for each in value)}\n{indent}]"
