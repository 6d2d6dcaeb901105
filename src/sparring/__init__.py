"""Sparring: the test bench for chatbots that tells you whether to trust the result.

This is the public API. Every name is imported when it is first used, so `import sparring` loads nothing else.
"""

import os
from importlib import import_module

with open(os.path.join(os.path.dirname(__file__), "__init__.pyi"), encoding="utf-8") as _names:
    _HOME = {words[3]: words[1] for words in map(str.split, _names) if words[:1] == ["from"]}
"""The module of every public name."""

_PACKAGES = ("statistics", "testing")
"""Packages that are public, too."""

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name in _HOME:
        value = globals()[name] = getattr(import_module(_HOME[name]), name)
        return value
    if name in _PACKAGES:
        return import_module(f"sparring.{name}")
    raise AttributeError(f"module 'sparring' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})
