"""Chatbots that pass with a chance, drawn from the seed of the conversation, and suites of cases for them."""

import json
from pathlib import Path
from random import Random

BOT = """\
import json
from pathlib import Path
from random import Random

CHANCES = json.loads((Path(__file__).parent / "chances.json").read_text())


class Flaky:
    def __init__(self, case):
        chance = CHANCES[case.variables["n"]]
        self.right = Random(f"{case.seed} {case.id}").random() < chance

    def reply(self, message):
        return "It is 42." if self.right else "No idea."
"""
SUITE = """\
variables:
  n: [{numbers}]
script: ["What is number {{{{n}}}}?"]
expect: ["chatbot_says('42')"]
"""


def drawn(random: Random, cases: int, truth: float, icc: float) -> list[float]:
    """Draw the pass chance of each case; `icc` is the share of the variance that lies between cases."""
    if icc == 0:
        return [truth] * cases
    k = 1 / icc - 1
    return [random.betavariate(truth * k, (1 - truth) * k) for _ in range(cases)]


def write_suite(folder: Path, chances: list[float], gate: str) -> None:
    """Write a suite of cases, a chatbot with these chances, and settings with a gate."""
    (folder / "suite.yml").write_text(SUITE.format(numbers=", ".join(map(str, range(len(chances))))))
    (folder / "flaky.py").write_text(BOT)
    (folder / "chances.json").write_text(json.dumps(chances))
    (folder / "sparring.yaml").write_text(f"chatbot: python:flaky.py:Flaky\nmodel: offline\ngate: {gate}\n")
