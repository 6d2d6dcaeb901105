"""Questions that the user never answers."""

import pytest

from audited import certain, faults, hotel
from sparring.core.case import Case, Goal, Persona

WISH = "I'd like to book a room in Graz for 3 nights."
ASKED = "What is your phone number?"


@pytest.mark.parametrize("last", [ASKED, "I am sorry, I did not understand that."])
def test_a_question_that_is_ignored_three_times(last):
    talk = (WISH, ASKED, "The weather is fine.", ASKED, "It will be a nice trip.", last, "So many things to do.")
    (fault,) = [each for each in faults(hotel(), *talk) if each.certainty == "certain"]
    assert (fault.kind, fault.touches) == ("ignores_question", ("phone",))
    assert fault.evidence[1].text == ASKED


def test_a_question_that_is_ignored_twice():
    talk = (WISH, ASKED, "The weather is fine.", ASKED, "It will be a nice trip.")
    assert [(each.kind, each.certainty) for each in faults(hotel(), *talk)] == [("ignores_question", "likely")]


@pytest.mark.parametrize("said", ["555-0142", "I don't have one.", "What do you need that for?", "It's 555 0142."])
def test_a_question_that_is_answered_in_some_way(said):
    talk = (WISH, ASKED, said, ASKED, said, ASKED, said)
    assert certain(hotel(), *talk) == set()


def test_a_question_that_the_role_sheet_does_not_answer():
    asked = "Which newspaper do you read?"
    assert faults(hotel(), WISH, asked, "Oh, well.", asked, "I see.", asked, "All right.") == []


def test_a_number_that_is_asked_for_and_never_said():
    asked = "For how many nights?"
    talk = ("A room in Graz, please.", asked, "The weather is fine.", asked, "What a trip.", asked, "So much to do.")
    assert certain(hotel(), *talk) == {"ignores_question"}


def test_a_number_that_is_asked_for_in_the_words_of_the_goal():
    goal = Goal(text="reservar una mesa para 2 personas", variables=("guests",))
    case = Case(
        id="mesa", goals=(goal,), variables={"guests": 2}, persona=Persona(role="Quiere cenar.", language="Spanish")
    )
    asked = "¿Para cuántas personas?"
    wish = ("Quiero reservar una mesa.", asked)
    assert certain(case, *wish, "Qué bien.", asked, "Vale.", asked, "Ya veo.") == {"ignores_question"}
    assert certain(case, *wish, "Somos dos.", asked, "Para dos.", asked, "Una.") == set()


@pytest.mark.parametrize(
    "said", ["I'd rather not say.", "Whatever.", "One moment, please.", "I don't have time for this."]
)
def test_what_does_not_answer_what_the_user_knows(said):
    assert certain(hotel(), WISH, ASKED, said, ASKED, said, ASKED, said) == {"ignores_question"}
    sceptical = hotel(persona=Persona(role="You are a guest.", traits=("You do not trust chatbots.",)))
    refused = "I'd rather not say."
    assert certain(sceptical, WISH, ASKED, refused, ASKED, refused, ASKED, refused) == set()


def test_asking_why_neither_answers_nor_ignores_a_question():
    asked = "How many nights will you stay?"
    found = faults(hotel(), WISH, asked, "Oh, well.", asked, "Why do you need to know?", asked, "I see.", asked, "Hm.")

    assert [(fault.kind, fault.certainty) for fault in found] == [("ignores_question", "certain")]


@pytest.mark.parametrize(("said", "expected"), [("A custom pizza.", set()), ("A pizza.", {"ignores_question"})])
def test_an_option_of_a_question_that_lists_some_is_an_answer(said, expected):
    goal = Goal(text="a custom pizza with corn", variables=("toppings",))
    case = Case(id="pizza", goals=(goal,), variables={"toppings": ["corn"]}, persona=Persona(role="You are hungry."))
    asked = "Which pizza would you like: Margarita, Four cheese or a custom pizza with your own toppings?"

    found = faults(case, "I am hungry.", asked, said, asked, f"{said} Please.")

    assert {each.kind for each in found} == expected
