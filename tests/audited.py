"""Short conversations to audit: lines of the user and the chatbot in turn, and the faults found in them."""

import asyncio
from typing import Any

from sparring.audit.audit import audit
from sparring.core.audit import Fault
from sparring.core.case import Case, Goal, Limits, Persona
from sparring.core.conversation import Conversation, Ending
from sparring.core.message import Message, ToolCall, message
from sparring.extraction.pattern_extractor import PatternReader

PIZZA = Goal(
    text="a small Margarita pizza",
    variables=("size", "kind"),
    others={"size": ("medium", "big"), "kind": ("Hawaiian", "Four cheese")},
)
DRINK = Goal(text="the following drink: coke", variables=("drink",), others={"drink": ("sprite", "water")})
ROOM = Goal(text="book a room in Graz for 3 nights", variables=("city", "nights"), others={"city": ("Oslo", "Lisbon")})


def pizzeria(**fields: Any) -> Case:
    known = {"size": "small", "kind": "Margarita", "drink": "coke"}
    return Case(**{"id": "order", "goals": (PIZZA, DRINK), "variables": known, "limits": Limits(turns=10), **fields})


def hotel(**fields: Any) -> Case:
    known = {"city": "Graz", "nights": 3, "arrival": "2026-05-04", "phone": "555-0142", "name": "Ana Pardo"}
    role = Persona(role="You are a guest.")
    return Case(
        **{"id": "stay", "goals": (ROOM,), "variables": known, "persona": role, "limits": Limits(turns=10), **fields}
    )


def calling(text: str, name: str, **arguments: Any) -> Message:
    """Return a reply with a tool call that succeeded."""
    return message("chatbot", text, tool_calls=(ToolCall(name=name, arguments=arguments, result="ok"),))


def talk(case: Case, *lines: str | Message, ending: Ending | None = None) -> Conversation:
    """Return a conversation in which the user speaks first, with its goals as patterns read them."""
    said = tuple(
        line if isinstance(line, Message) else message("chatbot" if at % 2 else "user", line)
        for at, line in enumerate(lines)
    )
    conversation = Conversation(case=case, messages=said, ending=ending)
    read = asyncio.run(PatternReader().incremental().read(conversation))
    return conversation.changed(goals=read.goals, outputs=read.outputs)


def faults(case: Case, *lines: str | Message, ending: Ending | None = None) -> list[Fault]:
    return list(audit(talk(case, *lines, ending=ending)).faults)


def certain(case: Case, *lines: str | Message, ending: Ending | None = None) -> set[str]:
    """Return the kinds of the certain faults."""
    return {fault.kind for fault in faults(case, *lines, ending=ending) if fault.certainty == "certain"}
