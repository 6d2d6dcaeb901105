"""What `sparring try` takes from a tester's description of the chatbot."""

import re

import pytest

from probed_bots import Bot, Talking
from sparring.app.played_probes import answered_in
from sparring.app.try_chatbot import Trial
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import message
from sparring.probes.about import described_value, described_values, describes_chatbot, fact_for, parts_of
from sparring.probes.cancelling import recaps
from sparring.probes.checks import find
from sparring.probes.domain import abilities_in
from sparring.probes.notes import Notes
from sparring.probes.walker import Walker
from tables import table

_LIBRARY = (
    "Lends books of a library; it needs a card number first (valid: 20417, 20533), then the book title (for example"
    " Dracula or Emma), and answers questions."
)


class Library(Bot):
    """Lends one book to those whose card it knows."""

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.card = self.book = ""

    def reply(self, text: str) -> str:
        if not self.card:
            if text not in ("20417", "20533"):
                return "Please tell me your library card number (5 digits)."
            self.card = text
            return "Which book would you like to borrow?"
        if not self.book:
            if text not in ("Dracula", "Emma"):
                return "I don't know that book. Which book would you like to borrow?"
            self.book = text
            return f"Shall I lend you {text}?"
        return "It is lent to you. Your number is L-7781." if "yes" in text.lower() else "Shall I lend it to you?"


@pytest.mark.slow
async def test_values_of_a_description_of_the_chatbot_lead_to_the_end():
    result = await Trial(Talking(Library), [_LIBRARY]).run()

    assert not {"cancel", "deny", "confirm-twice"} & result.missed.keys()


@table(
    ("about", "described"),
    [
        (_LIBRARY, True),
        ("order a pizza", False),
        ("I want to book a table for two people on Friday at seven in the evening, on the terrace", False),
        ("parcel: PX1; postcode: 10115; name: Sam; city: Berlin; street: Main Road; country: Germany; size: 1", False),
        ("Reserva habitaciones; necesita la fecha y las noches", True),
    ],
)
def test_a_description_of_the_chatbot_is_no_task(about: str, described: bool):
    assert describes_chatbot(about) is described


def test_a_walk_goes_on_where_the_wish_was_understood_before_it_was_said():
    walker = Walker(["I need a quote."], eager=True)
    walker.answer_to("How old is the main driver?")
    walker.answer_to("What is the car worth in pounds (500-80,000)?")

    assert walker.answer_to("How many years without a claim (0-20)?") == "1"


class Tickets(Bot):
    """Sells tickets; with a fault, a change of their number sets the seats back."""

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.number = self.seat = ""

    def reply(self, text: str) -> str:
        plain = text.casefold()
        number = re.search(r"\b[1-8]\b", plain)
        if plain.startswith("yes") and self.seat:
            return f"Booked: {self.number} {self.seat} tickets. Your booking code is ST-4711."
        if number:
            if self.number and self.has("resets"):
                self.seat = "standard"
            self.number = number[0]
        self.seat = next((each for each in ("standard", "balcony") if each in plain and self.number), self.seat)
        if not self.number:
            return "How many tickets (1-8)?"
        if not self.seat:
            return "Which seats: standard or balcony?"
        return f"Your order: {self.number} {self.seat} tickets. Shall I book them?"


@pytest.mark.slow
@table(("faults", "found"), [((), False), (("resets",), True)])
async def test_a_changed_number_keeps_the_seats(faults: tuple[str, ...], found: bool):
    result = await Trial(Talking(Tickets, *faults)).run()

    assert any(each.probe == "number-correction" and "balcony" in each.found.title for each in result.certain) is found


def test_what_was_done_is_asked_for_by_the_word_of_the_chatbot():
    walker = Walker([])
    walker.answer_to("Booked! Your booking code is ST-4711.")

    assert recaps(walker)[0] == "What is my booking?"


def test_half_a_bracket_is_no_ability():
    assert abilities_in(["¿Qué día desea llegar (día/mes, por ejemplo 15/08)?"], "es") == []


def test_a_question_that_the_chatbot_answers_is_asked_in_between():
    said = ("¿Cuál es el horario?", "Con eso no puedo ayudarle.", "¿Qué precios tienen?", "La habitación cuesta 60 €.")
    messages = [message(("user", "chatbot")[at % 2], text) for at, text in enumerate(said)]

    assert answered_in(Conversation(case=Case(id="x"), messages=tuple(messages)), "es") == "¿Qué precios tienen?"


