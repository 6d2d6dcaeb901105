import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import Sparring
from sparring.cli.batches import CommandOptions
from sparring.settings import Settings

pytestmark = pytest.mark.slow  # its tests play batches

MOODY = """\
from pathlib import Path


def reply(messages, variables):
    if variables["size"] == "medium" and not Path("better").exists():
        raise ValueError("not today")
    return "Goodbye."
"""
WAITING = """\
import asyncio
from pathlib import Path


async def reply(messages, variables):
    while variables["size"] != "small" and not Path("go").exists():
        await asyncio.sleep(0.01)
    return "Goodbye."
"""
WEDGED = """\
import asyncio


async def reply(messages, variables):
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            pass
"""
MOODY_RUN = ("--chatbot", "python:moody:reply", "--model", "offline", "--judge", "none")


def ended(folder: Path) -> dict[str, tuple[str, int]]:
    lines = (folder / "conversations.ndjson").read_text(encoding="utf-8").splitlines()
    told = map(json.loads, lines)
    return {each["case"]["id"]: (each["ending"], each["timing"]["attempt"]) for each in told}


@pytest.mark.slow
def test_a_batch_that_ran_out_of_budget_is_finished_later_by_its_id(inside: Sparring, profile: Path):
    offline = ("--chatbot", "pizzeria", "--model", "offline")
    begun = inside("run", profile, *offline, "--max-conversations", "1", "--json")
    told = json.loads(begun.stdout)

    assert (begun.returncode, told["not_run"], told["endings"]["goals_answered"]) == (3, 2, 1)
    assert told["stopped"] == "limit of 1 conversations reached"

    resumed = inside("run", "--resume", told["batch"], "--json")
    whole = json.loads(resumed.stdout)
    assert (resumed.returncode, whole["batch"], whole["endings"]["goals_answered"]) == (0, told["batch"], 3)
    assert "warning" not in resumed.stderr


def test_the_rest_of_a_batch_is_reported_with_the_command_that_runs_it(inside: Sparring, profile: Path):
    done = inside(
        "run", profile, "--chatbot", "pizzeria", "--model", "offline", "--max-conversations", "2", "--name", "my batch"
    )

    assert "Not run: 1: limit of 2 conversations reached" in done.stdout
    assert "run --resume 'my batch'\n" in done.stdout
    status = inside("status", "my batch")
    assert (status.returncode, status.stdout.splitlines()[0].endswith(" my batch: cancelled")) == (3, True)
    assert status.stdout.endswith("\n  limit of 2 conversations reached\n")


def test_a_failed_conversation_is_retried_and_its_first_attempt_can_be_read(
    inside: Sparring, profile: Path, tmp_path: Path
):
    (tmp_path / "moody.py").write_text(MOODY, encoding="utf-8")
    first = inside("run", profile, *MOODY_RUN, "--name", "mine")
    (tmp_path / "better").touch()

    plain = inside("run", "--resume", "mine")
    again = inside("run", "--resume", "mine", "--retry-failed", "--output-dir", "out")

    assert "Retry the 1 crashed or void conversation" in first.stdout
    assert "[3/3] order/2" in again.stderr
    assert (first.returncode, plain.returncode, again.returncode) == (1, 1, 1), "the first attempt counts"
    endings = {"order/1": ("user_done", 1), "order/2": ("user_done", 2), "order/3": ("user_done", 1)}
    assert {id: (ending != "chatbot_failed", attempt) for id, (ending, attempt) in ended(tmp_path / "out").items()} == {
        id: (True, attempt) for id, (_, attempt) in endings.items()
    }
    assert "not today" in inside("show", "mine", "order/2", "--attempt", "1").stdout
    assert "not today" not in inside("show", "mine", "order/2").stdout
    missing = inside("show", "mine", "order/2", "--attempt", "3")
    assert (missing.returncode, "order/2 has 2 attempts" in missing.stderr) == (2, True)


