import json
import re
from datetime import datetime
from importlib.resources import files

import pytest

from sparring.core.version import __version__
from web.conftest import Client, Open, finished, launched, scenario, scenarios, wait_for

pytestmark = pytest.mark.slow  # its tests play batches

UNKNOWN = "01J0000000000000000000000A"
STATUS = (
    "batch_id status prompt_version progress total_scenarios completed_scenarios failed_scenarios created_at "
    "started_at completed_at error_message"
)
RESULT = (
    "scenario_index scenario session_id status total_turns duration_seconds score comment evaluation_status start_time "
    "end_time"
)
SUMMARY = (
    "batch_id total_scenarios successful_scenarios failed_scenarios success_rate score_statistics score_distribution "
    "turn_statistics duration_statistics scenario_performance generated_at"
)
COST = "batch_id total_cost_usd total_tokens total_requests average_cost_per_request generated_at"


@pytest.mark.slow
def test_the_root_says_what_there_is(client: Client):
    told = client.get("/").json()

    assert {*told} == {"service", "version", "description", "endpoints", "documentation"}
    assert "POST /api/batches" in told["endpoints"]
    assert client.get(told["documentation"]).status_code == 200


def test_the_service_is_healthy(client: Client):
    told = client.get("/api/health").json()

    assert (told["status"], told["service"], told["version"]) == ("healthy", "sparring", __version__)


@pytest.mark.parametrize("body", [scenarios(2), {"scenarios": scenarios(2), "prompt_version": "v2"}])
def test_a_list_and_an_object_launch_a_batch(client: Client, body):
    answer = client.post("/api/batches", json=body)

    told = answer.json()
    assert (answer.status_code, told["status"], told["total_scenarios"]) == (201, "launched", 2)
    assert re.fullmatch("[0-9A-HJKMNP-TV-Z]{26}", told["batch_id"])


def test_the_status_has_the_documented_fields(client: Client):
    id = launched(client, {"scenarios": scenarios(3), "prompt_version": "v2"})

    told = wait_for(client, id)

    assert [name for name in STATUS.split() if name not in told] == []
    assert {name: told[name] for name in STATUS.split()[:7]} == {
        "batch_id": id,
        "status": "completed",
        "prompt_version": "v2",
        "progress": 100.0,
        "total_scenarios": 3,
        "completed_scenarios": 3,
        "failed_scenarios": 0,
    }
    assert told["created_at"] <= told["started_at"] <= told["completed_at"]


def test_the_status_and_the_summary_count_the_same_failures(client: Client):
    id = finished(client, {"scenarios": scenarios(2), "rule": ["turns() > 99"], "null_bots": False})

    status, summary = (client.get(f"/api/batches/{id}{part}").json() for part in ("", "/summary"))

    assert (status["completed_scenarios"], status["failed_scenarios"], summary["failed_scenarios"]) == (2, 2, 2)


def test_results_have_the_documented_fields_in_the_order_of_the_scenarios(client: Client):
    id = finished(client, [scenario("One"), scenario("Two"), scenario("One")])

    told = client.get(f"/api/batches/{id}/results").json()

    assert (told["batch_id"], told["total_results"]) == (id, 3)
    assert [(each["scenario_index"], each["scenario"]) for each in told["results"]] == [
        (0, "One"),
        (1, "Two"),
        (2, "One"),
    ]
    assert [name for name in RESULT.split() if name not in told["results"][0]] == []
    assert {each["status"] for each in told["results"]} == {"completed"}
    assert "conversation_history" not in told["results"][0]


def test_results_come_with_what_was_said_if_it_is_wanted(client: Client):
    id = finished(client, [scenario()])

    (told,) = client.get(f"/api/batches/{id}/results?transcripts=1").json()["results"]

    said = told["conversation_history"]
    assert {turn["speaker"] for turn in said} == {"client", "agent"}
    assert [turn["turn"] for turn in said] == list(range(1, len(said) + 1))
    times = [datetime.fromisoformat(turn["timestamp"]) for turn in said]
    assert datetime.fromisoformat(told["start_time"]) <= times[0]
    assert times == sorted(times)


