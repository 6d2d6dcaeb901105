"""Mutants of chatbots: how many the suites of the chatbots notice, and how many with the suggested rules.

Suggested rules are measured on operators they were not made for: those of one half of the operators (every second one)
are tried on the mutants of the other half, and the other way round. All are tried on correct conversations with another
seed, and with users of all styles. Rules and cases of the pizzeria are the bundled ones; the other chatbots have the
cases of the other benchmarks, without rules. A folder with `sparring.yaml`, `scenarios` and maybe `rules` is the suite
of another chatbot, which must run and is asked again.

    python benchmarks/mutation.py [BOT|FOLDER ...] [--budget 400] [--identity 2000]
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import planted
import styles
from arguments import positive
from audit_bots import Desk

import sparring
from sparring.app.wiring import players
from sparring.chatbots.chatbot import Chatbot
from sparring.chatbots.python import PythonChatbot
from sparring.core.batch import PlayerNames
from sparring.core.checks import Rule
from sparring.core.conversation import Conversation
from sparring.core.message import Message
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.judges.builtin import built_in_failures
from sparring.mutation.asking import CONTROL, SAME, LiveChatbot
from sparring.mutation.mutant import Mutant, mutants
from sparring.mutation.operator import observed
from sparring.mutation.operators import OPERATORS
from sparring.mutation.play import Player, State
from sparring.mutation.proxy import Setting
from sparring.mutation.run import MutantResult, run_mutants
from sparring.mutation.score import score
from sparring.mutation.suggestions import suggestions
from sparring.reports.rate_text import bounds_text, percent
from sparring.rules.check import SingleRules, expected
from sparring.rules.recording import recording_of
from sparring.rules.rule_file import read_rules
from sparring.settings import load, load_config
from sparring.users.agenda import Agenda

TICKETS = """
goals: ["book {{number}} tickets for the {{show}} with {{extra}}"]
variables:
  number: {function: forward(show), data: [1, 2, 4]}
  show: {function: forward(), data: [comedy, opera, ballet]}
  extra: {function: another(), data: [programme, tour, no extras]}
outputs: {total: {type: money, description: the total price}}
expect: ["chatbot_says('(?i)booked: ')"]
"""
CLINIC = """
goals: ["book an appointment for {{name}} with {{doctor}} on {{day}}"]
variables:
  name: {function: another(), data: [Ann Lee, Bo Hill]}
  doctor: {function: forward(day), data: [Dr. Gray, Dr. Rivera, Dr. Stone]}
  day: {function: forward(), data: [Monday, Tuesday, Thursday]}
