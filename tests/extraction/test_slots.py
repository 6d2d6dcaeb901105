"""Questions about the user itself."""

import pytest

from sparring.core.case import Fact
from sparring.extraction.phrasebooks import phrasebook
from sparring.extraction.slots import asked_slots, fact_sentence, fit
from tables import table

FACTS = (
    Fact(slot="name", values=("Ann Lee",)),
    Fact(slot="phone", values=("555-0134",)),
    Fact(slot="dog", values=("Tommy",)),
    Fact(slot="fils", values=("Hugo",)),
    Fact(slot="id", values=("W-12345",), quote="Your order number is W-12345."),
    Fact(slot="availability", values=("Tuesday", "Thursday after 3 pm")),
)


@table(
    ("question", "slots", "missing"),
    [
        ("What is your full name?", ("name",), ()),
        ("Who am I speaking to?", ("name",), ()),
        ("Could I have your phone number and your name?", ("phone", "name"), ()),
        ("How can we reach you?", ("phone",), ()),
        ("What's your dog's name?", ("dog",), ()),
        ("What is the name of your pet?", ("dog",), ()),
        ("Is your dog vaccinated?", (), ()),
        ("Comment s'appelle votre enfant ?", ("fils",), ()),
        ("What is the name of your company?", (), ()),
        ("Please name a product.", (), ()),
        ("What is the number on your order?", ("id",), ()),
        ("What's your email address?", (), ("email",)),
        ("What is your order number?", ("id",), ()),
        ("What is your account number?", (), ("id",)),
        ("When would you like to come?", ("availability",), ()),
        ("What size would you like?", (), ()),
        ("¿Cómo se llama?", ("name",), ()),
        ("¿Me da su teléfono?", ("phone",), ()),
        ("Как вас зовут?", ("name",), ()),
        ("Ваш номер телефона?", ("phone",), ()),
    ],
)
def test_a_question_asks_for_slots(question: str, slots: tuple[str, ...], missing: tuple[str, ...]) -> None:
    asked = asked_slots(question, FACTS)
    assert (tuple(fact.slot for fact in asked.facts), asked.missing) == (slots, missing)


def test_an_email_address_answers_how_to_reach_a_user_without_a_phone() -> None:
    email = Fact(slot="email", values=("ann@example.com",))
    assert asked_slots("How can we contact you?", [email]).facts == (email,)


@pytest.mark.parametrize(
    ("language", "slot", "said"),
    [
        ("English", "name", "My name is X."),
        ("Spanish", "name", "Me llamo X."),
        ("Russian", "name", "Меня зовут X."),
        ("English", "favourite colour", "X"),
    ],
)
def test_a_fact_is_said_in_the_first_person(language: str, slot: str, said: str) -> None:
    assert fact_sentence(Fact(slot=slot, values=("X",)), phrasebook(language)) == said


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Does Tuesday at 10 suit you?", ("yes", "")),
        ("Does Wednesday at 10 suit you?", ("no", "Thursday after 3 pm")),
        ("Is that correct?", ("", "")),
    ],
)
def test_a_proposed_time_is_answered_from_the_availability(question: str, answer: tuple[str, str]) -> None:
    assert fit(question, FACTS) == answer
