"""Answers to confirmations."""

import pytest

from audited import certain, faults, hotel, pizzeria
from sparring.core.case import ChangeOfMind, Fact, Goal, Persona
from sparring.core.conversation import Ending
from tables import table

WISH = "I'd like to book a room in Graz for 3 nights."
ASKED = "A room in Graz for 3 nights, 240 euros. Shall I book it?"
DONE = Ending.USER_DONE


def test_a_yes_to_another_value_is_recorded_and_excuses_nothing():
    (fault,) = faults(hotel(), WISH, "A room in Oslo for 3 nights. Is that right?", "Yes, that is right.")
    assert (fault.kind, fault.certainty, fault.touches) == ("consent_to_wrong", "certain", ())
    assert certain(hotel(), WISH, "A room in Graz for 4 nights, right?", "Yes.") == {"consent_to_wrong"}


def test_an_amount_of_one_product_is_not_compared_with_that_of_another():
    case = hotel(goals=(Goal(text="6 boxes of oat milk"), Goal(text="2 whole milk")), variables={})
    wish = "6 boxes of oat milk and 2 whole milk, please."

    right, wrong = (f"Oat milk, 6 boxes; whole milk, {n} boxes; to 2 Mill Lane. Right?" for n in (2, 5))
    assert certain(case, wish, right, "Yes.") == set()
    assert certain(case, wish, wrong, "Yes.") == {"consent_to_wrong"}


@table("reply", ["No.", "No, thank you.", "Not now.", "Нет, спасибо.", "No, gracias."])
def test_a_bare_no_to_what_is_right(reply):
    found = faults(hotel(), WISH, ASKED, reply, "All right.", ending=DONE)
    assert [(fault.kind, fault.certainty, fault.touches) for fault in found] == [
        ("denies_right", "certain", ("goal:1",))
    ]


def test_a_no_is_bare_only_if_nothing_goes_on():
    assert certain(hotel(), WISH, ASKED, "No, wait, what about the breakfast?", "It is included.", ending=DONE) == set()


def test_a_no_to_something_wrong_is_right():
    assert certain(hotel(), WISH, "A room in Oslo for 3 nights. Right?", "No.", "Sorry.", ending=DONE) == set()


def test_a_no_is_made_up_for_by_a_later_yes():
    assert certain(hotel(), WISH, ASKED, "No.", ASKED, "Yes, please.", "It is booked.", ending=DONE) == set()


def test_a_no_to_an_offer_in_the_same_message_may_be_innocent():
    asked = "A room in Graz for 3 nights. Is that right? Would you like breakfast?"
    (fault,) = faults(hotel(), WISH, asked, "No, thanks.", "All right.", ending=DONE)
    assert (fault.kind, fault.certainty) == ("denies_right", "likely")


def test_a_no_that_a_change_or_a_budget_explains():
    change = ChangeOfMind(variable="drink", first="water", final="coke")
    asked = (
        "A small Margarita pizza and a coke.",
        "A small Margarita and a coke. Shall I place the order?",
        "No.",
        "Oh.",
    )
    assert certain(pizzeria(changes=(change,)), *asked, ending=DONE) == set()
    poor = hotel(facts=(Fact(slot="budget", values=("200 euros",)),))
    assert certain(poor, WISH, ASKED, "No.", "All right.", ending=DONE) == set()


def test_a_no_to_another_act_is_no_denial():
    assert (
        certain(hotel(), WISH, "Your room in Graz is booked. Shall I cancel it?", "No.", "Fine.", ending=DONE) == set()
    )


def test_a_confirmation_that_names_the_act():
    case = hotel(
        persona=Persona(role="Вы гость.", language="Russian"), goals=(Goal(text="забронировать стол на 2 человека"),)
    )
    said = (
        "Мне нужно забронировать стол на 2 человека.",
        "Итак, стол на 2 человека. Всё верно, бронирую?",
        "Нет.",
        "Жаль.",
    )
    assert "denies_right" in certain(case, *said, ending=DONE)


WRONG = "A room in Oslo for 3 nights. Is that right?"


@table("said", ["Sounds great to me.", "No changes, thank you.", "Why not.", "👍", "Así es.", "Не возражаю.", "Ага."])
def test_consent_in_other_words(said):
    assert certain(hotel(), WISH, WRONG, said) == {"consent_to_wrong"}


def test_words_that_let_something_wrong_stand_may_be_consent():
    (fault,) = faults(hotel(), WISH, WRONG, "Very kind of you.")
    assert (fault.kind, fault.certainty) == ("consent_to_wrong", "likely")


@table(
    "said",
    ["Wait.", "Graz!", "Almost, but in Graz.", "What?", "Wrong.", "Casi.", "Тут ошибка.", "Could you repeat that?"],
)
def test_what_corrects_doubts_or_denies_is_no_consent(said):
    assert faults(hotel(), WISH, WRONG, said) == []


@pytest.mark.parametrize(
    "said", ["That's not what I asked for.", "Absolutely not.", "Ни в коем случае.", "Creo que no."]
)
def test_a_denial_in_other_words(said):
    assert certain(hotel(), WISH, ASKED, said, "All right.", ending=DONE) == {"denies_right"}


def test_a_denial_that_names_a_reason_may_be_right():
    (fault,) = faults(hotel(), WISH, ASKED, "No, the driver never came.", "Oh.", ending=DONE)
    assert (fault.kind, fault.certainty) == ("denies_right", "likely")
    assert faults(hotel(), WISH, ASKED, "No, change the bed.", "Oh.", ending=DONE) == []
    assert faults(hotel(), WISH, ASKED, "No problem, go ahead.", "It is booked.", ending=DONE) == []


def test_a_no_to_a_value_that_the_user_does_not_want_is_right():
    said = ("A small Margarita pizza and a coke.", "One sprite. Shall I place the order?", "No, I don't want sprite.")
    assert faults(pizzeria(), *said, "All right.", ending=DONE) == []
