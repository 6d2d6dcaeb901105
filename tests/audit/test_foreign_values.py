"""Values that the user makes up, or that it must not say."""

from audited import certain, faults, hotel, pizzeria
from sparring.core.case import Fact, Goal, GoalAnswer, Persona
from tables import table

WISH = "I'd like to book a room in Graz for 3 nights."


@table(
    "said",
    [
        "I arrive on 2026-05-05.",
        "I want to arrive on May 6, 2026.",
        "My phone number is 555-0177.",
        "You can reach me at ana@example.com.",
        "I can pay 80 euros at most.",
        "It is about booking QX-4451.",
        "I will be there at 9 pm.",
        "My name is Peter Brown.",
    ],
)
def test_a_value_that_neither_case_nor_chatbot_gave_is_foreign(said):
    assert certain(hotel(), WISH, "All right.", said) == {"foreign_value"}


@table("said", ["4 May 2026", "The fourth, that is 2026-05-04.", "+1 555 0142", "My name is Ana Pardo.", "Ana."])
def test_a_known_value_in_another_form_is_not_foreign(said):
    assert faults(hotel(), WISH, "All right.", said) == []


def test_a_value_that_the_chatbot_said_is_not_foreign():
    assert faults(hotel(), WISH, "That is 240 euros, check-in is at 3 pm.", "I will be there at 3 pm.") == []


def test_a_fact_that_the_case_does_not_hold_may_be_asked_for():
    (fault,) = faults(hotel(), WISH, "What is your e-mail address?", "ana@example.com")
    assert (fault.kind, fault.certainty) == ("foreign_value", "likely")


def test_an_answer_to_a_question_about_a_fact_is_compared():
    case = hotel(facts=(Fact(slot="address", values=("2 Low Road",)),))
    asked = "What is your address?"
    assert certain(case, WISH, asked, "77 Elm Street") == {"foreign_value"}
    assert faults(case, WISH, asked, "2 Low Road") == []
    assert faults(case, WISH, asked, "I don't want to say that, Mr Smith Miller.") == []


def test_a_question_about_a_value_may_be_innocent():
    found = faults(hotel(), WISH, "All right.", "Is the bar open at 9 pm?")
    assert [fault.certainty for fault in found] == ["likely"]


def test_a_weekday_is_a_date():
    case = hotel(variables={"CURRENT_DATE": "2026-04-30", "arrival": "2026-05-04", "city": "Graz", "nights": 3})
    assert faults(case, "I arrive on Monday.") == []
    assert certain(case, "I arrive on Tuesday.") == {"foreign_value"}


def test_a_foreign_value_touches_the_slot_in_whose_place_it_stands():
    (fault,) = faults(hotel(), WISH, "Your phone number?", "555-0177")
    assert fault.touches == ("phone",)
    (fault,) = faults(pizzeria(), "A small Margarita pizza for 8 pm, please.")
    assert fault.touches == ("goal:1",)


def test_where_the_role_is_not_recorded_nothing_is_foreign():
    case = hotel(persona=Persona(), listed=())
    assert faults(case, "My e-mail address is ana@example.com.") == []


def test_a_hidden_value_is_not_to_be_said_first():
    goal = Goal(text="the total", answer=(GoalAnswer(text="240 euros"),))
    case = hotel(goals=(goal,), variables={"secret": "Rosewood"}, unspoken=("secret",))
    found = faults(case, "I think that it is Rosewood.", "No.", "Is the total 240 euros?")
    assert [(fault.kind, fault.touches) for fault in found if fault.kind == "hidden_value"] == [
        ("hidden_value", ("secret",)),
        ("hidden_value", ("goal:1",)),
    ]
    assert faults(case, "What is the total?", "It is 240 euros, Rosewood.", "So 240 euros at Rosewood.") == []


def test_values_that_stand_side_by_side_on_the_role_sheet_are_not_mixed_up():
    case = hotel(variables={"phone": "555-0142", "floor": "4", "arrival": "2026-05-04", "people": 2, "city": "Graz"})
    assert faults(case, "My phone number is 555-0142, I arrive on 2026-05-04.") == []


def test_the_reason_for_a_wrong_number_names_both():
    (fault,) = faults(hotel(), "A room in Graz for 5 nights.", "All right.")
    assert fault.reason == "the user said 5, and it wants 3"
