from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripted import ScriptedChatbot, ScriptedModel
from sparring.app.estimate import NOTHING, Estimate, Range, chatbot_takes, price_of, reader_takes, turns, user_takes
from sparring.chatbots.chatbot import BaseChatbot, Capabilities
from sparring.chatbots.prompted.chatbot import Prompted
from sparring.core.case import Case, Goal, Limits, Persona, Say
from sparring.core.message import message
from sparring.core.prompts import Agent, Prompts, ToolSchema
from sparring.core.usage import Pricing
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm.pricing import unknown_price
from sparring.llm.template import read
from sparring.simulation.simulate import simulate
from sparring.users.simulated import Simulated

CASE = Case(id="a", goals=(Goal(text="a pizza"),), limits=Limits(turns=4))


def test_a_user_may_speak_once_and_as_often_as_the_limits_allow():
    steps = CASE.model_copy(update={"limits": Limits(turns=9, steps=3)})
    script = CASE.model_copy(update={"script": (Say(text="Hi"), Say(text="Bye"))})

    assert (turns(CASE), turns(steps), turns(script)) == (Range(1, 4), Range(1, 3), Range(1, 2))


def test_a_case_with_a_script_takes_nothing_of_the_users_model():
    assert user_takes([CASE.model_copy(update={"script": (Say(text="Hi"),)})]) == Estimate()


def test_a_prompted_chatbot_without_tools_makes_one_call_a_turn_and_any_other_is_not_estimated():
    prompted = Prompted(ScriptedModel(), read("You sell pizzas."))

    known, unknown = chatbot_takes([CASE], prompted), chatbot_takes([CASE], BaseChatbot())

    assert known.calls == unknown.calls == Range(1, 4)
    assert (unknown.input_tokens, unknown.output_tokens) == (None, None)
    assert known.output_tokens == Range(10, 480)


def test_a_chatbot_that_declares_its_prompts_is_estimated_by_them():
    agent = Agent(prompt="You sell pizzas.", tools=("menu",))
    prompts = Prompts(name="en", entry="seller", agents={"seller": agent}, tools=(ToolSchema(name="menu"),))

    class Bilingual(BaseChatbot):
        capabilities = Capabilities(prompts=(prompts, prompts.model_copy(update={"name": "ru"})))

    takes = chatbot_takes([CASE], Bilingual())

    assert takes.calls == Range(1, 12)
    assert takes.cost(price_of("openai:gpt-4o-mini", {})) is not None


def test_a_reader_is_asked_once_or_each_turn_and_only_if_there_is_something_to_find():
    polite = CASE.model_copy(update={"ends": "farewell"})
    empty = CASE.model_copy(update={"goals": ()})

    assert reader_takes([polite], each_turn=False).calls == Range(1, 1)
    assert reader_takes([polite], each_turn=True).calls == Range(1, 4)
    assert reader_takes([CASE], each_turn=False).calls == Range(1, 4)
    assert reader_takes([empty], each_turn=True) == Estimate()


def test_an_unknown_price_and_unknown_tokens_stay_unknown_and_never_cost_nothing():
    takes = user_takes([CASE])

    assert takes.cost(unknown_price) is None
    assert replace(takes, input_tokens=None).cost(price_of("openai:gpt-4o-mini", {})) is None
    assert price_of("ollama:llama3.2", {})(1, 1, 0) is price_of("http://127.0.0.1:1/v1#m", {})(1, 1, 0) is None
    assert Estimate().cost(lambda *_: 1.0) == NOTHING


def test_the_cost_is_that_of_the_calls_at_the_listed_price():
    takes = Estimate(Range(1, 2), Range(1_000_000, 2_000_000), Range(0, 0))

    assert takes.cost(lambda tokens, *_: tokens / 1e6) == Range(1.0, 2.0)
    cost = takes.cost(price_of("openai:gpt-4o-mini", {}))
    assert cost is not None
    assert 0 < cost.low < cost.high


@given(
    st.integers(1, 40),
    st.one_of(st.none(), st.integers(1, 40)),
    st.text(max_size=50),
    st.integers(0, 3),
    st.integers(1, 9),
)
@pytest.mark.slow
def test_the_least_is_never_more_than_the_most(turns: int, steps: int | None, role: str, past: int, times: int):
    case = Case(
        id="a",
        persona=Persona(role=role),
        history=(message("user", "Hi"),) * past,
        limits=Limits(turns=max(turns, steps or 1), steps=steps),
    )

    takes = user_takes([case]) * times

    for range in (takes.calls, takes.input_tokens, takes.output_tokens):
        assert range is not None
        assert 0 < range.low <= range.high


async def test_what_a_conversation_really_takes_lies_between_the_least_and_the_most():
    model = ScriptedModel(*["I want a pizza with ham please"] * 4)
    chatbot = ScriptedChatbot(*["I did not get that, what do you want?"] * 4)

    conversation = await simulate(CASE, Simulated(model), chatbot, reader=PatternReader())

    takes = user_takes([CASE])
    sent = sum(len(m.content) // 4 for request in model.requests for m in request.messages)
    assert takes.input_tokens is not None
    assert takes.calls.low <= conversation.turns <= takes.calls.high
    assert takes.input_tokens.low <= sent <= takes.input_tokens.high


def test_a_price_of_ones_own_goes_before_the_list():
    prices = {"openai:gpt-4o-mini": Pricing(input=1, output=2, cached=0.5), "ollama:x": Pricing(input=3, output=0)}

    assert price_of("openai:gpt-4o-mini", prices)(3_000_000, 1_000_000, 2_000_000) == 1 + 2 * 0.5 + 2
    assert price_of("ollama:x", prices)(1_000_000, 5, 500_000) == 3


def test_a_price_holds_for_an_address_with_or_without_a_slash():
    prices = {"http://me/v1/#m": Pricing(input=3, output=0)}

    assert price_of("http://me/v1#m", prices)(1_000_000, 5, 0) == 3
