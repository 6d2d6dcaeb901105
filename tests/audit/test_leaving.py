"""Users that leave too early."""

import pytest

from audited import certain, faults, hotel, pizzeria
from sparring.core.case import Limits
from sparring.core.conversation import Ending
from sparring.core.message import message

ORDER = ("A small Margarita pizza, please.", "One small Margarita. Which drink would you like?")
DONE = Ending.USER_DONE


def bye(text="Thank you, goodbye."):
    return message("user", text, ends=True)


def test_a_goal_that_was_never_asked_for():
    said = ("A small Margarita pizza, please.", "One small Margarita pizza.", bye(), "Bye.")
    (fault,) = faults(pizzeria(), *said, ending=DONE)
    assert (fault.kind, fault.certainty, fault.touches) == ("goal_never_asked", "certain", ("goal:2", "drink"))


@pytest.mark.parametrize("ending", [Ending.CHATBOT_DONE, Ending.TIMEOUT, Ending.GAVE_UP, None])
def test_a_goal_counts_as_never_asked_only_if_the_user_left(ending):
    said = ("A small Margarita pizza, please.", "One small Margarita pizza.")
    assert faults(pizzeria(), *said, ending=ending) == []


def test_a_user_that_had_no_turns_left_could_not_ask():
    said = ("A small Margarita pizza, please.", "One small Margarita pizza.", bye(), "Bye.")
    (fault,) = faults(pizzeria(limits=Limits(turns=3)), *said, ending=DONE)
    assert fault.certainty == "likely"


def test_a_user_may_leave_after_the_chatbot_refused():
    said = ("A small Margarita pizza, please.", "Unfortunately, we cannot take orders today.", bye(), "Bye.")
    assert certain(pizzeria(), *said, ending=DONE) == set()


def test_a_user_may_leave_after_it_corrected_the_chatbot_in_vain():
    said = ("A small Margarita pizza, please.", "One big Margarita pizza. Which drink would you like?")
    wrong = ("No, I said small.", "One big Margarita pizza. Which drink would you like?")
    assert certain(pizzeria(), *said, *wrong, bye("No, that is not right. Bye."), "Bye.", ending=DONE) == set()


@pytest.mark.parametrize("last", [(bye(), "Bye."), ()])
def test_leaving_on_a_question_that_the_role_sheet_answers(last):
    said = ("I'd like to book a room in Graz for 3 nights.", "What is your phone number?")
    (fault,) = faults(hotel(), *said, *last, ending=DONE)
    assert (fault.kind, fault.certainty, fault.evidence[0].text) == ("left_open", "certain", said[1])
    assert fault.touches == ("goal:1",)


def test_a_user_without_patience_may_not_leave_a_chatbot_that_understood_all():
    case = hotel()
    hasty = case.changed(variables={**case.variables, "PATIENCE": 0})
    said = ("I'd like to book a room in Graz for 3 nights.", "What is your phone number?")
    assert certain(hasty, *said, bye(), "Bye.", ending=DONE) == {"left_open"}


def test_leaving_on_a_question_without_an_answer_names_the_question_and_the_key():
    said = ("I'd like to book a room in Graz for 3 nights.", "What colour should the curtains be?")
    (fault,) = faults(hotel(), *said, bye(), "Bye.", ending=DONE)
    assert fault.reason == (
        "the user left instead of answering 'What colour should the curtains be?': give the case an answer "
        "(`answers:`), unless the chatbot did not understand it"
    )


def test_leaving_with_the_answer_is_no_fault():
    said = ("I'd like to book a room in Graz for 3 nights.", "What is your phone number?")
    assert faults(hotel(), *said, bye("555-0142. Thanks, bye."), "Bye.", ending=DONE) == []


def test_leaving_on_anything_else_is_no_fault():
    said = ("I'd like to book a room in Graz for 3 nights.", "It is booked. Anything else?")
    assert faults(hotel(), *said, bye(), "Bye.", ending=DONE) == []


@pytest.mark.parametrize("last", [(bye("That's all, thanks, bye."), "Bye."), ()])
def test_leaving_before_a_confirmation(last):
    said = ("I'd like to book a room in Graz for 3 nights.", "A room in Graz for 3 nights. Shall I book it?")
    (fault,) = faults(hotel(), *said, *last, ending=DONE)
    assert (fault.kind, fault.certainty, fault.touches) == ("left_before_confirm", "certain", ("goal:1",))
    assert fault.evidence[0].text == "Shall I book it?"


def test_a_farewell_that_the_chatbot_takes_for_a_yes():
    said = ("I'd like to book a room in Graz for 3 nights.", "A room in Graz for 3 nights. Shall I book it?")
    assert faults(hotel(), *said, bye("That's all, thanks."), "Your room in Graz is booked.", ending=DONE) == []


def test_consent_and_farewell_in_one_message():
    said = ("I'd like to book a room in Graz.", "A room in Graz. Shall I book it?", bye("Yes, please. Goodbye."))
    assert certain(hotel(), *said, "For how many nights?", ending=DONE) == {"left_on_consent"}
    assert faults(hotel(), *said, "It is booked: a room in Graz for 3 nights.", ending=DONE) == []


CONFIRM = ("A small Margarita pizza and a coke.", "One small Margarita and one coke. Shall I place the order?")


@pytest.mark.parametrize(
    "said", ["Have to run, talk to you later.", "Sorry, my bus is coming. Bye!", "Мне пора.", "Me tengo que ir."]
)
def test_leaving_in_other_words(said):
    assert "left_before_confirm" in certain(pizzeria(), *CONFIRM, bye(said), "Bye.", ending=DONE)


def test_last_words_that_may_be_an_answer():
    (fault,) = faults(pizzeria(), *CONFIRM, bye("The weather turns."), "Bye.", ending=DONE)
    assert (fault.kind, fault.certainty) == ("left_before_confirm", "likely")
    assert "left_before_confirm" not in certain(pizzeria(), *CONFIRM, bye("Yes, thank you, bye."), "Bye.", ending=DONE)


def test_leaving_a_chatbot_that_does_not_understand_is_likely_only():
    order = ("A small Margarita pizza, please.", "Unfortunately, we do not have that. Which size would you like?")
    found = faults(pizzeria(), *order, bye(), "Bye.", ending=DONE)

    assert "certain" not in {fault.certainty for fault in found}
