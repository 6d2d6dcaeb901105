"""`sparring calibrate`, and a gate that asks for it."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from command_line import Sparring
from sparring.app.calibrate import criteria_of, prompt_of, stale
from sparring.core.checks import Rubric
from store_listing import a_calibration

pytestmark = pytest.mark.slow  # its tests play batches

RUBRIC = "---\nscale: 1-3\npass: 2\n---\nIs it polite?\n"
OFFLINE = ("--chatbot", "pizzeria", "--model", "offline")
IDS = [f"pizza/{n}" for n in range(1, 25)]


@pytest.fixture
def judged(inside: Sparring, tmp_path: Path, bot: Any) -> Path:
    """A batch called `night` of 24 conversations, of which a judge gives each a 2, and a gate."""
    scenarios = "".join("  - script: [a pizza please]\n" for _ in IDS)
    (tmp_path / "pizza.yml").write_text(f"scenarios:\n{scenarios}", encoding="utf-8")
    (tmp_path / "polite.md").write_text(RUBRIC, encoding="utf-8")
    gate = "gate: {pass_rate: 0.5, judge: calibrated, errors: 1.0}\n"
    (tmp_path / "sparring.yaml").write_text(gate, encoding="utf-8")
    content = json.dumps({"quotes": [{"n": 1, "words": "would you like"}], "comment": "Fine.", "score": 2})
    bot.answer = {"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]}
    judge = ("--judge", f"{bot.url}#m", "--rubric", "polite.md")
    inside("run", "pizza.yml", *OFFLINE, *judge, "--name", "night")
    return tmp_path


def label(inside: Sparring, folder: Path, outcomes: dict[str, tuple[str, int]], who: str = "Ann") -> None:
    with (folder / "labels.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(("conversation", "outcome", "score", "who"))
        table.writerows((id, *given, who) for id, given in outcomes.items())
    done = inside("label", "night", "--file", "labels.csv")
    assert done.returncode == 0, done.stderr


def test_a_judge_that_passes_everything_is_refused_and_its_gate_is_inconclusive(inside: Sparring, judged: Path):
    label(inside, judged, {id: ("passed" if n % 2 else "failed", 3 if n % 2 else 1) for n, id in enumerate(IDS)})

    before = inside("gate", "night")
    found = inside("calibrate", "night", "--json")
    after = inside("gate", "night")

    told = json.loads(found.stdout)["calibration"]
    assert (before.returncode, found.returncode, after.returncode) == (4, 3, 4)
    assert "not calibrated" in before.stdout
    assert told["confusion"] == {"passed/passed": 12, "failed/passed": 12}
    assert (told["labels"], told["equal"], told["within_one"], told["pass_rate"]) == (24, 0, 24, None)
    assert "no better than chance" in told["refused"]
    assert "no better than chance" in after.stdout


def test_labels_of_one_outcome_leave_the_other_error_unknown(inside: Sparring, judged: Path):
    label(inside, judged, dict.fromkeys(IDS, ("passed", 3)))

    found, told = inside("calibrate", "night"), inside("calibrate", "night", "--json")

    assert "specificity unknown: people fail nothing" in found.stdout
    assert "no label says failed, so that the errors of the judge are not known there" in found.stdout
    share = json.loads(told.stdout)["calibration"]["specificity"]
    assert (share["value"], share["low"], share["high"]) == (None, 0.0, 1.0)


def test_labels_are_needed_and_those_of_people_who_saw_the_outcome_do_not_count(inside: Sparring, judged: Path):
    unlabelled = inside("calibrate", "night")
    inside("label", "night", "--conversation", IDS[0], "--outcome", "passed", "--seen")
    seen = inside("calibrate", "night")
    unknown = inside("calibrate", "night", "--rubric", "kind")

    assert (unlabelled.returncode, seen.returncode, unknown.returncode) == (2, 2, 2)
    assert "has a blind label" in unlabelled.stderr
    assert "who saw the outcome do not count" in seen.stderr
    assert "judged nothing by a rubric called 'kind'" in unknown.stderr


def test_probes_need_no_labels_and_are_shown_with_later_calibrations(inside: Sparring, judged: Path):
    probed = inside("calibrate", "night", "--probe", "3")
    label(inside, judged, {IDS[0]: ("passed", 3)})
    later = inside("calibrate", "night", "--json")

    assert probed.returncode == 3, probed.stderr
    assert "  asked again: 0 % [0–71] of 3; 0 to passed, 0 to failed; mean score +0.00" in probed.stdout
    assert "  replies padded with filler: 0 % [0–71] of 3; 0 to passed, 0 to failed" in probed.stdout
    assert "Not corrected: no label" in probed.stdout
    told = json.loads(later.stdout)["calibration"]
    kept = {each["probe"]: each["asked"] - each["undecided"] for each in told["probes"]}
    assert (told["labels"], kept) == (1, {"again": 3, "verbosity": 3, "paraphrase": 0})


def test_a_good_judge_is_corrected_and_its_gate_decides_for_its_population(inside: Sparring, tmp_path: Path):
    passing, failing = (
        '  - goals: ["the following drink: coke"]\n',
        '  - goals: [{asks: "the following drink: coke", answer: sprite}]\n',
    )
    (tmp_path / "pizza.yml").write_text("scenarios:\n" + 12 * (passing + failing), encoding="utf-8")
    (tmp_path / "other.yml").write_text("scenarios:\n" + passing, encoding="utf-8")
    gate = "gate: {pass_rate: 0.4, judge: calibrated, errors: 1.0}\n"
    (tmp_path / "sparring.yaml").write_text(gate, encoding="utf-8")
    inside("run", "pizza.yml", *OFFLINE, "--judge", "checklist", "--name", "night")
    people = {id: ("passed", 3) if n % 2 == 0 else ("failed", 1) for n, id in enumerate(IDS)}
    label(inside, tmp_path, people | {IDS[0]: ("failed", 1)})
    label(inside, tmp_path, dict(list(people.items())[1:13]), "Ben")

    found = inside("calibrate", "night")
    decided = inside("gate", "night")
    (tmp_path / "sparring.yaml").write_text(gate.replace("0.4", "0.48"), encoding="utf-8")
    between = inside("gate", "night")
    inside("run", "other.yml", *OFFLINE, "--judge", "checklist", "--name", "other")
    other = inside("gate", "other")

    assert (found.returncode, decided.returncode, between.returncode, other.returncode) == (0, 0, 4, 4), found.stdout
    assert "people: failed; judge: 1 passed, 12 failed, 0 undecided" in found.stdout
    assert "people with each other, 12 labelled by two: kappa 1.00" in found.stdout
    assert "Pass rate: corrected 46 % [" in found.stdout
    assert "as judged 50 %" in found.stdout
    assert "INCONCLUSIVE: pass_rate: as counted 12 of 24 (50 %)" in between.stdout
    assert "corrected for the judge's errors 46 % [" in between.stdout
    assert "checklist: calibrated for pizzeria, 1 scenario" in other.stdout


def test_a_calibration_is_stale_when_its_rubric_or_prompt_changes():
    rubric = Rubric(name="polite", text="Is it polite?", prompt="Judge. {{rubric}} {{delimiter}}")
    known = a_calibration(population="here").model_copy(
        update={"check": "polite", "rubric": rubric.hash, "criteria": criteria_of(rubric), "prompt": prompt_of(rubric)}
    )
    told = rubric.model_copy(update={"prompt": "Be strict. {{rubric}} {{delimiter}}"})
    asked = rubric.model_copy(update={"text": "Is it kind?"})

    said = [stale([known], [], each, "here") for each in (told, asked, None)]

    assert [each.partition(" since")[0] for each in said] == [
        "stale: its prompt changed",
        "stale: its rubric changed",
        "not calibrated",
    ]
