"""What is said for certain: the lines of a script, and what was said before a conversation starts."""

from dataclasses import dataclass

from sparring.core.message import Message, message
from sparring.core.rule import Expectation
from sparring.scenarios.expectations import expectations
from sparring.scenarios.part import Part


@dataclass(frozen=True, slots=True)
class Script:
    """Lines with placeholders, each with the part it comes from, and what is expected after some of them."""

    lines: tuple[tuple[Part, str], ...] = ()
    expectations: tuple[Expectation, ...] = ()


def script(part: Part) -> Script:
    """Lines to say; `{say: ..., expect: [...]}` is a line with expectations that hold right after it."""
    lines: list[tuple[Part, str]] = []
    expected: list[Expectation] = []
    for number, item in enumerate(part.items(), 1):
        if not isinstance(item.data, dict):
            lines.append((item, item.text()))
            continue
        fields = item.fields(("say", "expect"), required=("say",))
        if "say" in fields:
            lines.append((fields["say"], fields["say"].text()))
        if "expect" in fields:
            expected += expectations(fields["expect"], after=number)
    return Script(tuple(lines), tuple(expected))


def history(part: Part) -> tuple[Message, ...]:
    """What was said before: `{user: ...}` and `{chatbot: ...}`, in order."""
    said = []
    for item in part.items():
        fields = item.fields(("user", "chatbot"))
        if len(fields) > 1:
            item.wrong("one message is said by one side", "write one line for each")
        said += [message("user" if role == "user" else "chatbot", more.text()) for role, more in fields.items()]
    return tuple(said)
