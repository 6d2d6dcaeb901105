"""A conversation that is read turn by turn says what it says when it is read at once."""

from random import Random

import pytest

from sparring.core.case import Case, Goal
from sparring.core.conversation import Conversation
from sparring.core.message import Message, message
from sparring.extraction.pattern_extractor import PatternReader
from tables import table

GOALS = (
    Goal(text="a large pizza with ham"),
    Goal(text="whether there is parking"),
    Goal(text="what a taxi costs"),
    Goal(text="a table for {people} on {day}", variables=("people", "day")),
    Goal(text="to cancel order ORD-001"),
)
VARIABLES = {"people": "4", "day": "Tuesday"}
USER = (
    "I would like a large pizza with ham.",
    "Is there parking, and what does a taxi cost?",
    "A table for 4 on Tuesday, please.",
    "Please cancel order ORD-001.",
    "Yes.",
    "And a large pizza with ham, please, for 4 people.",
)
CHATBOT = (
    "Sure, one large pizza with ham.",
    "It is booked: a table on Tuesday for 4.",
    "There is parking behind the house. A taxi costs $12.",
    "I'm sorry, I don't know that.",
    "Your order ORD-001 is cancelled.",
    "Unfortunately the pizza with ham was not made, your order is cancelled.",
    "Done!",
    "On which day?",
    "I did not understand that.",
    "We could not save the table; it is not booked.",
    "A table for 4.",
    "Tuesday it is.",
)


@table("seed", range(60))
async def test_turn_by_turn_is_the_same_as_at_once(seed: int) -> None:
    random = Random(seed)
    goals = tuple(random.sample(GOALS, k=random.randint(1, len(GOALS))))
    conversation = Conversation(case=Case(id="case", goals=goals, variables=dict(VARIABLES)))
    following = PatternReader().incremental()
    for _ in range(8):
        for said in (message("user", random.choice(USER)), message("chatbot", random.choice(CHATBOT))):
            conversation = conversation.with_message(said)
        assert await following.read(conversation) == await PatternReader().read(conversation)


async def test_another_conversation_is_read_from_its_beginning() -> None:
    case = Case(id="case", goals=(GOALS[0],))
    asked = Conversation(case=case).with_message(message("user", USER[0]))
    granted, refused = (asked.with_message(message("chatbot", text)) for text in (CHATBOT[0], CHATBOT[3]))
    following = PatternReader().incremental()

    assert (await following.read(granted)).goals[0].answered is not None
    assert (await following.read(refused)).goals[0].answered is None
    assert (await following.read(asked)).goals[0].asked_at == 0


async def test_messages_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    text = Message.text.fget
    assert text is not None
    monkeypatch.setattr(Message, "text", property(lambda self: texts.append(text(self)) or text(self)))
    following = PatternReader().incremental()
    conversation = Conversation(case=Case(id="case", goals=(GOALS[0],)))
    for turn in range(10):
        conversation = conversation.with_message(message("user", f"{USER[0]} {turn}"))
        conversation = conversation.with_message(message("chatbot", f"{CHATBOT[0]} {turn}"))
        await following.read(conversation)

    assert max(map(texts.count, texts)) <= 2


@table("seed", range(20))
async def test_incremental_reading_equals_a_reading_at_the_end(seed: int) -> None:
    random = Random(seed)
    conversation = Conversation(case=Case(id="case", goals=GOALS, variables=dict(VARIABLES)))
    following = PatternReader().incremental()
    parse_utterance = following.observe
    assert parse_utterance is not None
    for _ in range(8):
        for said in (message("user", random.choice(USER)), message("chatbot", random.choice(CHATBOT))):
            conversation = conversation.with_message(said)
        if random.random() < 0.7:
            parse_utterance(conversation)
    assert await following.read(conversation) == await PatternReader().read(conversation)
