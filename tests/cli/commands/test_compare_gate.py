import json
from pathlib import Path

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

    assert (done.returncode, done.stdout.splitlines()[-7]) == (0, "Gate: PASSED"), done.stdout

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


def test_a_batch_with_the_name_of_its_baseline_is_compared_with_the_one_before_it(inside: Sparring, project: Path):
    (project / "sparring.yaml").write_text(
        "chatbot: pizzeria\nmodel: offline\ngate: {pass_rate: 0, baseline: nightly}\n"
    )
    (project / "nine.yml").write_text("scenarios:\n" + "- goals: [a small custom pizza with ham]\n" * 9)
    inside("run", "nine.yml", "--name", "nightly")

    worse = inside("run", "nine.yml", "--name", "nightly", "--chatbot", "python:mute:reply")

    assert worse.returncode == 1
    assert "baseline: WORSE on these cases: −100 points" in worse.stdout


def test_no_batch_is_compared_with_itself_nor_with_a_later_one(inside: Sparring, project: Path):
    settings = "chatbot: pizzeria\nmodel: offline\ngate: {baseline: NAME}\n"
    (project / "sparring.yaml").write_text(settings.replace("NAME", "nightly"))
    first = inside("run", "order.yml", "--name", "nightly")
    inside("run", "order.yml", "--name", "nightly")
    batch = json.loads(inside("show", "--json").stdout)[1]["id"]
    later = inside("gate", batch)
    (project / "sparring.yaml").write_text(settings.replace("NAME", batch))
    itself = inside("gate", batch)

    for done in (first, later, itself):
        assert done.returncode == 4
        assert "INCONCLUSIVE: baseline: there is no other batch of this name to compare with" in done.stdout


def test_what_a_gate_asks_for_has_to_be_known(inside: Sparring, project: Path):
    (project / "sparring.yaml").write_text("chatbot: pizzeria\nmodel: offline\ngate: {pas_rate: 0.9}\n")

    done = inside("run", "order.yml")

    assert (done.returncode, "pas_rate" in done.stderr) == (2, True)
