import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from command_line import Sparring
from flaky import write_suite

pytestmark = pytest.mark.slow  # its tests play batches

THESE = "{pass_rate: 0.7, confidence: 0.95, claim: these}"
LIKE = "{pass_rate: 0.7, confidence: 0.95}"


def conversations(inside: Sparring, folder: Path, *arguments: str) -> dict[str, list[str]]:
    """Run the suite and return the replies of each conversation by its id."""
    inside("run", "suite.yml", "--output-dir", str(folder), *arguments)
    lines = map(json.loads, (folder / "conversations.ndjson").read_text().splitlines())
    return {
        f"{each['case']['id']}#{each['repeat']}": [str(said["parts"]) for said in each["messages"]] for each in lines
    }


def stored(done: "CompletedProcess[str]") -> int:
    return sum(json.loads(done.stdout)["endings"].values())


def test_a_run_stops_when_its_gate_is_decided(inside: Sparring, tmp_path: Path):
    write_suite(tmp_path, [0.95] * 10, THESE)

    done = inside("run", "suite.yml", "--until", "decided", "--json")

    told = json.loads(done.stdout)
    assert (done.returncode, told["gate"]["came"], told["not_run"]) == (0, "passed", 0)
    assert 20 <= stored(done) <= 100
    assert "which holds at any look" in told["gate"]["lines"][0]["measured"]


def test_a_bot_below_the_threshold_fails_early(inside: Sparring, tmp_path: Path):
    write_suite(tmp_path, [0.2] * 10, THESE)

    done = inside("run", "suite.yml", "--until", "decided", "--json")

    assert (done.returncode, stored(done) <= 50) == (1, True)


def test_the_conversations_are_those_of_a_plain_run_with_the_same_seed(inside: Sparring, tmp_path: Path):
    write_suite(tmp_path, [0.9] * 10, THESE)

    early = conversations(inside, tmp_path / "early", "--until", "decided", "--seed", "5")
    plain = conversations(inside, tmp_path / "plain", "--repeat", "12", "--seed", "5")

    assert early == {id: plain[id] for id in early}
    assert len(early) % 10 == 0  # whole rounds


def test_a_stopped_run_is_undecided_and_resumes_to_the_same_conversations(inside: Sparring, tmp_path: Path):
    write_suite(tmp_path, [0.9] * 10, THESE)
    whole = json.loads(inside("run", "suite.yml", "--until", "decided", "--name", "whole", "--json").stdout)

    stopped = inside("run", "suite.yml", "--until", "decided", "--name", "a", "--max-conversations", "15")
    resumed = inside("run", "--resume", "a", "--json")

    assert stopped.returncode == 4
    assert "stopped before it was decided" in stopped.stdout
    assert "Stopped: limit of 15 conversations reached" in stopped.stdout
    told = json.loads(resumed.stdout)
    assert (resumed.returncode, told["outcomes"]) == (0, whole["outcomes"])


def test_cases_like_these_are_used_up(inside: Sparring, tmp_path: Path):
    write_suite(tmp_path, [0.75] * 12, LIKE)

    done = inside("run", "suite.yml", "--until", "decided")

    assert done.returncode == 4
    assert "all 12 cases are played: add cases" in done.stdout


def test_cases_like_these_are_played_whole_and_stop_early(inside: Sparring, tmp_path: Path):
    write_suite(tmp_path, [0.1] * 40, LIKE)

    played = conversations(inside, tmp_path / "like", "--until", "decided", "--repeat", "3")

    repeats = {id.partition("#")[0] for id in played}
    assert len(played) == 3 * len(repeats)
    assert len(repeats) < 20


def test_a_comparison_with_the_baseline_is_decided(inside: Sparring, tmp_path: Path):
    gate = "{pass_rate: 0, baseline: main, margin: 0.2}"
    write_suite(tmp_path, [0.9] * 10, "{pass_rate: 0}")
    inside("run", "suite.yml", "--name", "main", "--repeat", "10")
    write_suite(tmp_path, [0.2] * 10, gate)
    worse = inside("run", "suite.yml", "--until", "decided", "--seed", "1", "--json")
    write_suite(tmp_path, [0.9] * 10, gate)
    same = inside("run", "suite.yml", "--until", "decided", "--seed", "1", "--json")

    assert (worse.returncode, same.returncode) == (1, 0)
    assert stored(worse) <= 50


def test_a_night_is_held_until_it_is_decided_against_the_first_nights_of_its_series(inside: Sparring, tmp_path: Path):
    write_suite(tmp_path, [0.9] * 10, "{pass_rate: 0}")
    for night in range(3):
        inside("run", "suite.yml", "--name", "nightly", "--repeat", "2", "--seed", str(night))
    write_suite(tmp_path, [0.1] * 10, "{pass_rate: 0, baseline: nightly, baseline_nights: 2}")

    worse = inside("run", "suite.yml", "--until", "decided", "--name", "nightly", "--seed", "9", "--json")

    assert worse.returncode == 1
    assert stored(worse) <= 40  # two nights of two repeats are four rounds


def test_the_summary_of_a_batch_that_stopped_early_has_intervals_for_all_its_looks(inside: Sparring, tmp_path: Path):
    write_suite(tmp_path, [0.95] * 10, THESE)

    said = inside("run", "suite.yml", "--until", "decided", "--name", "early").stdout
    shown = json.loads(inside("show", "early", "--json").stdout)["statistics"]

    assert f"these intervals hold at all {shown['looks']} looks together" in said
    assert shown["pass_rate"]["these"]["confidence"] == pytest.approx(1 - 0.05 / shown["looks"])


def test_a_gate_that_cannot_be_decided_is_bad_input(inside: Sparring, tmp_path: Path):
    write_suite(tmp_path, [0.9], "{}")
    strict = inside("run", "suite.yml", "--until", "decided")
    (tmp_path / "sparring.yaml").write_text("chatbot: python:flaky.py:Flaky\nmodel: offline\n")
    missing = inside("run", "suite.yml", "--until", "decided")

    (tmp_path / "sparring.yaml").write_text("gate: {baseline: main, not_worse: ['tag:a']}\n")
    tags = inside("run", "suite.yml", "--until", "decided", "--chatbot", "python:flaky.py:Flaky")
    (tmp_path / "sparring.yaml").write_text("gate: {baseline: main}\n")
    first = inside("run", "suite.yml", "--until", "decided", "--name", "main", "--chatbot", "python:flaky.py:Flaky")

    assert {each.returncode for each in (strict, missing, tags, first)} == {2}
    assert "not_worse takes a fixed number" in tags.stderr
    assert "no earlier batch" in first.stderr
    assert "above 0 and below 1" in strict.stderr
    assert "needs a gate" in missing.stderr
