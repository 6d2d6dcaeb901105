"""Reading preset files, and refusing at once what could not work later."""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import TypeVar

from sparring.chatbots.preset import Asking, Preset
from sparring.chatbots.templates import gaps
from sparring.core.errors import InputError, Problem
from sparring.core.value import Json
from sparring.documents import Data, Document, KeyPath, validate

_WEB = re.compile(r"https?://[^/\s?#]+")
_ADDRESS = "{{address}}"
Kind = TypeVar("Kind", bound=Asking)


def read_preset(document: Document, environment: Mapping[str, str], *, address: str = "") -> Preset:
    """The preset in a file, with `{{address}}` filled in; an InputError with everything that could not work."""
    preset = validate(document, Preset)
    preset = _placed(preset, address) if address else preset
    problems = [*_unset(document, environment), *_nowhere(document, preset, environment), *_mute(document, preset)]
    if problems:
        raise InputError(problems)
    return preset


def environment_of(preset: Preset, environment: Mapping[str, str]) -> dict[str, str]:
    """What a preset asks of the environment, and nothing else of it."""
    _, names = gaps([*map(templates, preset.requests), preset.values])
    return {name: environment[name] for name in names}


def templates(asking: Asking) -> list[Json]:
    """Everything in a request that may have gaps."""
    return [asking.url, dict(asking.headers), asking.query, asking.body, asking.form]


def _placed(preset: Preset, address: str) -> Preset:
    """The preset with its address, which may be given whole or only as its beginning."""
    base = address.rstrip("/").removesuffix(preset.url.removeprefix(_ADDRESS))
    return _moved(preset, base).model_copy(
        update={
            "start": tuple(_moved(start, base) for start in preset.start),
            "reset": preset.reset and _moved(preset.reset, base),
        }
    )


def _moved(asking: Kind, base: str) -> Kind:
    return asking.model_copy(update={"url": asking.url.replace(_ADDRESS, base)})


def _unset(document: Document, environment: Mapping[str, str]) -> Iterator[Problem]:
    """Every `${NAME}` that the environment does not hold."""
    for path, text in _texts(document.data, ()):
        for name in sorted(gaps(text)[1] - environment.keys()):
            meant = get_close_matches(name, environment, n=1, cutoff=0.8)
            hint = f"did you mean {meant[0]}?" if meant else f"export {name}=..."
            yield document.problem(path, f"the environment variable {name} is not set", hint)


def _texts(data: Data, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(data, str):
        yield path, data
    elif isinstance(data, dict):
        for name, value in data.items():
            yield from _texts(value, (*path, name))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _texts(value, (*path, index))


def _nowhere(document: Document, preset: Preset, environment: Mapping[str, str]) -> Iterator[Problem]:
    """Every request whose address is none."""
    listed = isinstance(document.data, dict) and isinstance(document.data.get("start"), list)
    starts: list[tuple[KeyPath, Asking]] = [
        (("start", index) if listed else ("start",), start) for index, start in enumerate(preset.start)
    ]
    resets: list[tuple[KeyPath, Asking]] = [(("reset",), preset.reset)] if preset.reset else []
    for path, asking in [((), preset), *resets, *starts]:
        url = re.sub(r"\$\{(\w+)\}", lambda gap: environment.get(gap[1], "http://unset"), asking.url)
        if _ADDRESS in url:
            yield document.problem(
                (*path, "url"), "asks for an address", "write it behind the name: rasa:http://localhost:5005"
            )
        elif not _WEB.match(url):
            yield document.problem((*path, "url"), "is no web address", "http://... or https://...")


def _mute(document: Document, preset: Preset) -> Iterator[Problem]:
    """A preset that never says what the user says."""
    if not gaps(templates(preset))[0] & {"message", "messages"}:
        yield document.problem(
            (), "nothing sends what the user says", 'put "{{message}}" into `body`, `form` or `query`'
        )
