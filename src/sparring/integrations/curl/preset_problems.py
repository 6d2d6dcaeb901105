"""Problems that can be mended in the text of a preset: constant session, secrets, path of the reply."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import yaml

from sparring.app.detect import NAMED_SESSION
from sparring.integrations.curl.preset import SECRET_NAME, SecretVariables
from sparring.llm.redaction import redact

_SENT = ("headers", "query", "body", "form")
_BLOCKS = ("|", ">")


@dataclass(frozen=True, slots=True)
class PresetProblem:
    """A problem without its secret, and the corrected text from `start` to `end` of the file."""

    text: str
    start: int
    end: int
    right: str
    secrets: dict[str, str] = field(default_factory=dict, repr=False)


def problems_of(text: str) -> list[PresetProblem]:
    """Return the constant sessions and literal secrets in the text of a preset."""
    secrets, found = SecretVariables(), dict[int, PresetProblem]()
    for part, value in _entries(yaml.compose(text, yaml.SafeLoader)):
        if part not in _SENT:
            continue
        for name, node in _scalars(value, part, set()):
            value_text, where = str(node.value), f"{part}.{name}"
            if not value_text or "{{" in value_text or "${" in value_text or node.style in _BLOCKS:
                continue
            start, end = node.start_mark.index, node.end_mark.index
            if not node.tag.endswith((":str", ":int")):
                continue
            if NAMED_SESSION.search(name):
                message = f"{where} is the same in every conversation"
                found[start] = PresetProblem(message, start, end, json.dumps("{{new_session}}"))
            elif SECRET_NAME.search(name) or redact(value_text) != value_text:
                safe = secrets.header(name, value_text) if part == "headers" else secrets.value(name, value_text, where)
                used = {each: secret for each, secret in secrets.values.items() if f"${{{each}}}" in safe}
                found[start] = PresetProblem(f"{where} is a secret in the file", start, end, json.dumps(safe), used)
    return list(found.values())


def with_reply(text: str, path: str) -> str | None:
    """Return the text of a preset with another path of the reply; None if `reply` takes several lines."""
    for part, value in _entries(yaml.compose(text, yaml.SafeLoader)):
        if part == "reply":
            if isinstance(value, yaml.CollectionNode) and not value.flow_style:
                return None
            return mended(text, [PresetProblem("", value.start_mark.index, value.end_mark.index, json.dumps(path))])
    return f"{text.rstrip()}\nreply: {json.dumps(path)}\n"


def mended(text: str, problems: Iterable[PresetProblem]) -> str:
    """Return a text in which the right words are in the place of the wrong ones."""
    for each in sorted(problems, key=lambda each: each.start, reverse=True):
        text = text[: each.start] + each.right + text[each.end :]
    return text


def _entries(node: yaml.Node | None) -> Iterator[tuple[str, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        yield from ((str(key.value), value) for key, value in node.value)


def _scalars(node: yaml.Node, name: str, seen: set[int]) -> Iterator[tuple[str, yaml.ScalarNode]]:
    if id(node) in seen:  # an alias
        return
    seen.add(id(node))
    if isinstance(node, yaml.ScalarNode):
        yield name, node
    elif isinstance(node, yaml.SequenceNode):
        for inner in node.value:
            yield from _scalars(inner, name, seen)
    for key, inner in _entries(node):
        yield from _scalars(inner, key, seen)
