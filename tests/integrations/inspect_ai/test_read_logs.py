import subprocess
import sys
from pathlib import Path

import pytest

from integrations.inspect_ai.logs import a_sample, write_log
from sparring.core.outcome import Outcome
from sparring.core.plugins import install
from sparring.integrations.inspect_ai.read_logs import ExperimentLog, SampleResult, UnreadableLog, find_logs, read_log


def test_the_newest_successful_log_of_every_task_counts(tmp_path: Path):
    write_log(tmp_path, "tracking", a_sample("a"), at="2026-01-02T10:00:00+00:00", run="old")
    wanted = write_log(tmp_path, "tracking", a_sample("a"), at="2026-01-03T10:00:00+00:00", run="new")
    write_log(tmp_path, "tracking", a_sample("a"), at="2026-01-04T10:00:00+00:00", run="broken", status="error")
    write_log(tmp_path, "tracking", at="2026-01-05T10:00:00+00:00", run="going", status="started")
    write_log(tmp_path, "cancellation", a_sample("b"), at="2026-01-01T10:00:00+00:00", run="only")

    found = find_logs(tmp_path)

    assert {task: log.run for task, log in found.latest.items()} == {"cancellation": "only", "tracking": "new"}
    assert found.latest["tracking"].file == str(wanted)
    assert [log.run for log in found.unsuccessful] == ["going", "broken"]


def test_the_time_in_a_log_counts_and_not_the_name_of_its_file_or_its_zone(tmp_path: Path):
    write_log(tmp_path, "tracking", at="2026-01-02T12:00:00+00:00", run="older", name="z.json")
    write_log(tmp_path, "tracking", at="2026-01-02T10:00:00-05:00", run="newer", name="a/a.json")

    assert find_logs(tmp_path).latest["tracking"].run == "newer"


def test_foreign_logs_are_skipped(tmp_path: Path):
    write_log(tmp_path, "arithmetic", a_sample("a"), scorer="match")
    write_log(tmp_path, "other/arithmetic", a_sample("a"), status="error", run="R2")
    (tmp_path / "logs.json").write_text("{}")
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "cut.json").write_text('{"version": 2, "eval": {')
    (tmp_path / "strange.json").write_text('{"status": "success", "eval": {"task": "sparring/x"}}')
    (tmp_path / "REPORT.md").write_text("# Experiments")

    found = find_logs(tmp_path)

    assert (found.logs, len(found.passed_over)) == ((), 6)


@pytest.mark.parametrize(
    ("sample", "outcome", "why"),
    [
        (a_sample("a", 1.0), Outcome.PASSED, ""),
        (a_sample("a", 0.0, why="it was not cancelled"), Outcome.FAILED, "it was not cancelled"),
        (a_sample("a", float("nan"), why="no tools are reported"), Outcome.UNDECIDED, "no tools are reported"),
        (a_sample("a", "C"), Outcome.UNDECIDED, "undecided"),
        (a_sample("a", error="timeout: no reply within 60 s"), Outcome.VOID, "timeout: no reply within 60 s"),
        (a_sample("a", limit={"type": "token"}), Outcome.VOID, "stopped at its token limit"),
        ({"id": "a", "epoch": 1, "scores": {}}, Outcome.UNDECIDED, "no score"),
    ],
)
def test_only_one_passes_and_only_zero_fails(tmp_path: Path, sample: dict[str, object], outcome: Outcome, why: str):
    log = read_log(write_log(tmp_path, "tracking", sample))

    assert isinstance(log, ExperimentLog)
    assert [(each.outcome, each.why) for each in log.results] == [(outcome, why)]


def test_unstated_values_are_none(tmp_path: Path):
    log = read_log(write_log(tmp_path, "tracking", a_sample("a", tokens=None, tool_calls=None)))

    assert isinstance(log, ExperimentLog)
    assert log.results == (SampleResult(case="a", outcome=Outcome.PASSED, patterns=1, patterns_found=1),)


@pytest.mark.process
def test_json_is_read_without_inspect(tmp_path: Path):
    write_log(tmp_path, "tracking", a_sample("a"))
    program = (
        "import sys, pathlib\nfrom sparring.integrations.inspect_ai.read_logs import find_logs\n"
        "print(list(find_logs(pathlib.Path(sys.argv[1])).latest), 'inspect_ai' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)

    assert done.stdout == "['tracking'] False\n"


def test_an_eval_is_read_by_inspect_and_says_the_same(tmp_path: Path):
    inspect_log = pytest.importorskip("inspect_ai.log")
    path = write_log(tmp_path, "tracking", a_sample("a", input="", target=""), a_sample("b", 0.0, input="", target=""))
    full = {"dataset": {}, "config": {}}
    path.write_text(path.read_text().replace('"created"', f'{str(full)[1:-1].replace(chr(39), chr(34))}, "created"'))
    inspect_log.write_eval_log(inspect_log.read_eval_log(str(path)), tmp_path / "same.eval")

    one, other = read_log(path), read_log(tmp_path / "same.eval")

    assert isinstance(one, ExperimentLog)
    assert isinstance(other, ExperimentLog)
    assert one.model_copy(update={"file": ""}) == other.model_copy(update={"file": ""})


def test_an_eval_without_the_extra_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "a.eval").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "inspect_ai", None)

    (one,) = find_logs(tmp_path).passed_over

    assert one == UnreadableLog(file=str(tmp_path / "a.eval"), why=f".eval files need Inspect: {install('inspect')}")
