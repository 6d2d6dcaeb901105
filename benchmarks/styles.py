"""False alarms of correct chatbots under every pair of styles, and faults found under changes of mind.

Every pair of styles is run with every reference chatbot and a hotel desk, by `sparring.run` with the agenda user and
without null bots. Then chatbots that take corrections wrongly are run with both modes of `change your mind`, with and
without typos: of the conversations in which the change was made, the share that fails.

    python benchmarks/styles.py [--seeds 10] [--bots pizzeria,hotel] [--only faults] [--show 3] [--json FILE]
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from arguments import positive
from style_bots import SCENARIO as HOTEL
from style_bots import desk

import sparring
from sparring.api.conversation_result import ConversationResult
from sparring.core.case import Case, Style
from sparring.scenarios import loading

STYLES = (
    Style(name="long phrases"),
    Style(name="change your mind", mode="for good"),
    Style(name="change your mind", mode="detour"),
    Style(name="change language", languages=("Spanish", "Russian")),
    Style(name="make spelling mistakes"),
    Style(name="single question"),
    Style(name="all questions"),
)
_PAIRS = [pair for pair in combinations(STYLES, 2) if pair[0].name != pair[1].name]
CELLS: tuple[tuple[Style, ...], ...] = ((), *((style,) for style in STYLES), *_PAIRS)

PIZZERIA = """
user: {role: you are hungry, styles: STYLES}
goals: ["a {{size}} custom pizza with {{toppings}}", "the following drink: {{drink}}"]
variables:
  size: {function: another(), data: [small, medium, big]}
  toppings: {function: random(2), data: [cheese, mushrooms, ham, olives, corn]}
  drink: {function: another(), data: [sprite, coke, water]}
number: 3
limits: {turns: 16}
expect:
  - "called('place_order')"
  - "any('placed: one ' + size in said and 'one ' + drink in said for said in chatbot_phrases)"
outputs: {price: {type: money, description: the price of the whole order}, order_id: {description: the order ID}}
"""

SERVICE = """
user: {role: you are a customer, styles: STYLES}
limits: {turns: 16}
scenarios:
  - goals:
      - {asks: "where is order {{order}}?", answer: TRK-7710-0002}
      - {asks: "cancel order {{late}}", done: "called('cancel_order', order_id=late)"}
    variables: {customer_id: CUST-001, order: [ORD-002], late: [ORD-001]}
  - goals: [{asks: "cancel order {{order}}", done: "called('cancel_order', order_id=order)"}]
    variables: {customer_id: CUST-001, order: [ORD-001]}
"""

PHONE = """
user: {role: you order for a shop, styles: STYLES}
goals: ["{{flour}} bags of wheat flour", "{{butter}} boxes of butter"]
variables:
  flour: {function: random(), type: int, data: {min: 2, max: 9, step: 1}}
  butter: {function: random(), type: int, data: {min: 2, max: 9, step: 1}}
  CURRENT_DATE: 2026-02-03 Tuesday
  DELIVERY_DAYS: ["Monday; Thursday"]
  LOCATIONS: [1 High Street]
answers: {"on which day": Thursday, "which address|deliver to": 1 High Street}
number: 3
limits: {turns: 20}
expect:
  - "called('confirm_order')"
  - "sorted([each['quantity'] for each in state['cart']]) == sorted([flour, butter])"