def test_results_are_a_csv_file_too(client: Client):
    id = finished(client, scenarios(2))

    answer = client.get(f"/api/batches/{id}/results?format=csv")

    lines = answer.text.splitlines()
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["content-disposition"] == f'attachment; filename="batch_{id}_results.csv"'
    assert lines[0].replace('"', "") == (
        "session_id,scenario,prompt_version,score,comment,turns,start_ts,status,duration_seconds,evaluation_status,"
        "outcome,first_outcome,attempts,blame,reasons"
    )
    assert len(lines) == 3


def test_results_are_lines_of_json_too(client: Client):
    id = finished(client, scenarios(2))

    answer = client.get(f"/api/batches/{id}/results?format=ndjson")

    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert [(row["batch_id"], row["scenario"]) for row in rows] == [(id, "Order 0"), (id, "Order 1")]
    assert all(row["export_timestamp"] for row in rows)


def test_an_unknown_format_is_refused(client: Client):
    id = finished(client, scenarios(1))

    answer = client.get(f"/api/batches/{id}/results?format=xml")

    assert (answer.status_code, answer.json()["error"]) == (400, "format: should be 'csv', 'json' or 'ndjson'")


def test_the_summary_has_the_documented_fields(client: Client):
    id = finished(client, scenarios(3))

    told = client.get(f"/api/batches/{id}/summary").json()

    assert [name for name in SUMMARY.split() if name not in told] == []
    assert (told["total_scenarios"], told["successful_scenarios"], told["success_rate"]) == (3, 3, 1.0)
    assert {*told["score_statistics"]} == {"mean", "median", "std", "min", "max"}
    assert {*told["score_distribution"]} == {"score_1", "score_2", "score_3"}
    assert {*told["duration_statistics"]} == {"mean", "median", "std", "min", "max", "total"}
    rate = told["statistics"]["decided"]["like_these"]
    assert rate == {
        "value": 1.0,
        "low": rate["low"],
        "high": 1.0,
        "confidence": 0.95,
        "claim": "like these",
        "cases": 3,
        "conversations": 3,
        "effective": 3.0,
        "unknown": 0,
    }
    mean = told["score_intervals"]["these"]
    assert (mean["value"], mean["claim"], mean["conversations"]) == (told["score_statistics"]["mean"], "these", 3)
    assert {*told["scenario_performance"]} == {"score_mean", "score_count", "total_turns_mean", "duration_seconds_mean"}


def test_the_summary_of_one_scenario_is_json_without_nan(client: Client):
    id = finished(client, scenarios(1))

    text = client.get(f"/api/batches/{id}/summary").text

    assert json.loads(text, parse_constant=pytest.fail)["turn_statistics"]["std"] is None


def test_the_cost_has_the_documented_fields(client: Client):
    id = finished(client, scenarios(1))

    told = client.get(f"/api/batches/{id}/cost").json()

    assert [name for name in COST.split() if name not in told] == []


@pytest.mark.slow
def test_batches_are_listed_the_newest_first_a_page_at_a_time(client: Client):
    ids = [finished(client, scenarios(1)) for _ in range(3)]

    first = client.get("/api/batches?limit=2").json()
    second = client.get(f"/api/batches?limit=2&before={first['next']}").json()

    assert [[each["batch_id"] for each in page["batches"]] for page in (first, second)] == [[ids[2], ids[1]], [ids[0]]]
    assert (first["total_count"], second["next"]) == (3, None)


