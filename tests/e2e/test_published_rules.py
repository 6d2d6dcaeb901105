"""Published profiles, run here against bots of known truth, and checked by the published rules as they are."""

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import corpus
import sparring
from sparring import CheckOutcome, Finding
from sparring.core.checks import Rule
from sparring.rules.rule_file import read_rule

pytestmark = pytest.mark.extended

Bot = Callable[[list[Any], dict[str, Any]], str]


def shop(**wrong: str) -> Bot:
    """A bike shop that confirms what was asked for, except what it gets wrong."""

    def reply(messages: list[Any], variables: dict[str, Any]) -> str:
        said = asked(messages)
        hour = re.search(r"\d\d:\d\d", said)
        if hour is None:
            return "Hello! When would you like to come?"
        day = "29/10/2024" if "tomorrow" in said else "06/11/2024"
        right = f"The date is {wrong.get('date', day)}. The hour is {wrong.get('hour', hour[0])}."
        return (
            f"Ok, I have scheduled your appointment. {right}"
            if "slot" not in wrong
            else "Your appointment is scheduled."
        )

    return reply


def pizzeria(
    small: str = "$10.50", identity: Callable[[str], str] = lambda said: f"P-{zlib.crc32(said.encode())}"
) -> Bot:
    def reply(messages: list[Any], variables: dict[str, Any]) -> str:
        said = asked(messages)
        drink = next((each for each in ("sprite", "coke", "water") if each in said), "")
        if "pizza" not in said or not drink:
            return "Hello! Which pizza and which drink would you like?"
        size = next(each for each in ("small", "medium", "big") if each in said)
        price = small if size == "small" else "$20.00"
        number = identity(said)
        end = f" Your order ID is {number}." if number else ""
        return f"Your {size} custom pizza and your {drink} are ordered. The price of the order is {price}.{end}"

    return reply


def clerk(*facts: str, repeats: bool = False, buttons: str = "") -> Bot:
    """A clerk who states one fact after the other, and repeats the first one or not."""

    def reply(messages: list[Any], variables: dict[str, Any]) -> str:
        turn = sum(each.role == "user" for each in messages)
        fact = facts[0] if repeats else facts[(turn - 1) % len(facts)]
        words = ("amber", "birch", "cedar", "dogwood", "elder", "fir", "gorse", "hazel", "iris", "juniper")
        other = "" if repeats else f" {words[turn % len(words)]} {words[(turn * 3) % len(words)]}"
        return f"{fact}{other}{buttons}"

    return reply


def asked(messages: list[Any]) -> str:
    return " ".join(each.text for each in messages if each.role == "user")


ERASMUS = (
    "The e-mail is cau@example.org.",
    "El telefono del CAU: 555 010 020.",
    "Print in the library.",
    "Laptops are lent.",
)
AMTRAK = ("El tren sale a las ocho.", "Hay otro a las nueve.", "Puede reservar hoy.", "Buen viaje.")
KUKI = (
    "I am 18 years old.",
    "AIML technology runs me.",
    "A chatbot chats.",
    "Ask me about music.",
    "Cats are fun.",
    "Bye then.",
)
PLANS = (
    "The starter plan fits you.",
    "The plan price is $49.00.",
    "Coins are nice.",
    "Trains run late.",
    "Cooking is art.",
)
EMPTY = "\n\nAVAILABLE BUTTONS: \n - BUTTON TEXT: here LINK: <empty>\n"


@dataclass(frozen=True)
class Published:
    """A published profile, some of the rules that were published with it, and what they say of two bots."""

    profile: str
    rules: str
    names: tuple[str, ...]
    right: Bot
    wrong: Bot


