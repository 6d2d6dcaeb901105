"""Help: what it says, how fast it comes, and examples that hold."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer

import sparring.cli
from command_line import Sparring
from sparring.cli import COMMANDS
from sparring.cli.help import SCREEN, command_help, described, examples
from sparring.cli.process import command_app
from tables import table

PARTS = [[name] for name in COMMANDS] + [
    [name, part] for name, command in described().items() for part in command.get("commands", ())
]

TEXTS = tomllib.loads(Path(sparring.cli.__file__).with_name("help.toml").read_text(encoding="utf-8"))


def test_help_alone_prints_the_groups_and_a_command_to_copy(inside: Sparring):
    shown = inside()

    assert (shown.returncode, shown.stdout) == (0, inside("--help").stdout)
    assert shown.stdout.rstrip().endswith("\n  sparring demo")
    assert "\nWhy:\n  read " in shown.stdout


@pytest.mark.parametrize("words", PARTS, ids=" ".join)
def test_help_of_a_command_fits_a_screen_and_a_line(words: list[str]):
    lines = command_help(words, width=100).splitlines()

    assert len(lines) <= SCREEN
    assert [line for line in lines if len(line) > 100 and "sparring" not in line] == []


@table("words", PARTS)
def test_texts_of_help_belong_to_an_option_or_argument(words: list[str]):
    command = described()[words[0]]
    for inner in words[1:]:
        command = command["commands"][inner]
    known = {each["name"] for kind in ("arguments", "options") for each in command[kind]}

    assert TEXTS.get(" ".join(words), {}).keys() <= known


def test_every_table_of_texts_belongs_to_a_command():
    assert {*TEXTS} <= {"*", *map(" ".join, PARTS)}


def test_help_with_all_describes_every_option(inside: Sparring):
    brief, whole = inside("run", "-h").stdout, inside("run", "-h", "--all").stdout

    assert re.findall("^  (--[a-z]+)", brief, re.MULTILINE) == [
        *("--chatbot", "--model", "--judge", "--seed", "--concurrency", "--rules", "--repeat", "--name", "--json")
    ]
    assert "Recording  --store  --resume" in brief
    assert "Replay model calls" not in brief
    assert "Replay model calls" in whole


@table("command", COMMANDS)
def test_help_ends_with_two_examples_that_parse(command: str):
    app = typer.main.get_command(command_app(COMMANDS[command][0]))

    for line in examples(command):
        words = shlex.split(line.partition(" > ")[0])
        app.make_context(" ".join(words[:2]), words[2:])  # raises what a mistyped one would

    assert len(examples(command)) == 2


@pytest.mark.process
def test_help_of_a_command_imports_neither_typer_nor_the_command():
    program = "import sys\nfrom sparring.cli import call\nassert call(['run', '-h']) == 0\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert not {"typer", "pydantic", "rich", "asyncio", "sparring.core.value"} & {*done.stdout.split()}


def test_the_words_of_an_argument_are_no_call_for_help(inside: Sparring, tmp_path: Path):
    (tmp_path / "-h").write_text("goals: [order a pizza]\n", encoding="utf-8")

    assert "Usage" not in inside("validate", "--", "-h").stdout