def test_a_correction_that_was_not_understood_is_not_lost():
    asked = "One soup. Shall I order it?"
    said = ("soup", asked, "Fish instead of soup.", f"Sorry, I didn't understand that. {asked}")
    messages = tuple(message(("user", "chatbot")[at % 2], text) for at, text in enumerate(said))

    assert find(Conversation(case=Case(id="x"), messages=messages), Notes(old="soup", new="fish", changed=2)) == []


def test_a_day_that_is_asked_for_again_after_a_question_was_lost():
    asked = "¿Qué día desea llegar (día/mes, por ejemplo 15/08)?"
    nights, prices = "¿Cuántas noches se queda?", "Por noche: individual 60 €, con desayuno incluido."
    said = ("Hola", f"Bienvenido. {asked}", "15/12", nights, "¿Qué precios tienen?", prices)
    wrong, right = (
        Conversation(
            case=Case(id="x"),
            messages=tuple(
                message(("user", "chatbot")[at % 2], text) for at, text in enumerate((*said[:-1], f"{said[-1]} {last}"))
            ),
        )
        for last in (asked, nights)
    )

    assert [each.kind for each in find(wrong, Notes(aside=3, language="es")) if each.certain] == ["forgets"]
    assert find(right, Notes(aside=3, language="es")) == []


@table(
    ("reply", "found"),
    [
        ("3 nights for 2 guests. Shall I book it?", ["The chatbot takes 2 for “guests” and 3 for “nights”"]),
        ("2 nights for 3 guests. Shall I book it?", []),
        ("3 guests. Shall I book it?", []),
    ],
)
def test_numbers_of_two_questions_are_not_swapped(reply: str, found: list[str]):
    said = ("A room", "How many nights?", "2", "How many guests?", "3", reply)
    messages = tuple(message(("user", "chatbot")[at % 2], text) for at, text in enumerate(said))
    notes = Notes(given={"How many nights?": "2", "How many guests?": "3"})

    assert [each.title for each in find(Conversation(case=Case(id="x"), messages=messages), notes)] == found


def test_codes_in_brackets_are_values_of_what_is_called_so():
    about = "It needs the order number (PK-20418, PK-20977, or PK-20533 which is old), and an age (16 to 99)."

    assert described_values(about) == {"order number": ("PK-20418", "PK-20977")}


@table(
    ("question", "nth", "times", "value"),
    [
        ("Which book would you like to borrow?", 0, 0, "Dracula"),
        ("Which book would you like to borrow?", 0, 1, "Emma"),
        ("Your card number, please?", 1, 0, "20533"),
        ("Your card number, please?", 0, 2, ""),
        ("Which branch of the library?", 0, 0, ""),
    ],
)
def test_a_question_gets_the_values_of_the_description(question: str, nth: int, times: int, value: str):
    assert described_value(question, described_values(_LIBRARY), nth, times) == value


def test_a_description_in_german_names_a_value_to_try():
    described = described_values("Meldet zu Kursen an; fragt zuerst nach der Kundennummer, zum Testen 204815.")

    assert described_value("Bitte nennen Sie Ihre Kundennummer.", described) == "204815"


@table(
    ("about", "facts"),
    [
        ("My account number is 77001 and my PIN is 1234.", ["My account number is 77001", "my PIN is 1234."]),
        ("Meine Nummer ist 4711, meine PIN ist 12", ["Meine Nummer ist 4711", "meine PIN ist 12"]),
        ("my number is PX1001; order a pizza", ["my number is PX1001", "order a pizza"]),
        ("order a pizza with my card", ["order a pizza with my card"]),
    ],
)
def test_facts_in_one_sentence_are_kept_apart(about: str, facts: list[str]):
    assert parts_of(about) == facts


@table(
    ("question", "fact"),
    [
        ("For security, what's your Lumo number?", "77001"),
        ("And your PIN?", "1234"),
        ("What's your phone number?", None),
        ("How many nights?", None),
    ],
)
def test_the_only_number_answers_a_question_for_a_number(question: str, fact: str | None):
    assert fact_for(question, {"account number": "77001", "PIN": "1234"}) == fact
