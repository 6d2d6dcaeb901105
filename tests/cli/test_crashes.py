"""A chatbot that crashes in half or most of its calls: every command says so, however often it is tried again."""

import json
from pathlib import Path

import pytest

from command_line import Sparring

pytestmark = pytest.mark.slow  # its tests play batches

BOT = """\
import os
from pathlib import Path
from random import Random


class Chatbot:
    def __init__(self, case):
        tried = Path("tried", case.id.replace("/", "-"))
        tried.parent.mkdir(exist_ok=True)
        attempt = tried.stat().st_size if tried.exists() else 0
        tried.write_text("x" * (attempt + 1))
        self._crashes = Random(f"{case.seed}/{case.id}/{attempt}").random() < float(os.environ["CRASHES"])

    def reply(self, message):
        if self._crashes:
            raise RuntimeError("out of memory")
        return "We are open from 9 to 17."
"""
CASES = 20
GOALS = "goals: [{asks: the opening hours, answer: 9 to 17}]\n"
SETTINGS = "chatbot: python:bot.py:Chatbot\nuser: agenda\n"
GATE = "gate: {pass_rate: 0.9}\n"


@pytest.fixture(params=["0.5", "0.8"])
def crashes(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Play a batch `good` without crashes and `bad` with this share of them."""
    (tmp_path / "cases").mkdir()
    for number in range(CASES):
        (tmp_path / "cases" / f"hours-{number:02}.yml").write_text(GOALS)
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "sparring.yaml").write_text(SETTINGS + GATE)
    return {"CRASHES": request.param}


def crashed(told: str) -> int:
    return int(json.loads(told)["endings"]["chatbot_failed"])


def play(inside: Sparring, crashes: dict[str, str]) -> int:
    """Play both batches; the number of crashes of the second."""
    inside("run", "cases", "--name", "good", env={"CRASHES": "0"})
    return crashed(inside("run", "cases", "--name", "bad", "--json", env=crashes).stdout)


def test_a_run_with_crashes_has_failed(inside: Sparring, crashes: dict[str, str]):
    number = play(inside, crashes)
    summary = inside("show", "bad", "--all")

    assert number > CASES * 0.3
    assert f"{CASES - number} of {CASES}" in summary.stdout
    assert inside("gate", "bad").returncode == 1
    assert inside("compare", "good", "bad").returncode == 1


def test_retries_remove_no_failure(inside: Sparring, crashes: dict[str, str]):
    number = left = play(inside, crashes)
    while left:
        retried = inside("run", "--resume", "bad", "--retry-failed", "--json", env=crashes)
        left = crashed(retried.stdout)

    assert retried.returncode == 1
    assert f"FAILED: {number} of {CASES} failed" in inside("run", "--resume", "bad").stdout
    assert inside("gate", "bad").returncode == 1
    assert inside("compare", "good", "bad").returncode == 1


@pytest.mark.parametrize("option", [(), ("--crash", "undecided")])
def test_a_setting_or_an_option_leaves_crashes_undecided(
    inside: Sparring, crashes: dict[str, str], tmp_path: Path, option: tuple[str, ...]
):
    (tmp_path / "sparring.yaml").write_text(f"{SETTINGS}{'' if option else 'crash: undecided'}\n")
    played = inside("run", "cases", *option, "--json", env=crashes)

    outcomes = json.loads(played.stdout)["outcomes"]
    assert (played.returncode, outcomes["failed"], outcomes["undecided"]) == (3, 0, crashed(played.stdout))
