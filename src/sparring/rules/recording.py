"""Recordings: conversations as rules see them. Reading other formats is the task of `rules.inputs`."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple

from sparring.core.case import Case, Goal
from sparring.core.conversation import Conversation, Evidence
from sparring.core.message import Role, ToolCall
from sparring.core.state import StateRecord
from sparring.rules.undecided import NoState, missing


class RecordedMessage(NamedTuple):
    """A message of a recording. An `injected` one keeps its place, but is no act of the chatbot."""

    role: Role
    text: str
    tool_calls: Sequence[ToolCall] = ()
    injected: bool = False


def is_scenario(id: str, patterns: Sequence[str]) -> bool:
    """Return True if a pattern matches a case id, its beginning up to a slash, or a part of it."""
    parts = [re.sub(r"~\d+$|\.ya?ml$", "", part) for part in id.split("/")]
    names = {*parts, *("/".join(parts[:end]) for end in range(1, len(parts) + 1))}
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


@dataclass(frozen=True, slots=True)
class RecordedGoal:
    """A goal, and the index of the message that asked for it, from 0, if the reader saw one."""

    goal: Goal
    asked_at: int | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """A conversation as rules see it: its names and its messages.

    `outputs` are extracted values, `evidence` the quotes of some of them. With `reports_tools` False, tool calls are
    not visible. `latencies` are seconds, one for each reply. `state` is None if the chatbot does not show its state.
    `plain_texts` are the variables of a scenario file that are texts.
    """

    id: str
    names: Mapping[str, Any] = field(default_factory=dict)
    messages: Sequence[RecordedMessage] = ()
    outputs: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    reports_tools: bool = False
    latencies: tuple[float, ...] = ()
    state: StateRecord | None = None
    goals: Sequence[RecordedGoal] = ()
    plain_texts: frozenset[str] = frozenset()

    def state_record(self, *moments: Literal["start", "end"]) -> StateRecord:
        """Return the record of the state, read at these moments. Raise NoState if there is none."""
        if self.state is None:
            raise NoState("the chatbot does not show its state")
        if unread := [self.state.unread[moment] for moment in moments if moment in self.state.unread]:
            raise NoState(unread[0])
        return self.state

    def is_of(self, scenarios: Sequence[str]) -> bool:
        """Return True if the conversation is of one of these scenarios; of any if none is named."""
        return not scenarios or is_scenario(str(self.names.get("conversation_case") or self.id), scenarios)

    def value(self, name: str) -> Any:
        """Return the value of `name`. Raise Missing if the conversation does not define it."""
        if name in self.names:
            return self.names[name]
        if name in DERIVED:
            return DERIVED[name](self)
        raise missing(name)

    def has(self, name: str) -> bool:
        """Return True if the conversation defines `name`."""
        return name in self.names or name in DERIVED

    @property
    def since_last_user(self) -> Sequence[RecordedMessage]:
        """Messages after the user's last message; all messages if there is none."""
        spoken = [at for at, said in enumerate(self.messages, 1) if said.role == "user"]
        return self.messages[max(spoken, default=0) :]

    def texts(self, role: Role) -> list[str]:
        """Return the texts of one side, without injected messages."""
        return [said.text for said in self.messages if said.role == role and not said.injected]


def _interaction(recording: Recording) -> list[dict[str, str]]:
    speakers = {"user": "User", "chatbot": "Assistant"}
    return [{speakers[said.role]: said.text} for said in recording.messages if not said.injected]


def state_at_end(recording: Recording) -> Any:
    """Return the state at the end of a conversation. Raise NoState if it is not known."""
    record = recording.state_record("end")
    if not record.stored:
        raise NoState("the state is too large: only its changes are stored")
    return record.now


DERIVED: Mapping[str, Callable[[Recording], Any]] = {
    "interaction": _interaction,
    "chatbot_phrases": lambda recording: recording.texts("chatbot"),
    "user_phrases": lambda recording: recording.texts("user"),
    "state": lambda recording: state_at_end(recording),
    "changes": lambda recording: [change.model_dump() for change in recording.state_record("start", "end").changes],
    "data_output": lambda recording: [{name: value} for name, value in recording.outputs.items()],
}


def recording_of(conversation: Conversation) -> Recording:
    """Return a conversation as a recording.

    Variables take precedence over outputs, and both over data about the conversation. Long names always exist:
    `data_output_price` for outputs, `conversation_ending` for data about the conversation.
    """
    case, outputs = conversation.case, {output.name: output.value for output in conversation.outputs}
    return Recording(
        id=conversation.id,
        names=rule_names(rule_variables(case.variables, case.listed), outputs, dict(_about(conversation))),
        messages=tuple(
            RecordedMessage(message.role, message.text, message.tool_calls, _is_injected(conversation, at))
            for at, message in enumerate(conversation.messages)
        ),
        outputs=outputs,
        evidence={output.name: output.evidence for output in conversation.outputs if output.evidence},
        reports_tools=conversation.reports_tools,
        latencies=conversation.timing.replies if conversation.timing else (),
        state=conversation.state,
        goals=tuple(_goals(conversation)),
        plain_texts=plain_texts(case.variables, case.listed),
    )


def rule_variables(variables: Mapping[str, Any], listed: Collection[str] | None) -> Mapping[str, Any]:
    """Return the variables of a case as rules see them: in SENSEI's shape for SENSEI's profiles."""
    if not listed:
        return variables
    return {name: [value] if name in listed else value for name, value in variables.items()}


def plain_texts(variables: Mapping[str, Any], listed: Collection[str] | None) -> frozenset[str]:
    """Return the variables of a scenario file that are texts, whose letters a rule cannot mean."""
    if listed is not None:
        return frozenset()
    return frozenset([name for name, value in variables.items() if isinstance(value, str)])


def _goals(conversation: Conversation) -> Iterator[RecordedGoal]:
    goals, read = conversation.case.goals, conversation.goals
    for number, goal in enumerate(goals):
        yield RecordedGoal(goal, read[number].asked_at if len(read) == len(goals) else None)


def names_of(case: Case) -> dict[str, Any]:
    """Return the names that every conversation of a case defines; outputs have an example of their type."""
    from sparring.extraction import typed_values  # only needed for cases

    about = dict(_about(Conversation(case=case)))
    outputs = {wanted.name: typed_values.python_type(wanted.type)() for wanted in case.outputs}
    return rule_names(rule_variables(case.variables, case.listed), outputs, about)


def _is_injected(conversation: Conversation, at: int) -> bool:
    """Return True if a script or the history, not the chatbot, supplied the message."""
    message = conversation.messages[at]
    return message.injected or (message.role == "chatbot" and at < len(conversation.case.history))


def rule_names(variables: Mapping[str, Any], outputs: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, Any]:
    """Return all names a rule may use: short names by precedence, long names always.

    A name such as `a price` is also available as `a_price`.
    """
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
    yield "cost", conversation.consumed.known_cost
    yield "seconds", conversation.timing.seconds if conversation.timing else None
