"""Every command prints one document with --json, as `sparring schema json` describes it."""

import json
from pathlib import Path
from typing import Any

import pytest

from command_line import Sparring
from json_schema import errors
from sparring.cli import COMMANDS
from sparring.cli.help import described
from sparring.reports.documents import SCHEMA, document_kinds, json_schema
from tables import table

SCHEMAS = {each["title"]: each for each in json_schema()["oneOf"]}
PROTOCOLS = {"mcp"}
"""Commands whose output is a protocol of its own."""

LOG = "id,role,text\n1,user,Hello\n1,assistant,Good morning\n"
DOCUMENTS = {
    "accept talk": "accepted",
    "audit talk": "audit",
    "calibrate talk": "error",
    "cancel talk": "error",
    "chat pizzeria --model offline": "chat",
    "check --rule turns()<12": "findings",
    "check --rule turs()<12": "findings",
    "compare talk talk": "comparison",
    "completion bash": "completion",
    "cost talk": "cost",
    "cost talk order/1": "calls",
    "coverage talk": "coverage",
    "demo": "batch",
    "doctor": "doctor",
    "doctor --chatbot pizzeria --model offline": "doctor",
    "experiment report": "error",
    "fetch talk": "error",
    "fetch talk --output rows.json": "written",
    "fork talk order/1 --at 2 --say no --runs 2": "fork",
    "fork talk order/1 --find": "error",
    "gate talk": "gate",
    "import log.csv": "imported",
    "init empty": "written",
    "judge talk --judge checklist": "batch",
    "judge talk --human pass --conversation order/1": "verdict",
    "label talk --conversation order/1 --outcome failed --blame user": "labels",
    "mutate talk --budget 3": "mutation",
    "mutate talk --null": "null_bots",
    "mutate --list": "operators",
    "personas": "personas",
    "plan order.yml --chatbot pizzeria --model offline": "plan",
    "prompts list": "prompts",
    "prompts show pizzeria": "prompts",
    "prompts diff service service": "prompts_diff",
    "prompts validate": "prompts_checked",
    "promote talk order/1": "promoted",
    "prune --days 30": "pruned",
    "read rows.ndjson": "reading",
    "report talk": "batch",
    "rerun talk --case order/1": "batch",
    "trend talk": "trend",
    "run order.yml --chatbot pizzeria --model offline": "batch",
    "run nowhere.yml": "error",
    "run --sed 1": "error",
    "rum": "error",
    "schema": "schemas",
    "schema rule": "schemas",
    "schema json": "schemas",
    "serve --port x": "error",
    "show": "batches",
    "show talk": "batch",
    "show talk order/1": "conversation",
    "show talk c-123456": "error",
    "shrink talk order/1": "error",
    "suggest talk": "suggestions",
    "status talk": "status",
    "summarize rows.ndjson": "summary",
    "store copy .sparring/sparring.db copy.db": "copied",
    "store migrate": "migrated",
    "store rebuild": "rebuilt",
    "tokens list": "tokens",
    "worker": "error",
    "tokens add anna": "token",
    "tokens revoke nobody": "error",
    "try python:nowhere:bot": "error",
    "try python:bot.py:reply": "try",
    "validate order.yml": "validation",
}


@pytest.fixture
def project(inside: Sparring, profile: Path, tmp_path: Path) -> Path:
    """A folder with a batch called talk, its conversations in a file, and a log."""
    assert inside("run", profile, "--chatbot", "pizzeria", "--model", "offline", "--name", "talk").returncode in (
        0,
        1,
        3,
    )
    inside("fetch", "talk", "--format", "conversations", "--output", "rows.ndjson")
    (tmp_path / "bot.py").write_text("def reply(messages, variables):\n    return 'ok'\n", encoding="utf-8")
    (tmp_path / "log.csv").write_text(LOG, encoding="utf-8")
    return tmp_path


def problems_of(text: str, kind: str) -> list[str]:
    """Return where a document does not fit the schema of its kind."""
    document: Any = json.loads(text)
    found = [f"kind {document['kind']}"] if document["kind"] != kind else []
    return found + errors(SCHEMAS[kind], document, json_schema())


@pytest.mark.slow
def test_every_command_prints_a_document_that_fits_the_schema(inside: Sparring, project: Path):
    found = {line: inside(*line.split(), "--json") for line in DOCUMENTS}

    fitting = {line: problems_of(done.stdout, DOCUMENTS[line]) for line, done in found.items()}
    assert {line: told for line, told in fitting.items() if told} == {}


def test_every_command_and_every_kind_is_tried():
    tried = {line.split()[0] for line in DOCUMENTS}
    without = {
        "calibration",
        "cancelled",
        "canaries",
        "cause",
        "deciding_turn",
        "experiment",
        "mutant",
        "serving",
        "shrunk",
        "worker",
    }  # tried by tests of these commands

    assert {*COMMANDS} - tried <= PROTOCOLS
    assert {*document_kinds()} - {*DOCUMENTS.values()} == without


@table("command", [name for name in COMMANDS if name not in PROTOCOLS])
def test_every_command_has_the_option(command: str):
    described_command = described()[command]
    parts = [*described_command.get("commands", {}).values()] or [described_command]

    assert all("--json" in [option["name"] for option in part["options"]] for part in parts)


def test_an_error_has_its_code_and_its_place(inside: Sparring, tmp_path: Path):
    (tmp_path / "a.yml").write_text("goals: [order a pizza]\nmax_turn: 3\n", encoding="utf-8")

    done = inside("run", "a.yml", "--chatbot", "pizzeria", "--json")

    told = json.loads(done.stdout)
    assert (told["schema"], told["kind"], told["exit"]) == (SCHEMA, "error", done.returncode)
    assert [(each["file"], each["line"]) for each in told["problems"]] == [("a.yml", 2)]


def test_a_cause_is_a_document(inside: Sparring, tmp_path: Path):
    (tmp_path / "bot.py").write_text(
        "def reply(messages, variables):\n    raise RuntimeError('no')\n", encoding="utf-8"
    )
    (tmp_path / "a.yml").write_text("goals: [order a pizza]\n", encoding="utf-8")
    inside("run", "a.yml", "--chatbot", "python:bot.py:reply", "--model", "offline")
    (cause,) = json.loads(inside("show", "latest", "--json").stdout)["causes"]

    assert problems_of(inside("show", "latest", cause["id"], "--json").stdout, "cause") == []


def test_the_counts_of_a_batch_add_up_to_what_was_planned(inside: Sparring, project: Path):
    told = json.loads(inside("show", "talk", "--json").stdout)

    counts = told["counts"]
    assert counts["planned"] == sum(count for name, count in counts.items() if name != "planned") == 3
    assert told["sentence"]["exit"] == {"passed": 0, "failed": 1}.get(told["outcome"], 3)
