"""Gates over the command line, for chatbots that pass with a chance."""

import json
from pathlib import Path
from random import Random

import pytest

from command_line import Sparring
from flaky import drawn, write_suite

pytestmark = pytest.mark.slow  # its tests play batches

CRASHING = """\
from pathlib import Path
from random import Random


class Flaky:
    def __init__(self, case):
        self.tried = Path(__file__).parent / f"tried {case.variables['n']}"
        self.fragile = Random(f"{case.seed} {case.id}").random() < 0.5

    def reply(self, message):
        if self.fragile and not self.tried.exists():
            self.tried.touch()
            raise RuntimeError("crashed")
        return "It is 42."
"""


def line(inside: Sparring, asks: str = "pass_rate") -> dict[str, object]:
    lines = json.loads(inside("gate", "--json").stdout)["lines"]
    found: dict[str, object] = next(each for each in lines if each["asks"] == asks)
    return found


def test_repeats_of_few_lucky_cases_do_not_pass_a_gate(inside: Sparring, tmp_path: Path):
    """10 cases of a population below the threshold, repeated 50 times: pooled, 87 % pass, and at least 84 %."""
    chances = drawn(Random(118), 10, 0.79, 0.3)
    write_suite(tmp_path, chances, "{pass_rate: 0.8, confidence: 0.95}")

    done = inside("run", "suite.yml", "--repeat", "50")

    assert sum(chances) / 10 > 0.85
    assert done.returncode == 4
    assert line(inside)["came"] == "inconclusive"


def test_deterministic_cases_are_worth_as_many_conversations_as_there_are_cases(inside: Sparring, tmp_path: Path):
    write_suite(tmp_path, [1, 1, 0, 0], "{pass_rate: 0.42, confidence: 0.95}")

    done = inside("run", "suite.yml", "--repeat", "50")

    interval = line(inside)["interval"]
    assert done.returncode == 4
    assert isinstance(interval, dict)
    assert (interval["claim"], interval["cases"], interval["effective"]) == ("like these", 4, 4)
    assert "takes at least" not in done.stderr  # 4 cases that all pass would reach 42 %


def test_retried_crashes_still_fail_the_gate(inside: Sparring, tmp_path: Path):
    write_suite(tmp_path, [1] * 20, "{pass_rate: 0.9, crashes: 0}")
    (tmp_path / "flaky.py").write_text(CRASHING)
    first = json.loads(inside("run", "suite.yml", "--name", "a", "--json").stdout)

    done = inside("run", "--resume", "a", "--retry-failed")

    crashed = first["crashes"]
    assert 3 <= crashed <= 17
    assert done.returncode == 1
    assert line(inside, "crashes")["measured"] == f"{crashed} of 20"
    measured = str(line(inside)["measured"])
    assert measured.startswith(f"as counted {20 - crashed} of 20")
    assert measured.endswith("; after retries 20 of 20")


def test_an_unattainable_gate_is_a_warning_before_the_run(inside: Sparring, tmp_path: Path):
    write_suite(tmp_path, [1] * 28, "{pass_rate: 0.9, confidence: 0.95}")
    told = "takes at least 29 cases that all pass; there are 28"

    assert told in inside("plan", "suite.yml").stdout
    assert told in inside("validate", "suite.yml").stdout
    assert told in inside("run", "suite.yml").stderr


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        ("{claim: those}", "gate.claim"),
        ("{confidence: 95}", "gate.confidence"),
        ("{share_of: {2: 95}}", "gate.share_of"),
        ("{not_worse: [refunds]}", "gate.not_worse"),
        ("{pass_hat_k: {k: 0, rate: 1}}", "gate.pass_hat_k"),
        ("{pass_hat_k: {k: 3, rate: 1}}", "takes 3 repeats of each case, and 2 are planned"),
        ("{margin: 0.1}", "gate.margin: is about a baseline"),
        ("{crash: maybe}", "gate.crash"),
    ],
)
def test_a_wrong_gate_is_bad_input_with_its_place(inside: Sparring, tmp_path: Path, gate: str, said: str):
    write_suite(tmp_path, [1], gate)

    done = inside("run", "suite.yml", "--repeat", "2")

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
