"""What a rule is checked against: one recorded conversation, wherever it comes from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sparring.checking.undecided import missing
from sparring.core.conversation import Evidence
from sparring.core.message import Role, ToolCall


@dataclass(frozen=True, slots=True)
class Said:
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
    messages: tuple[Said, ...] = ()
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
    def since_last_user(self) -> tuple[Said, ...]:
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
