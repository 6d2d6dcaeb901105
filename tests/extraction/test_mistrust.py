"""What a reader must not take for an answer: a green result that is wrong is worse than none."""

from typing import Any

import pytest

from sparring.core.case import Case, Goal, OutputSpec
from sparring.core.conversation import Conversation
from sparring.core.message import message
from sparring.core.value import Json
from sparring.extraction.pattern_extractor import PatternReader
from tables import table

PIZZA = Case(
    id="pizza",
    goals=(Goal(text="a pizza with pepperoni for Christina", variables=("topping", "name")),),
    variables={"topping": "pepperoni", "name": "Christina"},
)
HOURS = Case(id="hours", goals=(Goal(text="What are the opening hours?"),))
PARKING = Case(id="parking", goals=(Goal(text="whether there is parking"), Goal(text="whether there is wifi")))
COST = Case(id="cost", goals=(Goal(text="what my order costs"),))


async def answers(case: Case, *said: str) -> list[str | None]:
    messages = tuple(message("chatbot" if n % 2 else "user", text) for n, text in enumerate(said))
    reading = await PatternReader().read(Conversation(case=case, messages=messages))
    return [goal.answered.text if goal.answered else None for goal in reading.goals]


@table(
    "reply",
    [
        "I don't know.",
        "We don't serve pepperoni, Christina.",
        "There is no pepperoni left, Christina.",
        "We are out of pepperoni, Christina.",
        "We never make pizza with pepperoni for Christina.",
        "Pepperoni is sold out, Christina.",
        "I couldn't add pepperoni, Christina.",
        "Your pepperoni order failed, Christina.",
        "One pizza with peppers for Christopher.",
        "Nope, no chance.",
        "Let me transfer you to a colleague.",
        "One moment please.",
        "An internal error occurred.",
        "There's free parking round the back.",
        "We love pizza.",
        "Please leave a number.",
        "Оставьте номер для связи.",
        "You said: I'd like a pizza with pepperoni for Christina.",
        "<html><body>502 Bad Gateway</body></html>",
        "A pizza with pepperoni for Christina?",
        "",
    ],
)
async def test_a_wish_is_not_granted_by(reply: str):
    assert await answers(PIZZA, "I'd like a pizza with pepperoni for Christina.", reply) == [None]


@table(
    "reply",
    [
        "I don't know.",
        "I have no information about our opening hours.",
        "Let me check that for you.",
        "One moment please.",
        "An internal error occurred.",
        "I am a teapot.",
        "What would you like?",
        "Я не знаю.",
        "You asked: What are the opening hours?",
        "<html><head><title>Opening hours</title></head></html>",
    ],
)
async def test_a_question_is_not_answered_by(reply: str):
    assert await answers(HOURS, "What are the opening hours?", reply) == [None]


@pytest.mark.parametrize(
    ("reply", "answered"),
    [
        ("You're all set, see you soon at Snip and Co!", [None, None]),
        ("Free parking behind the building.", ["Free parking behind the building.", None]),
        ("There is no parking at all.", ["There is no parking at all.", None]),
    ],
)
async def test_one_question_is_not_answered_by_the_answer_to_another(reply: str, answered: list[str | None]):
    assert await answers(PARKING, "Could you tell me whether there is parking?", reply) == answered


async def test_what_there_is_not_has_no_price():
    assert await answers(COST, "What does my order cost?", "There is no order with ID 123456.") == [None]


async def test_a_no_answers_what_can_be_answered_by_a_no():
    case = Case(id="x", goals=(Goal(text="Do you deliver?"),))

    assert await answers(case, "Do you deliver?", "We do not deliver.") == ["We do not deliver."]


@pytest.mark.parametrize(
    ("value", "reply"), [("2", "Our kitchen opens in 2 hours."), ("Austria", "Booked to Australia.")]
)
async def test_a_value_is_not_repeated_by_one_that_looks_like_it(value: str, reply: str):
    case = Case(id="x", goals=(Goal(text=f"{value} tickets", variables=("v",)),), variables={"v": value})

    assert await answers(case, f"I'd like {value} tickets.", reply.replace("Booked", "Flights go")) == [None]


OUTPUTS = [
    ("total", "money", "Get $5 off your first order above $30."),
    ("total", "money", "Delivery costs $3."),
    ("quantity", "int", "We are open since 1998."),
    ("appointment", "date", "I do not know. Today is 2026-01-01."),
    ("available", "bool", "I do not know."),
    ("order_id", "str", "I cannot find an order id for the number 555."),
    ("order_id", "str", "Your order ID is not available yet; call 555-1234 for it."),
    ("order_id", "str", "There is no order with ID 123456."),
    ("order_id", "str", "Please give me your order ID, for example AB-1234."),
    ("address", "string", "I have no idea what you want."),
    ("date", "string", "Okay."),
    ("eta", "int", "Delivery date: 03/04/2026."),
    ("open_sunday", "bool", "Is it open on Sunday? No idea, who knows."),
]


@table(("name", "type", "reply"), OUTPUTS)
async def test_an_output_is_not_read_out_of(name: str, type: str, reply: str):
    case = Case(id="x", outputs=(OutputSpec(name=name, type=type),))
    said = (message("user", "Hello"), message("chatbot", reply))

    (output,) = (await PatternReader().read(Conversation(case=case, messages=said))).outputs

    assert (output.value, output.evidence) == (None, None)


