"""Bugs that show in one task of several, at a limit, or when a user asks for what was done."""

import re
from itertools import count

import pytest

from probed_bots import Bot, Talking
from sparring.app.try_chatbot import Trial
from sparring.probes.acts import adds_another
from sparring.probes.limits import least_in, most_in, within
from sparring.probes.offers import listed, prices_in
from sparring.probes.walker import Walker
from tables import table

_NUMBERS = count(101)


class Hall(Bot):
    """Books a hall, takes reports of damage, and tells hours, from a menu of buttons."""

    menu = "[Opening hours] [Book the hall] [Report damage]"
    dates = {"friday": "Friday 4 December", "tuesday": "Tuesday 1 December", "monday": "Monday 7 December"}

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.task = self.number = ""
        self.told: dict[str, str] = {}
        self.asked = 0

    def ask(self) -> str:
        if self.task == "cancel":
            return f"Cancel booking {self.number}? [Yes] [No]"
        if self.task == "hall":
            if "day" not in self.told:
                return "On which day do you need it? We are open every day."
            if "guests" not in self.told:
                return "How many guests will come (1 to 40)?"
            return f"The hall on {self.told['day']} for {self.told['guests']} guests. [Confirm] [Change] [Cancel]"
        if "what" not in self.told:
            return "Please describe what is broken."
        if "when" not in self.told:
            return "When did it happen?"
        if "hurt" not in self.told:
            return "Was anyone injured?"
        return (
            f"Report: {self.told['what']}; when: {self.told['when']}; injuries: {self.told['hurt']}. Shall I send it?"
        )

    def reply(self, text: str) -> str:
        said = text.casefold()
        if self.has("capitals") and self.task and text == "friday":
            return f"Sorry, I did not understand. {self.ask()}"
        if self.has("nothing-on-file") and text == "STATUS":
            return "There is no booking on file."
        if self.has("zero") and text == "0":
            raise ValueError("no option 0")
        if re.search("number|status", said):
            self.asked += 1
            number = f"H{400 + self.asked}" if self.has("new-number") else self.number
            return f"Your number is {number}." if self.number else "You have no booking."
        if self.task == "cancel":
            self.task = ""
            if not said.startswith("yes"):
                return f"All right, it stays as it is. {self.menu}"
            cancelled, self.number = self.number, self.number if self.has("still-booked") else ""
            return f"Your booking {cancelled} is cancelled. {self.menu}"
        if "cancel" in said or "don't want" in said:
            if self.task:
                self.task, self.told = "", {}
                return f"All right, nothing was booked. {self.menu}"
            self.task = "cancel" if self.number else ""
            return self.ask() if self.number else f"There is nothing to cancel. {self.menu}"
        if self.task:
            return self.take(text.strip(), said)
        if "hours" in said:
            return f"We are open every day from 8:00 to 20:00. {self.menu}"
        if "book" in said or "damage" in said:
            self.task, self.told = "hall" if "book" in said else "damage", {}
            return self.ask()
        return f"How can I help? {self.menu}"

    def take(self, text: str, said: str) -> str:
        if day := next((each for each in self.dates if each in said.split(" instead")[0]), ""):
            self.told["day" if self.task == "hall" else "when"] = self.dates[day]
        elif self.task == "hall" and "day" in self.told and (guests := re.fullmatch(r"(\d+)\b.*", said)):
            if not 0 < int(guests[1]) < 41 and not self.has("no-limit"):
                return f"Sorry, we have room for 40 guests at most. {self.ask()}"
            self.told["guests"] = guests[1]
        elif self.task == "damage" and re.fullmatch(r"3 march 20\d\d", said) and "what" in self.told:
            if "2060" in said and not self.has("future"):
                return f"Sorry, that day is still to come. {self.ask()}"
            self.told["when"] = text
        elif "when" in self.told and "hurt" not in self.told and said.startswith(("yes", "no")):
            self.told["hurt"] = "yes" if said.startswith("yes") or self.has("says-yes") else "no"
        elif ("guests" in self.told or "hurt" in self.told) and said.startswith(("confirm", "yes")):
            self.number, self.task = f"H{next(_NUMBERS)}", ""
            return f"Done! Your number is {self.number}. Type STATUS to see your booking. {self.menu}"
        elif self.task == "damage" and "what" not in self.told:
            self.told["what"] = text
        else:
            return f"Sorry, I did not understand. {self.ask()}"
        return self.ask()


