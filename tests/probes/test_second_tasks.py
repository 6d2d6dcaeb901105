"""Bugs that show in a second task of a conversation, after a cancellation, or with a wrong code."""

import re
from itertools import count

import pytest

from probed_bots import Bot, Talking
from sparring.app.try_chatbot import Trial
from sparring.probes.result import TryResult

_NUMBERS = count(101)


class Surgery(Bot):
    """Books a slot for whom it knows by a number and a code, in a menu of two tasks."""

    patients = {"PT2001": ("4711", "Mr Grey"), "PT2002": ("0815", "Mr Grey"), "PT2003": ("9000", "Mrs Blue")}
    menu = "[Book a visit] [My visits]"

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.checked: set[str] = set()
        self.taken: set[str] = set()
        self.who = self.slot = self.booked = ""
        self.stage = "menu"

    def ask(self) -> str:
        free = [each for each in ("9:00", "10:00", "11:00") if each not in self.taken]
        return {
            "menu": f"What can I do for you? {self.menu}",
            "who": "Please enter your number. (Demo: your numbers are PT2001, code 4711, and PT2002, code 0815.)",
            "code": f"Please enter the code for {self.who}.",
            "slot": f"{self.who}: {self.patients.get(self.who, '  ')[1]}, Mill Lane 3. Which time: {', '.join(free)}?",
            "sure": f"{self.who} at {self.slot}. Shall I book it?",
        }[self.stage]

    def reply(self, text: str) -> str:
        said = text.casefold().strip()
        if re.search(r"\bcancel\b|don't want", said):
            if self.has("trap") and self.stage == "code" and self.tried:
                return f"This code is wrong. {self.ask()}"
            if self.stage == "menu" and self.booked:
                if not self.has("stays"):
                    self.taken.discard(self.booked)
                self.booked = ""
                return f"Your visit is cancelled. {self.ask()}"
            before, self.stage = self.stage, "menu"
            return (
                f"{'Cancelled, nothing was booked' if before != 'menu' else 'There is nothing to cancel'}. {self.ask()}"
            )
        return self.take(text.strip(), said)

    def take(self, text: str, said: str) -> str:
        if self.stage == "menu":
            if "visits" in said:
                return f"{f'A visit at {self.booked}' if self.booked else 'You have no visits'}. {self.ask()}"
            if "book" in said:
                self.stage = "who"
            return self.ask()
        if self.stage == "who":
            if text not in self.patients:
                return f"I do not know this number. {self.ask()}"
            known = text in self.checked or (bool(self.checked) and self.has("leak"))
            self.who, self.tried, self.stage = text, False, "slot" if known else "code"
        elif self.stage == "code":
            if text != self.patients[self.who][0]:
                self.tried = True
                return f"This code is wrong. {self.ask()}"
            self.checked.add(self.who)
            self.stage = "slot"
        elif self.stage in ("slot", "sure") and (time := re.search(r"\b(?:9|10|11):00", text)):
            self.slot, self.stage = time[0], "sure"
        elif self.stage == "sure" and said.startswith("yes" if not self.has("within") else ("yes", "no, not yet")):
            self.booked, self.stage = self.slot, "menu"
            self.taken.add(self.slot)
            return f"Done: {self.who} at {self.booked} is booked, number V{next(_NUMBERS)}. {self.ask()}"
        return self.ask()


async def tried(*faults: str) -> TryResult:
    return await Trial(Talking(Surgery, *faults)).run()


@pytest.mark.slow
async def test_nothing_is_certain_of_a_correct_chatbot():
    assert [each.found.title for each in (await tried()).certain] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "probe"),
    [
        ("trap", "wrong-code-2"),
        ("stays", "book-again"),
        ("leak", "next-id"),
        ("within", "hesitate"),
    ],
)
async def test_a_bug_of_a_second_task_is_certain(fault: str, probe: str):
    assert probe in [each.probe for each in (await tried(fault)).certain]


class Snacks(Bot):
    """Sells snacks by the number, in a cart."""

    prices = {"wrap": 600, "salad": 900, "juice": 300, "cake": 400}

    def __init__(self, *faults: str) -> None:
        super().__init__(*faults)
        self.cart: dict[str, int] = {}
        self.gone = 0
        self.ready = self.agreed = False

    def show(self) -> str:
        if not self.cart:
            return "Your cart is empty. Write e.g. '2 wrap, 1 juice', or 'menu'."
        lines = ", ".join(f"{n} x {name} {self.prices[name] * n / 100:.2f}" for name, n in self.cart.items())
        total = sum(self.prices[name] * n for name, n in self.cart.items()) + self.gone
        fee = 0 if total > 3000 or (total == 3000 and not self.has("limit")) else 250
        sums = f"Subtotal {total / 100:.2f}, delivery {fee / 100:.2f}, total {(total + fee) / 100:.2f} EUR"
        return f"Cart: {lines}. {sums}. {'Shall I order?' if self.ready else 'More, or [checkout]?'}"

    def reply(self, text: str) -> str:
        said = text.casefold()
        if re.search(r"\bcancel\b|don't want", said):
            had, self.cart, self.ready = bool(self.cart), {}, False
            self.agreed = had and self.has("zombie")
            return f"{'Cancelled, nothing was ordered' if had else 'There is nothing to cancel'}. {self.show()}"
        if removed := re.search(r"remove (?:the )?(\w+)", said):
            number = self.cart.pop(removed[1], 0)
            self.gone += self.prices.get(removed[1], 0) * number if self.has("ghost") else 0
            return self.show()
        if said.startswith("yes") and (self.ready or self.agreed):
            cart, self.cart, self.ready, self.agreed = self.cart, {}, False, False
            self.cart = dict(cart) if self.has("leak") else {}
            return f"Order S{next(_NUMBERS)} is placed: {', '.join(f'{n} x {name}' for name, n in cart.items())}."
        items = re.findall(r"(-?\d+) (?:x )?(wrap|salad|juice|cake)", said)
        items = items or [("1", each) for each in self.prices if each in said]
        for number, name in items[:2] if self.has("third") else items:
            if int(number) > 10 or (int(number) < 1 and not self.has("negative")):
                return f"From 1 to 10 of each, sorry. {self.show()}"
            self.cart[name] = int(number)
        if "menu" in said:
            prices = ", ".join(f"{name} {price / 100:.2f}" for name, price in self.prices.items())
            return f"Menu: {prices}. Delivery 2.50, free from 30.00."
        self.ready = self.ready or (bool(self.cart) and "checkout" in said)
        return self.show()


@pytest.mark.slow
async def test_nothing_is_certain_of_a_correct_cart():
    assert [each.found.title for each in (await Trial(Talking(Snacks)).run()).certain] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "probe"),
    [
        ("limit", "free-delivery"),
        ("ghost", "remove-one"),
        ("leak", "order-other"),
        ("negative", "negative-number"),
        ("third", "several"),
        ("zombie", "cancel-and-agree"),
    ],
)
async def test_a_bug_of_a_cart_is_certain(fault: str, probe: str):
    found = await Trial(Talking(Snacks, fault)).run()

    assert probe in [each.probe for each in found.certain]
