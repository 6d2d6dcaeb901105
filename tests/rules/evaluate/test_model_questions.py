import pytest

from scripted import ScriptedModel
from sparring.core.errors import BadCompletion, ModelRejected, ModelUnavailable
from sparring.llm.model import Completion, Request, UnpricedModel
from sparring.rules.evaluate.model_questions import ModelAnswers, ModelQuestion, Unanswered
from sparring.rules.undecided import ModelFailed

WORDS = ("yes", "no")


class Thinking(UnpricedModel):
    """A model that thinks before it answers, and notes how many tokens it may answer."""

    def __init__(self) -> None:
        self.room: list[int | None] = []

    async def complete(self, request: Request) -> Completion:
        self.room.append(request.max_tokens)
        if request.max_tokens is not None:
            raise BadCompletion("said nothing before it was stopped (length)")
        return Completion("Yes.")


async def test_a_model_that_thinks_before_it_answers_is_given_room_for_it():
    model = Thinking()
    answers = ModelAnswers(model, at_once=1)

    for text in ("Hello", "Bye"):
        with pytest.raises(Unanswered) as asked:
            answers("tone", WORDS, text=text)
        await answers.ask([asked.value.question])

    assert (answers("tone", WORDS, text="Bye"), model.room) == ("yes", [20, None, None])


async def test_a_model_that_fails_otherwise_is_not_asked_in_another_way():
    model = ScriptedModel(ModelUnavailable("nobody there"))
    answers = ModelAnswers(model)
    with pytest.raises(Unanswered) as asked:
        answers("tone", WORDS, text="Hello")

    await answers.ask([asked.value.question])

    with pytest.raises(ModelFailed, match="the model failed: nobody there"):
        answers("tone", WORDS, text="Hello")
    assert len(model.requests) == 1


async def test_no_call_is_made_after_the_circuit_opened():
    refused = ModelRejected("HTTP 401: wrong key")
    refused.pointless = True
    model = ScriptedModel(refused)

    answers = ModelAnswers(model, at_once=1)
    await answers.ask(ModelQuestion(f"Is it {n}?", WORDS) for n in range(20))
    with pytest.raises(Unanswered) as asked:
        answers("tone", WORDS, text="Hello")
    await answers.ask([asked.value.question])

    with pytest.raises(ModelFailed, match="the model failed: HTTP 401: wrong key"):
        answers("tone", WORDS, text="Hello")
    assert len(model.requests) == 1
