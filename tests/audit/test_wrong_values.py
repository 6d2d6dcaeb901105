"""Values of closed lists that the user says in place of its own."""

import pytest

from audited import DRINK, PIZZA, calling, certain, faults, hotel, pizzeria
from sparring.core.case import ChangeOfMind, Fact, Goal, Persona, Style
from sparring.core.conversation import Ending
from tables import table


@table(
    "said",
    [
        "I'd like a big Margarita pizza, please.",
        "Can I have a big Margarita pizza?",
        "A small Margarita pizza. No, wait, make it big.",
        "Not small, big please: a Margarita.",
        "A Margarita, and I said big, didn't I?",
    ],
)
def test_another_value_of_a_list_is_wrong(said):
    (fault,) = faults(pizzeria(), said)
    assert (fault.kind, fault.certainty) == ("wrong_value", "certain")
    assert fault.touches == ("size", "goal:1")
    assert fault.evidence[0].text == "big"


@table(
    "said",
    [
        "I'd like a small Margarita pizza, not a big one.",
        "I don't want a big pizza, a small Margarita please.",
        "A big, no, a small Margarita pizza.",
        "A small Margarita pizza instead of the big one, please.",
        "You said big, but I asked for a small Margarita.",
        "Please change big to small.",
    ],
)
def test_a_value_that_is_denied_or_taken_back_is_not_wrong(said):
    assert faults(pizzeria(), said) == []


def test_a_question_about_another_value_may_be_innocent():
    (fault,) = faults(pizzeria(), "Is there a big Margarita?")
    assert fault.certainty == "likely"


def test_a_question_about_another_value_is_wrong_if_the_goal_is_a_question():
    goal = Goal(text="how much a small pizza costs", variables=("size",), others={"size": ("big",)})
    case = pizzeria(goals=(goal,), variables={"size": "small"})
    assert certain(case, "How much is a big pizza?") == {"wrong_value"}


def test_one_thing_more_of_a_list_is_wrong():
    said = ("A small Margarita pizza.", "Which drink: sprite, coke or water?", "A coke and a sprite.")
    assert certain(pizzeria(), *said) == {"wrong_value"}


def test_values_of_a_list_that_only_the_chatbot_knows_are_closed():
    case = pizzeria(goals=(PIZZA, DRINK.changed(others={})))
    said = ("A small Margarita pizza.", "We have sprite, coke and water. Which drink would you like?", "A sprite.")
    assert certain(case, *said) == {"wrong_value"}


def test_an_argument_that_is_named_like_a_variable_shows_another_value():
    case = pizzeria(goals=(PIZZA.changed(others={}), DRINK))
    said = ("A huge Margarita pizza.", calling("One huge Margarita.", "add_pizza", size="huge", kind="Margarita"))
    assert "wrong_value" in certain(case, *said)


def test_the_user_may_take_what_the_chatbot_has_instead():
    said = ("A small Margarita pizza and a coke.", "We are out of coke, we only have water.", "Then a water, please.")
    assert faults(pizzeria(), *said) == []


def test_a_recorded_change_of_mind_is_no_fault_but_a_third_value_is():
    change = ChangeOfMind(variable="size", first="big", final="small")
    case = pizzeria(changes=(change,))
    assert faults(case, "A big Margarita pizza.") == []
    assert certain(case, "A medium Margarita pizza.") == {"wrong_value"}


def test_a_change_of_mind_that_is_not_recorded_is_no_fault():
    persona = Persona(styles=(Style(name="change your mind"),))
    assert faults(pizzeria(persona=persona), "A big Margarita pizza.") == []


def test_a_value_that_also_stands_elsewhere_on_the_role_sheet_is_not_wrong():
    persona = Persona(role="You have a big family.")
    assert faults(pizzeria(persona=persona), "A big Margarita pizza.") == []


@pytest.mark.parametrize("said", ["a room in Graz for 4 nights", "I'd like to book a room in Graz for four nights."])
def test_another_number_of_what_a_goal_counts_is_wrong(said):
    (fault,) = faults(hotel(), said)
    assert (fault.kind, fault.certainty, fault.touches) == ("wrong_value", "certain", ("nights", "goal:1"))


