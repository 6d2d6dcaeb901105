"""The fixture `sparring`, in a test run of its own and in this one."""

import subprocess
import sys
from pathlib import Path

import pytest

from sparring.core.case import Case, Say

CASE = Case(id="order", script=(Say(text="A pizza, please."),))


def reply(messages, variables):
    return f"You said: {messages[-1].text}"


def test_the_fixture_simulates_offline(sparring):
    result = sparring.simulate(reply, CASE, rules="turns() == 1")

    assert result.passed, result.explain()


async def test_the_fixture_simulates_in_an_async_test(sparring, tmp_path: Path):
    result = await sparring.simulate_async(reply, CASE)

    assert result.conversation.turns == 1
    assert (tmp_path / "sparring.db").exists()


def test_the_fixture_runs_and_has_the_other_names(sparring):
    sparring.run(CASE, reply, rules="turns() == 1", repeat=3).raise_for_failures()
    with pytest.raises(sparring.ConversationsFailed):
        sparring.run(CASE, reply, rules="turns() == 2").raise_for_failures()


@pytest.mark.process
def test_a_failing_test_shows_the_reason(tmp_path: Path):
    (tmp_path / "test_bot.py").write_text(
        "from sparring import Case\n"
        "def reply(messages, variables):\n"
        "    return 'Hello'\n"
        "def test_order(sparring):\n"
        "    case = Case(id='order', script=({'kind': 'say', 'text': 'Hi'},))\n"
        "    sparring.run(case, reply, rules='turns() == 2').raise_for_failures()\n",
        encoding="utf-8",
    )

    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:schemathesis", "--sparring-seed", "7", "test_bot.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 1, done.stdout
    assert "1 of 1 conversations failed" in done.stdout
