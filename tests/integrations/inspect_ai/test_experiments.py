"""Experiments for real: Inspect in a process of its own, found by entry point, offline.

Inspect lists and dumps such logs in `test_export`, and on the documentation page about experiments.
"""

import json
import re
from pathlib import Path

import pytest

from command_line import Sparring

pytestmark = [
    pytest.mark.extended,
    pytest.mark.process,
    pytest.mark.timeout(600),  # Inspect takes its time to start, and more where others are at work
]


def test_experiments_are_run_and_reported(installed: Sparring, tmp_path: Path):
    played = installed("experiment", "run", "--epochs", "2", "--json")

    assert played.returncode == 1, played.stderr  # it does sleep
    told = json.loads(played.stdout)
    assert {name: (each["passed"], each["tests"]) for name, each in told["experiments"].items()} == {
        "cancellation": (4, 4),
        "hopes": (1, 2),
        "orders": (2, 2),
        "tracking": (3, 3),
    }
    assert told["not_run"] == []
    (run,) = {log["run"] for log in told["logs"]}

    reported = installed("experiment", "report")

    assert (reported.returncode, reported.stdout) == (1, "logs/experiments/REPORT.md\n")
    assert re.findall("warning: (.{39})", reported.stderr) == ["the logs use different models or chatbo"]
    text = (tmp_path / "logs/experiments/REPORT.md").read_text()
    assert "| hopes/it-never-sleeps | **failed** | 0 of 2 | 0 | 2 | 0 of 2 |" in text
    assert "| orders/it-knows-when-it-is-open | passed | 2 of 2 | 0 | 2 | 2 of 2 |" in text
    assert len(re.findall(r"^\| (?:tracking|cancellation)/\S+ \| passed \| 2 of 2 \|", text, re.MULTILINE)) == 7
    assert "| tracking | 3 | 3 | 0 | 0 | 0 | 100% | 0 |" in text

    logs = [json.loads((tmp_path / log["file"]).read_text()) for log in told["logs"]]
    assert sorted(log["eval"]["task"].rpartition("/")[2] for log in logs) == sorted(told["experiments"])
    assert {(log["status"], log["eval"]["run_id"]) for log in logs} == {("success", run)}
    assert sorted(logs[0]["samples"][0]["model_usage"]) == ["sparring/offline"]


def test_a_chatbot_that_crashes_has_failed_with_the_reason(installed: Sparring, tmp_path: Path):
    (tmp_path / "broken.py").write_text("def chatbot(messages, variables):\n    raise RuntimeError('down')\n")

    played = installed("experiment", "run", "orders", "--chatbot", "python:broken.py:chatbot", "--log-format", "eval")

    assert played.returncode == 1, played.stderr
    assert played.stdout.startswith("orders: 0 of 2 passed  logs/experiments/"), played.stderr
    assert installed("experiment", "report").returncode == 1
    report = (tmp_path / "logs/experiments/REPORT.md").read_text()
    assert report.count("the chatbot crashed") == 2