answers: {"your name": name}
expect: ["chatbot_says('(?i)booked: ')"]
"""
PROBED = {"tickets": TICKETS, "clinic": CLINIC}
"""Chatbots of the tests of `sparring try`, which were not written with operators in mind, and cases of ours."""
BOTS = ("pizzeria", "service", "phone_orders", "hotel", "desk en", *PROBED)
OTHER_SEED = 11
"""Seed of correct conversations that no suggested rule may find fault with."""
OTHERS = 12
"""Cases that other users also play, to hold suggested rules against."""
_PIZZERIA = Path(sparring.__file__).parents[1] / "sparring_bots" / "pizzeria"


class Suite:
    """The baseline of one chatbot, and its checks."""

    def __init__(self, name: str, held: Sequence[Conversation], chatbot: Chatbot, rules: Sequence[Rule]) -> None:
        self.name, self.held, self.rules = name, held, rules
        self._single = SingleRules({each.hash: each for each in rules if each.conversations == 1}, explain=False)
        self.setting = Setting(observed(held))
        self.live = LiveChatbot(chatbot, self.verdicts, held)
        self.player = Player(self.verdicts, self.setting, user=Agenda(), live=self.live)

    async def verdicts(self, conversation: Conversation) -> dict[str, Verdict | None]:
        """Return what the expectations, the built-in checks and the rules find."""
        found: dict[str, Verdict | None] = dict(built_in_failures(conversation))
        found |= {f"e{n}": each for n, each in enumerate(await expected(conversation))}
        return found | self._single.verdicts(recording_of(conversation))

    async def results(self, budget: int) -> list[MutantResult]:
        """Play mutants of all operators."""
        made = mutants(OPERATORS, self.held, self.setting.seen, budget=budget)
        return [each async for each in run_mutants(made, self.player)]

    async def false_alarms(self, number: int) -> tuple[int, int]:
        """Play mutants that change nothing, half of them with the chatbot itself; return how many a check noticed."""
        false = 0
        for at in range(number):
            each = self.held[at % len(self.held)]
            found = await self.player.play(Mutant(CONTROL if at % 2 else SAME, 1, (each,)), each)
            false += found is not None and bool(found.broken)
        return false, number


def baselines(names: Sequence[str], seed: int = 0) -> dict[str, list[Conversation]]:
    """Return the correct conversations of each chatbot with the agenda user."""
    settings = sparring.Settings(model="offline", user="agenda", null_bots=False)
    found = planted.conversations(40, 40 * seed) if {*names} & {*BOTS} - PROBED.keys() else {}
    for name in {*names} - {*BOTS}:
        os.chdir(name)
        results = sparring.run("scenarios", rules=rules_of(name), store=":memory:", seed=seed)
        found[name] = [each.conversation for each in results if each.outcome == "passed"]
    if "pizzeria" in names:
        results = sparring.run(_PIZZERIA / "scenarios", "pizzeria", store=":memory:", settings=settings, seed=seed)
        found["pizzeria"] = [each.conversation for each in results if each.outcome == "passed"]
    with tempfile.TemporaryDirectory() as folder:
        for name in PROBED.keys() & {*names}:
            file = Path(folder, f"{name}.yml")
            file.write_text(PROBED[name])
            results = sparring.run(file, probed(name), store=":memory:", settings=settings, seed=seed)
            found[name] = [each.conversation for each in results if each.outcome == "passed"]
    return {name: found[name] for name in names}


def rules_of(name: str) -> list[Rule]:
    """Return the rules of a suite; those of the other benchmarks have none."""
    folder = _PIZZERIA / "rules" if name == "pizzeria" else Path(name, "rules")
    return [each for each in read_rules([folder]) if isinstance(each, Rule)] if folder.is_dir() else []


def probed(name: str) -> type:
    """Return the class of a chatbot of the tests."""
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    import probed_bots

    class Chatbot:
        def __init__(self) -> None:
            self._bot = getattr(probed_bots, name.title())()

        def reply(self, said: Message) -> str:
            return str(self._bot.reply(said.text))

    return Chatbot


@asynccontextmanager
async def opened(name: str) -> AsyncIterator[Chatbot]:
    """Open a chatbot."""
    if name in PROBED:
        yield PythonChatbot(probed(name))
        return
    if name not in BOTS:
        os.chdir(name)
        found = load({"model": "offline"}, directory=Path(name))
        async with players(PlayerNames(found.chatbot, "offline", "agenda"), found.app_config()) as (resolved, _):
            yield resolved.chatbot
        return
    bot = Desk() if name.startswith("desk") else styles.BOTS[name].chatbot("")
    if not isinstance(bot, str):
        yield bot if isinstance(bot, Desk) else PythonChatbot(bot)
        return
    async with players(
        PlayerNames(bot, "offline", "agenda"), load_config({"model": "offline"}, directory=Path("/"))
    ) as (resolved, _):
        yield resolved.chatbot


def noticed(result: MutantResult, rules: SingleRules) -> bool:
    """Return True if a rule is violated by a conversation with the mutant."""
    return any(_violates(each.conversation, rules) for each in result.played)


def _violates(conversation: Conversation, rules: SingleRules) -> bool:
    verdicts = rules.verdicts(recording_of(conversation)).values()
    return any(each.outcome is CheckOutcome.FAIL for each in verdicts)


async def after(
    suite: Suite, results: Sequence[MutantResult], others: Sequence[Conversation]
) -> tuple[float, float, int, int, int, int]:
    """Return the score with suggested rules, and on operators held out; proven survivors of all; alarms of others."""
    held, fresh = suite.held, await suite.player.held_apart(suite.held[:: max(1, len(suite.held) // OTHERS)])
    names = sorted({each.mutant.operator.name for each in results if each.scored})
    whole = {each.rule.name: each.rule for each in await suggestions(results, held, fresh)}
    ready = SingleRules(whole, explain=False)
    alive = [each for each in results if each.alive]
    proven = sum(noticed(each, ready) for each in alive)
    all_rules = _mean(results, ready)
    correct = [*others, *await suite.player.held_apart(others[:: max(1, len(others) // OTHERS)])]
    alarms = sum(_violates(each, ready) for each in correct)
    shares = []
    for half in (set(names[::2]), set(names[1::2])):
        made = await suggestions([each for each in results if each.mutant.operator.name in half], held, fresh)
        rules = SingleRules({each.rule.name: each.rule for each in made}, explain=False)
        shares.append(_mean([each for each in results if each.mutant.operator.name not in half], rules))
    return all_rules, sum(shares) / 2, proven, len(alive), alarms, len(correct)


def _mean(results: Sequence[MutantResult], rules: SingleRules) -> float:
    """Return the mean over operators of the share of noticed mutants."""
    rows: dict[str, list[bool]] = {}
    for each in results:
        if each.scored:
            killed = each.state is State.KILLED or noticed(each, rules)
            rows.setdefault(each.mutant.operator.name, []).append(killed)
    return sum(sum(row) / len(row) for row in rows.values()) / len(rows)


async def main(held_by: Mapping[str, list[Conversation]], budget: int, identity: int) -> None:
    print(f"{'chatbot':14}{'killed':>7}{'alive':>6}{'inert':>6}{'broke':>6}{'not reached':>12}{'false':>10}"
          f"{'score':>16}{'rules':>7}{'held out':>9}{'proven':>10}{'alarms':>9}{'CPU s':>7}")  # fmt: skip
    others = baselines(list(held_by), OTHER_SEED)
    for name, held in held_by.items():
        async with opened(name) as chatbot:
            print(
                await row(Suite(Path(name).name, held, chatbot, rules_of(name)), others[name], budget, identity),
                flush=True,
            )


async def row(suite: Suite, others: Sequence[Conversation], budget: int, identity: int) -> str:
    """Return the figures of one chatbot."""
    begun = time.process_time()
    results = await suite.results(budget)
    spent = time.process_time() - begun
    found = score(results)
    alive = sum(each.alive for each in results)
    with_rules, held_out, proven, of, alarms, correct = await after(suite, results, others)
    false, number = await suite.false_alarms(identity)
    shown = "too few operators"
    if found.interval is not None and found.interval.value is not None:
        shown = f"{percent(found.interval.value)} % [{bounds_text(found.interval).removesuffix(' %')}]"
    counts = found.counts
    return (
        f"{suite.name:14}{found.killed:7}{alive:6}{counts['inert']:6}{counts['broke']:6}"
        f"{counts['not_reached']:12}{false:5}/{number:4}{shown:>16}{with_rules:7.0%}{held_out:9.0%}"
        f"{proven:5}/{of:4}{alarms:5}/{correct:3}{spent:7.1f}"
    )


def suite(name: str) -> str:
    """Return the name of a chatbot, or the whole path of a folder."""
    if name not in BOTS and not Path(name, "sparring.yaml").is_file():
        raise argparse.ArgumentTypeError(f"{name} is neither one of {', '.join(BOTS)} nor a folder with sparring.yaml")
    return name if name in BOTS else str(Path(name).resolve())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "bots", nargs="*", type=suite, default=[], metavar="BOT", help=f"{', '.join(BOTS)}, or a folder"
    )
    parser.add_argument("--budget", type=positive, default=400, help="mutants for each chatbot")
    parser.add_argument("--identity", type=positive, default=2000, help="mutants that change nothing")
    asked = parser.parse_args()
    asyncio.run(main(baselines(asked.bots or BOTS), asked.budget, asked.identity))
