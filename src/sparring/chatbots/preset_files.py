"""Loading and validation of preset files."""

import re
from collections.abc import Iterator, Mapping
from typing import TypeVar

from sparring.chatbots.placeholders import PlaceholderValues, asked, fill_text, variables
from sparring.chatbots.preset import Preset, RequestTemplate
from sparring.core.errors import InputError, Problem
from sparring.core.text import closest_name
from sparring.core.value import Json
from sparring.parsing import Data, Document, KeyPath, validate

_NAME = re.compile(r"\{\{[^{}]*\}\}")
_ADDRESS = "{{address}}"
Kind = TypeVar("Kind", bound=RequestTemplate)


def read_preset(document: Document, environment: Mapping[str, str], *, address: str = "") -> Preset:
    """Return the preset in a file, with its address. Raise InputError with all problems.

    The text after `#` in the address is `{{model}}`.
    """
    preset = _placed(validate(document, Preset), address)
    problems = [
        *unset(document, environment),
        *_nowhere(document, preset, environment),
        *mute(document, templates(preset), 'put "{{message}}" into `body`, `form` or `query`'),
    ]
    if problems:
        raise InputError(problems)
    return preset


def environment_of(sent: Json, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables that a preset uses."""
    names = variables(sent)
    return {name: environment[name] for name in names & environment.keys()}


def templates(asking: RequestTemplate) -> list[Json]:
    """Return all parts of a request that may have placeholders."""
    others = [each.body for each in (asking.interrupt, asking.stored) if each] if isinstance(asking, Preset) else []
    return [asking.url, dict(asking.headers), asking.query, asking.body, asking.form, *others]


def _placed(preset: Preset, address: str) -> Preset:
    """Return the preset with its address, completing a base address."""
    base, _, model = (address or preset.address).partition("#")
    if not base:
        return preset
    base = base.rstrip("/").removesuffix(preset.url.removeprefix(_ADDRESS))
    return _moved(preset, base).model_copy(
        update={
            "start": tuple(_moved(start, base) for start in preset.start),
            "reset": preset.reset and _moved(preset.reset, base),
            "facts": preset.facts and _moved(preset.facts, base),
            "state": preset.state and _moved(preset.state, base),
            "values": preset.values | ({"model": model} if model else {}),
        }
    )


def _moved(asking: Kind, base: str) -> Kind:
    return asking.model_copy(update={"url": asking.url.replace(_ADDRESS, base)})


def unset(document: Document, environment: Mapping[str, str]) -> Iterator[Problem]:
    """Yield a problem for every `${NAME}` that is not set."""
    for path, text in _texts(document.data, ()):
        for name in sorted(name for name in variables(text, needed=True) if not environment.get(name)):
            meant = closest_name(name, sorted(environment.keys() - {name}), cutoff=0.8)
            hint = f"did you mean {meant}?" if meant else f"export {name}=..."
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
    """Yield a problem for every request without a valid address."""
    listed = isinstance(document.data, dict) and isinstance(document.data.get("start"), list)
    starts = [(("start", index) if listed else ("start",), start.url) for index, start in enumerate(preset.start)]
    others: list[tuple[KeyPath, str]] = [
        ((name,), asking.url)
        for name, asking in (("reset", preset.reset), ("facts", preset.facts), ("state", preset.state))
        if asking is not None
    ]
    for path, url in [((), preset.url), *others, *starts]:
        yield from no_address(document, (*path, "url"), url, environment, "http")


def no_address(
    document: Document, path: KeyPath, url: str, environment: Mapping[str, str], scheme: str
) -> Iterator[Problem]:
    """Yield the problems of an address, filled as far as possible."""
    if _ADDRESS in url:
        yield document.problem(path, "asks for an address", "write it behind the name: rasa:http://localhost:5005")
    elif all(environment.get(name) for name in variables(url, needed=True)):
        filled = fill_text(_NAME.sub("name", url), PlaceholderValues({}, environment))
        if not re.match(rf"{scheme}s?://[^/\s?#]", filled):
            yield document.problem(path, "is not a usable address", f"{scheme}://... or {scheme}s://...")


def mute(document: Document, sent: Json, hint: str) -> Iterator[Problem]:
    """Yield a problem if a preset never sends the user's message."""
    if not asked(sent) & {"message", "messages", "ui_messages"}:
        yield document.problem((), "the message of the user is not sent", hint)
