import json
from typing import Any

import pytest

from scripted import ScriptedModel
from sparring.core.case import Case, Goal, GoalAnswer, OutputSpec
from sparring.core.conversation import Conversation, Evidence, GoalProgress, GoalStage, Output, goal_progress
from sparring.core.errors import BadCompletion, ModelTimeout
from sparring.core.message import message
from sparring.core.value import Json
from sparring.extraction.extractor import Extraction
from sparring.extraction.model_extractor import ModelReader
from tables import table

CASE = Case(
    id="a",
    goals=(Goal(text="opening hours"), Goal(text="a small pizza")),
    outputs=(OutputSpec(name="price", type="money", description="what it costs"), OutputSpec(name="note")),
)
TALK = Conversation(
    case=CASE,
    messages=(
        message("user", "Until when are you there?"),
        message("chatbot", "The door is shut at nine. A small one is $10, a big one $20."),
        message("user", "Then I'll take a small one."),
        message("chatbot", "It's yours."),
    ),
)


def answer(goals: list[dict[str, Any]] | None = None, outputs: list[dict[str, Any]] | None = None) -> str:
    return json.dumps({"goals": goals or [], "outputs": outputs or []})


async def read(reply: str, conversation: Conversation = TALK) -> Extraction:
    return await ModelReader(ScriptedModel(reply)).read(conversation)


async def output(type: str, **said: Json) -> Output:
    case = CASE.model_copy(update={"outputs": (OutputSpec(name="price", type=type),)})
    conversation = TALK.model_copy(update={"case": case})
    return (await read(answer(outputs=[{"name": "price"} | said]), conversation)).outputs[0]


async def test_goals_come_with_the_words_that_answer_them():
    hours = {"goal": 1, "asked": 0, "asked_words": "Until when", "stage": "done", "shown": 1, "words": "shut at nine"}

    reading = await read(answer([hours]))

    assert reading.goals == (
        goal_progress("opening hours", 0, Evidence(at=1, start=12, end=24, text="shut at nine")),
        GoalProgress(text="a small pizza", stage=GoalStage.UNREAD),
    )


@pytest.mark.parametrize(
    ("said", "asked_at"),
    [
        ({"asked": 0, "asked_words": "When do you close"}, None),
        ({"asked": 1, "asked_words": "The door"}, None),
        ({"asked": 9, "asked_words": "Until when"}, None),
        ({"asked": 0, "asked_words": " "}, None),
        ({"asked": 0, "asked_words": "Until when", "stage": "done", "shown": 1, "words": "closed at nine"}, 0),
        ({"asked": 0, "asked_words": "Until when", "stage": "done", "shown": 2, "words": "Then"}, 0),
        ({"asked": 2, "asked_words": "Then", "stage": "done", "shown": 1, "words": "The door"}, 2),
    ],
    ids=["not said", "by the other", "nowhere", "no words", "no such answer", "user's own answer", "answered before"],
)
async def test_words_that_are_not_where_the_model_says_do_not_count(said: dict[str, Any], asked_at: int | None):
    (goal, _) = (await read(answer([{"goal": 1, **said}]))).goals

    assert goal == GoalProgress(text="opening hours", asked_at=asked_at, stage=GoalStage.UNREAD)


@pytest.mark.parametrize("stage", ["proposed", "refused", "contradicted"])
async def test_every_stage_comes_with_the_words_that_show_it(stage: str):
    said = {"goal": 1, "asked": 0, "asked_words": "Until when", "stage": stage, "shown": 1, "words": "shut at nine"}

    (goal, _) = (await read(answer([said]))).goals

    assert (goal.stage, goal.evidence and goal.evidence.text) == (GoalStage(stage), "shut at nine")


