"""Re-creations of two chatbots of SENSEI's study, and its mutation operators as faults of their definitions.

A chatbot answers questions and takes an order in steps, as Taskyto's do. Every fault is a changed definition.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import combinations, count, pairwise

TODAY = date(2024, 10, 28)
"""The day of the recordings: published rules name the day after it."""

_MONTHS = "january february march april may june july august september october november december".split()


@dataclass(frozen=True)
class Slot:
    """A value to ask for: one of some words, or a kind of value."""

    name: str
    asks: str
    values: tuple[str, ...] = ()
    kind: str = "one"

    def read(self, said: str) -> str:
        """Return the value in what the user said."""
        if self.kind == "date":
            return _day(said)
        if self.kind == "time":
            found = re.search(r"\b(\d{1,2}:\d\d)\b", said)
            return f"{found[1]}:00" if found else ""
        known = [each for each in self.values if re.search(rf"\b{each}s?\b", said)]
        return ", ".join(known) if self.kind == "several" else next(iter(known), "")


def _day(said: str) -> str:
    if "tomorrow" in said:
        return f"{TODAY + timedelta(days=1):%d/%m/%Y}"
    found = re.search(rf"({'|'.join(_MONTHS)}) (\d+)\w*,? (\d{{4}})", said)
    return f"{int(found[2]):02}/{_MONTHS.index(found[1]) + 1:02}/{found[3]}" if found else ""


@dataclass(frozen=True)
class Step:
    """Values that are asked for together, and what is said once all are known."""

    slots: tuple[Slot, ...]
    says: str
    remembers: bool = True
    """False if values are forgotten with the next message."""


@dataclass(frozen=True)
class Definition:
    """A chatbot: answers by the pattern of the question, the steps of an order, and what it says at the end of it."""

    answers: tuple[tuple[str, str], ...]
    steps: tuple[Step, ...]
    says: str
    fallback: str
    items: frozenset[str] = frozenset({"questions", "order"})
    rephrases: frozenset[str] = frozenset()
    """Parts that are said in other words."""


BIKES = Definition(
    answers=(
        (r"open|close|closing|hours", "We are open every weekday from 9am to 5:30pm."),
        (r"\btires?\b.*(?:price|cost)|(?:price|cost).*\btires?\b", "The price of a new tire is $20."),
        (r"tune-?up.*(?:price|cost)|(?:price|cost).*tune-?up", "The price of a tune-up is $150."),
        (r"seats?\b.*(?:price|cost)|(?:price|cost).*seats?\b", "The price of a new seat is between $50 and $100."),
        (r"care", "You should clean it regularly, check the tire pressure, and lubricate the chain."),
    ),
    steps=(
        Step(
            (
                Slot("service", "Which service do you need, a tune-up or a repair?", ("tune-up", "repair")),
                Slot("date", "For which day do you want the appointment?", kind="date"),
                Slot("time", "At what time?", kind="time"),
            ),
            "",
        ),
    ),
    says="Ok, I have scheduled your appointment for {date} at {time} for a {service}.\n\nSee you then!",
    fallback="I'm sorry it's a little loud in my shop, can you say that again?",
)
_TOPPINGS = ("cheese", "mushrooms", "pepper", "ham", "bacon", "pepperoni", "olives", "corn", "chicken")
PIZZAS = Definition(
    answers=(
        (r"open|hours", "Every day from 1pm to 11:30pm."),
        (r"(?:price|cost).*beverage|beverage.*(?:price|cost)", "Sprite and Coke: 1.50$. Water: 1$."),
        (r"price|cost", "Margarita pizzas are 10$ for small, 15$ for medium and 20$ for big."),
        (r"types?|kinds?", "Margarita, Carbonara, Marinera, Hawaiian, Four cheese, Vegetarian, and Custom."),
        (r"deliver|get the order", "We do not deliver orders. You get your order at the shop, 23 Main Street."),
        (r"time", "It is typically around 15 minutes."),
    ),
    steps=(
        Step(
            (
                Slot("size", "Which size: small, medium or big?", ("small", "medium", "big")),
                Slot("toppings", "Which toppings would you like?", _TOPPINGS, "several"),
            ),
            "A {size} custom pizza with {toppings}.",
        ),
        Step((Slot("drink", "Which drink: coke, sprite or water?", ("coke", "sprite", "water")),), "One {drink}."),
    ),
    says="The cost for a {size} custom pizza with {toppings} and one {drink} is ${price:.2f}. "
    "Your order will be ready in 15 minutes. Your order ID is {order}.",
    fallback="I'm sorry, I did not get what you said. I can help you ordering predefined or custom pizzas, "
    "and then drinks.",
)  # fmt: skip
_ORDERS = count(7_712_017)
_PRICES = {"small": 10, "medium": 15, "big": 20, "coke": 1.5, "sprite": 1.5, "water": 1}


class _Blank(dict[str, object]):
    """Values of a template; a missing one is said as nothing."""

    def __missing__(self, name: str) -> str:
        return ""


@dataclass
class Chatbot:
    """A conversation with a chatbot that a definition describes."""

    definition: Definition
    known: dict[str, str] = field(default_factory=dict)
    step: int = 0

    def reply(self, said: str) -> str:
        """Return the reply to a message."""
        text = said.lower()
        first = (self._answer, self._order) if not self.known else (self._order, self._answer)
        return first[0](text) or first[1](text) or self.definition.fallback

    def _answer(self, text: str) -> str:
        for at, (pattern, answer) in enumerate(self.definition.answers):
            if "questions" in self.definition.items and re.search(pattern, text):
                words = f'The response to the question is "{answer}"'
                return words if f"answer {at}" in self.definition.rephrases else answer
        return ""

    def _order(self, text: str) -> str:
        steps = self.definition.steps if "order" in self.definition.items else ()
        found = {slot.name: value for step in steps for slot in step.slots if (value := slot.read(text))}
        if not found and not self.known:
            return ""
        if self.step < len(steps) and not steps[self.step].remembers:
            self.known = {}
        self.known |= found
        told = []
        for step in steps[self.step :]:
            if missing := next((each for each in step.slots if each.name not in self.known), None):
                return " ".join([*told, missing.asks]) if found else ""
            self.step += 1
            told.append(step.says.format_map(_Blank(self.known)))
        return "\n\n".join([*filter(None, told), self._done()])

    def _done(self) -> str:
        price = sum(_PRICES.get(each, 0) for each in self.known.values())
        price += 0.5 * max(len(self.known.get("toppings", "").split(", ")) - 3, 0)
        values = _Blank(self.known, price=price, order=f"{next(_ORDERS):06x}")
        self.known, self.step = {}, 0
        words = self.definition.says.format_map(values)
        return f"Thanks! {words}" if "end" in self.definition.rephrases else words


def mutants(made: Definition) -> Iterator[tuple[str, Definition]]:
    """Yield SENSEI's operators and the definitions that they make."""
    steps, answers = made.steps, made.answers
    for at, step in enumerate(steps):
        yield "ChangeMemoryScope", _with_step(made, at, replace(step, remembers=False))
        for number, slot in enumerate(step.slots):
            for value in slot.values if len(slot.values) > 1 else ():
                fewer = replace(slot, values=tuple(each for each in slot.values if each != value))
                slots = (*step.slots[:number], fewer, *step.slots[number + 1 :])
                yield "DeleteEnumDataValue", _with_step(made, at, replace(step, slots=slots))
    for part in ("end", *(f"answer {at}" for at in range(len(answers)))):
        yield "ChangeRephrase", replace(made, rephrases=frozenset({part}))
    for name in re.findall(r"\{[^}]+\}", made.says):
        yield "DeleteDataFromResponse", replace(made, says=made.says.replace(name, ""))
    yield "DeleteFallback", replace(made, fallback="")
    for item in sorted(made.items):
        yield "DeleteItemTopModule", replace(made, items=made.items - {item})
    for at in range(len(answers)):
        yield "DeleteQuestionAnswer", replace(made, answers=answers[:at] + answers[at + 1 :])
    for one, other in combinations(range(len(answers)), 2):
        yield "SwapQuestionAnswer", replace(made, answers=_swapped(answers, one, other))
    if len(steps) > 1:
        for at in range(len(steps)):
            yield "DeleteSequenceStep", replace(made, steps=steps[:at] + steps[at + 1 :])
        for one, other in pairwise(range(len(steps))):
            order = list(steps)
            order[one], order[other] = order[other], order[one]
            yield "SwapSequenceStep", replace(made, steps=tuple(order))


def _with_step(made: Definition, at: int, step: Step) -> Definition:
    return replace(made, steps=(*made.steps[:at], step, *made.steps[at + 1 :]))


def _swapped(answers: Sequence[tuple[str, str]], one: int, other: int) -> tuple[tuple[str, str], ...]:
    texts = [answer for _, answer in answers]
    texts[one], texts[other] = texts[other], texts[one]
    return tuple((pattern, text) for (pattern, _), text in zip(answers, texts, strict=True))


BOTS: Mapping[str, Definition] = {"bikeshop": BIKES, "pizza": PIZZAS}
