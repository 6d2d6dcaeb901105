import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import PROFILE, Sparring
from sparring.core.outcome import NOTHING_CHECKED

pytestmark = pytest.mark.slow  # its tests play batches

OFFLINE = ("--chatbot", "pizzeria", "--model", "offline")


def without_timing(path: Path) -> list[str]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert all(line.pop("timing") for line in lines)
    return [json.dumps(line) for line in lines]


def test_a_run_ends_with_goals_answered_and_says_so(inside: Sparring, profile: Path):
    done = inside("run", profile, *OFFLINE)

    assert done.returncode == 0, done.stderr
    assert "PASSED: all 3 passed" in done.stdout
    assert "[3/3]" in done.stderr


def test_json_is_all_there_is_on_stdout(inside: Sparring, profile: Path):
    done = inside("run", profile, *OFFLINE, "--json", "--seed", "7", "--repeat", "2", "--name", "mine", "--tag", "a")

    told = json.loads(done.stdout)
    documented = {"batch", "seed", "players", "who", "endings", "outcomes", "tokens", "cost", "unknown_costs"}
    assert documented <= set(told)
    assert (told["outcome"], told["not_run"], told["rules"]) == ("passed", 0, {})
    assert (told["seed"], told["endings"]["goals_answered"], told["outcomes"]["passed"]) == (7, 6, 6)
    assert (told["cost"], told["unknown_costs"]) == (0.0, 0)


def test_the_same_seed_writes_the_same_files_but_for_timing_at_any_concurrency(
    sparring: Sparring, inside: Sparring, profile: Path, tmp_path: Path
):
    for call, name, seed, concurrency in ((inside, "a", "7", "1"), (sparring, "b", "7", "8"), (inside, "c", "8", "8")):
        options = ("--seed", seed, "--concurrency", concurrency, "--output-dir", tmp_path / name)
        assert call("run", profile, *OFFLINE, *options).returncode == 0

    one, again, other = (without_timing(tmp_path / name / "conversations.ndjson") for name in "abc")
    assert one == again
    assert one != other


@pytest.mark.slow
def test_a_single_conversation_is_shown_while_it_is_talked(inside: Sparring, profile: Path):
    shown = inside("run", profile, *OFFLINE, "--single", "1")
    quiet = inside("run", profile, *OFFLINE, "--single", "1", "--no-stream")

    assert "medium custom pizza" in shown.stderr
    assert "medium custom pizza" not in quiet.stderr


def test_rules_decide(inside: Sparring, profile: Path, tmp_path: Path):
    (tmp_path / "rule.yml").write_text("name: never_big\nthen: size[0] != 'big'\n", encoding="utf-8")

    done = inside("run", profile, *OFFLINE, "--rules", "rule.yml")

    assert done.returncode == 1
    assert "order/3: never_big" in done.stdout


@pytest.mark.slow
def test_a_model_comes_from_the_environment_and_the_command_line_beats_it(inside: Sparring, profile: Path):
    by_environment = inside("run", profile, "--chatbot", "pizzeria", env={"SPARRING_MODEL": "offline"})
    beaten = inside("run", profile, *OFFLINE, env={"SPARRING_MODEL": "openai:gpt-4o-mini"})

    assert (by_environment.returncode, beaten.returncode) == (0, 0)


def test_settings_come_from_sparring_yaml(inside: Sparring, profile: Path, tmp_path: Path):
    (tmp_path / "sparring.yaml").write_text("chatbot: pizzeria\nmodel: offline\n", encoding="utf-8")

    assert inside("run", profile).returncode == 0


@pytest.mark.parametrize("concurrency", ["1", "256"])
def test_a_chatbot_that_cannot_be_reached_stops_the_run_at_once(
    inside: Sparring, profile: Path, tmp_path: Path, concurrency: str
):
    (tmp_path / "sparring.yaml").write_text("gate: {pass_rate: 0.5}\n")
    done = inside(
        *("run", profile, "--chatbot", "rasa:http://127.0.0.1:9", "--user", "agenda"),
        *("--repeat", "20", "--concurrency", concurrency),
    )

    assert done.returncode == 3
    assert "Endings: none" in done.stdout
    assert "the chatbot cannot be reached: no answer from http://127.0.0.1:9" in done.stdout
    assert "; is it running?" in done.stdout