BIKES, PIZZA = "bikeshop__eval__appointment", "pizza-order-evaluation__eval__custom_pizza"
ADA, JULIE = "ada__conversations__ada_erasmus", "julie__conversations__julie_travel_schedule_spanish"
KUKI_SIM, FORM = "kuki__conversations__user_sim_kuki", "serviceform__conversations__deviate_topics"
REPEATS = "chatbot_does_not_repeat"
PUBLISHED = [
    Published(BIKES, "taskyto-bike-shop", ("appointment_date_november6",), shop(), shop(date="07/11/2024")),
    Published(BIKES, "taskyto-bike-shop", ("appointment_date_tomorrow",), shop(), shop(date="30/10/2024")),
    Published(BIKES, "taskyto-bike-shop", ("appointment_hour",), shop(), shop(hour="11:45")),
    Published(BIKES, "taskyto-bike-shop", ("appointment_hour",), shop(), shop(hour="01:00")),
    Published(PIZZA, "taskyto-pizza", ("small_pizza_price",), pizzeria(), pizzeria("$9.50")),
    Published(PIZZA, "taskyto-pizza", ("unique_ids",), pizzeria(), pizzeria(identity=lambda said: "P-17")),
    Published(PIZZA, "taskyto-pizza", ("all_slots_set",), pizzeria(), pizzeria(identity=lambda said: "")),
    Published(ADA, "wild-ada", (REPEATS,), clerk(*ERASMUS), clerk(*ERASMUS, repeats=True)),
    Published(ADA, "wild-ada", ("chatbot_fills_all_slots",), clerk(*ERASMUS), clerk("Ask somebody else.")),
    Published(ADA, "wild-ada", ("non_empty_links",), clerk(*ERASMUS), clerk(*ERASMUS, buttons=EMPTY)),
    Published(JULIE, "wild-julie", (REPEATS,), clerk(*AMTRAK), clerk(*AMTRAK, repeats=True)),
    Published(JULIE, "wild-julie", ("non_empty_links",), clerk(*AMTRAK), clerk(*AMTRAK, buttons=EMPTY)),
    Published(KUKI_SIM, "wild-kuki", (REPEATS,), clerk(*KUKI), clerk(*KUKI, repeats=True)),
    Published(KUKI_SIM, "wild-kuki", ("non_empty_links",), clerk(*KUKI), clerk(*KUKI, buttons=EMPTY)),
    Published(FORM, "wild-serviceform", (REPEATS,), clerk(*PLANS), clerk(*PLANS, repeats=True)),
    Published(FORM, "wild-serviceform", ("non_empty_links",), clerk(*PLANS), clerk(*PLANS, buttons=EMPTY)),
]


def rule_of(case: Published, name: str) -> Rule:
    rule = read_rule(corpus.folder() / "rules" / case.rules / f"{name}.yaml")
    assert isinstance(rule, Rule)
    return rule.model_copy(update={"active": True})


def found(case: Published, bot: Bot, folder: Path) -> list[Finding]:
    profile = corpus.folder() / "profiles" / f"{case.profile}.yml"
    rules = [rule_of(case, name) for name in case.names]
    results = sparring.run(profile, bot, model="offline", rules=rules, store=folder / "runs.db", seed=7)
    checked = sparring.check(rules, results)
    assert [each.outcome for each in checked.findings] == [each.outcome for each in results.findings.findings]
    return list(checked.findings)


@pytest.mark.parametrize("case", PUBLISHED, ids=lambda case: f"{case.rules}/{case.names[0]}")
def test_published_rules_pass_a_right_bot_and_fail_a_wrong_one(case: Published, tmp_path: Path):
    right = found(case, case.right, tmp_path / "right")
    wrong = found(case, case.wrong, tmp_path / "wrong")

    assert [each.outcome for each in right] == [CheckOutcome.PASS] * len(right), right
    assert [each.outcome for each in wrong] == [CheckOutcome.FAIL] * len(wrong), wrong


def test_the_published_rules_of_two_profiles_together_apply_where_they_belong(tmp_path: Path):
    rules = [rule_of(case, name) for case in PUBLISHED[2:6] for name in case.names]
    profiles = [corpus.folder() / "profiles" / f"{name}.yml" for name in (BIKES, PIZZA)]

    def either(messages: list[Any], variables: dict[str, Any]) -> str:
        return (pizzeria() if "pizza" in asked(messages) else shop())(messages, variables)

    findings = sparring.run(profiles, either, model="offline", rules=rules, store=tmp_path / "a.db").findings.findings

    assert {each.outcome for each in findings} == {CheckOutcome.PASS}
    assert any(cause.reason == "no 'hour' here" for each in findings for cause in each.missing)
