"""Facts that texts say about a user."""

from time import process_time

from sparring.extraction.facts import stated_facts
from tables import table


def facts(text: str) -> dict[str, tuple[str, ...]]:
    return {fact.slot: fact.values for fact in stated_facts(text)}


@table(
    ("text", "expected"),
    [
        ("Today is 2026-02-03 Tuesday", {}),
        ("You have a ticket of 03.02.2026 10:30", {}),
        ("you are Ann Lee, phone 555-0134", {"name": ("Ann Lee",), "phone": ("555-0134",)}),
        ("your name is Ann Lee, and you own a shop", {"name": ("Ann Lee",)}),
        ("Your name is ann lee", {"name": ("ann lee",)}),
        ("Du heißt Ann Lee.", {"name": ("Ann Lee",)}),
        ("You're called Ann de la Cruz", {"name": ("Ann de la Cruz",)}),
        ("Maria Lopez, a regular customer of the bank", {"name": ("Maria Lopez",)}),
        ("You are a project manager named Bob Stone", {"name": ("Bob Stone",)}),
        ("You are Ann.", {"name": ("Ann",)}),
        ("You are Spanish, and do not speak English too well", {}),
        ("You are a customer of Acme Bank", {}),
        ("Your email is ann@example.com", {"email": ("ann@example.com",)}),
        (
            "You live at 12 Baker Street, Springfield 12345, and you like it",
            {"address": ("12 Baker Street, Springfield 12345",)},
        ),
        ("deliver it to 5 Oak Lane, Springfield", {"address": ("5 Oak Lane, Springfield",)}),
        ("You are 34 years old", {"age": ("34",)}),
        ("You were born on 3 May 1990", {"birth_date": ("3 May 1990",)}),
        ("You can spend at most $50", {"budget": ("$50",)}),
        ("Your order number is W-12345", {"id": ("W-12345",)}),
        ("Your favourite colour is dark blue and you hate red", {"favourite colour": ("dark blue",)}),
        ("you have a dog called Tommy", {"dog": ("Tommy",)}),
        ("an appointment for my dog Rex", {"dog": ("Rex",)}),
        ("einen Termin für meine Katze Minka", {"katze": ("Minka",)}),
        ("una cita para mi perro Toby", {"perro": ("Toby",)}),
        ("Your role is that of a student", {}),
        ("Your questions are unclear", {}),
        ("You do not have an email address", {}),
        ("Te llamas Ana García y tu teléfono es 600 123 456", {"name": ("Ana García",), "phone": ("600 123 456",)}),
        ("Vives en Calle Mayor 5, Madrid", {"address": ("Calle Mayor 5, Madrid",)}),
        ("Eres española y tienes 40 años", {"age": ("40",)}),
        ("Вас зовут Анна Петрова, вам 30 лет", {"name": ("Анна Петрова",), "age": ("30",)}),
        ("Вы живёте на ул. Ленина, 5", {"address": ("ул. Ленина, 5",)}),
    ],
)
def test_a_description_states_facts(text: str, expected: dict[str, tuple[str, ...]]) -> None:
    assert facts(text) == expected


def test_the_first_statement_of_a_slot_counts() -> None:
    assert facts("Your name is Ann Lee. Your name is Bob Stone.") == {"name": ("Ann Lee",)}


def test_a_fact_keeps_the_sentence_it_was_taken_from() -> None:
    (fact,) = stated_facts("You like tea. You are Ann Lee.")
    assert fact.quote == "You are Ann Lee."


def test_facts_of_a_very_long_word_are_found_in_linear_time():
    started = process_time()

    assert facts("Your name is Ann. " + "x" * 19_000) == {"name": ("Ann",)}
    assert process_time() - started < 2
