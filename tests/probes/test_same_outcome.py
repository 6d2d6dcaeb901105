"""What is asked to confirm after a detour is compared with the same conversation without it."""

import re
from datetime import date

import pytest

from probed_bots import Bot, Talking
from said import titles
from sparring.app.try_chatbot import Trial
from sparring.extraction.questions import ChatbotQuestion, Kind
from sparring.probes.domain import Domain
from sparring.probes.notes import Notes
from sparring.probes.other_answers import other_answers

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


class Workshop(Bot):
    """Takes what to repair, where to collect it and a day, and says when it is ready."""

    prices = {"Brakes": 30, "Gears": 20}

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.job = self.street = self.day = self.ready = self.asked = ""
        self.price = 0

    def ask(self, note: str = "") -> str:
        if not self.job:
            return f"{note}What does your bike need: brakes or gears?"
        if not self.street and self.asked != "day":
            self.asked = "street"
            return f"{note}What is your address?"
        self.asked = "day"
        if not self.day:
            return f"{note}On which day shall we come?"
        ready = _DAYS[(_DAYS.index(self.day) + 1) % 5]
        self.ready = (self.has("stale-day") and self.ready) or ready
        self.price = (self.has("stale-price") and self.price) or self.prices[self.job]
        return f"{self.job}, {self.street}. {self.day}, ready on {self.ready}.\nTotal €{self.price}. Shall I book it?"

    def reply(self, text: str) -> str:
        if "start over" in text.lower():
            self.day = self.ready = self.asked = ""
            self.price, self.street = 0, self.street if self.has("keeps") else ""
            self.job = self.job if self.has("keeps") else ""
            return self.ask("Let us start again. ")
        if self.day and (text.startswith("Yes") or (self.has("hears-book") and "book" in text)):
            return "Booked, thank you."
        if self.day and text.startswith("No"):
            return "All right, nothing is booked. What would you like to change?"
        if "?" in text:
            if self.has("skips") and self.asked == "street":
                self.asked = "day"
            return self.ask("We are open from 8:00 to 18:00. ")
        said = re.split(r" instead| rather| place an", text)[0 if "instead" in text else -1]
        job = next((each for each in self.prices if each.lower() in said.lower()), "")
        day = next((each for each in _DAYS if each in said), "")
        if job:
            self.job = job
        elif day and self.job:
            self.day = day
        elif self.asked == "street" and re.search(r"\d", text):
            self.street = text
        return self.ask()


async def _titles(*faults: str) -> list[str]:
    result = await Trial(Talking(Workshop, *faults)).run()
    return [each.found.title for each in result.certain if each.found.kind in ("outcome", "kept", "denied")]


@pytest.mark.parametrize(
    ("reply", "code"), [("The number looks like A1234.", "A1001"), ("Your number, e.g. B12345?", "B10001")]
)
def test_a_code_of_the_form_of_an_example_is_tried(reply: str, code: str):
    question = ChatbotQuestion("What is your order number?", Kind.VARIABLE, ("order number",))

    assert code in other_answers(question, reply, "en", reply, date(2027, 1, 1))


def test_an_afternoon_that_becomes_a_morning_is_certain():
    said = ("Hello", "When?", "5 pm", "A cab at 5:00. Shall I book it?")

    assert titles(Notes(), *said) == ["The chatbot names 5:00 where 5 pm was asked for"]


def test_a_cancelled_booking_that_is_still_shown_is_found():
    said = ("Hello", "A cab at 9:00. Shall I book it?", "Yes", "Booked, your number is T717.")
    cancelled = (
        "Please cancel it.",
        "Your booking is cancelled.",
        "Show my bookings.",
        "T717 is active: a cab at 9:00.",
    )

    assert titles(Notes(kept=True, yeses=[2], cancelled=3, recalled=4), *said, *cancelled) == [
        "What was cancelled is still there"
    ]


def test_a_summary_in_the_words_of_the_user_is_no_echo():
    said = "From the station to the airport at 18:30 for 3"
    twice = (said, f"{said}, fare £34. Shall I book it?") * 2

    assert titles(Notes(), *twice) == []


def test_a_day_on_which_it_is_closed_is_no_lost_correction():
    notes = Notes(old="Friday", new="Monday", changed=3)
    said = ("Hello", "Which day?", "Friday", "A visit on Friday. Shall I book it?", "I would rather have Monday")
    closed = ("We are closed on Mondays. Which other day?", "10:00", "A visit on Friday at 10:00. Shall I book it?")

    assert titles(notes, *said, *closed) == []


def test_a_claim_that_cannot_be_cancelled_may_be_shown():
    said = ("Hello", "Your claim is ready. Shall I submit it?", "Yes", "Claim C880 is submitted.")
    refused = ("Please cancel it.", "To withdraw C880, please call us.", "Show my claims.", "C880: submitted, once.")

    assert titles(Notes(kept=True, yeses=[2], cancelled=3, recalled=4), *said, *refused) == []


def test_a_button_for_what_was_dropped_keeps_nothing():
    notes = Notes(restarted=2, dropped=("Flat tyre",))
    offered = "Ticket S501 is booked. [Flat tyre] [Gears]"

    assert titles(notes, "Flat tyre", "Which day?", "New repair", offered) == []
    assert titles(notes, "Flat tyre", "S501 is booked.", "New", "S501 is booked for a flat tyre.") == []
    assert Notes(restarted=3).without(2) is None


def test_what_is_said_again_in_fewer_words_is_not_kept():
    notes = Notes(restarted=2, dropped=("on 14 May",))
    again = "Roses on 14 May. Shall I order them?"

    assert titles(notes, "on 14 May", "What on the card?", "Start over", "Which day?", "14 May", again) == []
    assert titles(notes, "on 14 May", "What on the card?", "Start over", "Which day?", "Friday", again) == [
        "After beginning anew, the chatbot keeps “on 14 May” from before"
    ]


@pytest.mark.parametrize(
    ("greeting", "asked", "certain"),
    [
        ("Your customer number, please?", "Your customer number, please?", False),
        ("Hello!", "Thank you. How can I help?", False),
        ("Hello!", "Your customer number, please?", True),
    ],
)
def test_where_nothing_is_begun_a_cancellation_need_not_show(greeting: str, asked: str, certain: bool):
    notes = Notes(domain=Domain(cancels=True), cancelled=3)

    assert bool(titles(notes, "Hi", greeting, "55021", asked, "Cancel, please.", asked)) == certain


@pytest.mark.slow
async def test_a_correct_chatbot_says_the_same_after_all_detours():
    assert await _titles() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "title"),
    [
        ("stale-day", "After a correction, the chatbot says “Monday” instead of “Friday”"),
        ("stale-price", "After a correction, the chatbot says “€30” instead of “€20”"),
        ("keeps", "After beginning anew, the chatbot keeps “brakes” from before"),
        ("hears-book", "A no is taken as a yes"),
        ("skips", "After a question in between, the chatbot says nothing of “12 Example Street”"),
    ],
)
async def test_what_a_detour_changes_is_found(fault: str, title: str):
    assert title in await _titles(fault)
