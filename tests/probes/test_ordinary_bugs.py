"""Ordinary bugs of ordinary chatbots: numbers, prices, fields and days, and how their questions are read."""

import pytest

from probed_bots import Bot, Talking
from said import titles
from sparring.app.try_chatbot import Trial
from sparring.extraction.tokens import fold
from sparring.probes.acts import asks_to_confirm, ids_in
from sparring.probes.domain import Domain
from sparring.probes.found import without_echo
from sparring.probes.hours import hours_in
from sparring.probes.notes import Notes


class Inn(Bot):
    """Asks who one is before it books nights in a room, and confirms by a numbered list."""

    price = 60

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.name = ""
        self.nights = self.total = 0
        self.done = False

    def ask(self, note: str = "") -> str:
        if not self.name:
            return f"{note}Welcome to the inn. May I have your name, please?"
        if not self.nights:
            return f"{note}Thank you, {self.name}. A night is ${self.price}. How many nights would you like (1-9)?"
        stay = f"{self.nights} nights for {self.name}, ${self.total} in total."
        return f"{note}Please check: {stay}\n1 Confirm\n2 Cancel"

    def set(self, nights: int) -> str:
        if not 1 <= nights <= 9 and not self.has("many"):
            return self.ask("One to nine nights, please. ")
        if not (self.has("deaf") and self.nights):
            self.nights = nights
        if not (self.has("stale") and self.total):
            self.total = self.price * nights
        return self.ask("Noted. ")

    def reply(self, text: str) -> str:
        plain = fold(text)
        digits = [int(each) for each in plain.split() if each.isdigit()]
        if self.done:
            return "Your stay is booked."
        if "cancel" in plain:
            self.__init__(*self.faults)  # type: ignore[misc]
            return "I have cancelled it. Nothing is booked."
        if not self.name:
            self.name = text if "sample" in plain or "farrow" in plain else ""
            return self.ask()
        if self.nights and (plain.startswith(("confirm", "yes")) or (self.has("no") and plain.startswith("no"))):
            self.done = True
            return f"Booked: {self.nights} nights, ${self.total}. Your number is IN4821."
        return self.set(digits[0]) if (digits and text != "1") or (digits and not self.nights) else self.ask("Sorry? ")


async def _kinds(*faults: str) -> set[str]:
    result = await Trial(Talking(Inn, *faults)).run()
    return {each.found.kind for each in result.certain}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "kind"), [("many", "limit"), ("deaf", "correction"), ("stale", "sum"), ("no", "denied")]
)
async def test_bugs_behind_a_question_for_who_one_is_are_found(fault: str, kind: str):
    assert kind in await _kinds(fault)


@pytest.mark.slow
async def test_a_correct_inn_has_none():
    assert await _kinds() == set()


def test_the_report_of_what_is_done_before_a_menu_asks_to_confirm_nothing():
    menu = "All done! Rental R77 is confirmed.\nReply with a number:\n1. Rent\n2. Return"

    assert (asks_to_confirm(menu), ids_in("Order #216")) == (False, {"216"})


def test_a_message_that_a_reply_repeats_is_not_read_again():
    said = "I would like a check-up, please."

    assert without_echo(f"Thanks, {said} What is your pet called?", said) == "Thanks, …. What is your pet called?"


@pytest.mark.parametrize(
    ("asked", "language", "closed"),
    [
        ("Which day (Mon-Sat)?", "en", "sunday"),
        ("Which day? (Tue-Sun)", "en", "monday"),
        ("Tag (Mo-Fr)?", "de", "sonntag"),
    ],
)
def test_a_day_beside_those_that_a_question_names_is_closed(asked: str, language: str, closed: str):
    domain = Domain()
    domain.learn([asked], language)

    assert domain.closed == closed


def test_hours_in_brackets_are_read_where_a_time_is_asked_for():
    assert hours_in("At what time (9-17)?") is not None
    assert hours_in("How many guests (1-14)?") is None


def test_another_price_or_number_than_before_is_found():
    told = Notes(prices={"check-up": 1}, yeses=[3])
    sent = Notes(given={"reading?": "4210"}, yeses=[2])

    assert titles(told, "Price?", "A check-up costs £35.", "It", "Check-up £45. Shall I book it?") == [
        "“check-up” costs £35 when asked, and £45 in the end"
    ]
    assert titles(sent, "4210", "Shall I save 4210 kWh?", "Yes", "I have submitted 4201 kWh.") == [
        "The chatbot confirms 4210 kWh and does 4201"
    ]


def test_facts_under_the_label_of_others_are_found():
    notes = Notes(given={"name": "Sam Sample", "phone": "555-0134"}, ordinary=True)

    assert titles(notes, "555-0134", "Name: 555-0134, phone: Sam Sample. Is that right?") == [
        "The chatbot names “Sam Sample” as the phone number, which is “555-0134”"
    ]
    assert titles(notes, "555-0134", "Name: Sam Sample, phone: 555-0134. Is that right?") == []
