import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from command_line import Sparring

pytestmark = pytest.mark.slow  # its tests play batches

ORDER = "user: a hungry customer\ngoals: ['a small custom pizza with ham']\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "order.yml").write_text(ORDER)
    (tmp_path / "sparring.yaml").write_text("chatbot: pizzeria\nmodel: offline\ngate: {}\n")
    (tmp_path / "mute.py").write_text("def reply(messages, variables):\n    return 'Well.'\n")
    return tmp_path


def test_a_gate_decides_the_exit_code_of_a_run(inside: Sparring, project: Path):
    done = inside("run", "order.yml")

    assert (done.returncode, "\nGate: PASSED\n" in done.stdout) == (0, True), done.stdout

    (project / "sparring.yaml").write_text("chatbot: python:mute:reply\nmodel: offline\ngate: {pass_rate: 0}\n")

    assert inside("run", "order.yml").returncode == 0
    assert json.loads(inside("run", "order.yml", "--json").stdout)["gate"]["came"] == "passed"


def test_a_stored_batch_is_held_against_a_gate(inside: Sparring, project: Path):
    inside("run", "order.yml", "--chatbot", "python:mute:reply")

    done = inside("gate")

    assert (done.returncode, done.stdout.splitlines()[0]) == (1, "Gate: FAILED")


def test_a_gate_that_cannot_be_decided_exits_with_4(inside: Sparring, project: Path):
    (project / "sparring.yaml").write_text("chatbot: pizzeria\nmodel: offline\ngate: {baseline: main}\n")

    assert inside("run", "order.yml", "--name", "candidate").returncode == 4


def test_a_baseline_is_compared_with(inside: Sparring, project: Path):
    inside("run", "order.yml", "--name", "main")
    (project / "sparring.yaml").write_text("chatbot: pizzeria\nmodel: offline\ngate: {baseline: main}\n")

    done = inside("run", "order.yml")

    assert done.returncode == 0
    assert "ok: baseline: NO SIGNIFICANT CHANGE" in done.stdout


def test_a_batch_with_the_name_of_its_baseline_is_compared_with_its_first_nights(inside: Sparring, project: Path):
    (project / "sparring.yaml").write_text(
        "chatbot: pizzeria\nmodel: offline\ngate: {pass_rate: 0, baseline: nightly}\n"
    )
    (project / "twelve.yml").write_text("scenarios:\n" + "- goals: [a small custom pizza with ham]\n" * 12)
    inside("run", "twelve.yml", "--name", "nightly")

    worse = inside("run", "twelve.yml", "--name", "nightly", "--chatbot", "python:mute:reply")

    assert worse.returncode == 1
    assert "baseline: WORSE on these cases: 100 points fewer pass" in worse.stdout


def test_no_batch_is_compared_with_itself_nor_with_a_later_one(inside: Sparring, project: Path):
    settings = "chatbot: pizzeria\nmodel: offline\ngate: {baseline: NAME}\n"
    (project / "sparring.yaml").write_text(settings.replace("NAME", "nightly"))
    first = inside("run", "order.yml", "--name", "nightly")
    inside("run", "order.yml", "--name", "nightly")
    batch = json.loads(inside("show", "--json").stdout)["batches"][1]["id"]
    later = inside("gate", batch)
    (project / "sparring.yaml").write_text(settings.replace("NAME", batch))
    itself = inside("gate", batch)

    for done in (first, later, itself):
        assert done.returncode == 4
        assert "INCONCLUSIVE: baseline: there is no other batch of this name to compare with" in done.stdout


@pytest.fixture
def nights(inside: Sparring, tmp_path: Path) -> Callable[[int], "CompletedProcess[str]"]:
    """Run a night of twenty cases, of which so many fail."""
    (tmp_path / "sparring.yaml").write_text(
        "chatbot: python:bot:reply\nmodel: offline\ngate: {pass_rate: 0, baseline: nightly, baseline_nights: 3}\n"
    )
    (tmp_path / "twenty.yml").write_text(
        f"user: a customer\nscript: [hi]\nvariables: {{n: {list(range(1, 21))}}}\n"
        "expect: [\"chatbot_phrases[0] == 'Yes.'\"]\n"
    )
    (tmp_path / "bot.py").write_text(
        "from pathlib import Path\n\n\ndef reply(messages, variables):\n"
        "    return 'Yes.' if int(variables['n']) > int(Path('failing').read_text()) else 'No.'\n"
    )

    def night(failing: int) -> "CompletedProcess[str]":
        (tmp_path / "failing").write_text(str(failing))
        return inside("run", "twenty.yml", "--name", "nightly", "--no-null-bots")

    return night


def test_two_bad_nights_running_are_an_alarm_until_they_are_accepted(
    inside: Sparring, nights: Callable[[int], "CompletedProcess[str]"], tmp_path: Path
):
    first, *_, third = [nights(0) for _ in range(3)]
    watched, alarm = nights(4), nights(4)
    series = [night["change"]["value"] for night in json.loads(inside("gate", "nightly", "--json").stdout)["nights"]]
    inside("report", "nightly", "--output", "night.html")
    accepted = inside("accept", "nightly")
    usual, sudden = nights(4), nights(20)

    assert (first.returncode, "no other batch of this name" in first.stdout) == (4, True), first.stdout
    assert third.returncode == 0
    assert (watched.returncode, "watch: an alarm takes" in watched.stdout) == (0, True), watched.stdout
    assert "−20 points since " in watched.stdout
    assert "against 3 nights pooled" in watched.stdout
    assert (alarm.returncode, "FAILED: baseline: WORSE on these cases" in alarm.stdout) == (1, True), alarm.stdout
    assert series == pytest.approx([-0.2, -0.2])
    assert "Nights against the baseline" in (tmp_path / "night.html").read_text()
    assert accepted.stdout.startswith("the baseline of nightly begins with ")
    assert usual.returncode == 0, usual.stdout
    assert sudden.returncode == 1, sudden.stdout


def test_a_night_of_other_cases_is_no_comparison(nights: Callable[[int], "CompletedProcess[str]"], tmp_path: Path):
    nights(0)
    file = tmp_path / "twenty.yml"
    file.write_text(file.read_text().replace("a customer", "another customer"))

    done = nights(20)

    assert done.returncode == 4
    assert "INCONCLUSIVE: baseline: NOTHING TO COMPARE" in done.stdout
    assert "20 cases new or changed and left out; only 0 % of the cases are the same: `sparring accept nightly`" in (
        done.stdout
    )


def test_what_a_gate_asks_for_has_to_be_known(inside: Sparring, project: Path):
    (project / "sparring.yaml").write_text("chatbot: pizzeria\nmodel: offline\ngate: {pas_rate: 0.9}\n")

    done = inside("run", "order.yml")

    assert (done.returncode, "pas_rate" in done.stderr) == (2, True)
