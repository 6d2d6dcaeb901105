"""Stored conversations as rules see them."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from sparring.core.case import Case, Goal, Limits, Persona, Style
from sparring.core.conversation import Conversation, Ending, Evidence, GoalProgress, Output, Timing
from sparring.core.message import Button, Message, Text, ToolCall, message
from sparring.core.state import StateChange, StateRecord
from sparring.core.usage import Usage
from sparring.rules.recording import Recording, recording_of
from sparring.rules.stored import stored_recordings
from sparring.testing.factories import a_batch
from sparring.testing.memory_store import MemoryStore

FULL = Conversation(
    case=Case(
        id="full",
        persona=Persona(name="terse", language="German", styles=(Style(name="long phrases"),)),
        goals=(Goal(text="order"), Goal(text="pay")),
        variables={"a size": "small", "toppings": ["ham"], "id": 1 << 70},
        history=(message("chatbot", "Hello"), message("user", "Hi")),
        tags=("vip",),
        limits=Limits(turns=9, steps=3),
        listed=("a size",),
    ),
    repeat=2,
    messages=(
        message("chatbot", "Hello"),
        message("user", "Hi"),
        Message(
            role="chatbot",
            parts=(Text(text="One"), Button(title="Yes"), Text(text="two")),
            tool_calls=(ToolCall(name="book", arguments={"n": [1.5]}, result={"id": None}, fault="slow"),),
        ),
        message("user", "Привет", injected=True),
    ),
    ending=Ending.CHATBOT_FAILED,
    error="HTTP 502",
    goals=(GoalProgress(text="order", asked_at=3), GoalProgress(text="pay")),
    outputs=(
        Output(name="a price", value={"amount": 1}, evidence=Evidence(at=2, start=0, end=3, text="One")),
        Output(name="id"),
    ),
    reports_tools=True,
    state=StateRecord(
        start={"n": 0}, end={"n": 1}, changes=(StateChange(path="n", kind="changed", before=0, after=1),)
    ),
    usage={"user": Usage(calls=2, cost=0.1), "chatbot": Usage(calls=1, unknown_costs=1)},
    timing=Timing(started=datetime(2026, 1, 31, tzinfo=UTC), seconds=2.5, replies=(0.5, 1.0)),
)
UNPRICED = Conversation(case=Case(id="unpriced"), usage={"user": Usage(calls=1, unknown_costs=1)})


@pytest.mark.parametrize("conversation", [FULL, UNPRICED], ids=["full", "unpriced"])
async def test_a_stored_conversation_is_what_rules_see_of_the_whole_one(conversation: Conversation) -> None:
    store, batch = await stored(conversation)

    found = [whole(each) async for each in stored_recordings(batch, store)]

    assert found == [recording_of(conversation)]


async def test_one_of_an_earlier_version_is_read_as_it_was_meant() -> None:
    store, batch = await stored(UNPRICED.model_copy(update={"messages": (message("user", "Hi"),)}))

    def earlier(*leave_out: str) -> None:
        for part in leave_out:
            change = "UPDATE recordings SET document = CAST(replace(document, ?, '') AS BLOB)"
            store._connection.execute(change, (part,))

    earlier('"reports_tools":false,', '"tool_calls":[],', ',"injected":false')

    (found,) = [whole(each) async for each in stored_recordings(batch, store)]
    assert (found.names["repeat"], found.texts("user"), found.reports_tools) == (1, ["Hi"], False)


async def test_one_that_cannot_be_read_is_skipped() -> None:
    store, batch = await stored(FULL, UNPRICED)
    store._connection.execute("UPDATE recordings SET document = '{' WHERE key = 1")

    assert [each.id async for each in stored_recordings(batch, store)] == ["unpriced"]


async def stored(*conversations: Conversation) -> tuple[MemoryStore, str]:
    store = MemoryStore()
    batch = a_batch(repeats=2).model_copy(update={"cases": tuple(each.case for each in conversations)})
    await store.create(batch)
    for each in conversations:
        await store.add(batch.id, each)
    return store, batch.id


def whole(recording: Recording) -> Recording:
    """Return a recording with all that is read late."""
    messages = (each._replace(tool_calls=tuple(each.tool_calls)) for each in recording.messages)
    return replace(recording, messages=tuple(messages), goals=tuple(recording.goals))
