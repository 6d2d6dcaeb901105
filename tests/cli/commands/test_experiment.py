"""What `sparring experiment` says without running Inspect; that it runs it is in tests/integrations/inspect_ai."""

import json
import sys
from pathlib import Path

import pytest

from command_line import Sparring
from integrations.inspect_ai.logs import a_sample, write_log
from sparring.core.plugins import install


def test_the_report_is_written_beside_the_logs(inside: Sparring, tmp_path: Path):
    write_log(tmp_path / "logs/experiments", "orders", a_sample("a"))

    done = inside("experiment", "report")

    assert (done.returncode, done.stdout) == (0, "logs/experiments/REPORT.md\n")
    assert "| a | passed | 100 | 1 | 1 of 1 |" in (tmp_path / "logs/experiments/REPORT.md").read_text()


def test_the_report_replaces_an_earlier_report_and_no_other_file(inside: Sparring, tmp_path: Path):
    write_log(tmp_path / "logs", "orders", a_sample("a"))
    twice = [inside("experiment", "report", "--log-dir", "logs").returncode for _ in range(2)]
    (tmp_path / "logs/REPORT.md").write_text("# What I think\n")

    done = inside("experiment", "report", "--log-dir", "logs")

    assert (twice, done.returncode, (tmp_path / "logs/REPORT.md").read_text()) == ([0, 0], 2, "# What I think\n")


@pytest.mark.parametrize(("value", "code"), [(1.0, 0), (0.0, 1), (float("nan"), 3)])
def test_the_exit_code_says_how_it_came_out(inside: Sparring, tmp_path: Path, value: float, code: int):
    write_log(tmp_path / "logs", "orders", a_sample("a"), a_sample("b", value))

    assert inside("experiment", "report", "--log-dir", "logs").returncode == code


def test_a_newer_log_that_failed_is_a_warning(inside: Sparring, tmp_path: Path):
    write_log(tmp_path / "logs", "orders", a_sample("a"))
    write_log(tmp_path / "logs", "orders", at="2027-01-01T10:00:00+00:00", status="error", error="down")

    done = inside("experiment", "report", "--log-dir", "logs")

    assert (done.returncode, "is error: down; not used." in done.stderr) == (0, True)


def test_the_report_is_json_if_asked_for(inside: Sparring, tmp_path: Path):
    write_log(tmp_path / "logs", "orders", a_sample("a"), a_sample("b", 0.0))

    told = json.loads(inside("experiment", "report", "--log-dir", "logs", "--json").stdout)

    assert {name: told["experiments"]["orders"][name] for name in ("tests", "passed", "failed", "tokens")} == {
        "tests": 2,
        "passed": 1,
        "failed": 1,
        "tokens": 200,
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("report",), "--log-dir logs/experiments: there is no such folder"),
        (("view",), "--log-dir logs: there is no such folder"),
        (("run", "no-such-thing"), "unknown experiment 'no-such-thing'"),
        (("run", "trackin"), "did you mean 'tracking'?"),
        (("run", "--epochs", "0"), "--epochs: expected a number of at least 1, got 0"),
        (("run", "tracking", "--chatbot", "servce"), "did you mean 'service'?"),
        (("run", "tracking", "--chatbot", "service:fault=window"), "did you mean"),
        (("run", "tracking", "--model", "openai:gpt-4o-mini"), "OPENAI_API_KEY"),
        (("run", "tracking", "--model", "opnai:gpt-4o-mini"), "unknown model 'opnai'"),
        (("run", "tracking", "--model", "sparring/opnai:gpt-4o-mini"), "unknown model 'opnai'"),
    ],
)
def test_bad_input_is_said_before_anything_runs(inside: Sparring, arguments: tuple[str, ...], said: str):
    done = inside("experiment", *arguments)

    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_the_report_lists_the_violations_of_the_process_in_every_format(inside: Sparring, tmp_path: Path):
    said = "called cancel_order for ORD-001 in turn 1 without check"
    write_log(tmp_path / "logs", "orders", a_sample("a", violations=[said]), process=("cancel_order after check",))

    told = inside("experiment", "report", "--log-dir", "logs", "--output", "results.csv", "--json").stdout

    assert json.loads(told)["experiments"]["orders"]["process_violations"] == 1
    assert json.loads(told)["logs"][0]["results"][0]["process_violations"] == [said]
    assert f'1,"{said}"' in (tmp_path / "results.csv").read_text()
    assert f"- a: {said}".replace("_", "\\_") in (tmp_path / "logs/REPORT.md").read_text()


def test_results_replace_earlier_ones_only(inside: Sparring, tmp_path: Path):
    write_log(tmp_path / "logs", "orders", a_sample("a"))
    (tmp_path / "mine.csv").write_text("name,age\n")

    codes = [inside("experiment", "report", "--log-dir", "logs", "--output", name).returncode for name in FILES]

    assert (codes, (tmp_path / "mine.csv").read_text()) == ([0, 0, 2, 2], "name,age\n")


FILES = ("results.csv", "results.csv", "mine.csv", "results.xls")


def test_a_folder_in_which_nothing_succeeded_says_why(inside: Sparring, tmp_path: Path):
    write_log(tmp_path / "logs", "orders", status="cancelled")

    done = inside("experiment", "report", "--log-dir", "logs")

    assert (done.returncode, "_R1.json is cancelled" in done.stderr) == (2, True)
    assert not (tmp_path / "logs/REPORT.md").exists()


@pytest.mark.parametrize("arguments", [("run",), ("view", "--log-dir", ".")])
def test_without_the_extra_it_says_how_to_get_it(
    inside: Sparring, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
):
    monkeypatch.setitem(sys.modules, "inspect_ai", None)

    done = inside("experiment", *arguments)

    assert (done.returncode, f"hint: {install('inspect')}" in done.stderr) == (2, True), done.stderr
