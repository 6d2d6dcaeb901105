import pytest

from fakes import FrozenClock
from sparring.core.case import Case, Goal, OutputSpec, Persona
from sparring.core.conversation import Conversation, Evidence, GoalProgress, GoalStage
from sparring.core.message import message
from sparring.core.value import Json
from sparring.extraction.extractor import Extraction
from sparring.extraction.pattern_extractor import PatternReader

SMALL = Goal(text="a small pizza with corn and ham", variables=("size", "toppings"))
VARIABLES: dict[str, Json] = {"size": "small", "toppings": ["corn", "ham"]}


async def read(case: Case, *said: str) -> Extraction:
    """What is read from a conversation in which the user speaks first."""
    messages = tuple(message("chatbot" if n % 2 else "user", text) for n, text in enumerate(said))
    return await PatternReader().read(Conversation(case=case, messages=messages))


async def answered(goal: Goal, *said: str, variables: dict[str, Json] | None = None) -> str | None:
    (progress,) = (await read(Case(id="a", goals=(goal,), variables=variables or {}), *said)).goals
    return progress.answered.text if progress.answered else None


async def test_a_goal_is_answered_by_the_statement_that_repeats_its_values():
    said = await answered(
        SMALL,
        "A small pizza with corn and ham",
        "Sure! One small pizza with corn and ham. Anything else?",
        variables=VARIABLES,
    )

    assert said == "One small pizza with corn and ham."


async def test_a_question_that_repeats_the_values_is_no_answer():
    said = await answered(
        SMALL, "A small pizza with corn and ham", "A small pizza with corn and ham, right?", variables=VARIABLES
    )

    assert said is None


async def test_a_refusal_is_no_answer():
    said = await answered(
        SMALL,
        "A small pizza with corn and ham",
        "Sorry, we have no small pizza with corn and ham.",
        variables=VARIABLES,
    )

    assert said is None


async def test_values_may_be_repeated_over_several_replies():
    said = await answered(
        SMALL,
        "A small pizza with corn and ham",
        "Noted, a small one.",
        "yes",
        "I added corn and ham.",
        variables=VARIABLES,
    )

    assert said == "I added corn and ham."


async def test_a_chatbot_that_repeats_nothing_and_goes_on_has_said_nothing_that_can_be_read():
    (goal,) = (
        await read(
            Case(id="a", goals=(SMALL,), variables=VARIABLES),
            "A small pizza with corn and ham",
            "Got it. And to drink?",
        )
    ).goals

    assert goal == GoalProgress(text=SMALL.text, asked_at=0, stage=GoalStage.UNREAD)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("I have noted one medium red shirt. Anything else?", None),
        ("I have noted your order. Anything else?", None),
        ("I have noted a large one. Anything else?", "I have noted a large one."),
        (
            "I have noted a large one beside the medium one. Anything else?",
            "I have noted a large one beside the medium one.",
        ),
    ],
)
async def test_confirming_another_value_does_not_answer_the_goal(reply: str, found: str | None):
    goal = Goal(text="a large red shirt", variables=("size",), others={"size": ("small", "medium", "yes")})

    assert await answered(goal, "A large red shirt, please.", reply, variables={"size": "large"}) == found


async def test_a_chatbot_that_asks_for_the_same_again_has_not_answered():
    said = await answered(SMALL, "A small pizza with corn and ham", "Got it. Which toppings?", variables=VARIABLES)

    assert said is None


async def test_a_fallback_answers_nothing():
    said = await answered(Goal(text="What are the opening hours?"), "What are your opening hours?", "Can you rephrase?")

    assert said is None


async def test_a_question_is_answered_by_the_reply_to_it():
    said = await answered(
        Goal(text="What are the opening hours?"), "What are your opening hours?", "Every day from 1 pm."
    )

    assert said == "Every day from 1 pm."


async def test_a_goal_that_was_not_asked_is_not_answered():
    reading = await read(Case(id="a", goals=(Goal(text="What are the opening hours?"),)), "Hello", "We open at 1 pm.")

    assert reading.goals[0].asked_at is None


async def test_an_output_comes_with_the_words_that_state_it():
    wanted = OutputSpec(name="price", type="money", description="The price of the pizza order")

    reading = await read(
        Case(id="a", outputs=(wanted,)), "How much?", "A coke is $1.50. The price of your order is $11.50."
    )

    (output,) = reading.outputs
    assert (output.value, output.evidence) == ("$11.50", Evidence(at=1, start=44, end=50, text="$11.50"))


async def test_of_two_prices_the_last_one_stands():
    wanted = OutputSpec(name="price", type="money")

    reading = await read(
        Case(id="a", outputs=(wanted,)), "How much?", "The price is $10.", "Really?", "The price is $12."
    )

    assert reading.outputs[0].value == "$12"


