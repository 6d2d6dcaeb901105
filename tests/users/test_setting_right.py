"""Answers to a chatbot that asks what is wrong, asks when the user can come, or passes over a part of a message."""

import re

import pytest

from fakes import FrozenClock, Talking
from sparring.core.case import Case, ChangeOfMind, Fact, Goal, GoalAnswer, Limits, OutputSpec
from sparring.core.conversation import Conversation, Ending
from sparring.extraction.pattern_extractor import PatternReader
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda

SLOT = Case(
    id="pick-up/1",
    goals=(
        Goal(text="a pick-up in the morning", variables=("slot",), others={"slot": ("afternoon",)}),
        Goal(text="how heavy a box may be"),
    ),
    variables={"slot": "morning"},
    facts=(Fact(slot="availability", values=("Wednesday after 1 pm",)), Fact(slot="address", values=("5 Canal Road",))),
    limits=Limits(turns=12),
    seed=1,
)
CHANGED = ChangeOfMind(variable="slot", first="afternoon", final="morning", mode="for good", at="confirm")
CONFIRM = "A pick-up in the afternoon. Shall I book it?"


async def lines(case: Case, *replies: str) -> list[str]:
    """Return what the user says to replies, after the last of which the chatbot takes leave."""
    found: Conversation = await simulate(
        case, Agenda(), Talking(lambda: (lambda left: lambda text: next(left, "Goodbye!"))(iter(replies))),
        reader=PatternReader(), clock=FrozenClock(),
    )  # fmt: skip
    return [each.text for each in found.messages if each.role == "user"]


@pytest.mark.parametrize(
    "asked",
    [
        "What would you like to change?",
        "Oh, which part did I get wrong?",
        "Please tell me if that is all right.",
    ],
)
async def test_a_change_that_was_passed_over_is_said_again_alone(asked: str):
    said = await lines(SLOT.model_copy(update={"changes": (CHANGED,)}), CONFIRM, asked)
    assert re.findall("morning|afternoon", said[2]) == ["morning"]


async def test_a_change_that_the_chatbot_agrees_to_is_not_said_again():
    said = await lines(SLOT.model_copy(update={"changes": (CHANGED,)}), CONFIRM, "Changed. Is that all right?")
    assert said[2].startswith("Yes")


async def test_the_days_that_a_question_names_are_no_proposal():
    said = await lines(SLOT, "Which weekday suits you? We drive Monday to Friday.", "On which day (Monday or Tuesday)?")
    assert said[1:3] == ["I am free Wednesday after 1 pm."] * 2


async def test_a_fact_that_was_not_understood_is_said_barely():
    asked = "Where should the courier collect it?"
    said = await lines(SLOT, asked, f"Sorry, I did not understand. {asked}")
    assert said[1:3] == ["My address is 5 Canal Road.", "5 Canal Road"]


async def test_a_wish_with_a_day_is_said_when_the_chatbot_already_asks_for_the_day():
    goals = (Goal(text="how much a haircut costs"), Goal(text="book a haircut on Friday"))
    said = await lines(SLOT.model_copy(update={"goals": goals}), "It is $38. On which day would you like to come in?")
    assert "book a haircut on Friday" in said[1]


async def test_an_answer_of_the_author_changes_with_its_variable():
    change = ChangeOfMind(variable="day", first="Thursday", final="Tuesday", mode="for good", at="confirm")
    case = Case(
        id="pick-up/2",
        goals=(Goal(text="a pick-up of a box"),),
        variables={"day": "Tuesday"},
        answers={"which day": "Tuesday"},
        changes=(change,),
        seed=1,
    )
    said = await lines(case, "On which day?", "A pick-up of a box on Thursday. Shall I book it?")
    assert re.findall("Thursday|Tuesday", " ".join(said[1:3])) == ["Thursday", "Thursday", "Tuesday"]


async def test_a_counted_value_ends_before_the_verb_of_a_german_goal():
    goal = Goal(text="einen Schaden vom 3. Mai über 800 Euro melden", variables=("sum",))
    change = ChangeOfMind(variable="sum", first="450", final="800", mode="for good", at="confirm")
    case = Case(id="claim/1", goals=(goal,), variables={"sum": 800}, changes=(change,), seed=1)
    case = case.model_copy(update={"persona": case.persona.model_copy(update={"language": "German"})})
    said = await lines(case, "Ein Schaden vom 3. Mai über 450 Euro. Soll ich das melden?")
    assert [said[0].startswith("Ich"), "Euro melden" in said[1]] == [True, False]


async def test_an_output_is_asked_for_and_not_ordered():
    outputs = (OutputSpec(name="deductible", type="money", description="the deductible of the policy"),)
    goals = (Goal(text="the deductible"), Goal(text="the fee", answer=(GoalAnswer(text="12"),)))
    said = await lines(SLOT.model_copy(update={"goals": goals, "outputs": outputs}), "It is $150.")
    assert [each.startswith(("Could you tell me the", "Can you tell me the")) for each in said[:2]] == [True, True]


async def test_a_question_that_was_not_understood_is_a_whole_sentence_in_other_words():
    case = SLOT.model_copy(update={"goals": (Goal(text="how old you are"),)})
    said = await lines(case, "Sorry, I did not understand.")
    assert said[1].endswith("could you tell me how old you are?")


async def test_help_with_something_is_a_thing():
    said = await lines(SLOT.model_copy(update={"goals": (Goal(text="help with my sleep"),)}), "OK.")
    assert re.search("(like|have) help with my sleep", said[0])


async def test_an_impatient_user_that_leaves_a_chatbot_that_only_falls_back_has_given_up():
    persona = SLOT.persona.model_copy(update={"traits": ("You are in a hurry.",)})
    found: Conversation = await simulate(
        SLOT.model_copy(update={"persona": persona}),
        Agenda(),
        Talking(lambda: lambda text: "Sorry, I did not understand."),
        reader=PatternReader(),
        clock=FrozenClock(),
    )
    assert found.ending is Ending.GAVE_UP


async def test_a_counted_value_is_set_right_with_its_thing():
    goal = Goal(text="a car for 2 days", variables=("days",))
    change = ChangeOfMind(variable="days", first="3", final="2", mode="for good", at="confirm")
    case = Case(id="car/1", goals=(goal,), variables={"days": 2}, changes=(change,), seed=1)
    said = await lines(case, "A car for 3 days. Shall I book it?", "What should be different?", "Shall I book it?")
    assert [said[2].startswith("2 days"), "2 days" in said[3]] == [True, True]


async def test_a_recap_of_a_changed_wish_is_answered_before_the_conversation_ends():
    said = await lines(
        SLOT.model_copy(update={"changes": (CHANGED,), "goals": SLOT.goals[:1], "facts": ()}),
        *(CONFIRM, "OK, I have changed it: a pick-up in the morning. Shall I book it?", "It is booked."),
    )
    assert said[2].startswith("Yes")


async def test_an_answer_of_the_author_to_what_the_sentence_before_names():
    case = SLOT.model_copy(update={"answers": {"cover": "yes please"}})
    said = await lines(case, "Full cover is $9 a day on top. Would you like to add it?")
    assert said[1] == "yes please"