PROBLEMS = {
    "no model": (("run", "order.yml", "--chatbot", "pizzeria"), "no simulated user is configured", "--model offline"),
    "no chatbot": (("run", "order.yml", "--model", "offline"), "no chatbot is chosen", "--chatbot pizzeria"),
    "no key": (
        ("run", "order.yml", "--chatbot", "pizzeria", "--model", "openai:gpt-4o-mini"),
        "OPENAI_API_KEY",
        "OPENAI_API_KEY",
    ),
    "wrong chatbot": (
        ("run", "order.yml", "--chatbot", "pizzaria", "--model", "offline"),
        "unknown chatbot",
        "'pizzeria'",
    ),
    "wrong provider": (
        ("run", "order.yml", "--chatbot", "pizzeria", "--model", "opnai:x"),
        "unknown model",
        "'openai'",
    ),
    "bare model": (("run", "order.yml", "--chatbot", "pizzeria", "--model", "gpt-4o"), "gpt-4o", "openai:gpt-4o"),
    "bare url": (
        ("run", "order.yml", "--chatbot", "http://x:1", "--model", "offline"),
        "http://x:1",
        "rasa:http://x:1",
    ),
    "missing file": (("run", "ordr.yml", *OFFLINE), "ordr.yml", "order.yml"),
    "missing preset": (("run", "order.yml", "--chatbot", "http:x.yaml", "--user", "agenda"), "x.yaml", ""),
    "missing function": (("run", "order.yml", "--chatbot", "python:nowhere:reply", "--user", "agenda"), "nowhere", ""),
    "missing folder": (("run", "order.yml", "--chatbot", "prompted:nowhere", "--model", "offline"), "nowhere", ""),
    "unknown option": (("run", "order.yml", "--chatbt", "pizzeria"), "--chatbt", "--chatbot"),
    "unknown command": (("rnu",), "unknown command 'rnu'", "sparring run"),
    "no argument": (("run",), "no scenario is given", "sparring init"),
    "single too large": (("run", "order.yml", *OFFLINE, "--single", "3"), "--single 3", "from 0 to 2"),
    "negative single": (("run", "order.yml", *OFFLINE, "--single", "-1"), "--single -1", "from 0 to 2"),
    "bad number": (("run", "order.yml", *OFFLINE, "--repeat", "0"), "--repeat", ""),
    "nothing run yet": (("show", "latest"), "", ""),
    "output dir": (("run", "order.yml", *OFFLINE, "--output-dir", "order.yml"), "order.yml", ""),
    "missing recording": (("run", "order.yml", *OFFLINE, "--replay", "r.ndjson"), "r.ndjson", "if it asks a model"),
    "missing rules": (("run", "order.yml", *OFFLINE, "--rules", "nowhere"), "nowhere", ""),
}


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "message", "hint"), PROBLEMS.values(), ids=PROBLEMS)
def test_a_newcomers_mistake_is_one_sentence_and_a_hint(
    inside: Sparring, profile: Path, arguments: tuple[str, ...], message: str, hint: str
):
    done = inside(*arguments)

    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert hint in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 3, done.stderr


def test_all_problems_of_all_files_are_reported_at_once_with_their_places(inside: Sparring, tmp_path: Path):
    bad = PROFILE.replace("forward()", "forwrd()").replace("limit: 10", "limt: 10")
    (tmp_path / "bad.yml").write_text(bad, encoding="utf-8")
    (tmp_path / "worse.yml").write_text("user: [", encoding="utf-8")

    done = inside("run", "bad.yml", "worse.yml", *OFFLINE)

    assert done.returncode == 2
    assert re.search(r"bad\.yml:7:\d+: .*forward", done.stderr)
    assert re.search(r"bad\.yml:15:\d+: .*limit", done.stderr)
    assert "worse.yml:" in done.stderr


