"""Progress of a run: few lines whatever the size, with outcomes and new causes."""

import json
from pathlib import Path

import pytest

from command_line import Sparring
from sparring.cli.progress import Lines, RunProgress
from sparring.core.events import BatchStarted
from sparring.core.listing import ConversationRow, RowTotals
from sparring.testing.factories import a_batch
from terminal import terminal

TOWNS = [f"Town{n}" for n in range(100)]


@pytest.fixture
def hundred(tmp_path: Path) -> tuple[str, ...]:
    """Arguments that run a hundred conversations, of which some crash the chatbot."""
    (tmp_path / "bot.py").write_text(
        "def reply(messages, variables):\n"
        "    if variables['town'].endswith('7'):\n        raise RuntimeError('no')\n"
        "    return f'We are open from 9 to 5 in {variables[\"town\"]}.'\n",
        encoding="utf-8",
    )
    (tmp_path / "a.yml").write_text(
        f"goals: ['the opening hours in {{{{town}}}}']\nvariables: {{town: {json.dumps(TOWNS)}}}\n", encoding="utf-8"
    )
    return "run", "a.yml", "--chatbot", "python:bot.py:reply", "--model", "offline", "--name", "many"


@pytest.mark.slow
def test_many_conversations_take_a_line_for_each_tenth_and_each_new_cause(inside: Sparring, hundred: tuple[str, ...]):
    lines = inside(*hundred).stderr.splitlines()

    assert len(lines) <= 40
    assert lines[0].startswith("  0 %  ")
    assert lines[-1].startswith("100 %  100/100  ")
    assert "✗ 10" in lines[-1]
    assert sum("crashed" in line for line in lines) == 1


@pytest.mark.slow
def test_progress_as_json_counts_what_the_batch_counts(inside: Sparring, hundred: tuple[str, ...]):
    done = inside(*hundred, "--progress", "json", "--json")

    last = json.loads(done.stderr.splitlines()[-1])
    counts = json.loads(done.stdout)["counts"]
    assert (last["kind"], last["done"], last["planned"]) == ("progress", 100, 100)
    assert {name: last[name] for name in ("passed", "failed", "undecided", "void")} == {
        name: counts[name] for name in ("passed", "failed", "undecided", "void")
    }


def test_no_progress_prints_nothing(inside: Sparring, hundred: tuple[str, ...]):
    assert inside(*hundred, "--progress", "none").stderr == ""


def test_before_anything_ended_there_is_no_rate_and_no_time_left():
    facts = Lines().facts()

    assert (facts["per_minute"], facts["seconds_left"], facts["cost"]) == (None, None, None)


async def test_conversations_that_were_stored_before_a_resume_do_not_count_for_the_rate():
    class Stored:
        async def totals(self, batch: str) -> RowTotals:
            return RowTotals(conversations=3)

        async def newest(self, batch: str, *, limit: int) -> list[ConversationRow]:
            return []

    progress = RunProgress()

    progress(BatchStarted(batch=a_batch("a/1", "a/2", "a/3", "a/4"), stored=1, again=0))
    await progress.read(Stored())

    assert (progress.facts()["done"], progress.facts()["per_minute"]) == (3, None)


@pytest.mark.process
def test_a_bar_on_a_terminal_ends_and_leaves_the_result(hundred: tuple[str, ...], tmp_path: Path):
    with terminal(*hundred, folder=tmp_path) as (screen, program):
        printed = screen.rest()

    assert program.wait() == -9 or program.returncode == 1
    assert "FAILED: " in printed
    assert "✗ The chatbot crashed" in printed