async def _certain(*faults: str) -> set[str]:
    result = await Trial(Talking(Hall, *faults)).run()
    return {each.found.kind for each in result.certain}


@pytest.mark.slow
async def test_each_task_of_a_menu_is_tried_and_nothing_is_found_in_a_correct_chatbot():
    result = await Trial(Talking(Hall)).run()

    assert [each.found.title for each in result.certain] == []
    assert result.domain.tasks == ("Opening hours", "Book the hall", "Report damage")
    assert not {"cancel", "cancel-done", "deny", "confirm-twice", "impossible-date"} & result.missed.keys()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("no-limit", "limit"),
        ("capitals", "stuck"),
        ("nothing-on-file", "gone"),
        ("future", "ruled-out"),
        ("says-yes", "taken"),
        ("new-number", "id"),
        ("still-booked", "kept"),
        ("zero", "crash"),
    ],
)
async def test_a_fault_in_one_task_or_at_a_limit_is_found(fault: str, kind: str):
    assert kind in await _certain(fault)


@pytest.mark.parametrize(
    ("reply", "least", "most"),
    [
        ("How many tickets (1-10)?", 1, 10),
        ("What should the new limit be, between £50 and £2,500?", 50, 2500),
        ("Quanti biglietti desidera (massimo 8)?", None, 8),
        ("Up to ten people. How many are you?", None, 10),
        ("Wie viele Personen? Höchstens 6.", None, 6),
        ("At what time? We are open from 9am to 6pm.", None, None),
        ("A fee of 5.50 to 6.50 applies.", None, None),
    ],
)
def test_limits_are_read_from_what_asks_for_a_number(reply: str, least: int | None, most: int | None):
    assert (least_in(reply), most_in(reply)) == (least, most)


def test_one_more_of_the_same_is_declined_and_asks_nothing_again():
    walker = Walker([], settled=True, turn=2, given={"What is the child's name?": "Sam Sample"})

    assert walker.answer_to("Sam is down for Chess. Add another child? [Yes] [No]") == "No"
    assert adds_another("Do you want to book another table?")
    assert not adds_another("That time is taken. Would another one suit you?")


def test_a_menu_of_what_to_change_is_answered_by_what_the_user_corrects():
    walker = Walker([], language="fr", settled=True, turn=2, prefers=["Kim Sample", "nom"])

    assert walker.answer_to("Que voulez-vous changer ?\n- la démarche\n- nom à changer") == "nom à changer"


def test_what_is_saved_is_no_thing_with_a_price():
    assert list(prices_in("Annual costs $360 and saves $60.")) == [("Annual", "$360")]


def test_the_ends_of_a_range_are_no_prices_and_things_behind_a_question_are_options():
    assert list(prices_in("What should the limit be (£50 to £2,500)?")) == []
    assert listed("Which show? Tosca (Friday); Carmen (Sunday); Aida (Monday).") == ("Tosca", "Carmen", "Aida")


@table(
    ("answer", "reply", "expected"),
    [
        ("50", "What is the car worth in pounds (500-80,000)?", "500"),
        ("35", "How old is the driver (18-85)?", "35"),
        ("50", "What is it worth?", "50"),
        ("red", "Which colour (1-3)?", "red"),
    ],
)
def test_an_answer_stays_within_the_range_of_the_question(answer: str, reply: str, expected: str):
    assert within(answer, reply) == expected