def test_a_key_is_never_shown(inside: Sparring, profile: Path, tmp_path: Path):
    key = "sk-planted-0123456789abcdef"
    done = inside(
        "run",
        profile,
        "--chatbot",
        "pizzeria",
        "--model",
        "http://127.0.0.1:9/v1#m",
        "--output-dir",
        "out",
        env={"SPARRING_API_KEY": key, "OPENAI_API_KEY": key, "SPARRING_RETRY_SECONDS": "1"},
    )

    assert done.returncode == 3
    everything = [
        done.stdout,
        done.stderr,
        *(p.read_bytes().decode(errors="replace") for p in tmp_path.rglob("*") if p.is_file()),
    ]
    assert not any(key in text for text in everything)


def test_a_violated_rule_is_reported_in_json_by_the_exit_code_and_by_show(
    inside: Sparring, profile: Path, tmp_path: Path
):
    (tmp_path / "rule.yml").write_text("name: never_big\nthen: size[0] != 'big'\n", encoding="utf-8")

    done = inside("run", profile, *OFFLINE, "--rules", "rule.yml", "--json")

    told = json.loads(done.stdout)
    assert (done.returncode, told["outcome"], told["rules"]) == (1, "failed", {"never_big": "fail"})
    assert "order/3: never_big" in inside("show", "latest", "--all").stdout


@pytest.mark.slow
def test_a_user_who_only_takes_steps_is_not_judged_until_a_rule_is_given(
    inside: Sparring, profile: Path, tmp_path: Path
):
    steps = profile.read_text(encoding="utf-8").replace("{all_answered: {limit: 10}}", "{steps: 2}")
    profile.write_text(steps, encoding="utf-8")
    (tmp_path / "short.yml").write_text("name: short\noracle: turns() < 9\n", encoding="utf-8")
    command = ("run", profile, "--chatbot", "pizzeria", "--model", "offline")

    alone, with_a_rule = inside(*command), inside(*command, "--rules", "short.yml")

    assert "none of 3 could be decided" in alone.stdout
    assert NOTHING_CHECKED in alone.stdout
    assert "PASSED: all 3 passed" in with_a_rule.stdout


def test_a_rule_with_an_unknown_name_is_refused(inside: Sparring, profile: Path, tmp_path: Path):
    (tmp_path / "rule.yml").write_text("name: typo\nthen: order_idd is None\n", encoding="utf-8")

    done = inside("run", profile, *OFFLINE, "--rules", "rule.yml")

    assert (done.returncode, done.stdout) == (2, "")
    assert "rule.yml:2:7: then:" in done.stderr
    assert "'order_idd' (did you mean 'order_id'?)" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "reply",
    [
        "I don't know.",
        "I'm sorry, I did not get what you said.",
        "",
        "What would you like?",
        "Internal error 500.",
        "Sure!",
    ],
)
def test_a_chatbot_that_does_nothing_does_not_pass(inside: Sparring, profile: Path, tmp_path: Path, reply: str):
    (tmp_path / "useless.py").write_text(f"def reply(messages, variables):\n    return {reply!r}\n", encoding="utf-8")

    done = inside("run", profile, "--chatbot", "python:useless:reply", "--model", "offline")

    assert done.returncode == 1, done.stdout
    assert "FAILED: 3 of 3 failed" in done.stdout


def test_output_of_a_chatbot_is_not_mixed_into_the_results(inside: Sparring, profile: Path, tmp_path: Path):
    code = "print('imported')\ndef reply(messages, variables):\n    print('asked')\n    return 'Hello'\n"
    (tmp_path / "noisy.py").write_text(code, encoding="utf-8")

    done = inside("run", profile, "--chatbot", "python:noisy:reply", "--model", "offline", "--json")
    again = inside("rerun", "latest", "--failed", "--json")

    for each in (done, again):
        assert json.loads(each.stdout)["outcomes"]["failed"] == 3
        assert "asked" in each.stderr.splitlines()
    assert "imported" in done.stderr.splitlines()


def test_a_batch_that_would_take_all_memory_is_refused(inside: Sparring, profile: Path):
    done = inside("run", profile, "--chatbot", "pizzeria", "--model", "offline", "--repeat", "100000000")

    assert done.returncode == 2
    assert done.stderr == "error: a batch may have at most 10,000,000 conversations (split the batch)\n"


