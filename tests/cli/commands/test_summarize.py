import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import Sparring
from sparring.core.plugins import install
from sparring.reports.json_report import line
from sparring.reports.service_summary import BatchSummary
from sparring.testing.factories import a_case, a_conversation

RESULTS = [
    {
        "session_id": "s1",
        "scenario": "Calm",
        "status": "completed",
        "score": 3,
        "total_turns": 4,
        "duration_seconds": 2,
    },
    {
        "session_id": "s2",
        "scenario": "Calm",
        "status": "completed",
        "score": 2,
        "total_turns": 6,
        "duration_seconds": 4,
    },
    {"session_id": "s3", "scenario": "Rushed", "status": "completed", "score": 1, "total_turns": 2},
    {"session_id": "s4", "scenario": "Rushed", "status": "timeout", "score": 1, "total_turns": 1},
]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    path = tmp_path / "results.ndjson"
    path.write_text("".join(json.dumps({"batch_id": "B1", **each}) + "\n" for each in RESULTS), encoding="utf-8")
    return path


def test_conversations_without_verdicts_are_neither_successful_nor_failed(inside: Sparring, tmp_path: Path):
    (tmp_path / "conversations.ndjson").write_bytes(line(a_conversation(a_case("orders/calm"))))

    done = inside("summarize", "conversations.ndjson")

    assert "conversations.ndjson: 1 conversation without verdicts" in done.stderr
    assert done.stdout.splitlines()[1:4] == [
        "  successful       0    0.0%",
        "  failed           0    0.0%",
        "  undecided        1  100.0%",
    ]


def test_the_last_attempt_of_what_was_retried_counts(inside: Sparring, tmp_path: Path):
    (tmp_path / "r.ndjson").write_text(json.dumps({**RESULTS[0], "outcome": "passed", "attempts": 2}), encoding="utf-8")

    lines = inside("summarize", "r.ndjson").stdout.splitlines()

    assert "  1 retried: the last attempt counts here, and the first one in show, report and gate" in lines
    assert json.loads(inside("summarize", "r.ndjson", "--json").stdout)["retried_scenarios"] == 1


def test_it_prints_counts_scores_turns_times_and_scenarios(inside: Sparring, results: Path):
    done = inside("summarize", results)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "B1: 4 scenarios\n"
        "  successful       3   75.0%\n"
        "  failed           1   25.0%, 1 of them timed out\n"
        "Scores    mean 2.000, median 2, std 1.000, 1 to 3; 1 without\n"
        "  1       1   33.3%\n"
        "  2       1   33.3%\n"
        "  3       1   33.3%\n"
        "Turns     mean 4.000, median 4, std 2.000, 2 to 6\n"
        "Seconds   mean 3.000, median 3, std 1.414, 2 to 4, 6.000 in all\n"
        "Scenarios, the worst scored first\n"
        "  scored  mean score  mean turns  scenario\n"
        "       1        1.00        1.50  Rushed\n"
        "       2        2.50        5.00  Calm\n"
    )


def test_json_is_the_summary_as_rest_gives_it(inside: Sparring, results: Path):
    told = BatchSummary.model_validate_json(inside("summarize", results, "--format", "json").stdout)

    assert (told.batch_id, told.total_scenarios, told.score_distribution, told.success_rate) == (
        "B1",
        4,
        {"score_1": 1, "score_2": 1, "score_3": 1},
        0.75,
    )


def test_csv_is_a_row_for_each_result_and_can_be_summarized_again(inside: Sparring, results: Path, tmp_path: Path):
    done = inside("summarize", results, "--format", "csv", "--output", "new/rows.csv", "--quiet")

    with (tmp_path / "new" / "rows.csv").open(newline="") as file:
        table = list(csv.reader(file))
    again, first = inside("summarize", "new/rows.csv").stdout, inside("summarize", results).stdout
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "written: new/rows.csv\n")
    assert table[0] == ["session_id", "scenario", "score", "total_turns", "duration_seconds", "status"]
    assert table[4] == ["s4", "Rushed", "", "1", "", "timeout"]
    assert again.splitlines()[1:] == first.splitlines()[1:]


def test_a_file_is_written_beside_the_table(inside: Sparring, results: Path, tmp_path: Path):
    done = inside("summarize", results, "--output", "summary.json")

    assert done.stdout.startswith("B1: 4 scenarios\n")
    assert json.loads((tmp_path / "summary.json").read_text())["batch_id"] == "B1"


@pytest.mark.parametrize("kept", [RESULTS[3:], RESULTS[:1], []])
def test_few_results_have_a_summary_without_nan(inside: Sparring, tmp_path: Path, kept: list[dict[str, object]]):
    (tmp_path / "few.json").write_text(json.dumps(kept))

    table = inside("summarize", "few.json")
    summary = inside("summarize", "few.json", "--format", "json").stdout

    assert (table.returncode, table.stderr) == (0, "")
    assert json.loads(summary, parse_constant=pytest.fail)["score_statistics"]["std"] is None
    assert "nan" not in table.stdout.lower()


@pytest.mark.slow
def test_scores_are_drawn(inside: Sparring, results: Path, tmp_path: Path):
    pytest.importorskip("matplotlib")

    done = inside("summarize", results, "--histogram", "scores.png", "--quiet")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "written: scores.png\n")
    assert (tmp_path / "scores.png").read_bytes().startswith(b"\x89PNG")


def test_without_the_extra_it_says_how_to_get_it(inside: Sparring, results: Path, monkeypatch: pytest.MonkeyPatch):
    found = "sparring.reports.service_summary.find_spec"
    monkeypatch.setattr(found, lambda name: None)

    done = inside("summarize", results, "--histogram", "scores.png")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(f"hint: {install('plots')}\n")


@pytest.mark.parametrize(
    "options, said",
    [
        (["--histogram", "scores.exe"], "is not a picture"),
        (["--output", "summary"], "as what?"),
        (["--output", "results.ndjson/x.json"], "cannot be written"),
    ],
)
def test_what_cannot_be_written_is_refused(inside: Sparring, results: Path, options: list[str], said: str):
    done = inside("summarize", results, *options)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_names_cannot_move_a_cursor(inside: Sparring, tmp_path: Path):
    row = {"scenario": "\x1b[2J" + "x" * 400, "status": "completed", "batch_id": "\x1b]8;;"}
    (tmp_path / "r.json").write_text(json.dumps([row]))

    told = inside("summarize", "r.json").stdout

    assert "\x1b" not in told
    assert max(map(len, told.splitlines())) < 100


@pytest.mark.process
def test_nothing_heavy_is_imported_to_read_a_file():
    heavy = "fastapi aiohttp numpy matplotlib pandas uvicorn ruamel re2 sqlite3".split()
    program = f"import sys, sparring.cli.commands.summarize; print([m for m in {heavy} if m in sys.modules])"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