def test_changes_since_the_first_run_are_reported(inside: Sparring, profile: Path, tmp_path: Path):
    (tmp_path / "moody.py").write_text(MOODY, encoding="utf-8")
    inside("run", profile, *MOODY_RUN, "--max-conversations", "1")
    (tmp_path / "moody.py").write_text(MOODY + "\n# changed\n", encoding="utf-8")
    profile.write_text(profile.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")

    done = inside("run", "--resume", "latest", env={"SPARRING_CHATBOT": "pizzeria"})

    assert f"warning: {profile} has changed since this batch started; it continues with the earlier one" in (
        done.stderr
    )
    assert "warning: the chatbot has changed since this batch started; its conversations are of both" in done.stderr
    assert "the settings choose pizzeria (chatbot), but this batch started with python:moody:reply" in done.stderr


def test_a_batch_is_resumed_as_it_was_begun(inside: Sparring, profile: Path):
    inside("run", profile, "--chatbot", "pizzeria", "--model", "offline")

    done = inside("run", profile, "--resume", "latest", "--model", "openai:gpt-4o", "--repeat", "2")

    assert done.returncode == 2
    assert "--model, SOURCE, --repeat cannot be changed" in done.stderr


def test_an_imported_batch_cannot_be_resumed(inside: Sparring, tmp_path: Path):
    (tmp_path / "log.csv").write_text("id,role,text\na,user,Hi\na,chatbot,Hello\n", encoding="utf-8")
    inside("import", "log.csv")

    done = inside("run", "--resume", "latest")

    assert (done.returncode, "its players were not recorded" in done.stderr) == (2, True)


def test_nothing_is_retried_that_was_not_run(inside: Sparring, profile: Path):
    done = inside("run", profile, "--chatbot", "pizzeria", "--model", "offline", "--retry-failed")

    assert (done.returncode, "--resume BATCH --retry-failed" in done.stderr) == (2, True)


def test_a_budget_in_dollars_is_refused_without_a_price(inside: Sparring, profile: Path):
    run = ("run", profile, "--chatbot", "pizzeria", "--model", "http://127.0.0.1:9/v1#mine", "--max-cost", "1")

    done = inside(*run)

    assert done.returncode == 2
    assert "cannot enforce max_cost: no price for model http://127.0.0.1:9/v1#mine" in done.stderr


def test_a_money_budget_needs_no_price_where_nothing_costs(inside: Sparring, profile: Path):
    assert inside("run", profile, "--chatbot", "pizzeria", "--model", "offline", "--max-cost", "1").returncode == 0


def test_a_program_ends_though_its_chatbot_never_does(sparring: Sparring, profile: Path, tmp_path: Path):
    (tmp_path / "wedged.py").write_text(WEDGED, encoding="utf-8")
    text = profile.read_text(encoding="utf-8").replace("number: 3", "number: 1")
    profile.write_text(text, encoding="utf-8")

    done = sparring("run", profile, "--chatbot", "python:wedged:reply", "--model", "offline", "--max-seconds", "0.5")

    assert done.returncode == 3
    assert re.search(r"^Not run: 1(, 1 of them interrupted)?: time limit of 0.5 s reached", done.stdout, re.M)
    assert "Traceback" not in done.stderr


@pytest.mark.process
def test_a_killed_run_is_finished_by_resuming_it(inside: Sparring, profile: Path, tmp_path: Path):
    (tmp_path / "waiting.py").write_text(WAITING, encoding="utf-8")
    chatbot = ("--chatbot", "python:waiting:reply", "--model", "offline", "--judge", "none", "--repeat", "10")
    command = [sys.executable, "-u", "-m", "sparring", "run", str(profile), *chatbot, "--concurrency", "2"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        run.stderr.readline()
        run.send_signal(signal.SIGKILL)
    (tmp_path / "go").touch()

    resumed = inside("run", "--resume", "latest", "--output-dir", "resumed")
    whole = inside("run", profile, *chatbot, "--output-dir", "whole")

    assert (resumed.returncode, whole.returncode) == (3, 3), "nobody judges them"
    assert said(tmp_path / "resumed") == said(tmp_path / "whole")


def said(folder: Path) -> list[dict[str, object]]:
    lines = (folder / "conversations.ndjson").read_text(encoding="utf-8").splitlines()
    return [{key: value for key, value in json.loads(line).items() if key != "timing"} for line in lines]


@pytest.mark.slow
def test_failed_cases_are_rerun_with_the_same_seeds_as_a_new_batch(inside: Sparring, profile: Path, tmp_path: Path):
    (tmp_path / "moody.py").write_text(MOODY, encoding="utf-8")
    (tmp_path / "good.yml").write_text("name: good\nthen: size != 'medium' or turns() > 0\n", encoding="utf-8")
    inside("run", profile, *MOODY_RUN, "--rules", "good.yml", "--repeat", "2", "--name", "mine", "--seed", "7")
    old = json.loads(inside("show", "mine", "order/2#2", "--json").stdout)
    (tmp_path / "better").touch()

    failed = json.loads(inside("rerun", "mine", "--failed", "--json").stdout)
    new = json.loads(inside("show", "latest", "order/2#2", "--json").stdout)
    one = json.loads(inside("rerun", "mine", "--case", "order/1#2", "--json").stdout)

    assert sum(failed["endings"].values()) == 2
    assert (new["case"]["seed"], new["case"]["id"], new["repeat"]) == (old["case"]["seed"], "order/2", 2)
    assert (old["ending"], new["ending"] == "chatbot_failed") == ("chatbot_failed", False)
    assert sum(one["endings"].values()) == 1


def test_playing_again_says_what_there_is_to_choose(inside: Sparring, profile: Path):
    inside("run", profile, "--chatbot", "pizzeria", "--model", "offline")

    told = [inside("rerun", "latest", *options) for options in ((), ("--case", "order/9"), ("--failed",))]

    assert [done.returncode for done in told] == [2, 2, 2]
    assert "--failed, or --case ID" in told[0].stderr
    assert "has no such case: 'order/9'" in told[1].stderr
    assert "passed" in told[2].stderr


def test_a_batch_of_remote_workers_is_resumed_by_them():
    config = Settings().app_config()

    told = [CommandOptions(config, remote=remote).go_on("night") for remote in (False, True)]

    assert [each.partition("run ")[2] for each in told] == ["--resume night", "--resume night --workers remote"]
