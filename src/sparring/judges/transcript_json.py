"""A conversation as JSON lines for a judge, and the delimiter around them."""

import json
from collections.abc import Iterator
from random import Random

from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation
from sparring.core.message import Button, Image, Link, Message, Part, Text, ToolCall
from sparring.core.value import Json

LONGEST_TEXT = 8_000
LONGEST_VALUE = 4_000
"""Most characters that a judge sees of a message, and of the arguments or the result of a tool call."""


def record(conversation: Conversation, rubric: Rubric) -> str:
    """Return goals, messages and results as JSON lines, limited to what the rubric shows a judge.

    Line breaks in texts are escaped, so no message can forge a line.
    """
    lines = [_wanted(conversation, rubric), *_messages(conversation, rubric), _outcome(conversation, rubric)]
    return "\n".join(_line(line) for line in lines)


def delimiter(text: str, random: Random) -> str:
    """Return a random line that does not occur in `text` and cannot be guessed."""
    while True:
        drawn = f"=== record {random.getrandbits(128):032x} ==="
        if drawn not in text:
            return drawn


def _wanted(conversation: Conversation, rubric: Rubric) -> dict[str, Json]:
    case = conversation.case
    line: dict[str, Json] = {"record": "begins"}
    if "goals" in rubric.shown:
        line["goals"] = [goal.text for goal in case.goals]
    if "variables" in rubric.shown:
        line["variables"] = {name: _short(value) for name, value in case.variables.items()}
    if "tools" in rubric.shown and not conversation.reports_tools:
        line["tools"] = "This chatbot does not show which tools it uses; that there are none means nothing."
    return line


def _messages(conversation: Conversation, rubric: Rubric) -> Iterator[dict[str, Json]]:
    before = len(conversation.case.history)
    for number, message in enumerate(conversation.messages):
        line: dict[str, Json] = {"n": number, "who": message.role, "text": _cut(message.text, LONGEST_TEXT)}
        if number < before:
            line["before"] = True
        if message.injected:
            line["injected"] = True
        if beside := _beside(message):
            line["beside"] = beside
        if message.tool_calls and "tools" in rubric.shown:
            line["tools"] = [_call(call) for call in message.tool_calls]
        yield line


def _beside(message: Message) -> list[Json]:
    """Return the parts of a message other than text."""
    return [_cut(_named(part), LONGEST_TEXT) for part in message.parts if not isinstance(part, Text)]


def _named(part: Part) -> str:
    match part:
        case Image():
            return f"image: {part.alt or part.url}"
        case Button():
            return f"button: {part.title}"
        case Link():
            return f"link: {part.title} {part.url}"
        case Text():
            return part.text


def _call(call: ToolCall) -> Json:
    document: dict[str, Json] = {"name": call.name, "arguments": _short(dict(call.arguments))}
    if call.error:
        return document | {"error": _cut(call.error, LONGEST_VALUE)}
    return document | {"result": _short(call.result)} | ({} if call.succeeded else {"failed": True})


def _outcome(conversation: Conversation, rubric: Rubric) -> dict[str, Json]:
    line: dict[str, Json] = {"record": "ends"}
    if "ending" in rubric.shown:
        line["ending"] = conversation.ending
    if "outputs" in rubric.shown:
        line["outputs"] = {each.name: _short(each.value) for each in conversation.outputs if each.evidence is not None}
    if "results" in rubric.shown:
        line["results"] = _last_results(conversation)
        if conversation.state is not None and not conversation.state.unread:
            line["state_changes"] = _short([change.model_dump() for change in conversation.state.changes])
    return line


def _last_results(conversation: Conversation) -> dict[str, Json]:
    """Return the last successful result of each tool, which is the final state of its data.

    Results in injected messages are excluded, as they reflect no state.
    """
    used = (message for message in conversation.messages if not message.injected)
    calls = [call for message in used for call in message.tool_calls if not call.error]
    return {call.name: _short(call.result) for call in calls}


def _short(value: Json) -> Json:
    """Return the value, or the beginning of its JSON text if it is long."""
    written = json.dumps(value, ensure_ascii=False)
    return value if len(written) <= LONGEST_VALUE else _cut(written, LONGEST_VALUE)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} [{len(text) - most:,} more characters are not shown]"


def _line(line: dict[str, Json]) -> str:
    written = json.dumps(line, ensure_ascii=False)
    # Some parsers treat these as line breaks, and lone surrogates cannot be encoded.
    for unsafe in ("\u2028", "\u2029", "\x85"):
        written = written.replace(unsafe, f"\\u{ord(unsafe):04x}")
    return written.encode(errors="replace").decode()
