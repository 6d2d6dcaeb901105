"""Experiments for real: Inspect in a process of its own, found by entry point, offline."""

import json
import re
from pathlib import Path

import pytest

from command_line import Sparring

pytest.importorskip("inspect_ai", reason="the extra `inspect` is not installed")
pytestmark = [
    pytest.mark.process,
    pytest.mark.timeout(600),  # Inspect takes its time to start, and more where others are at work
]


def test_experiments_are_run_reported_and_read_by_inspect(installed: Sparring, tmp_path: Path):
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

    listed = installed("log", "list", "--log-dir", "logs", "--json", program=("inspect_ai",))

    logs = json.loads(listed.stdout)
    assert sorted(each["task"] for each in logs) == ["cancellation", "hopes", "orders", "tracking"]
    dumped = json.loads((tmp_path / logs[0]["name"]).read_text())
    assert (dumped["status"], dumped["eval"]["run_id"]) == ("success", run)
    assert sorted(dumped["samples"][0]["model_usage"]) == ["sparring/offline"]


def test_a_chatbot_that_crashes_has_failed_with_the_reason(installed: Sparring, tmp_path: Path):
    (tmp_path / "broken.py").write_text("def chatbot(messages, variables):\n    raise RuntimeError('down')\n")

    played = installed("experiment", "run", "orders", "--chatbot", "python:broken.py:chatbot", "--log-format", "eval")

    assert played.returncode == 1, played.stderr
    assert played.stdout.startswith("orders: 0 of 2 passed  logs/experiments/"), played.stderr
    assert installed("experiment", "report").returncode == 1
    report = (tmp_path / "logs/experiments/REPORT.md").read_text()
    assert report.count("the chatbot crashed") == 2
