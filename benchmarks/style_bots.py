"""A hotel desk that fills slots, to measure styles on an unfamiliar chatbot, with faults in how it takes corrections.

The desk asks for what it lacks, repeats what it noted, asks to confirm, and books. The value that was said last counts.
A deaf desk keeps the first value of every slot, and a stubborn one claims to take the others. A forgetful desk loses
all other slots when one is corrected, and asks for none of them again.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from sparring.core.message import Message, ToolCall, message

Fault = Literal["", "deaf", "stubborn", "forgetful"]

_SLOTS = {
    "room": (r"\b(single|double|family|suite)\b", "What kind of room would you like: single, double, family or suite?"),
    "nights": (r"\b(\d{1,2})\b(?!:)", "How many nights will you stay?"),
    "day": (r"\b(\d{4}-\d\d-\d\d)\b", "On which day will you arrive?"),
    "board": (r"\b(breakfast|half board|full board)\b", "Would you like breakfast, half board or full board?"),
}
_DEFAULT = {"room": "single", "nights": "1", "day": "2026-01-01", "board": "breakfast"}
_YES = re.compile(r"\b(?:yes|sí|si|да)\b", re.IGNORECASE)
_PARKING = re.compile(r"\bpark", re.IGNORECASE)


def desk(fault: Fault = "") -> Callable[[Sequence[Message], Mapping[str, Any]], Message]:
    """Return a desk as a Python chatbot: a function of the whole conversation."""

    def reply(messages: Sequence[Message], variables: Mapping[str, Any]) -> Message:
        slots: dict[str, str] = {}
        said = [each.text for each in messages if each.role == "user"]
        news: dict[str, str] = {}
        for text in said:
            news = _take(slots, text, fault)
        asked = next((each.text for each in reversed(messages) if each.role == "chatbot"), "")
        parking = "Parking is free, behind the house." if _PARKING.search(said[-1]) else ""
        if any(each.tool_calls for each in messages):
            return message("chatbot", parking or "Anything else?")
        if asked.endswith("Shall I book it?") and _YES.search(said[-1]) and not news:
            call = ToolCall(name="book_room", arguments={**slots}, result={"booking": "HB-2041"})
            return message("chatbot", f"Booked: {_told(slots)}. The booking is HB-2041.", tool_calls=(call,))
        noted = f"I have noted {' and '.join(news.values())}." if news else ""
        missing = [question for name, (_, question) in _SLOTS.items() if name not in slots]
        ask = missing[0] if missing else f"So, {_told(slots)}. Shall I book it?"
        return message("chatbot", " ".join(filter(None, (parking, noted, ask))))

    return reply


def _take(slots: dict[str, str], text: str, fault: Fault) -> dict[str, str]:
    """Add the values of a message to the slots, and return what the desk says it noted."""
    found = {name: re.findall(pattern, text, re.IGNORECASE) for name, (pattern, _) in _SLOTS.items()}
    found["nights"] = re.findall(_SLOTS["nights"][0], re.sub(_SLOTS["day"][0], " ", text))
    new = {name: values[-1].lower() for name, values in found.items() if values}
    corrected = {name for name, value in new.items() if slots.get(name, value) != value}
    if fault in ("deaf", "stubborn"):
        slots.update({name: value for name, value in new.items() if name not in slots})
        return new if fault == "stubborn" else {name: slots[name] for name in new}
    if fault == "forgetful" and corrected:
        slots.update(_DEFAULT)
    slots.update(new)
    return new


def _told(slots: Mapping[str, str]) -> str:
    return f"a {slots['room']} room for {slots['nights']} nights from {slots['day']} with {slots['board']}"


SCENARIO = """
user: {role: you are going on a holiday, styles: STYLES}
goals:
  - "book a {{room}} room for {{nights}} nights from {{day}}"
  - "the room comes with {{board}}"
  - {asks: "is there parking?", answer: free}
variables:
  room: {function: another(), data: [single, double, family, suite]}
  nights: {function: random(), type: int, data: {min: 2, max: 7, step: 1}}
  day: {function: random(), data: ["2026-05-04", "2026-05-11", "2026-05-18"]}
  board: {function: another(), data: [breakfast, half board, full board]}
number: 3
limits: {turns: 16}
expect:
  - >-
    any('Booked: a ' + room + ' room for ' + str(nights) + ' nights from ' + day + ' with ' + board in said
    for said in chatbot_phrases)
"""
