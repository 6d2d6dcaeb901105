"""What holds for the audit of any conversation: of its prefixes, with other values, and with another reply."""

import re
from functools import cache

from audited import DRINK, PIZZA, calling, pizzeria, talk
from sparring.audit.audit import audit
from sparring.core.case import Goal
from sparring.core.conversation import Conversation, Ending
from sparring.core.message import Message, message
from tables import table

_LEAVING = {"goal_never_asked", "left_open", "left_before_confirm", "left_on_consent", "denies_right"}
_SAID = (
    "A small Margarita pizza, please.",
    "A coke.",
    "A sprite.",
    "Make it big.",
    "For 8 pm.",
    "No.",
    "Yes.",
    "A salad.",
)
_HEARD = (
    "One small Margarita pizza. Which drink would you like: sprite, coke or water?",
    "One coke. Shall I place the order?",
    calling("One sprite and a salad. Is that right?", "add", drink="sprite", extra="salad"),
    "I'm sorry, I did not get what you said.",
)

FIRST = range(len(_SAID))


@cache
def conversations() -> tuple[Conversation, ...]:
    """Return conversations of four turns in which the user says all kinds of things."""
    found = []
    for first in FIRST:
        said = [_SAID[(first * step + step) % len(_SAID)] for step in range(1, 5)]
        heard = [_HEARD[(first + step) % len(_HEARD)] for step in range(4)]
        lines = [line for pair in zip(said, heard, strict=True) for line in pair]
        found.append(talk(pizzeria(), *lines, ending=Ending.USER_DONE))
    return tuple(found)


def certain(conversation: Conversation) -> set[tuple[str, int, str]]:
    return {
        (fault.kind, fault.evidence[0].at, fault.evidence[0].text)
        for fault in audit(conversation).faults
        if fault.certainty == "certain"
    }


@table("first", FIRST)
def test_a_prefix_has_no_certain_fault_that_the_whole_lacks(first: int):
    conversation = conversations()[first]
    whole = certain(conversation)
    for length in range(len(conversation.messages)):
        lines = conversation.messages[:length]
        before = certain(talk(conversation.case, *lines))
        assert {fault for fault in before - whole if fault[0] not in _LEAVING} == set()


@table("first", FIRST)
def test_a_correct_reply_adds_no_fault_of_the_user(first: int):
    conversation = conversations()[first]
    reply = message("chatbot", "One small Margarita pizza, and one coke.")
    longer = talk(conversation.case, *conversation.messages, reply, ending=Ending.USER_DONE)
    assert certain(longer) <= certain(conversation)


def _masked(conversation: Conversation) -> Conversation:
    """Return a conversation with all values replaced by others of the same variables."""
    pairs = {
        "small": "tiny",
        "big": "huge",
        "medium": "plain",
        "Margarita": "Diavola",
        "coke": "juice",
        "sprite": "milk",
    }

    def other(text: str) -> str:
        return re.sub("|".join(pairs), lambda found: pairs[found[0]], text)

    def mask(said: Message) -> Message:
        calls = tuple(
            call.changed(arguments={name: other(str(value)) for name, value in call.arguments.items()})
            for call in said.tool_calls
        )
        return message(said.role, other(said.text), tool_calls=calls)

    def goal(known: Goal) -> Goal:
        others = {name: tuple(map(other, values)) for name, values in known.others.items()}
        return known.changed(text=other(known.text), others=others)

    case = conversation.case
    variables = {name: other(str(value)) for name, value in case.variables.items()}
    masked = case.changed(goals=tuple(map(goal, (PIZZA, DRINK))), variables=variables)
    return talk(masked, *map(mask, conversation.messages), ending=conversation.ending)


@table("first", FIRST)
def test_other_values_of_the_same_variables_give_the_same_kinds(first: int):
    conversation = conversations()[first]
    kinds = [fault.kind for fault in audit(conversation).faults]
    assert [fault.kind for fault in audit(_masked(conversation)).faults] == kinds


def test_the_conversations_have_faults_of_many_kinds():
    kinds = {fault.kind for conversation in conversations() for fault in audit(conversation).faults}
    assert len(kinds & {"wrong_value", "foreign_value", "wrong_item", "consent_to_wrong", "left_before_confirm"}) == 5