def test_the_bare_answer_to_how_many_is_compared():
    said = ("I'd like to book a room in Graz.", "How many nights?")
    assert certain(hotel(), *said, "5") == {"wrong_value"}
    assert certain(hotel(), *said, "Three.") == set()


def test_numbers_of_other_things_are_not_compared():
    assert faults(hotel(), "I have been thinking about it for 2 hours. Book a room in Graz for 3 nights.") == []


def test_the_last_of_two_values_stands():
    said = ("A small Margarita pizza.", "One small Margarita pizza. A coke?", "Yes. Make the pizza big, please.")
    reply = "One big Margarita pizza, and one coke."
    found = {fault.kind: fault.certainty for fault in faults(pizzeria(), *said, reply, ending=Ending.USER_DONE)}
    assert found["contradiction_stands"] == "certain"
    found = {
        fault.kind: fault.certainty for fault in faults(pizzeria(), *said, "A small one.", ending=Ending.USER_DONE)
    }
    assert found["contradiction_stands"] == "likely"
    back = (*said, reply, "No, small.", "One small Margarita pizza.")
    assert "contradiction_stands" not in certain(pizzeria(), *back, ending=Ending.USER_DONE)


def test_an_unrecorded_change_of_mind_has_to_come_back():
    case = pizzeria(persona=Persona(styles=(Style(name="change your mind"),)))
    said = ("A small Margarita pizza.", "One small Margarita pizza.", "Change small to big, please.", "A big one then.")
    assert certain(case, *said, ending=Ending.USER_DONE) >= {"contradiction_stands"}
    assert "contradiction_stands" not in certain(case, *said, "Back to small.", "Small.", ending=Ending.USER_DONE)


def test_times_count_nothing():
    goal = Goal(text="a repair at 15:30 on May 4", variables=("time", "day"))
    case = hotel(goals=(goal,), variables={"time": "15:30", "day": "May 4"})
    assert faults(case, "I'd like a repair at 15:30 on May 4, please. Is 30 minutes enough?") == []


def test_one_slip_in_a_value_is_no_other_value():
    case = pizzeria(goals=(PIZZA.changed(others={"kind": ("Margerita", "Hawaiian")}),))
    assert faults(case, "A small Margerita, please.") == []


def test_the_wrong_one_of_the_own_addresses():
    known = {"LOCATION": "6 Castle Hill", "LOCATIONS": ["5 Station Road", "6 Castle Hill"], "nights": 3, "city": "Graz"}
    said = ("A room in Graz for 3 nights.", "To which address: 5 Station Road or 6 Castle Hill?")
    assert certain(hotel(variables=known), *said, "5 Station Road") == {"wrong_value"}
    assert faults(hotel(variables=known), *said, "6 Castle Hill") == []


def test_another_day_of_an_offered_list():
    known = {"DELIVERY_DATE": "Thursday", "DELIVERY_DAYS": ["Monday", "Thursday"], "nights": 3, "city": "Graz"}
    case = hotel(variables=known, unspoken=("DELIVERY_DAYS",))
    said = ("A room in Graz for 3 nights.", "On which day: Monday or Thursday?")
    assert certain(case, *said, "Monday") == {"wrong_value"}
    assert faults(case, *said, "Thursday, please.") == []


def test_a_time_within_the_hours_at_which_the_user_is_free_is_not_wrong():
    facts = (Fact(slot="availability", values=("Friday after 1 pm",)),)
    case = pizzeria(facts=facts, answers={"what time": "3 pm"})
    assert faults(case, "A small Margarita pizza on Friday.", "At what time on Friday?", "3 pm") == []


def test_an_answer_of_the_author_may_change_with_its_variable():
    change = ChangeOfMind(variable="day", first="Thursday", final="Tuesday")
    case = pizzeria(variables={"day": "Tuesday"}, answers={"which day": "Tuesday"}, changes=(change,))
    assert faults(case, "A small Margarita pizza.", "On which day?", "Thursday") == []