def test_conversations_are_paged_and_filtered(client: Client):
    id = finished(client, scenarios(3))

    first = client.get(f"/api/batches/{id}/conversations?limit=2").json()
    second = client.get(f"/api/batches/{id}/conversations", params={"limit": 2, "after": first["next"]}).json()
    none = client.get(f"/api/batches/{id}/conversations?ending=timeout").json()
    tagged = client.get(f"/api/batches/{id}/conversations", params={"tag": "Order 1"}).json()

    found = [[each["scenario"] for each in page["conversations"]] for page in (first, second, none, tagged)]
    assert found == [["Order 0", "Order 1"], ["Order 2"], [], ["Order 1"]]


def test_a_conversation_is_read_whole(client: Client):
    id = finished(client, {"scenarios": [scenario()], "repeat": 2})

    told = client.get(f"/api/batches/{id}/conversations/scenarios/Calm-reorder%232").json()

    assert told["result"]["repeat"] == 2
    assert told["conversation"]["messages"][0]["parts"][0]["kind"] == "text"
    assert [verdict["check"] for verdict in told["verdicts"]] == ["checklist"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "method, path",
    [
        ("GET", f"/api/batches/{UNKNOWN}"),
        ("GET", f"/api/batches/{UNKNOWN}/results"),
        ("GET", f"/api/batches/{UNKNOWN}/summary"),
        ("GET", f"/api/batches/{UNKNOWN}/cost"),
        ("GET", f"/api/batches/{UNKNOWN}/events"),
        ("GET", f"/api/batches/{UNKNOWN}/conversations"),
        ("GET", f"/api/batches/{UNKNOWN}/conversations/a"),
        ("POST", f"/api/batches/{UNKNOWN}/cancel"),
        ("POST", f"/api/batches/{UNKNOWN}/resume"),
        ("DELETE", f"/api/batches/{UNKNOWN}"),
        ("GET", "/api/nothing"),
        ("GET", "/api/batches/latest"),
    ],
)
def test_an_unknown_batch_is_404(client: Client, method: str, path: str):
    answer = client.request(method, path)

    assert (answer.status_code, [*answer.json()]) == (404, ["error"])


@pytest.mark.slow
def test_equal_seeds_give_equal_results_at_any_concurrency(opened: Open, tmp_path):
    told = []
    for concurrency in (1, 16):
        client = opened(path=tmp_path / f"{concurrency}.db", concurrency=concurrency)
        id = finished(client, {"scenarios": [scenario(f"Order {n}") for n in range(12)], "seed": 3})
        rows = client.get(f"/api/batches/{id}/results?transcripts=1").json()["results"]
        measured = {"start_time", "end_time", "duration_seconds"}
        for turn in (turn for row in rows for turn in row["conversation_history"]):
            assert turn.pop("timestamp")
        told.append([{name: value for name, value in row.items() if name not in measured} for row in rows])

    assert told[0] == told[1]
    assert len(told[0]) == 12


@pytest.mark.slow
def test_overlapping_batches_larger_than_the_concurrency_limit_all_finish(opened: Open):
    client = opened(concurrency=3)

    ids = [launched(client, scenarios(8)) for _ in range(4)]

    told = [wait_for(client, id) for id in ids]
    assert [(each["status"], each["completed_scenarios"]) for each in told] == [("completed", 8)] * 4


@pytest.mark.slow
def test_the_scenarios_of_the_phone_orders_are_scored_as_they_are_shipped(opened: Open):
    client = opened(chatbots=("phone_orders",))
    shipped = json.loads(
        (files("sparring_bots.phone_orders") / "scenarios" / "sample_scenarios.json").read_text("utf-8")
    )

    id = finished(client, {"scenarios": shipped, "judge": "order"})

    rows = client.get(f"/api/batches/{id}/results").json()["results"]
    summary = client.get(f"/api/batches/{id}/summary").json()
    assert [(row["score"], row["evaluation_status"]) for row in rows] == [(3, "success")] * len(shipped)
    assert summary["score_distribution"] == {"score_1": 0, "score_2": 0, "score_3": len(shipped)}
    assert summary["score_statistics"]["mean"] == 3
