"""Statistics of cases with repeats nested in them: rates, differences and sample sizes.

Pure functions on plain sequences; nothing else of Sparring is imported. Each name is imported when it is first used,
because numpy takes longer than a short command. Decisions and sources: docs/decisions/0033.
"""

import os
from importlib import import_module

with open(os.path.join(os.path.dirname(__file__), "__init__.pyi"), encoding="utf-8") as _names:
    _HOME = {words[3]: words[1] for words in map(str.split, _names) if words[:1] == ["from"]}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
