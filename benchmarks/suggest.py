"""Faults that few suggested scenarios find, of those that all combinations of the values find.

A batch has one conversation. `sparring suggest` adds ten, and the full product of the values has 108. A fault is a
mutation operator that works in every conversation, only with one value, or only with a pair of values. It is found if a
check that passed without it fails in a conversation of the suite.

    python benchmarks/suggest.py [BOT ...] [--max 10] [--seeds 5]
"""

import argparse
import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import style_bots
from arguments import positive

import mutation
import sparring
from sparring.core.conversation import Conversation
from sparring.coverage.elements import CountedConversation
from sparring.coverage.suggestions import file_of, suggestions
from sparring.coverage.tables import Suite
from sparring.mutation.mutant import mutants
from sparring.mutation.operators import OPERATORS
from sparring.rules.rule_file import read_rules

_RULES = Path(sparring.__file__).parents[1] / "sparring_bots" / "pizzeria" / "rules"
_SETTINGS = sparring.Settings(model="offline", user="agenda", null_bots=False)

PIZZERIA = """
user: you are hungry
goals:
  - {asks: "{{question}}", answer: [1 pm, "/not deliver|do.*deliver/", 12 Example Street]}
  - "a {{size}} custom pizza with {{toppings}}"
  - "the following drink: {{drink}}"
variables:
  question: ["when are you open?", "do you deliver?", "what is your address?"]
  size: [small, medium, big]
  toppings: [cheese, mushrooms, ham, olives]
  drink: [sprite, coke, water]
outputs: {price: {type: money, description: the price of the whole order}, order_id: {description: the order ID}}
expect: ["called('place_order')"]
"""
HOTEL = style_bots.SCENARIO.replace(", styles: STYLES", "").replace("number: 3\n", "").replace("max: 7", "max: 4")
BOTS: dict[str, tuple[str, Any]] = {"pizzeria": (PIZZERIA, "pizzeria"), "hotel": (HOTEL, style_bots.desk())}
_WALKED = ("another()", "random()")


def played(text: str, chatbot: object, folder: Path) -> Any:
    """Run a scenario file, and return the results."""
    file = folder / "suite.yml"
    file.write_text(text)
    return sparring.run(file, chatbot, store=":memory:", settings=_SETTINGS)


def triggers(rows: Sequence[Conversation]) -> Iterator[frozenset[tuple[str, Any]]]:
    """Yield what a fault may depend on: nothing, a value, or two."""
    found = {
        frozenset(some)
        for each in rows
        for size in range(3)
        for some in combinations(sorted(each.case.variables.items()), size)
    }
    yield from sorted(found, key=lambda each: (len(each), str(sorted(each))))


async def kills(suite: mutation.Suite) -> dict[str, set[str]]:
    """Return the operators that a check notices in each conversation."""
    found: dict[str, set[str]] = {each.id: set() for each in suite.held}
    for each in suite.held:
        for operator in OPERATORS:
            for mutant in mutants([operator], [each], suite.setting.seen, budget=20):
                made = await suite.player.play(mutant, each)
                if made and made.broken:
                    found[each.id].add(operator.name)
                    break
    return found


def report(
    name: str, product: Sequence[Conversation], few: Sequence[Conversation], killed: Any, killed_few: Any
) -> None:
    """Print how many of the faults that the product finds are found by the suggested suite."""
    counts = {size: [0, 0] for size in range(3)}
    for trigger in triggers(product):
        by_all, by_few = (
            set().union(*(by[each.id] for each in suite if trigger <= set(each.case.variables.items())))
            for suite, by in ((product, killed), (few, killed_few))
        )
        counts[len(trigger)][0] += len(by_all & by_few)
        counts[len(trigger)][1] += len(by_all)
    print(f"{name}: {len(few)} of {len(product)} conversations ({len(few) / len(product):.0%})")
    for size, what in enumerate(("always", "with one value", "with a pair of values")):
        print(f"  {what:<22} {counts[size][0]:>5} of {counts[size][1]:<5} {counts[size][0] / counts[size][1]:7.1%}")
    both = [sum(each) for each in zip(*counts.values(), strict=True)]
    print(f"  {'all':<22} {both[0]:>5} of {both[1]:<5} {both[0] / both[1]:7.1%}", flush=True)


async def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bots", nargs="*", default=list(BOTS), metavar="BOT")
    parser.add_argument("--max", type=positive, default=10, dest="most")
    parser.add_argument("--seeds", type=positive, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in options.bots:
            await measure(name, options.most, options.seeds, Path(folder))


async def measure(name: str, most: int, seeds: int, folder: Path) -> None:
    """Measure the suggestions for one chatbot, from other first conversations."""
    text, chatbot = BOTS[name]
    for function in _WALKED:
        text = text.replace(function, "forward()")
    product = await asyncio.to_thread(played, text, chatbot, folder)
    rules = read_rules([_RULES]) if name == "pizzeria" else ()
    held = [each.conversation for each in product if each.outcome == "passed"]
    async with mutation.opened(name) as bot:
        killed = await kills(mutation.Suite(name, held, bot, rules))
        for seed in range(seeds):
            first = held[seed * 37 % len(held)]
            found = suggestions(Suite([first.case]), [CountedConversation(first)], most=most)
            added = await asyncio.to_thread(played, file_of(found), chatbot, folder)
            failed = [each.conversation.id for each in added if each.outcome != "passed"]
            few = [first, *(each.conversation for each in added if each.outcome == "passed")]
            killed_few = await kills(mutation.Suite(name, few, bot, rules))
            report(f"{name}, seed {seed}", held, few, killed, killed_few)
            if failed:
                print(f"  did not pass: {', '.join(failed)}")


if __name__ == "__main__":
    asyncio.run(main())
