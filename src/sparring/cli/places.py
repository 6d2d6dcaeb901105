"""Every place in a JSON answer, written as presets write it."""

import re
from collections.abc import Iterator

from sparring.core.value import Json

_PLAIN = re.compile(r"""[^\s.\[\]"'$]+""")


def places(answer: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    """The paths to everything that holds nothing further, with what is there; `$` is the whole answer."""
    if isinstance(answer, dict) and answer:
        for name, value in answer.items():
            if (step := _step(name)) is not None:
                yield from places(value, f"{path}.{step}" if path and not step.startswith("[") else path + step)
    elif isinstance(answer, list) and answer:
        for index, value in enumerate(answer):
            yield from places(value, f"{path}[{index}]")
    else:
        yield path or "$", answer


def _step(name: str) -> str | None:
    """The step to an entry; None for a name that no path can hold."""
    if _PLAIN.fullmatch(name):
        return name
    quote = next((quote for quote in "\"'" if quote not in name), None)
    return quote and f"[{quote}{name}{quote}]"
