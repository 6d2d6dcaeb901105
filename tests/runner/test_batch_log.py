import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from command_line import called, profile
from fakes import FrozenClock, with_model_calls
from sparring.core.batch import Batch
from sparring.core.conversation import Ending
from sparring.core.errors import InputError
from sparring.core.events import BatchStarted, ConversationEnded, ConversationStarted, MessageSaid, VerdictGiven
from sparring.core.verdict import CheckOutcome
from sparring.runner import batch_log
from sparring.runner.batch_log import BatchLog, Level, log_level, logs
from sparring.store.redaction import Redaction
from sparring.testing.factories import a_batch, a_conversation, a_verdict
from web.conftest import scenarios
from web.serving import Server

__all__ = ["profile"]
KEY = "planted-4711-0815"
NOW = "2026-01-02T00:00:00.000+00:00"


def played(book: BatchLog, batch: Batch) -> None:
    """A conversation that went well and was judged, and one whose chatbot failed."""
    good, bad = (a_conversation(case) for case in batch.cases)
    failed = bad.model_copy(update={"ending": Ending.CHATBOT_FAILED, "error": f"HTTP 500: {KEY}"})
    book(BatchStarted(batch=batch))
    for each in (good, failed):
        book(ConversationStarted(conversation=each.id))
        for said in each.messages:
            book(MessageSaid(conversation=each.id, message=said))
        book(ConversationEnded(conversation=each))
    book(VerdictGiven(verdict=a_verdict(good.id)))
    book(VerdictGiven(verdict=a_verdict(good.id, outcome=CheckOutcome.ERROR)))
    book.close()


def book(folder: Path, batch: Batch, level: Level = "info", **options: object) -> BatchLog:
    return BatchLog(folder, batch, clock=FrozenClock(), level=level, **options)  # type: ignore[arg-type]


def lines(folder: Path, name: str) -> list[str]:
    return (folder / name).read_text(encoding="utf-8").splitlines()


def test_new_logs_are_for_their_owner_alone_and_others_stay_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    batch, kept = a_batch("a", "b"), tmp_path / "kept"
    monkeypatch.setattr(batch_log, "LARGEST", 300)
    before = os.umask(0o022)
    try:
        kept.mkdir()
        (kept / "app_B1.log").touch()
        for folder in (tmp_path / "logs", kept):
            played(book(folder, batch), batch)
    finally:
        os.umask(before)

    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "logs").iterdir()}
    assert ((tmp_path / "logs").stat().st_mode & 0o777, modes) == (0o700, {0o600})
    assert (kept.stat().st_mode & 0o777, (kept / "error_B1.log").stat().st_mode & 0o777) == (0o755, 0o600)
    assert 0o644 in {path.stat().st_mode & 0o777 for path in kept.glob("app_B1.log*")}


def test_every_batch_has_its_four_files(tmp_path: Path):
    batch = a_batch("a", "b")
    played(book(tmp_path / "logs", batch), batch)

    assert sorted(each.name for each in (tmp_path / "logs").iterdir()) == [
        "app_B1.log",
        "conversations_B1.jsonl",
        "error_B1.log",
        "tokens_B1.log",
    ]


def test_every_event_is_a_line_and_errors_have_a_log_of_their_own(tmp_path: Path):
    batch = a_batch("a", "b")
    played(book(tmp_path, batch), batch)

    errors = [
        f"{NOW} - ERROR - b: chatbot_failed, 2 turns: HTTP 500: {KEY}",
        f"{NOW} - ERROR - a: polite: error: Вежливо.",
    ]
    assert lines(tmp_path, "error_B1.log") == errors
    assert lines(tmp_path, "app_B1.log") == [
        f"{NOW} - INFO - batch started: 2 planned, 0 stored; {batch.who}",
        f"{NOW} - INFO - a: goals_answered, 2 turns",
        errors[0],
        f"{NOW} - INFO - a: polite: pass, score 3: Вежливо.",
        errors[1],
    ]


def test_tokens_are_a_time_and_json(tmp_path: Path):
    batch = a_batch("a", "b")
    played(book(tmp_path, batch), batch)

    time, _, told = lines(tmp_path, "tokens_B1.log")[0].partition(" - ")
    record = json.loads(told)
    assert time == NOW
    assert (record["role"], record["model"], record["prompt_tokens"], record["completion_tokens"]) == (
        "chatbot",
        "grammar",
        900,
        60,
    )
    assert (record["total_tokens"], record["cost_estimate"], len(record["session_id"])) == (960, 0.0012, 16)
    assert [json.loads(line.partition(" - ")[2])["role"] for line in lines(tmp_path, "tokens_B1.log")] == [
        "chatbot",
        "chatbot",
        "judge",
        "judge",
    ]


def test_tokens_have_a_line_for_each_call_where_calls_were_noted(tmp_path: Path):
    batch = a_batch("a")
    conversation = with_model_calls(a_conversation(batch.cases[0]))

    with closing(book(tmp_path, batch)) as listener:
        listener(ConversationEnded(conversation=conversation))

    records = [json.loads(line.partition(" - ")[2]) for line in lines(tmp_path, "tokens_B1.log")]
    assert [(each["role"], each["turn"], each["seconds"], each["total_tokens"]) for each in records] == [
        ("user", 1, 0.25, 55),
        ("chatbot", 1, None, 0),
        ("chatbot", 2, 0.5, 480),
    ]
    assert [each["cost_estimate"] for each in records] == [0.0001, None, 0.0006]


