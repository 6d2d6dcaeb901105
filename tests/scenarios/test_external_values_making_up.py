import json

import pytest

from scripted import ScriptedModel
from sparring.core.errors import BadCompletion
from sparring.scenarios.external_values import ModelValues, generate_values


def ideas(*values: str) -> str:
    return json.dumps({"values": values})


async def test_each_wish_is_made_up_once_and_by_its_type():
    fruit, number, day = (
        ModelValues("fruit", "", ("apple",)),
        ModelValues("number", "float"),
        ModelValues("flag", "bool"),
    )
    model = ScriptedModel(ideas("pear", "$fig"), ideas("1.5", "inf", "two"), ideas("True", "maybe"))

    made = await generate_values([fruit, number, fruit, day], model, seed=7)

    assert made == {fruit: ("pear", "$fig"), number: (1.5, "inf", "two"), day: (True, "maybe")}


async def test_the_prompt_names_the_values_wanted_and_the_values_given():
    model = ScriptedModel(ideas("3"))

    await generate_values([ModelValues("number of {pizzas} at $5", "int", ("1", "2"))], model, seed=7)

    (request,) = model.requests
    assert (request.seed, [line for line in request.messages[0].content.splitlines() if line.startswith("- ")]) == (
        7,
        ["- 1", "- 2"],
    )
    assert 'any of "number of {pizzas} at $5". Write them as whole numbers' in request.messages[0].content


async def test_a_model_that_makes_nothing_up_is_an_error():
    with pytest.raises(BadCompletion):
        await generate_values([ModelValues("fruit", "")], ScriptedModel(*[ideas()] * 3), seed=7)
