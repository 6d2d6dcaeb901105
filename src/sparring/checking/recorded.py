"""Our own conversations as recordings."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sparring.checking.recording import Recording, Said
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.usage import Usage


def recording_of(conversation: Conversation) -> Recording:
    """What rules see of a conversation.

    Variables come first, then outputs, then what is known about the conversation itself. An output is also there as
    `data_output_price`, and everything about the conversation as `conversation_ending`, whatever the variables are.
    """
    outputs = {output.name: output.value for output in conversation.outputs}
    return Recording(
        id=conversation.id,
        names=named(conversation.case.variables, outputs, dict(_about(conversation))),
        messages=tuple(
            Said(message.role, message.text, message.tool_calls, _injected(conversation, at))
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
    return named(case.variables, {wanted.name: typed_values.holds(wanted.type)() for wanted in case.outputs}, about)


def _injected(conversation: Conversation, at: int) -> bool:
    """Whether the chatbot never said it: it was put into its mouth, by a step of the script or by the history."""
    message = conversation.messages[at]
    return message.injected or (message.role == "chatbot" and at < len(conversation.case.history))


def named(variables: Mapping[str, Any], outputs: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, Any]:
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