"""


@dataclass(frozen=True)
class Bot:
    """A chatbot, the scenario for it, and its faults in taking corrections, with the variable that each is about."""

    chatbot: Callable[[str], Any]
    scenario: str
    faults: Mapping[str, str] = field(default_factory=dict)
    ends: Literal["goals", "farewell"] = "goals"


def _named(name: str, fault: str) -> str:
    return f"{name}:fault={fault}" if fault else name


BOTS = {
    "pizzeria": Bot(partial(_named, "pizzeria"), PIZZERIA, {"stubborn_pizza": "size", "stubborn_drink": "drink"}),
    "service": Bot(partial(_named, "service"), SERVICE),
    "phone_orders": Bot(partial(_named, "phone_orders"), PHONE, ends="farewell"),
    "hotel": Bot(desk, HOTEL, dict.fromkeys(("deaf", "stubborn", "forgetful"), "")),
}


@dataclass
class Tally:
    """Outcomes of conversations."""

    outcomes: Counter[str] = field(default_factory=Counter)
    drawn: int = 0
    made: int = 0
    failed_of_made: int = 0

    def add(self, result: ConversationResult) -> None:
        """Count one conversation."""
        self.outcomes[str(result.outcome)] += 1
        self.drawn += bool(result.conversation.case.changes)
        self.made += is_made(result)
        self.failed_of_made += is_made(result) and result.outcome == "failed"


def is_made(result: ConversationResult) -> bool:
    """Return True if the user changed its mind."""
    return any(meant.act == "change" for each in result.conversation.messages for meant in each.meant)


def cases(bot: Bot, styles: Sequence[Style], seed: int) -> tuple[Case, ...]:
    """Return the cases of one seed, as a scenario file makes them."""
    details = [(style.name, style.mode or [*style.languages]) for style in styles]
    written = [{name: more} if more else name for name, more in details]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{seed}.yaml"
        file.write_text(bot.scenario.replace("STYLES", str(written)), encoding="utf-8")
        return tuple(case.changed(ends=bot.ends) for case in loading.load([file], seed=seed).cases)


def tally(bot: Bot, styles: Sequence[Style], seeds: int, fault: str = "", *, show: int = 0) -> Tally:
    """Run the cases of all seeds, and return their outcomes; print up to `show` that are unexpected."""
    made = [case for seed in range(seeds) for case in cases(bot, styles, seed)]
    if variable := bot.faults.get(fault, ""):
        made = [case for case in made if any(change.variable == variable for change in case.changes)]
    settings = sparring.Settings(model="offline", user="agenda", null_bots=False)
    found = Tally()
    for result in sparring.run(made, bot.chatbot(fault), store=":memory:", settings=settings):
        found.add(result)
        expected = result.outcome == "failed" or not is_made(result) if fault else result.outcome == "passed"
        if show and not expected:
            show -= 1
            print_conversation(result)
    return found


def print_conversation(result: ConversationResult) -> None:
    """Print a conversation with its values and its outcome."""
    case = result.conversation.case
    print(f"--- {case.id} {case.variables} {[*case.changes]}: {result.outcome} {result.reason}")
    for each in result.conversation.messages:
        print(f"    {each.role}: {each.text}")


def named(styles: Sequence[Style]) -> str:
    """Return styles in words."""
    return " + ".join(f"{style.name}{f' ({style.mode})' if style.mode else ''}" for style in styles) or "none"


def measure_alarms(bots: Mapping[str, Bot], seeds: int, show: int) -> dict[str, dict[str, int]]:
    """Print and return the outcomes of correct chatbots in every cell."""
    print("correct chatbots: conversations, changes made / drawn, outcomes other than passed")
    total: Counter[str] = Counter()
    counts: dict[str, dict[str, int]] = {}
    for name, bot in bots.items():
        for styles in CELLS:
            found = tally(bot, styles, seeds, show=show)
            total += found.outcomes
            others = {outcome: n for outcome, n in found.outcomes.items() if outcome != "passed"}
            counts[f"{name}: {named(styles)}"] = {**found.outcomes, "drawn": found.drawn, "made": found.made}
            made = f"{found.outcomes.total():5} {found.made:4}/{found.drawn:<4}"
            print(f"{name:13} {named(styles):64} {made} {others or ''}", flush=True)
    print(f"{total.total():,} conversations: {dict(total)}")
    return counts


def measure_faults(bots: Mapping[str, Bot], seeds: int, show: int) -> dict[str, dict[str, int]]:
    """Print and return how many changes chatbots with faults fail."""
    print("chatbots with faults: changes made / drawn, share of those made that fails")
    counts: dict[str, dict[str, int]] = {}
    every = ((bot, name, fault) for name, bot in bots.items() for fault in bot.faults)
    for bot, name, fault in every:
        for styles in ((STYLES[1],), (STYLES[2],), (STYLES[1], STYLES[4]), (STYLES[2], STYLES[4])):
            found = tally(bot, styles, seeds, fault, show=show)
            counts[f"{name}, {fault}: {named(styles)}"] = {"made": found.made, "failed": found.failed_of_made}
            made = f"{found.made:4}/{found.drawn:<4} {found.failed_of_made / max(1, found.made):7.1%}"
            print(f"{name:13} {fault:16} {named(styles):60} {made}", flush=True)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=positive, default=10)
    parser.add_argument("--bots", default=",".join(BOTS))
    parser.add_argument("--show", type=int, default=0, help="print so many unexpected conversations of every cell")
    parser.add_argument("--only", choices=("alarms", "faults"))
    parser.add_argument("--json", type=Path, help="a file for the counts")
    given = parser.parse_args()
    chosen = {name: BOTS[name] for name in given.bots.split(",")}
    alarms = measure_alarms(chosen, given.seeds, given.show) if given.only != "faults" else {}
    faults = measure_faults(chosen, given.seeds, given.show) if given.only != "alarms" else {}
    if given.json:
        given.json.write_text(json.dumps({"alarms": alarms, "faults": faults}), encoding="utf-8")


if __name__ == "__main__":
    main()
