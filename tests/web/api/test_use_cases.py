"""Use cases that a command and a route share: both answer with the same document."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from command_line import called
from web.conftest import Client, Open, finished, scenarios, wait_for

LABELS = [
    {"conversation": f"scenarios/Order-{n}", "outcome": "passed", "who": "Ann", "when": "2026-03-02T09:00:00Z"}
    for n in range(3)
]
LOG = "call,role,text\n1,user,Hello\n1,assistant,Hi\n2,user,Bye\n,user,lost\n"
Ask = Callable[[Client, str, str], Any]
USE_CASES: dict[str, tuple[list[str], Ask]] = {
    "compare": (["compare", "A", "B"], lambda client, a, b: client.get(f"/api/compare?before={a}&after={b}")),
    "gate": (["gate", "A"], lambda client, a, b: client.get(f"/api/batches/{a}/gate")),
    "check": (
        ["check", "--rule", "turns() < 99", "--conversations", "A"],
        lambda client, a, b: client.post(f"/api/batches/{a}/check", json={"rule": ["turns() < 99"]}),
    ),
    "judge": (
        ["judge", "A", "--judge", "checklist"],
        lambda client, a, b: client.post(f"/api/batches/{a}/judge", json={"judge": "checklist"}),
    ),
    "read": (["read", "recorded.ndjson"], lambda client, a, b: client.get(f"/api/batches/{a}/read")),
    "promote": (
        ["promote", "A", LABELS[0]["conversation"], "--user", "goals"],
        lambda client, a, b: client.post(
            f"/api/batches/{a}/promote", json={"conversation": LABELS[0]["conversation"], "user": "goals"}
        ),
    ),
    "import": (
        ["import", "log.csv", "--map", "id=call,role=role,text=text", "--name", "calls"],
        lambda client, a, b: client.post(
            "/api/import",
            json={"logs": [{"name": "log.csv", "text": LOG}], "map": "id=call,role=role,text=text", "name": "calls"},
        ),
    ),
    "label": (
        ["label", "A", "--file", "labels.csv"],
        lambda client, a, b: client.post(f"/api/batches/{a}/labels/import", json={"labels": LABELS}),
    ),
    "calibrate": (
        ["calibrate", "A", "--judge", "checklist"],
        lambda client, a, b: client.post(f"/api/batches/{a}/calibrate", json={"judge": ["checklist"]}),
    ),
    "trend": (["trend", "nightly"], lambda client, a, b: client.get("/api/trend?name=nightly")),
    "plan": (
        ["plan", "scenarios.json", "--chatbot", "pizzeria", "--model", "offline", "--judge", "checklist"],
        lambda client, a, b: client.post(
            "/api/plan", json={"scenarios": scenarios(2), "judge": "checklist", "null_bots": False}
        ),
    ),
}
PLAYED = {"run", "rerun", "resume", "cancel"}
"""Use cases whose documents differ, as a server answers before the end: batches are compared instead."""
OTHERWISE = {"validate", "label-queue"}
"""Use cases whose commands look at files, or ask a person: compared in tests of their own."""
BARE = {name: os.environ[name] for name in ("PATH", "HOME", "SPARRING_NULL_BOTS") if name in os.environ}


@pytest.fixture
def served(opened: Open, tmp_path: Path) -> tuple[Client, str, str]:
    """A service with two batches, in the folder of the command line."""
    client = opened()
    before, after = (finished(client, {"scenarios": scenarios(3), "seed": seed, "name": "nightly"}) for seed in (1, 2))
    (tmp_path / "scenarios.json").write_text(json.dumps(scenarios(2)), encoding="utf-8")
    rows = [",".join(LABELS[0]), *(",".join(each.values()) for each in LABELS)]
    (tmp_path / "log.csv").write_text(LOG, encoding="utf-8")
    (tmp_path / "labels.csv").write_text("\n".join(rows), encoding="utf-8")
    written = ("--format", "conversations", "--output", "recorded.ndjson", "--store", str(tmp_path / "sparring.db"))
    called("fetch", before, *written, folder=tmp_path, env=BARE)
    return client, before, after


def test_a_route_answers_with_the_document_of_its_command(served: tuple[Client, str, str], tmp_path: Path):
    client, before, after = served
    for name, (arguments, ask) in USE_CASES.items():
        words = [{"A": before, "B": after}.get(each, each) for each in arguments]
        stored = [] if name in ("plan", "read") else ["--store", str(tmp_path / "sparring.db")]
        printed = called(*words, "--json", *stored, folder=tmp_path, env=BARE)
        answer = ask(client, before, after)

        assert (name, answer.is_success) == (name, True), answer.text
        assert _undated(answer.json()) == _undated(json.loads(printed.stdout)), name


def _undated(told: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is new each time, and the order in which a folder has its conversations."""
    told.get("calibration", {}).pop("created", None)
    told.pop("batch" if told["kind"] == "imported" else "", None)
    return told | {"conversations": sorted(told["conversations"], key=str)} if told["kind"] == "reading" else told


