"""What a rule is checked against: one recorded conversation, wherever it comes from.

Our own conversations as recordings.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sparring.core.case import Case
from sparring.core.conversation import Conversation, Evidence
from sparring.core.message import Role, ToolCall
from sparring.core.usage import Usage
from sparring.rules.undecided import missing


@dataclass(frozen=True, slots=True)
class RecordedMessage:
    """One message of a recording; what a script `injected` keeps its place, and is nothing the chatbot said or did."""

    role: Role
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    injected: bool = False


@dataclass(frozen=True, slots=True)
class Recording:
    """One conversation as rules see it: the names it defines, and what was said.

    `outputs` are the values read out of what the chatbot said, `evidence` the words some of them come from.
    `reports_tools` says whether tool calls are visible at all. `latencies` are seconds, one for each reply.
    """

    id: str
    names: Mapping[str, Any] = field(default_factory=dict)
    messages: tuple[RecordedMessage, ...] = ()
    outputs: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    reports_tools: bool = False
    latencies: tuple[float, ...] = ()

    def value(self, name: str) -> Any:
        """What `name` stands for here."""
        if name in self.names:
            return self.names[name]
        if name in DERIVED:
            return DERIVED[name](self)
        raise missing(name)

    def has(self, name: str) -> bool:
        """Whether `name` stands for anything here."""
        return name in self.names or name in DERIVED

    @property
    def since_last_user(self) -> tuple[RecordedMessage, ...]:
        """What came after the user's last message; everything if the user said nothing."""
        spoken = [at for at, said in enumerate(self.messages, 1) if said.role == "user"]
        return self.messages[max(spoken, default=0) :]

    def texts(self, role: Role) -> list[str]:
        """What one side said, message by message."""
        return [said.text for said in self.messages if said.role == role and not said.injected]


def _interaction(recording: Recording) -> list[dict[str, str]]:
    speakers = {"user": "User", "chatbot": "Assistant"}
    return [{speakers[said.role]: said.text} for said in recording.messages if not said.injected]


DERIVED: Mapping[str, Callable[[Recording], Any]] = {
    "interaction": _interaction,
    "chatbot_phrases": lambda recording: recording.texts("chatbot"),
    "user_phrases": lambda recording: recording.texts("user"),
    "data_output": lambda recording: [{name: value} for name, value in recording.outputs.items()],
}


def recording_of(conversation: Conversation) -> Recording:
    """What rules see of a conversation.

    Variables come first, then outputs, then what is known about the conversation itself. An output is also there as
    `data_output_price`, and everything about the conversation as `conversation_ending`, whatever the variables are.
    """
    outputs = {output.name: output.value for output in conversation.outputs}
    return Recording(
        id=conversation.id,
        names=rule_names(conversation.case.variables, outputs, dict(_about(conversation))),
        messages=tuple(
            RecordedMessage(message.role, message.text, message.tool_calls, _is_injected(conversation, at))
            for at, message in enumerate(conversation.messages)
        ),
        outputs=outputs,
        evidence={output.name: output.evidence for output in conversation.outputs if output.evidence},
        reports_tools=conversation.reports_tools,
        latencies=conversation.timing.replies if conversation.timing else (),
    )


def names_of(case: Case) -> dict[str, Any]:
    """The names that every conversation about a case defines; outputs have any value of their type."""
    from sparring.extraction import typed_values  # who checks what was recorded reads nothing

    about = dict(_about(Conversation(case=case)))
    return rule_names(
        case.variables, {wanted.name: typed_values.holds(wanted.type)() for wanted in case.outputs}, about
    )


def _is_injected(conversation: Conversation, at: int) -> bool:
    """Whether the chatbot never said it: it was put into its mouth, by a step of the script or by the history."""
    message = conversation.messages[at]
    return message.injected or (message.role == "chatbot" and at < len(conversation.case.history))


def rule_names(variables: Mapping[str, Any], outputs: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, Any]:
    """Every name a rule may use: short ones by precedence, long ones always; `a price` is also `a_price`."""
    long = {f"data_output_{name}": value for name, value in outputs.items()}
    long |= {f"conversation_{name}": value for name, value in about.items()}
    names = long | dict(about) | dict(outputs) | dict(variables)
    for name in [name for name in names if not name.isidentifier()]:
        names.setdefault(re.sub(r"\W", "_", name), names[name])
    return names


def _about(conversation: Conversation) -> Iterator[tuple[str, Any]]:
    case = conversation.case
    yield "case", case.id
    yield "repeat", conversation.repeat
    yield "tags", list(case.tags)
    yield "persona", case.persona.name
    yield "language", case.persona.language
    yield "interaction_style", [style.name for style in case.persona.styles]
    yield "limit", case.limits.turns
    yield "steps", case.limits.steps
    yield "ending", str(conversation.ending) if conversation.ending else None
    yield "error", conversation.error
    yield "cost", sum(conversation.usage.values(), Usage()).known_cost
    yield "seconds", conversation.timing.seconds if conversation.timing else None
