"""SENSEI's published mutants: which of them its rules notice in the recorded conversations, without a model.

The corpus has 13 mutants of the bike shop and 20 of the pizzeria. A mutant is killed if a rule that holds of the
original's conversations fails in those of the mutant. Rules that ask a model are not evaluated. The interval of the
mean over operators takes operators as the cases, as `sparring mutate` does.

With `--live`, users without a model talk to re-creations of both chatbots, whose definitions are mutated at every place
where an operator of SENSEI applies. The published rules and the goals that are not reached decide; then also rules that
`sparring mutate` suggests for the re-created chatbot with its own operators. A mutant that changes no conversation is
inert, and one that only says parts in other words (ChangeRephrase) is cosmetic.

    SPARRING_CORPUS=FOLDER python benchmarks/sensei.py [--live]
"""

import argparse
import asyncio
import json
import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sensei_bots import BOTS, Chatbot, Definition, mutants

import sparring
from mutation import Suite
from sparring import statistics
from sparring.chatbots.python import PythonChatbot
from sparring.core.checks import InvalidRule, Rule
from sparring.core.conversation import Conversation
from sparring.core.message import Message
from sparring.core.verdict import CheckOutcome
from sparring.mutation.suggestions import suggestions
from sparring.reports.rate_text import bounds_text, percent
from sparring.rules.check import check
from sparring.rules.inputs.recordings import Recordings
from sparring.rules.recording import recording_of
from sparring.rules.rule_file import parse_rule, read_rule

_SETTINGS = sparring.Settings(model="offline", user="agenda", null_bots=False)
BIKES = """
fallbacks: ["I'm sorry it's a little loud in my shop, can you say that again?"]
goals: [opening and closing time of the bike shop, the price of a new tire, the price of a tune-up, the price of a seat,
  how to take care of the bike]
outputs:
  opening_and_closing: {type: str, description: the opening and closing time}
  tire: {type: money, description: the price of a tire}
  tune_up: {type: money, description: the price of a tune-up}
  seat_price: {type: str, description: the price of a seat}
"""
LIVE = {
    "bikeshop": (BIKES, ["bikeshop__eval__appointment.yml"], "rules/taskyto-bike-shop"),
    "pizza": ("", ["pizza-order-evaluation__eval__pizza_qa.yml", "pizza-order-evaluation__eval__custom_pizza.yml"],
              "rules/taskyto-pizza"),
}  # fmt: skip
"""Scenarios of ours, published profiles, and the folder of published rules of each re-created chatbot."""

_BUILT_IN = {"goal_not_completed": 1001, "no_response": 500, "timeout": 504, "exceeded_loop_limit": 1000}
"""The engine's own checks, over the codes of recorded errors."""


def published(folder: Path) -> list[Rule]:
    """Return the published rules that ask no model."""
    files = [each for each in sorted(folder.iterdir()) if "semantic_content" not in each.read_text()]
    return [Rule.model_validate(read_rule(file).model_copy(update={"active": True})) for file in files]


async def failed(corpus: Path, recorded: dict[str, Any]) -> set[str]:
    """Return the rules that fail in a set of conversations."""
    rules: list[Rule | InvalidRule] = [*published(corpus / recorded["rules_dir"])]
    for name, code in _BUILT_IN.items():
        rules.append(parse_rule(f"name: {name}\nthen: not any({code} in error for error in errors)\n"))
    findings = (await check(rules, Recordings(corpus / recorded["conversations"]))).findings
    return {each.rule for each in findings if each.outcome is CheckOutcome.FAIL}


def report(rows: Mapping[str, list[float | None]]) -> None:
    """Print the mutants that are killed, by operator, and the mean over operators; each with its interval."""
    for name, row in sorted(rows.items()):
        print(f"{name:<24} {_share(row)}")
    print(f"{'all':<24} {sum(map(_killed, rows.values()))} of {sum(map(len, rows.values()))}")
    found = statistics.rate([list(row) for row in rows.values()])
    print(f"mean over {len(rows)} operators: {percent(found.value)} % [{bounds_text(found)}]")


def _share(row: Sequence[float | None]) -> str:
    bounds = bounds_text(statistics.rate([[each] for each in row]))
    return f"{_killed(row):3} of {len(row):<3} [{bounds}]"


def _killed(row: Sequence[float | None]) -> int:
    return sum(each == 1 for each in row)