@pytest.mark.parametrize(
    ("description", "value"), [("the price of the whole order", "$21.50"), ("what one coke costs", "$1.50")]
)
async def test_the_price_of_all_of_it_is_the_total_and_not_the_last_of_a_list_of_prices(description: str, value: str):
    wanted = OutputSpec(name="price", type="money", description=description)

    reading = await read(
        Case(id="a", outputs=(wanted,)),
        "Order",
        "The total is $21.50.",
        "What does it cost?",
        "Our price of a coke is $1.50.",
    )

    assert reading.outputs[0].value == value


async def test_a_code_is_the_one_behind_its_name_and_a_quantity_is_none():
    wanted = OutputSpec(name="order_id", type="str", description="my order ID")

    reading = await read(
        Case(id="a", outputs=(wanted,)), "Order", "2 pizzas and 12 cokes, order ID 9c31ab, ready at 10."
    )

    assert reading.outputs[0].value == "9c31ab"


async def test_a_code_of_letters_alone_must_stand_behind_its_name():
    wanted = OutputSpec(name="order_id", type="str", description="my order ID")

    reading = await read(
        Case(id="a", outputs=(wanted,)), "Order", "NICE! The order ID is eaafbb. We added ham to the order."
    )

    assert reading.outputs[0].value == "eaafbb"


async def test_an_unstated_output_has_no_evidence():
    reading = await read(Case(id="a", outputs=(OutputSpec(name="order_id"),)), "Order 2 pizzas", "2 pizzas ordered.")

    assert (reading.outputs[0].value, reading.outputs[0].evidence) == (None, None)


async def test_a_text_is_the_whole_answer_to_the_question_about_it():
    wanted = OutputSpec(name="opening_hours", description="The opening hours of the shop")

    reading = await read(
        Case(id="a", outputs=(wanted,)), "What are your opening hours?", "From 1 pm. On Sundays from 3 pm."
    )

    assert reading.outputs[0].value == "From 1 pm. On Sundays from 3 pm."


async def test_a_confirmed_wish_is_found_by_the_values_it_is_about():
    wanted = OutputSpec(name="confirmed_drinks_order", description="The confirmed drink order from the chatbot")

    reading = await read(Case(id="a", outputs=(wanted,), variables={"drink": "coke"}), "A coke", "Hi. One coke added.")

    assert reading.outputs[0].value == "One coke added."


async def test_the_history_is_not_read():
    case = Case(
        id="a",
        goals=(Goal(text="What are the opening hours?"),),
        history=(message("user", "What are the opening hours?"), message("chatbot", "From 1 pm.")),
    )

    reading = await PatternReader().read(Conversation(case=case, messages=(*case.history, message("user", "Hi"))))

    assert reading.goals[0].asked_at is None


async def test_days_are_counted_from_the_current_date_of_the_case_or_else_from_the_clock():
    case = Case(id="a", outputs=(OutputSpec(name="delivery_date", type="date"),))
    dated = case.model_copy(update={"variables": {"CURRENT_DATE": "2027-03-31 10:00"}})
    said = (message("user", "When?"), message("chatbot", "The delivery is tomorrow."))

    values = [
        (await reader.read(Conversation(case=each, messages=said))).outputs[0].value
        for reader, each in [
            (PatternReader(), case),
            (PatternReader(FrozenClock()), case),
            (PatternReader(FrozenClock()), dated),
        ]
    ]

    assert values == [None, "2026-01-03", "2027-04-01"]


async def test_numbers_are_read_in_the_language_of_the_persona():
    wanted = OutputSpec(name="weight", type="float")

    values = [
        (await read(Case(id="a", outputs=(wanted,), persona=Persona(language=language)), "?", "weight: 1.250 kg"))
        .outputs[0]
        .value
        for language in ("English", "Spanish")
    ]

    assert values == [1.25, 1250.0]


async def test_a_list_is_read_whole_from_the_sentence_or_the_lines_about_it():
    wanted = OutputSpec(name="drinks", type="list[string]", description="the drinks there are")
    case = Case(id="a", outputs=(wanted,))

    sentence = await read(case, "?", "I like ham, corn and tea. Our drinks are sprite, coke and water.")
    lines = await read(case, "?", "Our drinks:\n- sprite\n- iced tea")
    nothing = await read(case, "?", "I like ham, corn and tea.")

    assert [reading.outputs[0].value for reading in (sentence, lines, nothing)] == [
        ["sprite", "coke", "water"],
        ["sprite", "iced tea"],
        None,
    ]
