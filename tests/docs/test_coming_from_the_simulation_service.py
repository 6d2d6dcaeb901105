"""The page for those who come from the simulation service: every row, and its calls over REST, work as they stand."""

import csv
import json
import os
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import pages
from sparring.cli import call

pytestmark = pytest.mark.extended

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/coming-from-the-simulation-service.md").read_text(encoding="utf-8")
ROWS = [row.split("|")[1:-1] for row in PAGE.splitlines() if re.match(r"\| (?!The service's|It says|Batch)", row)]
COMMAND = re.compile(r"`((?:[A-Z_]+=\S+ )*sparring [^`]*)`")
TYPED = [(row[0].strip(), command) for row in ROWS for cell in row[1:] for command in COMMAND.findall(cell)]


@contextmanager
def running(command: str, folder: Path) -> Iterator[None]:
    """A server, until the end of the block."""
    server = subprocess.Popen(
        command,
        shell=True,
        cwd=folder,
        env=pages.environment(),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    said = []
    try:
        assert server.stderr is not None
        for line in server.stderr:
            said.append(line)
            if line.startswith("serving at "):
                break
        else:
            raise AssertionError(f"{command}: {said}")
        yield
    finally:
        if server.poll() is None:
            os.killpg(server.pid, signal.SIGTERM)
        server.communicate(timeout=240)


@pytest.fixture(scope="module")
def port() -> str:
    return str(pages.free_port())


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory, port: str, process: None) -> Iterator[dict[str, str]]:
    """The page typed from top to bottom: each command and what it printed. The server runs until the tests are over."""
    folder, told = tmp_path_factory.mktemp("service"), {}
    commands = list(pages.commands(PAGE.replace("5000", port)))
    served = next(command for command in commands if command.startswith("sparring serve"))
    before, after = commands[: commands.index(served)], commands[commands.index(served) + 1 :]
    told["folder"] = str(folder)
    for command in before:
        assert pages.typed(command, folder).returncode == 0
    with running(served, folder):
        for command in after:
            done = pages.typed(command, folder)
            assert done.returncode == 0, f"{command}: {done.stderr}"
            told[command.replace(port, "5000")] = done.stdout
        yield told


def answer(said: dict[str, str], ending: str) -> Any:
    """The JSON that the call whose command ends like this printed; NaN is none."""
    (found,) = [text for command, text in said.items() if command.endswith(ending)]
    return json.loads(found, parse_constant=pytest.fail)


def test_the_list_is_launched_as_it_lies_there(said: dict[str, str]):
    told = answer(said, "-d @scenarios/sample_scenarios.json")

    assert (told["status"], told["total_scenarios"], len(told["batch_id"])) == ("launched", 3, 26)


def test_the_object_is_launched_and_its_label_kept(said: dict[str, str]):
    told = json.loads((Path(said["folder"]) / "launched.json").read_text())

    assert (told["status"], told["total_scenarios"], told["prompt_version"]) == ("launched", 1, "v1.0")


def test_status_health_and_list_have_what_is_documented(said: dict[str, str]):
    status, health = answer(said, "/api/batches/$(cat batch-id)"), answer(said, "/api/health")
    listed = answer(said, "/api/batches")

    assert (status["status"], status["progress"], status["completed_scenarios"]) == ("completed", 100.0, 1)
    assert (health["status"], {"service", "version"} <= health.keys()) == ("healthy", True)
    assert (listed["total_count"], len(listed["batches"])) == (2, 2)


def test_results_are_there_as_json_csv_and_ndjson(said: dict[str, str]):
    (result,) = answer(said, "/results")["results"]
    folder = Path(said["folder"])
    with (folder / "results.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    line = json.loads((folder / "results.ndjson").read_text())

    assert (result["scenario"], result["status"], result["score"]) == ("Coffee", "completed", 3)
    assert (row["scenario"], row["status"], row["score"]) == ("Coffee", "completed", "3")
    assert (line["session_id"], line["comment"]) == (result["session_id"], result["comment"])


def test_the_summary_of_one_scenario_is_json(said: dict[str, str]):
    told = answer(said, "/summary")

    assert told["score_statistics"] == {"mean": 3.0, "median": 3.0, "std": None, "min": 3.0, "max": 3.0}
    assert (told["success_rate"], told["score_distribution"]["score_3"]) == (1.0, 1)


def test_a_batch_without_models_costs_nothing(said: dict[str, str]):
    told = answer(said, "/cost")

    assert (told["total_cost_usd"], told["total_requests"], told["total_tokens"]) == (0.0, 0, 0)


def test_both_files_have_a_summary_and_one_a_picture(said: dict[str, str]):
    folder = Path(said["folder"])

    assert "Scores    mean 3.000" in said["sparring summarize results.ndjson"]
    assert "Scores    mean 3.000" in said["sparring summarize results.csv --histogram scores.png"]
    assert (folder / "scores.png").read_bytes().startswith(b"\x89PNG")


def test_every_row_has_something_to_type():
    assert [row[0] for row in ROWS if not any(COMMAND.search(cell) for cell in row[1:])] == []


@pytest.mark.parametrize(("theirs", "command"), TYPED, ids=[f"{theirs}-{typed[:60]}" for theirs, typed in TYPED])
def test_a_row_works_as_it_stands(
    said: dict[str, str], port: str, monkeypatch: pytest.MonkeyPatch, theirs: str, command: str
):
    folder = Path(said["folder"])
    if "sparring serve" in command:
        ours = "SPARRING_STORE=another.db PORT=0 sparring"  # one server at a time has a store
        with running(re.sub(r"PORT=\d+ ", "", command).replace("sparring", ours), folder):
            return
    words = shlex.split(command.replace("localhost:5000", f"localhost:{port}"))
    start = words.index("sparring")
    monkeypatch.chdir(folder)
    for name in set(os.environ) - {"PATH", "HOME"}:
        monkeypatch.delenv(name)
    for name, value in (word.split("=", 1) for word in words[:start]):
        monkeypatch.setenv(name, value)

    code = call(words[start + 1 :])

    assert code == 0