async def recorded(corpus: Path) -> None:
    """Report on the published recordings."""
    sets = [each for each in json.loads((corpus / "expected_verdicts.json").read_text()) if "mutation" in each["id"]]
    originals = {each["rules_dir"]: each for each in sets if each["id"].endswith("original")}
    before = {folder: await failed(corpus, each) for folder, each in originals.items()}
    rows: dict[str, list[float | None]] = defaultdict(list)
    bots: dict[str, list[float | None]] = defaultdict(list)
    survived = []
    for each in sets:
        if each in originals.values():
            continue
        kills = await failed(corpus, each) - before[each["rules_dir"]]
        operator = re.sub(r"^mutant_|_\d+$", "", each["id"].rpartition("/")[2])
        rows[operator].append(float(bool(kills)))
        bots[each["id"].split("/")[1]].append(float(bool(kills)))
        survived += [] if kills else [each["id"].partition("/")[2]]
    for name, row in bots.items():
        print(f"{name:<24} {_share(row)}")
    report(rows)
    print(f"survived: {', '.join(survived)}")
    for folder, names in before.items():
        print(f"{folder}: rules that fail in the original and kill nothing: {', '.join(sorted(names)) or 'none'}")


async def live(corpus: Path) -> None:
    """Report on mutants of the re-created chatbots, with which users without a model talk."""
    total: dict[str, dict[str, list[float | None]]] = {"published rules": {}, "and suggested ones": {}}
    with tempfile.TemporaryDirectory() as folder:
        for name, (suite, profiles, rules) in LIVE.items():
            sources = [*own(suite, Path(folder)), *(corpus / "profiles" / each for each in profiles)]
            chatbot = chatbot_of(BOTS[name])
            first = await played(sources, chatbot)
            suggested = await suggested_rules(name, first, chatbot)
            sets = dict(zip(total, (published(corpus / rules), [*published(corpus / rules), *suggested]), strict=True))
            same = {which: await failing(first, some) for which, some in sets.items()}
            others = [await played(sources, chatbot, seed=seed) for seed in range(1, 11)]
            inert = 0
            for operator, definition in mutants(BOTS[name]):
                found = await played(sources, chatbot_of(definition))
                if said(found) == said(first):
                    inert += 1
                    continue
                for which, some in sets.items():
                    kills = await failing(found, some) - same[which]
                    total[which].setdefault(operator, []).append(float(bool(kills)))
            for which, some in sets.items():
                false = sum([bool(await failing(each, some) - same[which]) for each in others])
                print(f"{name}, {which}: {len(some)} rules; other seeds: {false} of {len(others)} failed")
            print(f"{name}: {inert} mutants are inert")
    for which, rows in total.items():
        print(f"\n{which}")
        report(rows)
        print("without ChangeRephrase:")
        report({name: row for name, row in rows.items() if name != "ChangeRephrase"})


def own(suite: str, folder: Path) -> list[Path]:
    """Write scenarios of ours into a folder, and return their files."""
    file = folder / "questions.yml"
    file.write_text(suite)
    return [file] if suite else []


def chatbot_of(definition: Definition) -> type:
    """Return the class of a chatbot that a definition describes."""

    class Talk(Chatbot):
        def __init__(self) -> None:
            super().__init__(definition)

    def reply(bot: Talk, said: Message) -> str:
        return Chatbot.reply(bot, said.text)

    return type("Talk", (Talk,), {"reply": reply})


async def played(sources: Sequence[Path], chatbot: type, *, seed: int = 0) -> list[Conversation]:
    """Return the conversations with a chatbot."""
    results = await sparring.run_async(sources, chatbot, store=":memory:", seed=seed, settings=_SETTINGS)
    return [each.conversation async for each in results]


def said(conversations: Sequence[Conversation]) -> list[list[str]]:
    """Return the texts of conversations."""
    return [[re.sub(r"ID is \w+", "", message.text) for message in each.messages] for each in conversations]


async def failing(conversations: Sequence[Conversation], rules: Sequence[Rule]) -> set[str]:
    """Return the rules that conversations violate, and the goals that are not reached."""
    findings = (await check(rules, [recording_of(each) for each in conversations])).findings
    lost = {f"goals of {each.id}" for each in conversations if str(each.ending) != "goals_answered"}
    return lost | {each.rule for each in findings if each.outcome is CheckOutcome.FAIL}


async def suggested_rules(name: str, held: Sequence[Conversation], chatbot: type) -> list[Rule]:
    """Return the rules that notice more mutants of a chatbot by the operators of `sparring mutate`."""
    suite = Suite(name, held, PythonChatbot(chatbot), ())
    found = await suggestions(await suite.results(400), held, await suite.player.held_apart(held))
    return [each.rule for each in found]


async def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--live", action="store_true", help="mutants of chatbots that were made after the published ones"
    )
    asked = parser.parse_args()
    corpus = os.environ.get("SPARRING_CORPUS")
    if not corpus:
        raise SystemExit("SPARRING_CORPUS names no folder with the corpus")
    await (live if asked.live else recorded)(Path(corpus))


if __name__ == "__main__":
    asyncio.run(main())