@table(
    ("said", "stage"),
    [
        ({"stage": "asked", "asked": 0, "asked_words": "Until when"}, GoalStage.ASKED),
        ({"stage": "not_asked"}, GoalStage.NOT_ASKED),
        ({"stage": "not_asked", "asked": 0, "asked_words": "Until when"}, GoalStage.UNREAD),
        ({"stage": "refused", "asked": 0, "asked_words": "Until when"}, GoalStage.UNREAD),
        ({"stage": "done", "shown": 1, "words": "shut at nine"}, GoalStage.UNREAD),
    ],
)
async def test_a_stage_without_its_words_is_unread(said: dict[str, Any], stage: GoalStage):
    (goal, _) = (await read(answer([{"goal": 1, **said}]))).goals

    assert (goal.stage, goal.evidence) == (stage, None)


@pytest.mark.parametrize(
    ("answer_text", "stage", "words"),
    [("shut at nine", GoalStage.DONE, "shut at nine"), ("until midnight", GoalStage.CONTRADICTED, "shut at nine")],
)
async def test_the_answer_of_the_author_decides(answer_text: str, stage: GoalStage, words: str):
    goal = Goal(text="opening hours", answer=(GoalAnswer(text=answer_text),))
    talk = TALK.model_copy(update={"case": CASE.model_copy(update={"goals": (goal,)})})
    said = {"goal": 1, "asked": 0, "asked_words": "Until when", "stage": "done", "shown": 1, "words": "shut at nine"}

    (progress,) = (await read(answer([said]), talk)).goals

    assert (progress.stage, progress.evidence and progress.evidence.text) == (stage, words)


@table(
    ("type", "said", "value", "words"),
    [
        ("money", {"words": "A small one is $10, a big one $20", "value": "$20"}, "$20", "$20"),
        ("money", {"words": "A small one is $10", "value": 10}, "$10", "$10"),
        ("float", {"words": "A small one is $10", "value": "10"}, 10.0, "10"),
        ("string", {"words": "a big one", "value": "big"}, "big", "a big one"),
        ("string", {"words": "a big one", "value": "the largest"}, "a big one", "a big one"),
        ("bool", {"words": "is shut", "value": False}, False, "is shut"),
        ("money", {"words": "The door", "value": None}, None, "The door"),
    ],
)
async def test_values_are_those_that_the_patterns_find_in_the_words(
    type: str, said: dict[str, Any], value: Json, words: str
):
    found = await output(type, stated=1, **said)

    assert (found.value, found.evidence and found.evidence.text) == (value, words)


@table(
    "said",
    [
        {"stated": 1, "words": "The door is shut", "value": "$20"},
        {"stated": 1, "words": "it costs $5", "value": "$5"},
        {"stated": 2, "words": "a small one", "value": "$10"},
        {"stated": 1, "words": "$10", "value": True, "name": "size"},
        {"value": "$10"},
    ],
)
async def test_a_value_that_nothing_bears_out_was_not_stated(said: dict[str, Any]):
    assert await output("money", **said) == Output(name="price", type="money")


async def test_the_model_is_shown_the_conversation_as_data_and_what_to_look_for():
    model = ScriptedModel(answer())

    await ModelReader(model).read(TALK)

    instructions, conversation = model.requests[0].messages
    assert "1. opening hours\n2. a small pizza" in instructions.content
    assert "- `price`, of type money: what it costs\n- `note`, of type string\n" in instructions.content
    assert [json.loads(line) for line in conversation.content.splitlines()][3] == {
        "n": 3,
        "who": "chatbot",
        "text": "It's yours.",
    }


async def test_the_history_is_not_read():
    case = CASE.model_copy(update={"history": TALK.messages[:2]})
    hours = {"goal": 1, "asked": 0, "asked_words": "Until when"}

    reading = await read(answer([hours]), TALK.model_copy(update={"case": case}))

    assert reading.goals[0].asked_at is None


@pytest.mark.parametrize(("reply", "error"), [(ModelTimeout("60 s"), ModelTimeout), ("nonsense", BadCompletion)])
async def test_a_model_that_fails_is_not_hidden(reply: str | Exception, error: type[Exception]):
    with pytest.raises(error):
        await ModelReader(ScriptedModel(*[reply] * 3)).read(TALK)