@pytest.mark.parametrize(
    ("type", "reply", "value"),
    [
        ("money", "The total is not $12.50 any more, it is $15.", "$15"),
        ("int", "The total is " + "1" * 5000 + ".", None),
        ("float", "The total is " + "1" * 400 + ".5", None),
    ],
)
async def test_a_number_is_what_it_says(type: str, reply: str, value: Json):
    case = Case(id="x", outputs=(OutputSpec(name="total", type=type),))
    said = (message("user", "What is the total?"), message("chatbot", reply))

    (output,) = (await PatternReader().read(Conversation(case=case, messages=said))).outputs

    assert output.value == value


HOSTILE: dict[str, Any] = {
    "dots": "." * 100_000 + "a",
    "shouting": "!" * 100_000 + "a",
    "abbreviations": "e.g. " * 20_000,
    "titles": "mr. " * 20_000,
    "digits": "1" * 100_000,
    "thousands": "111," * 25_000,
    "spaced thousands": "111 " * 25_000,
    "one word": "a" * 100_000,
    "an address": "a." * 50_000,
    "another": "a@" + "a-" * 50_000,
    "dates": "jan 1 " * 17_000,
    "phones": "1 " * 50_000,
    "questions": "what? " * 17_000,
    "anything": "anything any " * 8_000,
    "lines": "\n" * 100_000,
    "items": "a, " * 30_000,
    "bullets": "- a\n" * 20_000,
    "one long bullet": "- a\n- " + "a " * 40_000,
    "hours": "quarter past " * 8_000,
    "orders": "order " * 17_000,
    "a booking": "booking a " + "b" * 100_000 + " is",
    "times": "9 am - " * 15_000,
    "from": "from 9 " * 15_000,
    "refusals": "we really " * 10_000,
}


@pytest.mark.slow
@pytest.mark.timeout(20)
@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE)
async def test_no_reply_holds_a_reader_up(reply: str):
    kinds = (
        "money",
        "int",
        "float",
        "date",
        "time",
        "email",
        "phone",
        "bool",
        "string",
        "percent",
        "list",
        "list[int]",
    )
    goals = (*HOURS.goals, *PIZZA.goals, Goal(text="cancel my order"), Goal(text="which sizes are there?"))
    outputs = tuple(OutputSpec(name=f"total {kind}", type=kind) for kind in kinds)
    case = HOURS.model_copy(update={"goals": goals, "variables": PIZZA.variables, "outputs": outputs})
    asked = "What are the opening hours? A pizza with pepperoni for Christina. Cancel my order. Which sizes are there?"
    said = (message("user", asked), message("chatbot", reply))

    await PatternReader().read(Conversation(case=case, messages=said))


CANCEL = Case(
    id="cancel", goals=(Goal(text="cancel order ORD-002", variables=("order",)),), variables={"order": "ORD-002"}
)
PRICE = Case(
    id="price",
    goals=(Goal(text="how much did order ORD-002 cost?", variables=("order",)),),
    variables={"order": "ORD-002"},
)


@pytest.mark.parametrize(
    "reply", ["I have cancelled order ORD-001 for you.", "Done: ORD-12 is cancelled.", "I have cancelled ord 1."]
)
async def test_another_order_is_not_the_one_that_was_meant(reply: str):
    assert await answers(CANCEL, "Please cancel order ORD-002.", reply) == [None]


@pytest.mark.parametrize(
    ("reply", "done"),
    [
        ("I have cancelled order ORD-002 for you.", True),
        ("ORD-2 is cancelled.", True),
        ("Your order is cancelled.", False),
        ("Sure, that's done!", False),
    ],
)
async def test_the_order_that_was_meant_is_named(reply: str, done: bool):
    assert await answers(CANCEL, "Please cancel order ORD-002.", reply) == [reply if done else None]


@table(
    ("reply", "answered"),
    [
        ("It was $40.00.", False),
        ("ORD-002 cost $40.00.", True),
        ("ORD-001 cost $40.00.", False),
        ("It was delivered.", False),
        ("I do not know.", False),
    ],
)
async def test_a_question_about_an_order_is_answered_with_its_number(reply: str, answered: bool):
    assert await answers(PRICE, "How much did order ORD-002 cost?", reply) == [reply if answered else None]


DRINK = Case(id="drink", goals=(Goal(text="the following drink: coke"),))


@pytest.mark.parametrize(
    ("reply", "answered"),
    [
        ("Your order is placed: one pizza with bacon and olives, and one sprite.", False),
        ("Your order is placed: one pizza with bacon and olives, and one coke.", True),
        ("Your order is placed: it will be ready in 15 minutes, and you can pick it up.", False),
        ("Your order is placed.", False),
    ],
)
async def test_what_is_placed_is_what_is_listed(reply: str, answered: bool):
    said = "I would like the following drink: coke.", "Shall I place the order?", "Yes, please.", reply

    assert await answers(DRINK, *said) == [reply if answered else None]


async def test_a_word_of_praise_is_no_other_subject():
    said = "Perfect, I have added a coke too."

    assert await answers(DRINK, "The following drink: coke.", said) == [said]
