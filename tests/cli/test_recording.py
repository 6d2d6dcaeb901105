import json
from pathlib import Path
from typing import Any

import pytest

from command_line import Sparring

OFFLINE = ("--chatbot", "pizzeria", "--model", "offline")
JUDGED = json.dumps({"quotes": [{"n": 1, "words": "would you like"}], "comment": "It is.", "score": 3})


@pytest.fixture
def judge(bot: Any) -> str:
    """A model that finds everything good."""
    bot.answer = {"choices": [{"message": {"role": "assistant", "content": JUDGED}, "finish_reason": "stop"}]}
    return f"{bot.url}#m"


def test_a_run_that_asks_no_model_says_that_nothing_was_recorded(inside: Sparring, profile: Path, tmp_path: Path):
    done = inside("run", profile, *OFFLINE, "--record", "r.ndjson")

    assert (done.returncode, (tmp_path / "r.ndjson").exists()) == (0, False)
    assert "warning: nothing was recorded into r.ndjson: no model was called\n" in done.stderr


def test_a_run_that_asks_a_model_has_recorded_it(inside: Sparring, profile: Path, tmp_path: Path, judge: str):
    done = inside("run", profile, *OFFLINE, "--judge", judge, "--record", "r.ndjson")

    assert '"role":"judge"' in (tmp_path / "r.ndjson").read_text()
    assert "nothing was recorded" not in done.stderr


@pytest.mark.slow
def test_resuming_a_complete_batch_warns_that_nothing_was_recorded(
    inside: Sparring, profile: Path, tmp_path: Path, judge: str
):
    inside("run", profile, *OFFLINE, "--judge", judge, "--record", "r.ndjson")
    before = (tmp_path / "r.ndjson").read_bytes()

    done = inside("run", "--resume", "latest", "--record", "r.ndjson")

    assert (tmp_path / "r.ndjson").read_bytes() == before
    assert "warning: nothing was recorded into r.ndjson" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tape", "named"),
    [
        (("--replay", "r.ndjson", "--replay-mode", "sequence"), "--replay r.ndjson --replay-mode sequence"),
        (("--record", "r 2.ndjson"), "--record 'r 2.ndjson'"),
    ],
)
def test_the_hint_to_resume_names_the_same_recording(
    inside: Sparring, profile: Path, judge: str, tape: tuple[str, ...], named: str
):
    inside("run", profile, *OFFLINE, "--judge", judge, "--record", "r.ndjson")

    done = inside("run", profile, *OFFLINE, "--judge", judge, *tape, "--max-conversations", 1, "--name", "two")

    assert f"sparring run --resume two {named}\n" in done.stdout


@pytest.mark.slow
def test_a_recording_that_was_cut_off_says_so_before_it_is_missed(
    inside: Sparring, profile: Path, tmp_path: Path, judge: str
):
    run = ("run", profile, *OFFLINE, "--judge", judge)
    inside(*run, "--record", "r.ndjson")
    (tmp_path / "r.ndjson").write_bytes((tmp_path / "r.ndjson").read_bytes()[:-9])

    done = inside(*run, "--replay", "r.ndjson")

    assert "warning: r.ndjson ends in the middle of a line, so its last call is missing\n" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
def test_a_run_that_cannot_be_recorded_any_more_begins_nothing_more(
    inside: Sparring, profile: Path, tmp_path: Path, judge: str
):
    run = ("run", profile, "--chatbot", "pizzeria", "--chatbot-model", "offline", "--user", judge, "--name", "full")
    inside(*run, "--repeat", "10", "--max-conversations", "1")
    (tmp_path / "r.ndjson").symlink_to("/dev/full")

    done = inside("run", "--resume", "full", "--record", "r.ndjson", "--concurrency", "1")

    error, hint = done.stderr.splitlines()[-2:]
    assert (done.returncode, error) == (3, "error: r.ndjson: cannot be written: No space left on device")
    assert hint.startswith("hint: finished conversations are saved; make room, and ")
    assert hint.endswith("sparring run --resume full --record r.ndjson --retry-failed")
    assert json.loads(inside("show", "full", "--json").stdout)["not_run"] >= 25
