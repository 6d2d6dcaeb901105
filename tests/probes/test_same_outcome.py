"""What is asked to confirm after a detour is compared with the same conversation without it."""

import re

import pytest

from probed_bots import Bot, Talking
from sparring.app.try_chatbot import Trial

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
        if self.day and text.startswith("Yes"):
            return "Booked, thank you."
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
    return [each.found.title for each in result.certain if each.found.kind == "outcome"]


async def test_a_correct_chatbot_says_the_same_after_all_detours():
    assert await _titles() == []


@pytest.mark.parametrize(
    ("fault", "title"),
    [
        ("stale-day", "After a correction, the chatbot says “Monday” instead of “Tuesday”"),
        ("stale-price", "After a correction, the chatbot says “€30” instead of “€20”"),
        ("skips", "After a question in between, the chatbot says nothing of “12 Example Street”"),
    ],
)
async def test_what_a_detour_changes_is_found(fault: str, title: str):
    assert title in await _titles(fault)
