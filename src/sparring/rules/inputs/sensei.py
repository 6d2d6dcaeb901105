"""SENSEI's conversation files in all published forms: one to three YAML documents.

They are parsed as YAML 1.1, in which they were written: `10:30` is the number 630, `no` is false, and dates are dates.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sparring.core.case import Case, Goal, OutputSpec, Persona
from sparring.core.conversation import Conversation, Ending, Output
from sparring.core.message import Role, message
from sparring.core.value import Json
from sparring.rules.inputs import NotARecording, is_within_limits
from sparring.rules.inputs.entries import YAML
from sparring.rules.inputs.log_format import LogFormat, each
from sparring.rules.recording import RecordedMessage, Recording, rule_names

_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_MAX_BYTES = 10_000_000
_MOST_VALUES = 200_000
_MAX_DEPTH = 1000
_BRACKETS = re.compile(rb"[\[\]{}]")
_DASHES = re.compile(rb"(?:[-?:][ \t]+){1000}")
_ENDINGS = {500: Ending.CHATBOT_FAILED, 504: Ending.TIMEOUT, 1000: Ending.GAVE_UP, 1001: Ending.TURN_LIMIT}


def parse_recording(content: bytes, id: str) -> Recording:
    """Return the recording in a file."""
    sections = _conversation_sections(content)
    outputs = _pairs(sections.get("data_output"))
    times = sections.get("assistant response time")
    return Recording(
        id=id,
        names=rule_names(_variables(sections["ask_about"]), outputs, _conversation_data(sections)),
        messages=tuple(_messages(sections["interaction"])),
        outputs=outputs,
        latencies=tuple(float(time) for time in times or () if type(time) in (int, float)),
    )


def parse_conversation(content: bytes, id: str) -> Conversation:
    """Return the conversation in a file with its goals, and outputs whose types follow from their names."""
    sections = _conversation_sections(content)
    ask_about = sections["ask_about"]
    variables = {name: _plain(value) for name, value in _variables(ask_about).items()}
    phrases = [each for each in ask_about if isinstance(each, str)] if isinstance(ask_about, list) else []
    case = Case(
        id=id,
        persona=Persona(language=str(sections.get("language") or "English")),
        goals=tuple(_goal(phrase, variables) for phrase in phrases),
        variables=variables,
        listed=(),
        outputs=tuple(
            OutputSpec(name=name, type=_type(name), description=name.replace("_", " "))
            for name in _pairs(sections.get("data_output"))
        ),
    )
    said = tuple(message(each.role, each.text) for each in _messages(sections["interaction"]))
    outputs = tuple(
        Output(name=name, type=_type(name), value=_plain(value))
        for name, value in _pairs(sections.get("data_output")).items()
    )
    return Conversation(
        case=case, messages=said, outputs=outputs, ending=Ending(_conversation_data(sections)["ending"])
    )


def _goal(phrase: str, variables: Mapping[str, Json]) -> Goal:
    def filled(match: re.Match[str]) -> str:
        value = variables.get(match[1], match[0])
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

    return Goal(text=_PLACEHOLDER.sub(filled, phrase), variables=tuple(_PLACEHOLDER.findall(phrase)))


def _plain(value: Any) -> Json:
    """Return a YAML value as JSON; dates become text."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items()}
    return value if isinstance(value, str | int | float | None) else str(value)


def _type(name: str) -> str:
    """Return the type of an output, which the files do not record, by the last word of its name."""
    last = name.lower().rpartition("_")[2]
    return {"price": "money", "cost": "money", "date": "date", "time": "time"}.get(last, "string")


def _conversation_sections(content: bytes) -> dict[str, Any]:
    sections = _sections(content)
    if not isinstance(sections.get("interaction"), list) or "ask_about" not in sections:
        raise NotARecording("is not a conversation: it has no 'interaction' and 'ask_about'")
    return sections


def _sections(content: bytes) -> dict[str, Any]:
    if len(content) > _MAX_BYTES:
        raise NotARecording(f"is larger than {_MAX_BYTES:,} bytes")
    if _too_deep(content):
        raise NotARecording("is nested too deeply")
    import yaml  # slow to import, and only this format needs it

    try:
        documents = list(yaml.load_all(content, Loader=yaml.CSafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise NotARecording(f"is not YAML: {str(error).splitlines()[0]}") from None
    if not is_within_limits(documents, _MOST_VALUES):
        raise NotARecording("contains too many values, or is nested too deeply")
    sections: dict[str, Any] = {}
    for document in documents:
        if isinstance(document, dict):
            sections.update(document)
    return sections


def _too_deep(content: bytes) -> bool:
    """Return True if the C loader, which recurses for every level, could crash on the nesting."""
    if _DASHES.search(content):
        return True
    if content.count(b"[") + content.count(b"{") <= _MAX_DEPTH:
        return False
    depth = deepest = 0
    for bracket in _BRACKETS.findall(content):
        depth = depth + 1 if bracket in b"[{" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest > _MAX_DEPTH


def _variables(ask_about: Any) -> dict[str, Any]:
    """Return the variables among goals: a list of the selected values, or one value if it was nested."""
    return _pairs(ask_about)


def _pairs(items: Any) -> dict[str, Any]:
    if isinstance(items, dict):
        return {str(name): value for name, value in items.items()}
    found = items if isinstance(items, list) else ()
    return {str(name): value for item in found if isinstance(item, dict) for name, value in item.items()}


def _conversation_data(sections: Mapping[str, Any]) -> dict[str, Any]:
    errors = _pairs(sections.get("errors"))
    codes = [code for code in _ENDINGS if str(code) in errors]
    about = dict(_flat(_pairs(sections.get("conversation")), ""))
    return {
        "ending": str(_ENDINGS[codes[0]] if codes else Ending.GOALS_ANSWERED),
        "errors": sections.get("errors") or [],
        "language": sections.get("language"),
        "context": sections.get("context"),
        "serial": sections.get("serial"),
        "cost": sections.get("total_cost($)"),
        "seconds": sections.get("conversation time"),
        **about,
    }


def _flat(items: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    """Yield every entry under its path, `goal_style_all_answered_limit`, and under its own name, `limit`."""
    for name, value in items.items():
        yield str(name), value
        yield f"{path}{name}", value
        if isinstance(value, dict):
            yield from _flat(value, f"{path}{name}_")


def _messages(interaction: list[Any]) -> Iterator[RecordedMessage]:
    """Yield messages. Any speaker but the user is the chatbot, which old files spell `Asisstant`."""
    for item in interaction:
        for speaker, text in item.items() if isinstance(item, dict) else ():
            role: Role = "user" if str(speaker).lower() == "user" else "chatbot"
            yield RecordedMessage(role, text if isinstance(text, str) else "" if text is None else str(text))


FORMAT = LogFormat(
    lambda entry: entry.under in YAML,
    each(lambda entry: parse_conversation(entry.value, entry.name)),
    each(lambda entry: parse_recording(entry.value, entry.name)),
)
