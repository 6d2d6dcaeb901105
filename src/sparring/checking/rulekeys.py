"""What may stand under each key of a rule file."""

from collections.abc import Callable
from typing import Any, get_args

from sparring.checking.meaning import MOST
from sparring.core.checks import Rule

_QUANTIFIERS = get_args(Rule.model_fields["quantifier"].annotation)


def _text(value: Any) -> str:
    if isinstance(value, list | dict):
        raise ValueError("should be text")
    return "" if value is None else str(value)


def _name(value: Any) -> str:
    text = _text(value).strip()
    if not text:
        raise ValueError("is empty")
    return text[:200]


def _expression(value: Any) -> str:
    if isinstance(value, list | dict):
        raise ValueError("should be an expression; one with { } or [ ] at its beginning needs quotes around it")
    if value is None or not str(value).strip():
        raise ValueError("is empty")
    return str(value)


def _conversations(value: Any) -> Any:
    if value == "all":
        return value
    if isinstance(value, bool) or not str(value).isascii() or not str(value).isdigit() or not 1 <= int(value) <= MOST:
        raise ValueError(f"should be a whole number from 1 to {MOST}, or all")
    return int(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("should be true or false")
    return value


def _share(value: Any) -> float:
    try:
        percent = isinstance(value, str) and value.strip().endswith("%")
        share = float(value.strip().removesuffix("%")) / 100 if percent else float(value)
    except (TypeError, ValueError):
        share = -1.0
    if isinstance(value, bool) or not 0 <= share <= 1:
        raise ValueError("should be a share such as 95% or 0.95")
    return share


def _confidence(value: Any) -> float:
    share = _share(value)
    if not 0.5 <= share < 1:
        raise ValueError("should be a share from 50% to below 100%")
    return share


def _quantifier(value: Any) -> str:
    if value not in _QUANTIFIERS:
        raise ValueError(f"should be one of: {', '.join(_QUANTIFIERS)}")
    return str(value)


KEYS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "name": ("name", _name),
    "description": ("description", _text),
    "conversations": ("conversations", _conversations),
    "active": ("active", _flag),
    "when": ("when", _expression),
    "if": ("if_", _expression),
    "then": ("then", _expression),
    "oracle": ("then", _expression),
    "yields": ("yields", _expression),
    "on-error": ("yields", _expression),
    "quantifier": ("quantifier", _quantifier),
    "at least": ("at_least", _share),
    "confidence": ("confidence", _confidence),
}
"""The keys of a rule file: which part of a rule each is, and how its value is read."""

SIGNS = frozenset({"then", "oracle", "when", "if", "yields"})
"""What stands at the top of rules, and of no scenario."""
