from typing import Literal

import pytest
from pydantic import BaseModel, Field

from scripted import ScriptedModel
from sparring.core.errors import BadCompletion, ModelUnavailable
from sparring.llm.model import ChatMessage, Completion, Request
from sparring.llm.structured_output import ask

ASK = Request((ChatMessage("user", "How good was it?"),), temperature=0.0)


class Score(BaseModel):
    score: int = Field(ge=1, le=3)
    sure: Literal["yes", "no"] = "yes"


class Tree(BaseModel):
    branches: "list[Tree]" = []


async def test_an_answer_that_fits_is_a_value():
    assert await ask(ScriptedModel('{"score": 3}'), ASK, Score) == Score(score=3)


async def test_the_model_gets_the_schema_and_the_rest_of_the_request():
    model = ScriptedModel('{"score": 3}')

    await ask(model, ASK, Score)

    (request,) = model.requests
    assert (request.messages, request.temperature) == (ASK.messages, 0.0)
    assert request.answer is not None
    assert (request.answer.name, request.answer.schema) == ("Score", Score.model_json_schema())


async def test_a_model_that_ignores_the_schema_is_asked_again_with_the_problem():
    model = ScriptedModel("Great!", 'Sure: {"score": 7, "sure": "maybe"}', '```json\n{"score": 2}\n```')

    answer = await ask(model, ASK, Score)

    assert (answer, len(model.requests)) == (Score(score=2), 3)
    first, second = model.requests[-1].messages[2::2]
    assert "there is no complete JSON object in it" in first.content
    assert "- score: Input should be less than or equal to 3\n- sure: Input should be 'yes' or 'no'" in second.content
    assert all('"maximum": 3' in turn.content for turn in (first, second))


async def test_its_own_words_are_in_the_history_bounded():
    model = ScriptedModel("x" * 100_000, "", '{"score": 2}')

    await ask(model, ASK, Score)

    said = [message.content for message in model.requests[-1].messages if message.role == "assistant"]
    assert said == ["x" * 8_000, "(nothing)"]


async def test_after_the_last_repair_it_is_a_bad_completion():
    model = ScriptedModel(*['{"score": 9}'] * 2)

    with pytest.raises(BadCompletion) as caught:
        await ask(model, ASK, Score, repairs=1)

    assert (
        str(caught.value)
        == "none of 2 answers has the requested format; the last: - score: Input should be less than or equal to 3"
    )


async def test_a_truncated_answer_is_reported_as_truncated():
    with pytest.raises(BadCompletion, match=r"the last: it was cut off \(length\): there is no complete JSON object"):
        await ask(ScriptedModel(Completion('{"sco', stopped="length")), ASK, Score, repairs=0)


async def test_a_model_that_fails_fails():
    with pytest.raises(ModelUnavailable, match="busy"):
        await ask(ScriptedModel("Great!", ModelUnavailable("busy")), ASK, Score)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [300, 900, 5_000])
async def test_an_answer_nested_without_end_does_not_fit(depth: int):
    model = ScriptedModel('{"branches": [' * depth + "]}" * depth)

    with pytest.raises(BadCompletion):
        await ask(model, ASK, Tree, repairs=0)


async def test_an_answer_with_broken_characters_does_not_fit():
    class Name(BaseModel):
        name: str

    with pytest.raises(BadCompletion):
        await ask(ScriptedModel('{"name": "\\ud800"}'), ASK, Name, repairs=0)
