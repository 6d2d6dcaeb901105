"""Rules over up to a million conversations: generated, streamed, counted exactly.

Where brute force with Python's own `eval` finishes, its counts have to be the same; nothing else is timed against it.

    python benchmarks/rules.py [CONVERSATIONS ...]
"""

import argparse
import asyncio
import itertools
import resource
import sys
import time
from collections.abc import Iterator
from random import Random
from types import SimpleNamespace
from typing import Any

from arguments import positive

from sparring.core.checks import Rule
from sparring.core.verdict import Finding
from sparring.rules.check import check
from sparring.rules.functions.registry import lookup
from sparring.rules.recording import Recording

SECONDS, MEGABYTES = 10, 1500
SIZES = ("small", "medium", "large", "familiar")
DRINKS = ("coke", "sprite", "water", "beer", "none", "tea", "juice", "milk", "wine", "soda")
TOPPINGS = ("cheese", "mushrooms", "pepper", "ham", "bacon", "pepperoni", "olives", "corn", "chicken")
MORE = {
    "conversations": 2,
    "if": "len(conv[0].toppings) > len(conv[1].toppings)",
    "then": "extract_float(conv[0].price) > extract_float(conv[1].price)",
}
ALIKE = "conv[0].size == conv[1].size and conv[0].drink == conv[1].drink and conv[0].number == conv[1].number"
LIKE_THE_THIRD = ALIKE.replace("conv[0]", "conv[2]")
RULES: dict[str, dict[str, Any]] = {
    "one conversation": {
        "when": "size[0] == 'small'",
        "then": "extract_float(price) >= 10 and currency(price) == 'USD'",
    },
    "pairs with keys": {**MORE, "when": ALIKE},
    "pairs without a key": MORE,
    "three with keys": {
        "conversations": 3,
        "when": f"{ALIKE} and {LIKE_THE_THIRD}",
        "if": "len(conv[0].toppings) < len(conv[1].toppings) < len(conv[2].toppings)",
        "then": "extract_float(conv[0].price) < extract_float(conv[1].price) < extract_float(conv[2].price)",
    },
    "unique ids": {"conversations": "all", "then": "is_unique(order_id)"},
}
FUNCTIONS = ("len", "extract_float", "currency")
FINISHES: dict[int | str, int] = {1: 100_000, 2: 1_000, 3: 100, "all": 1_000_000}
"""How many conversations brute force manages in seconds, by how many a rule looks at together."""


def orders(number: int) -> Iterator[dict[str, Any]]:
    """Pizza orders: 1% have a wrong price, 0.5% none, 0.5% one that is no number."""
    luck = Random(0)
    sizes = [[size] for size in SIZES]
    for n in range(number):
        size, drink = int(luck.random() * 4), int(luck.random() * 10)
        count, toppings = 1 + int(luck.random() * 3), 1 + int(luck.random() * 6)
        price = (8 + 3 * size + 0.5 * toppings + 0.25 * drink) * count
        wrong, lost = luck.random(), luck.random()
        price += luck.random() * 4 - 2 if wrong < 0.01 else 0
        order = {"size": sizes[size], "drink": DRINKS[drink], "number": count, "toppings": TOPPINGS[:toppings]}
        if lost >= 0.005:
            order["price"] = "unknown" if lost < 0.01 else f"${price:.2f}"
        yield {**order, "order_id": f"{n:x}" if wrong > 1e-5 else "7"}


def generated(number: int) -> float:
    """The processor seconds that making the conversations takes, which are no part of checking them."""
    begun = time.process_time()
    for at, order in enumerate(orders(number)):
        Recording(str(at), order)
    return time.process_time() - begun


def measured(rule: Rule, number: int) -> tuple[Finding, float]:
    """What a rule finds, and the processor seconds of checking."""
    begun = time.process_time()
    recordings = (Recording(str(at), order) for at, order in enumerate(orders(number)))
    (finding,) = asyncio.run(check([rule], recordings)).findings
    return finding, time.process_time() - begun


def brute_force(rule: Rule, number: int) -> tuple[int, int]:
    """Satisfied and violated, by Python, tuple by tuple."""
    made = list(orders(number))
    if rule.conversations == "all":
        unique = len({order["order_id"] for order in made}) == number
        return int(unique), int(not unique)
    spaces = [SimpleNamespace(**order) for order in made]
    functions = {name: function.call for name in FUNCTIONS if (function := lookup(name))}
    when, if_, then = (compile(text, "rule", "eval") for text in (rule.when, rule.if_, rule.then))
    satisfied = violated = 0
    for rows in itertools.permutations(range(number), rule.conversations):
        scope = {**made[rows[0]], **functions, "conv": [spaces[row] for row in rows]}
        try:
            if eval(when, scope) and eval(if_, scope):  # noqa: S307 - the very thing to agree with
                holds = eval(then, scope) == True  # noqa: S307, E712
                satisfied, violated = satisfied + holds, violated + (not holds)
        except (AttributeError, NameError, TypeError):
            continue
    return satisfied, violated


def main(numbers: list[int]) -> int:
    """Print a line for each rule and number; 1 if a budget or a count is missed at the largest."""
    missed = 0
    for number in numbers:
        making = generated(number)
        for name, fields in RULES.items():
            rule = Rule.model_validate({"name": name, **fields})
            finding, seconds = measured(rule, number)
            own, peak = seconds - making, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            over = own > SECONDS or peak > MEGABYTES
            missed += over
            counts = f"{finding.satisfied:,} satisfied, {finding.violated:,} violated of {finding.applicable:,}"
            print(f"{number:>9,}  {name:<20} {own:6.2f} s {peak:5} MB  {counts}{'  OVER BUDGET' if over else ''}")
    for name, fields in RULES.items():
        rule = Rule.model_validate({"name": name, **fields})
        number = FINISHES[rule.conversations]
        finding, _ = measured(rule, number)
        same = (finding.satisfied, finding.violated) == brute_force(rule, number)
        missed += not same
        print(f"{number:>9,}  {name:<20} brute force {'agrees' if same else 'DIFFERS'}")
    return min(missed, 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("conversations", type=positive, nargs="*", default=[1_000, 10_000, 100_000, 1_000_000])
    sys.exit(main(parser.parse_args().conversations))
