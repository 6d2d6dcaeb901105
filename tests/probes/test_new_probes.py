"""Bugs that show when a user stops half-way, begins anew, orders twice, or answers in an odd way."""

import re

import pytest

from probed_bots import Bot, Talking
from sparring.app.try_chatbot import Trial
from sparring.probes.acts import asks_to_confirm, cancels, names, says_done
from sparring.probes.asking import asking_part, example_in, format_in
from sparring.probes.hours import times_in
from sparring.probes.offers import listed
from sparring.probes.walker import Walker


class Baker(Bot):
    """Takes a number of one kind of bread, a day and a name, and knows its prices."""

    prices = {"baguette": 2, "roll": 1, "bagel": 3, "brioche": 4}

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.orders = 0
        self.clear()

    def clear(self) -> None:
        self.kind = self.day = self.name = ""
        self.number = 0
        self.ready = self.done = False

    def ask(self) -> str:
        if not self.kind:
            return "What can I get you? We have baguettes $2.00, rolls $1.00, bagels $3.00 and brioches $4.00 (each)."
        if not self.day:
            return "Which day will you collect it? We are open every day."
        if not self.name:
            return "And what is your name?"
        self.ready = True
        paid = self.prices[self.kind] * (12 if self.has("stale-total") and self.number == 3 else self.number)
        return (
            f"So that is {self.number} x {self.kind} on {self.day} for {self.name}, ${paid}.00 in total. Shall I order?"
        )

    def reply(self, text: str) -> str:
        said = text.casefold()
        if self.has("apostrophe") and "'" in text and self.day:
            raise ValueError("unbalanced quote")
        if "cancel" in said and not (self.has("deaf-at-day") and self.kind and not self.day):
            kept = self.day
            self.clear()
            self.day = kept if self.has("keeps-day") else ""
            return "Cancelled, nothing was ordered."
        if self.ready and said.startswith("yes") and not self.done:
            self.done = True
            self.orders += 0 if self.has("same-number") and self.orders else 1
            return f"Ordered: {self.number} x {self.kind}. Your number is B{700 + self.orders}."
        if other := re.search(r"should be (\w+ \w+), not", text):
            self.name = other[1]
            return self.ask()
        kind = next((each for each in self.prices if each in said.split(" instead")[0]), "")
        if self.done and (kind or ("order" in said and "what" not in said)):
            self.clear()
        if self.done:
            return f"Your number is B{700 + self.orders}: {self.number} x {self.kind}."
        if kind:
            number = re.search(r"\b(\d+) ", said)
            counted = int(number[1]) if number else (self.number or 1)
            if counted == 0 and not self.has("zero"):
                return "I can take 1 or more of it. " + self.ask()
            self.kind, self.number = kind, int(str(counted)[0]) if self.has("first-digit") else counted
        elif day := re.search(r"\b(\w+day)\b|\b(3 march 2020)\b", said):
            if day[2] and not self.has("past"):
                return "That day is past. " + self.ask()
            self.day = day[0].title()
        elif self.kind and self.day and not self.name and 0 < len(text) < 200 and "?" not in text and "<" not in text:
            self.name = text.removeprefix("My name is ").strip(".")
        return self.ask()


async def _found(*faults: str) -> set[str]:
    result = await Trial(Talking(Baker, *faults)).run()
    return {each.found.kind for each in result.tried if each.certain or each.found.kind == "double"}


