"""Turns planted in scripts, after which a random chatbot fails more often, and how many `sparring fork --find` finds.

Each chatbot has a script of 5 to 14 lines. It fails by chance in some conversations and more often in those with the
planted line, whatever the other lines are. It remembers that (`session`), reads it in its own replies (`history`), or
fails by chance in the last reply (`late`). In `goals`, the lines are goals of a user without a model.

    python benchmarks/fork.py [KIND ...] [--cases 200] [--seed 0] [--before 0.1] [--after 0.6] [--runs 40]
"""

import argparse
import asyncio
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from arguments import positive

import sparring
from sparring.app.fork import ForkOptions, FoundTurn, find_turn
from sparring.app.stores import open_store
from sparring.core.conversation import Conversation
from sparring.settings import load_config

BOT = """\
from random import Random

random = Random({seed})
FAILS, BEFORE = {after}, {before}

def price(lost):
    return "It costs 99 dollars." if lost or random.random() < BEFORE else "It costs 10 dollars."

class session:
    lost = False

    def reply(self, message):
        self.lost = self.lost or ("planted" in message.text and random.random() < FAILS)
        return price(self.lost) if "price" in message.text else "Noted."

class goals(session):
    def reply(self, message):  # a user with goals leaves a chatbot that always says the same
        said = super().reply(message)
        return said if "price" in message.text else said + " " + message.text

def history(messages, variables):
    if messages[-1].text == "planted" and random.random() < FAILS:
        return "Well noted."
    lost = any(each.text == "Well noted." for each in messages)
    return price(lost) if messages[-1].text == "price" else "Noted."

def late(messages, variables):
    lost = any(each.text == "planted" for each in messages) and random.random() < FAILS
    return price(lost) if messages[-1].text == "price" else "Noted."
"""
CHECK = "not chatbot_says('99')"
NOTED = "Well noted."
KINDS = ("session", "history", "late", "goals")


@dataclass(frozen=True)
class Planted:
    """One search: the planted turn, and what was found."""

    turns: int
    turn: int
    result: FoundTurn

    @property
    def right(self) -> bool:
        """True if the turn is the planted one."""
        return self.result.found is not None and self.result.found.turn == self.turn


def planted(kind: str, seed: int, before: float, after: float) -> tuple[str, Path]:
    """Write a chatbot and a scenario, and return the module and the file."""
    random = Random(f"{kind}/{seed}")
    turns = random.randint(5, 14)
    turn = random.randint(1, turns - 1)
    lines = [*(f"line {at}" for at in range(1, turn)), "planted", *(f"line {at}" for at in range(turn + 1, turns))]
    module = f"planted_{kind}_{seed}".replace("-", "_")
    Path(f"{module}.py").write_text(BOT.format(seed=random.random(), before=before, after=after))
    file = Path(f"{module}.yml")
    key = "goals" if kind == "goals" else "script"
    file.write_text(f'{key}: {[*lines, "price"]}\nexpect: ["{CHECK}"]\n')
    return module, file


async def found(kind: str, seed: int, before: float, after: float, runs: int) -> Planted:
    """Plant a turn, run the script until it fails, and search the turn."""
    module, file = planted(kind, seed, before, after)
    config = load_config({"model": "offline", "store": f"{module}.db"}, directory=Path.cwd())
    while True:
        results = await asyncio.to_thread(
            sparring.run, file, f"python:{module}:{kind}", store=f"{module}.db",
            settings=sparring.Settings(model="offline", null_bots=False),
        )  # fmt: skip
        failed = [each.id for each in results if _failed(kind, each.conversation)]
        if failed:
            break
    failing = next(each for each in results if each.id == failed[0]).conversation
    said = [each.text for each in failing.messages if each.role == "user"]
    turns, turn = len(said), 1 + next(at for at, line in enumerate(said) if "planted" in line)
    async with open_store(config, must_exist=True) as store:
        batch = await store.batch(results.id)
        options = ForkOptions(CHECK, runs)
        return Planted(turns, turn, await find_turn(batch, store, config, failed[0], options))


def _failed(kind: str, conversation: Conversation) -> bool:
    """Return True if a conversation failed, unless replies that are kept show that the planted line did nothing."""
    said = [each.text for each in conversation.messages]
    return any("99" in text for text in said) and (kind != "history" or NOTED in said)


async def main(kinds: Sequence[str], cases: int, seed: int, before: float, after: float, runs: int) -> None:
    print(f"{'chatbot':10}{'right':>12}{'named':>12}{'not reproduced':>16}{'replays':>9}{'most':>6}")
    for kind in kinds:
        made = [await found(kind, seed + at, before, after, runs) for at in range(cases)]
        right = sum(each.right for each in made)
        named = sum(each.result.found is not None and each.turn in each.result.found.among for each in made)
        lost = sum(each.result.found is None for each in made)
        used = [each.result.runs for each in made]
        print(f"{kind:10}{right:6} {right / cases:5.1%}{named:6} {named / cases:5.1%}{lost:16}"
              f"{sum(used) / cases:9.1f}{max(used):6}", flush=True)  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=list(KINDS), metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--cases", type=positive, default=200, help="planted turns for each kind of chatbot")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--before", type=float, default=0.1)
    parser.add_argument("--after", type=float, default=0.6)
    parser.add_argument("--runs", type=positive, default=40)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        asyncio.run(main(asked.kinds, asked.cases, asked.seed, asked.before, asked.after, asked.runs))