def test_every_use_case_of_both_surfaces_is_compared():
    both = "run judge check compare gate plan validate import label rerun read calibrate promote trend cancel resume"

    assert {*USE_CASES, *PLAYED, *OTHERWISE} >= {*both.split()}


def test_batches_of_commands_and_of_routes_are_equal(opened: Open, tmp_path: Path):
    client, cases = opened(), scenarios(3)
    (tmp_path / "scenarios.json").write_text(json.dumps(cases), encoding="utf-8")

    def command(*words: str) -> str:
        told = called(*words, "--json", "--store", str(tmp_path / "sparring.db"), folder=tmp_path, env=BARE)
        id: str = json.loads(told.stdout)["batch"]
        return id

    players = ("--chatbot", "pizzeria", "--model", "offline", "--judge", "checklist", "--seed", "5")
    launch = {"scenarios": cases, "seed": 5, "judge": "checklist", "max_conversations": 2}

    by_command = command("run", "scenarios.json", *players, "--max-conversations", "2")
    by_route = finished(client, launch)
    assert len(_played(client, by_command)) == 2
    assert _played(client, by_command) == _played(client, by_route)

    command("run", "--resume", by_command)
    client.post(f"/api/batches/{by_route}/resume").raise_for_status()
    wait_for(client, by_route)
    assert len(_played(client, by_command)) == 3
    assert _played(client, by_command) == _played(client, by_route)

    again = command("rerun", by_command, "--case", "scenarios/Order-1")
    rerun = client.post(f"/api/batches/{by_route}/rerun", json={"case": ["scenarios/Order-1"]}).json()["batch_id"]
    wait_for(client, rerun)
    assert (
        _played(client, again)
        == _played(client, rerun)
        == {id: told for id, told in _played(client, by_route).items() if id == "scenarios/Order-1"}
    )


def _played(client: Client, batch: str) -> dict[str, Any]:
    """Return the messages and the outcome of each conversation of a batch."""
    rows = client.get(f"/api/batches/{batch}/conversations").json()["conversations"]
    found = {}
    for id in [each["conversation_id"] for each in rows]:
        told = client.get(f"/api/batches/{batch}/conversations/{id}").json()
        verdicts = [(each["check"], each["outcome"], each["score"]) for each in told["verdicts"]]
        messages = [(each["role"], each["parts"]) for each in told["conversation"]["messages"]]
        found[id] = (messages, told["result"]["outcome"], verdicts)
    return found


def test_a_file_and_a_request_with_the_same_scenarios_are_valid_alike(client: Client, tmp_path: Path):
    wrong = [*scenarios(1), {"name": "Second", "variables": 3}]
    for cases in (scenarios(2), wrong):
        (tmp_path / "scenarios.json").write_text(json.dumps(cases), encoding="utf-8")
        (file,) = json.loads(called("validate", "scenarios.json", "--json", folder=tmp_path, env=BARE).stdout)["files"]
        answer = client.post("/api/validate", json={"scenarios": cases})

        assert (answer.is_success, [each["message"] for each in answer.json().get("problems", ())]) == (
            file["ok"],
            [each["message"] for each in file["errors"]],
        )


def test_failed_cases_are_rerun_as_a_new_batch(served: tuple[Client, str, str]):
    client, before, _ = served

    answer = client.post(f"/api/batches/{before}/rerun", json={"case": ["scenarios/Order-1"]})
    again = wait_for(client, answer.json()["batch_id"])
    none = client.post(f"/api/batches/{before}/rerun", json={"case": ["nope"]})

    assert (answer.status_code, again["completed_scenarios"], again["total_scenarios"]) == (201, 1, 1)
    assert again["tags"] == ["rerun of nightly"]
    assert (none.status_code, client.get("/api/batches").json()["total_count"]) == (400, 3)


def test_a_queue_for_labels_says_nothing_of_how_conversations_came_out(served: tuple[Client, str, str]):
    client, before, _ = served

    drawn = client.get(f"/api/batches/{before}/label-queue?sample=2").json()

    assert (list(drawn), len(drawn["conversations"])) == (["conversations"], 2)


def test_a_launch_has_the_budgets_of_a_run(client: Client):
    id = finished(client, {"scenarios": scenarios(5), "max_conversations": 2, "null_bots": False})

    status = client.get(f"/api/batches/{id}").json()

    assert (status["completed_scenarios"], "2" in status["error_message"]) == (2, True), status