@pytest.mark.slow
async def test_a_correct_baker_is_walked_to_the_end_without_a_finding():
    result = await Trial(Talking(Baker)).run()

    assert [each.found.title for each in result.certain] == []
    assert not {"cancel", "cancel-at-1", "start-over", "order-again", "dozen", "none-of-it"} & result.missed.keys()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("deaf-at-day", "cancel"),
        ("keeps-day", "kept"),
        ("same-number", "double"),
        ("apostrophe", "crash"),
        ("first-digit", "quantity"),
        ("zero", "quantity"),
        ("stale-total", "sum"),
        ("past", "ruled-out"),
    ],
)
async def test_a_fault_that_only_one_of_these_probes_reaches_is_found(fault: str, kind: str):
    assert kind in await _found(fault)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Which one: 1) Small 2) Medium 3) Large?", ("Small", "Medium", "Large")),
        ("Please choose:\n1️⃣ Track\n2️⃣ Redeliver", ("Track", "Redeliver")),
        ("Please choose:\n[1] Track\n[2] Redeliver", ("Track", "Redeliver")),
        ("A: Basic\nB: Plus\nWhich plan?", ("Basic", "Plus")),
        ("What would you like? 🍕 Pizza / 🍝 Pasta", ("Pizza", "Pasta")),
        ("Please check:\n- Name: Sam\n- Problem: it is slow", ()),
    ],
)
def test_options_are_read_from_lists_in_many_forms(reply: str, expected: tuple[str, ...]):
    assert listed(reply) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Your customer number? It looks like NB-204815 and is on your card.", "NB-204815"),
        ("Bitte geben Sie Ihre Kundennummer ein (Format: K-123456).", "K-123456"),
        ("Your customer number?", ""),
    ],
)
def test_an_example_of_an_answer_is_read_up_to_its_code(reply: str, expected: str):
    assert example_in(reply) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [("Membership number (M followed by 5 digits)?", "M12345"), ("Your 6-digit PIN?", "123456"), ("Two rolls?", "")],
)
def test_a_code_is_made_in_the_format_of_a_reply(reply: str, expected: str):
    assert format_in(reply) == expected


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("From which day, and for how many days?", "Friday, 1 day"),
        ("I'll need your name and postcode.", "Sam Sample, 10115"),
        ("At what time? We have 17:00, 19:45 or 22:30.", "17:00"),
        ("Ready to submit?", "Yes, please."),
        ("What's it about - billing, a fault or something else?", "billing"),
        ("Which colour - black / white / grey?", "black"),
        ("Pick a day from Mon to Sat.", "Friday"),
        ("Please describe the problem in a sentence or two.", "It does not work."),
    ],
)
def test_questions_get_the_answer_that_they_ask_for(question: str, answer: str):
    walker = Walker([], settled=True, turn=2)

    assert walker.answer_to(question) == answer


def test_a_refusal_that_wants_another_time_gets_one_within_the_hours():
    walker = Walker([], settled=True, turn=2)

    first = walker.answer_to("On which day shall we do it, and at what time?")
    again = walker.answer_to("Appointments start between 9:00 and 17:00, please pick another time.")

    assert (first, again) == ("Friday, 18:30", "Thursday, 14:00")


def test_parts_of_replies_that_do_not_ask_are_left_out():
    assert asking_part("Your name?\n- one\n- two\nYou can type MENU at any time.") == "Your name?"
    assert times_in("Open from 9:00 to 17:00") == ()


def test_acts_are_recognized_in_short_words():
    assert all(map(cancels, ("All right, nothing booked.", "OK, starting over.", "Alright, I've thrown that away.")))
    assert all(map(says_done, ("Your redelivery is set for Friday.", "Confirmation code: QX12.")))
    assert not asks_to_confirm("Confirmed. Your code is 8891.")
    assert names("That's 1 x sourdough loaf.", "sourdough loaves")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Please send me:\nName:\nAnimal (dog / cat):\nPostcode:", "Name: Sam Sample\nAnimal: dog\nPostcode: 10115"),
        ("Which car (van $80/day or estate $50/day), from where (Airport or Port)?", "van, Airport"),
        ("Your arrival date (e.g. June 12) and your return date?", "June 12, June 15"),
        ("How can I help? (submit a reading, report a leak, moving house)", "submit a reading"),
        ("The last reading was 02272. Please enter your reading.", "02282"),
        ("Do you have any allergies?", "No, thank you."),
    ],
)
def test_forms_and_questions_for_several_things_are_answered_at_once(question: str, answer: str):
    walker = Walker([], settled=True, turn=2)
    walker.domain.finals.add("shall i book it?")
    walker.declines = True

    assert walker.answer_to(question) == answer


def test_amounts_on_buttons_and_bare_prices_are_no_names():
    assert listed("Basic  £14.00 per month\nPlus   £21.00 per month") == ("Basic", "Plus")
    assert Walker([], settled=True, turn=2).answer_to("How much? [£10] [£25]") == "£10"
