import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sparring.core.errors import InputError
from sparring.core.outcome import ConversationWithVerdicts, Outcome
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.json_report import line
from sparring.reports.result_files import Row, rows
from sparring.testing.factories import a_case, a_conversation

_NOW = datetime(2026, 1, 2, tzinfo=UTC)


def results_in(path: Path, content: str | bytes) -> list[Row]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(rows(path))


def test_conversations_are_results_without_a_score(tmp_path: Path):
    talk = a_conversation(a_case("orders/calm"))

    (row,) = results_in(tmp_path / "conversations.ndjson", line(talk))

    assert (row.scenario, row.status, row.score, row.total_turns) == ("orders/calm", "completed", None, talk.turns)


def test_a_conversation_without_verdicts_is_undecided_and_one_with_verdicts_is_decided(tmp_path: Path):
    talk = a_conversation(a_case("orders/calm"))
    passed = Verdict(check="answers", outcome=CheckOutcome.PASS, conversation=talk.id)
    judged = ConversationWithVerdicts.model_validate({**talk.model_dump(), "verdicts": (passed,)})
    shown = judged.changed(outcome=Outcome.FAILED)

    found = results_in(tmp_path / "conversations.ndjson", b"".join(map(line, (talk, judged, shown))))

    assert [(row.outcome, row.checked) for row in found] == [("undecided", False), ("passed", True), ("failed", True)]


def test_a_table_of_the_simulation_service_is_read_by_its_columns(tmp_path: Path):
    table = (
        "session_id,scenario,prompt_version,score,comment,turns,start_ts,status,duration_seconds,evaluation_status\n"
        's1,Calm,default,3,"Good, really",4,2025-06-01T10:00:00,completed,12.5,success\n'
        "s2,Calm,default,1,broken,,,failed,,failed\n"
        "s3,Rushed,default,1,nobody knows,2,2025-06-01T10:00:00,completed,3.5,failed\n"
        "s4,Rushed,default,2,,3,2025-06-01T10:00:00,timeout,90,success\n"
        "s5,Rushed,default,2,,3,2025-06-01T10:00:00,failed_api_blocked,1,success\n"
    )

    found = results_in(tmp_path / "batch.csv", "\ufeff" + table)

    assert [(row.scenario, row.status, row.score, row.total_turns) for row in found] == [
        ("Calm", "completed", 3.0, 4),
        ("Calm", "failed", None, None),
        ("Rushed", "completed", None, 2),
        ("Rushed", "timeout", None, 3),
        ("Rushed", "failed", None, 3),
    ]


@pytest.mark.parametrize("wrap", ["[{}]", '{{"batch_id": "B7", "results": [{}], "total_results": 1}}', "{}\n{}"])
def test_json_is_read_however_it_is_wrapped(tmp_path: Path, wrap: str):
    result = json.dumps({"session_id": "s", "scenario": "Calm", "status": "completed", "score": 2, "batch_id": "B7"})

    found = results_in(tmp_path / "results", wrap.format(result, result))

    assert {(row.batch_id, row.scenario, row.score) for row in found} == {("B7", "Calm", 2.0)}


def test_a_document_over_several_lines_is_read(tmp_path: Path):
    document = {"batch_id": "B7", "results": [{"scenario": "Calm", "status": "failed"}]}

    assert len(results_in(tmp_path / "results.json", json.dumps(document, indent=2))) == 1


def test_a_name_that_begins_like_a_formula_is_itself_again(tmp_path: Path):
    (row,) = results_in(tmp_path / "r.csv", "scenario,status\n'=1+1,completed\n")

    assert row.scenario == "=1+1"


def test_all_problems_are_reported_at_once_with_their_lines(tmp_path: Path):
    with pytest.raises(InputError) as raised:
        results_in(
            tmp_path / "r.csv",
            "scenario,status,score,turns\nA,completed,nan,1\nB,completed,2,1\nC,lost,1,-3\nD,completed,high,1\n",
        )

    assert [(problem.line, problem.path) for problem in raised.value.problems] == [
        (2, "score"),
        (4, "status"),
        (4, "turns"),
        (5, "score"),
    ]


def test_only_the_first_of_many_problems_are_reported(tmp_path: Path):
    with pytest.raises(InputError, match="and 80 more"):
        results_in(tmp_path / "r.csv", "scenario,status\n" + "A,lost\n" * 100)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("name,age\nA,1\n", "has no column 'scenario'"),
        ('{"a": 1}\n{"b"', "is not JSON"),
        ("{", "results:1:2"),
        ('{"batches": []}', "scenario: Field required"),
        ('{\n"batches": []\n}', "holds no results"),
        ('[{"scenario": "A", "status": "completed", "score": NaN}]', "results:1"),
        ("[" * 100_000, "results:1"),
        (b"scenario,status\n\xff,completed\n", "is not UTF-8"),
        ('scenario,status\n"' + "x" * 200_000 + '",completed\n', "is not CSV"),
    ],
)
def test_a_file_without_results_is_refused(tmp_path: Path, content: str | bytes, said: str):
    with pytest.raises(InputError) as raised:
        results_in(tmp_path / "results", content)

    assert said in str(raised.value)