def test_health_says_what_is_wrong(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    fine = client.get("/api/health").json()
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=1_000_000))
    monkeypatch.setattr("os.access", lambda path, mode: False)

    told = client.get("/api/health")

    assert (fine["status"], fine["problems"], told.status_code) == ("healthy", [], 503)
    assert [each.partition(":")[0] for each in told.json()["problems"]] == [
        *["the store cannot be written"] * 2,
        "the disk of the store is full",
    ]


def test_options_are_what_requests_may_name(client: Client):
    told = client.get("/api/options").json()

    assert (told["chatbots"], told["models"], "checklist" in told["judges"]) == (["pizzeria"], ["offline"], True)
    assert "general" in told["rubrics"]
    assert {"json", "csv"} <= set(told["formats"])


def test_a_request_is_validated_without_a_launch(client: Client):
    fine = client.post("/api/validate", json={"scenarios": scenarios(2), "repeat": 3}).json()
    wrong = client.post("/api/validate", json={"scenarios": scenarios(1), "rubric": ["generall"], "rule": ["turns( <"]})

    assert (len(fine["cases"]), fine["conversations"], wrong.status_code) == (2, 6, 400)
    told = " ".join(each["message"] for each in wrong.json()["problems"])
    assert ("generall" in told, len(wrong.json()["problems"]) > 1) == (True, True)
    assert client.get("/api/batches").json()["total_count"] == 0


def test_rules_and_a_limit_of_cost_are_those_of_the_launched_batch(client: Client):
    id = finished(client, {"scenarios": scenarios(1), "rule": ["turns() < 99"], "max_cost": 2.5, "null_bots": False})
    (first,) = client.get(f"/api/batches/{id}/conversations").json()["conversations"]

    verdicts = client.get(f"/api/batches/{id}/conversations/{first['conversation_id']}").json()["verdicts"]

    assert ("turns() < 99", "pass") in [(each["check"], each["outcome"]) for each in verdicts]


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/api/batches?nmae=x", "unknown query parameter 'nmae'; there are: before, limit, name, since, status, tag"),
        ("/api/health?x=1", "unknown query parameter 'x'"),
        ("/api/compare?before=nope&after=nope", "batch nope not found"),
    ],
)
def test_what_a_route_does_not_know_is_refused(client: Client, path: str, problem: str):
    assert client.get(path).json() == {"error": problem}


def test_batches_are_listed_by_name_tag_state_and_time(client: Client):
    first = finished(client, {"scenarios": scenarios(1), "name": "nightly", "tags": ["a"]})
    second = finished(client, {"scenarios": scenarios(1), "name": "other", "tags": ["a", "b"]})

    def listed(query: str) -> list[str]:
        return [each["batch_id"] for each in client.get(f"/api/batches?{query}").json()["batches"]]

    assert listed("") == [second, first]
    assert (listed("name=nightly"), listed("tag=b"), listed("status=running")) == ([first], [second], [])
    assert listed("since=2000-01-01T00:00:00Z&status=completed") == [second, first]
    assert listed("since=2999-01-01T00:00:00Z") == []


def test_metrics_count_requests_conversations_and_usage(client: Client):
    finished(client, scenarios(2))
    client.get("/nothing")

    lines = client.get("/metrics").text.splitlines()

    figures = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert figures['sparring_requests_total{method="GET",status="404"}'] == "1"
    assert sum(float(value) for name, value in figures.items() if name.startswith("sparring_conversations_total")) == 2
    assert sum(float(value) for name, value in figures.items() if name.startswith("sparring_outcomes")) == 2
    assert figures["sparring_batches_running"] == "0"
    assert float(figures["sparring_event_loop_lag_seconds"]) >= 0


def test_logs_that_cannot_be_imported_leave_nothing_behind(client: Client):
    def refused(*logs: tuple[str, str], **more: Any) -> tuple[int, str]:
        sent = [{"name": name, "text": text} for name, text in logs]
        answer = client.post("/api/import", json={"logs": sent, **more})
        return answer.status_code, answer.text

    told = refused(("log.json", "[1]"))
    assert (told[0], "/tmp" in told[1], "log.json" in told[1]) == (400, False, True)
    assert [refused((name, LOG))[0] for name in ("../log.csv", "a/b.csv", ".csv", "")] == [400] * 4
    assert "two logs have the same name" in refused(("a.csv", LOG), ("a.csv", LOG))[1]
    assert client.get("/api/batches").json()["total_count"] == 0


def test_what_was_read_comes_in_pages(served: tuple[Client, str, str]):
    client, before, _ = served

    whole = client.get(f"/api/batches/{before}/read").json()
    first = client.get(f"/api/batches/{before}/read?limit=2").json()
    rest = client.get(f"/api/batches/{before}/read?limit=2&after={first['next']}").json()

    assert ("next" in whole, "next" in rest, len(first["conversations"])) == (False, False, 2)
    assert [*first["conversations"], *rest["conversations"]] == whole["conversations"]
