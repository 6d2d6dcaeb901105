import csv
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from command_line import Sparring

RUN = "--chatbot", "pizzeria", "--model", "offline"


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["option", "variable"])
def test_a_run_leaves_its_results_as_csv_ndjson_and_json(inside: Sparring, profile: Path, tmp_path: Path, asked: str):
    options = ("--output-dir", "results", "--format", "results") if asked == "option" else ()

    done = inside("run", profile, *RUN, *options, env={"RESULTS_DIR": "results"} if asked == "variable" else {})

    names = sorted(path.name for path in (tmp_path / "results").iterdir())
    assert (done.returncode, "written: results: batch_" in done.stderr) == (0, True)
    assert [re.sub(r"[0-9A-Z]{26}_\d{8}_\d{6}", "ID_TIME", name) for name in names] == [
        "batch_ID_TIME.csv",
        "batch_ID_TIME.json",
        "batch_ID_TIME.ndjson",
        "summary_ID_TIME.json",
    ]


@pytest.mark.slow
def test_they_hold_what_is_documented(inside: Sparring, profile: Path, tmp_path: Path):
    inside("run", profile, *RUN, "--output-dir", "results", "--format", "results")

    (table,), (lines,) = (tmp_path / "results").glob("*.csv"), (tmp_path / "results").glob("*.ndjson")
    (summary,), (document,) = (tmp_path / "results").glob("summary*"), (tmp_path / "results").glob("batch*.json")
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    told = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    assert ",".join(rows[0]) == (
        "session_id,scenario,prompt_version,score,comment,turns,start_ts,status,duration_seconds,evaluation_status,"
        "outcome,first_outcome,attempts,blame,reasons"
    )
    assert [row[1] for row in rows[1:]] == [each["scenario"] for each in told] == ["order/1", "order/2", "order/3"]
    assert {"batch_id", "export_timestamp", "conversation_history"} <= told[0].keys()
    assert json.loads(document.read_text())["total_results"] == json.loads(summary.read_text())["total_scenarios"] == 3


def test_results_without_a_folder_are_refused(inside: Sparring, profile: Path):
    done = inside("run", profile, *RUN, "--format", "results")

    assert (done.returncode, "--output-dir DIR" in done.stderr) == (2, True)


@pytest.mark.slow
def test_a_large_run_leaves_what_other_commands_show(
    inside: Sparring, profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sparring.cli.batches.LARGE", 3)

    inside("run", profile, *RUN)

    with closing(sqlite3.connect(tmp_path / ".sparring" / "sparring.db")) as store:
        stored = {kind for (kind,) in store.execute("SELECT kind FROM computed")}
    assert {"costs", "gate by case", "summary by case"} <= stored