WAITING = """\
import asyncio
from pathlib import Path


async def reply(messages, variables):
    while variables["size"] != "small" and not Path("go").exists():
        await asyncio.sleep(0.01)
    return "Which size?"
"""


def interrupted(tmp_path: Path, profile: Path, *signals: signal.Signals) -> "tuple[int, str]":
    """Run against a chatbot that waits after the first conversation, and send these signals; how it ended.

    One Ctrl-C is the only signal that lets the conversation under way end, so only then it may.
    """
    (tmp_path / "waiting.py").write_text(WAITING, encoding="utf-8")
    command = [sys.executable, "-u", "-m", "sparring", "run", str(profile), "--chatbot", "python:waiting:reply"]
    options = ["--model", "offline", "--concurrency", "1", "--repeat", "5"]
    with subprocess.Popen(
        [*command, *options], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stderr is not None
        first = run.stderr.readline()
        for each in signals:
            run.send_signal(each)
            while each is signal.SIGINT and "finishing" not in first:
                first = run.stderr.readline()
        if len(signals) == 1 and signals[0] is signal.SIGINT:
            (tmp_path / "go").touch()
        out, err = run.communicate(timeout=240)
    return run.returncode, out + err


@pytest.mark.process
def test_interrupting_once_finishes_what_is_under_way_and_saves_it(inside: Sparring, profile: Path, tmp_path: Path):
    code, told = interrupted(tmp_path, profile, signal.SIGINT)

    assert code == 130
    assert "not run" in told
    assert "Endings: " in inside("show", "latest", "--all").stdout


@pytest.mark.process
@pytest.mark.parametrize("signals", [(signal.SIGINT, signal.SIGINT), (signal.SIGTERM,), (signal.SIGHUP,)])
def test_interrupting_twice_and_ending_it_stop_at_once_and_say_how_to_go_on(
    inside: Sparring, profile: Path, tmp_path: Path, signals: tuple[signal.Signals, ...]
):
    code, told = interrupted(tmp_path, profile, *signals)

    batch = json.loads(inside("show", "latest", "--json").stdout)
    status = inside("status", "latest")
    assert (code, "Traceback" in told) == (130, False), told
    assert re.search(
        rf"Interrupted; finished conversations are saved.\nResume: .*sparring run --resume {batch['batch']}\n", told
    ), told
    assert ("cancelled" in status.stdout, batch["stored"] >= 1) == (True, True)


@pytest.mark.process
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_stops_reading_changes_no_exit_code(profile: Path, tmp_path: Path, unbuffered: str):
    (tmp_path / "rule.yml").write_text("name: never\nthen: False\n", encoding="utf-8")
    run = f"{sys.executable} -m sparring run {profile} --chatbot pizzeria --model offline --rules rule.yml"

    done = subprocess.run(
        ["bash", "-c", f"{run} | true; exit ${{PIPESTATUS[0]}}"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, "Traceback" in done.stderr, "Broken" in done.stderr) == (1, False, False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
@pytest.mark.process
@pytest.mark.parametrize("arguments", [["schema", "scenario"], ["schema", "scenario", "--json"], ["run", "--help"], []])
def test_output_that_cannot_be_written_is_one_sentence(tmp_path: Path, arguments: list[str]):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "sparring", *arguments],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert (done.returncode, done.stderr) == (2, "error: stdout: cannot be written: No space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
def test_conversations_stay_in_the_store_if_an_output_file_cannot_be_written(
    inside: Sparring, profile: Path, tmp_path: Path
):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "conversations.ndjson").symlink_to("/dev/full")

    done = inside("run", profile, "--chatbot", "pizzeria", "--model", "offline", "--name", "x", "--output-dir", "out")

    error, hint = done.stderr.splitlines()[-2:]
    assert error == "error: out/conversations.ndjson: cannot be written: No space left on device"
    assert re.fullmatch("hint: everything is in the store: .*sparring show x, .*sparring fetch x", hint), hint
    assert inside("show", "x").returncode == 0