def test_conversations_are_a_record_for_each_message_and_one_for_the_end(tmp_path: Path):
    batch = a_batch("a", "b")
    played(book(tmp_path, batch), batch)

    records = [json.loads(line) for line in lines(tmp_path, "conversations_B1.jsonl")]
    assert [record.get("turn_number", record.get("event_type")) for record in records] == [
        1,
        2,
        3,
        4,
        "conversation_complete",
    ] * 2
    assert (records[1]["role"], records[1]["tool_calls"], records[1]["timestamp"]) == (
        "agent",
        [{"name": "price", "arguments": {"size": "large"}}],
        "2026-01-02T00:00:00+00:00",
    )
    assert (records[9]["status"], records[9]["ending"]) == ("failed", "chatbot_failed")


@pytest.mark.parametrize(("level", "expected"), [("debug", 15), ("info", 5), ("error", 2)])
def test_the_level_sets_how_much_is_logged(tmp_path: Path, level: Level, expected: int):
    batch = a_batch("a", "b")
    played(book(tmp_path, batch, level), batch)

    assert len(lines(tmp_path, "app_B1.log")) == expected


def test_no_file_has_a_secret_or_what_is_personal(tmp_path: Path):
    batch = a_batch("a", "b")
    played(book(tmp_path, batch, "debug", secrets=(KEY,), redaction=Redaction(["/Привет/"])), batch)

    written = "".join(path.read_text(encoding="utf-8") for path in tmp_path.iterdir())
    assert (KEY in written, "Привет" in written, "[redacted]" in written) == (False, False, True)


def test_a_file_that_is_full_is_put_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(batch_log, "LARGEST", 300)
    monkeypatch.setattr(batch_log, "KEPT", 2)
    batch = a_batch("a", "b")
    played(book(tmp_path, batch, "debug"), batch)

    assert sorted(path.name for path in tmp_path.glob("app_*")) == ["app_B1.log", "app_B1.log.1", "app_B1.log.2"]
    assert all(path.stat().st_size <= 300 for path in tmp_path.glob("app_*"))


def test_a_folder_that_cannot_be_is_refused_before_anything_happens(tmp_path: Path):
    (tmp_path / "file").write_text("")
    log = logs(tmp_path / "file" / "logs", a_batch("a"), FrozenClock(), redaction=Redaction(), environment={})

    with pytest.raises(InputError, match="cannot be a folder of logs"), log:
        pass


def test_an_unwritable_log_does_not_stop_the_batch(tmp_path: Path):
    batch = a_batch("a", "b")
    (tmp_path / "app_B1.log").mkdir()

    played(book(tmp_path, batch), batch)

    assert len(lines(tmp_path, "error_B1.log")) == 2


def test_debug_and_log_level_say_the_level():
    told = [log_level(each) for each in ({}, {"DEBUG": "1"}, {"LOG_LEVEL": "Error"}, {"DEBUG": "0", "LOG_LEVEL": ""})]

    assert told == [None, "debug", "error", None]
    with pytest.raises(InputError, match="LOG_LEVEL"):
        log_level({"LOG_LEVEL": "loud"})


@pytest.mark.slow
def test_a_run_writes_logs_where_a_folder_is_set_and_keeps_keys_out_of_them(profile: Path, tmp_path: Path):
    profile.write_text(profile.read_text().replace("ham and corn", f"ham and {KEY}"))
    run = "run", profile, "--chatbot", "pizzeria", "--model", "offline"

    without = called(*run, folder=tmp_path, env={})
    nothing = not (tmp_path / "logs").exists()
    done = called(*run, folder=tmp_path, env={"LOGS_DIR": "logs", "OPENAI_API_KEY": KEY, "LOG_LEVEL": "debug"})

    written = {path.name.partition("_")[0]: path.read_text() for path in (tmp_path / "logs").iterdir()}
    assert (without.returncode, nothing) == (done.returncode, True)
    assert {"app", "conversations"} <= written.keys()
    assert [name for name, text in written.items() if KEY in text] == []
    assert "[redacted]" in written["conversations"]


@pytest.mark.process
def test_a_server_writes_logs_by_default(tmp_path: Path):
    with Server(tmp_path, "--chatbot", "pizzeria") as server:
        id = server.post("/api/batches", scenarios(2))["batch_id"]
        server.events(f"/api/batches/{id}/events")

    ended = [json.loads(line) for line in lines(tmp_path / "logs", f"conversations_{id}.jsonl")]
    assert sum("event_type" in record for record in ended) == 2


@pytest.mark.process
def test_importing_makes_no_file(tmp_path: Path):
    modules = ("runner.batch_log", "cli.commands.serve", "web.server", "cli.commands.summarize")
    program = f"import {', '.join(f'sparring.{module}' for module in modules)}"

    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, env={**os.environ, "LOGS_DIR": "logs"})

    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_used_is_refused_before_anything_is_kept(profile: Path, tmp_path: Path):
    (tmp_path / "file").write_text("")
    env = {"LOGS_DIR": "file/logs"}

    run = called("run", profile, "--chatbot", "pizzeria", "--model", "offline", folder=tmp_path, env=env)
    served = called("serve", "--chatbot", "pizzeria", "--port", "0", folder=tmp_path, env=env)

    said = "error: file/logs: cannot be a folder of logs: Not a directory\n"
    assert [(done.returncode, done.stderr) for done in (run, served)] == [(2, said)] * 2
    assert called("show", "latest", folder=tmp_path, env={}).stderr.startswith("error: nothing has been run yet\n")
