import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import Sparring
from sparring.cli import COMMANDS


def test_help_names_every_command_and_where_to_start(sparring: Sparring):
    done = sparring("--help")

    assert done.returncode == 0
    assert all(name in done.stdout for name in COMMANDS)
    assert "sparring demo" in done.stdout


def test_no_arguments_is_a_call_for_help(inside: Sparring):
    assert inside().stdout == inside("--help").stdout


@pytest.mark.process
@pytest.mark.parametrize("arguments", [["--help"], ["run", "-h"], ["personas"]], ids=" ".join)
def test_a_closed_output_pipe_is_not_an_error(arguments: list[str]):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-u", "-m", "sparring", *arguments], stdout=write, stderr=subprocess.PIPE)
    os.close(write)

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.process
def test_help_imports_nothing_heavy():
    program = "import sys\nfrom sparring.cli import call\nassert call(['--help']) == 0\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {
        "pydantic",
        "typer",
        "rich",
        "aiohttp",
        "asyncio",
        "numpy",
        "ruamel",
        "orjson",
        "fastapi",
        "re2",
        "inspect_ai",
        "openai",
    }


@pytest.mark.process
def test_nothing_but_inspecting_imports_inspect():
    program = (
        "import sys, pkgutil, importlib, sparring\n"
        "for module in pkgutil.walk_packages(sparring.__path__, 'sparring.'):\n"
        "    extra = module.name.startswith('sparring.integrations.inspect_ai.')\n"
        "    if not extra and module.name != 'sparring.__main__':\n"
        "        importlib.import_module(module.name)\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert not {name.partition(".")[0] for name in done.stdout.split()} & {"inspect_ai", "openai"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(inside: Sparring, command: str):
    done = inside(command, "--help")

    assert (done.returncode, done.stderr) == (0, "")
    assert f"Usage: sparring {command}" in done.stdout


def test_the_version_is_the_packages(inside: Sparring):
    assert inside("--version").stdout.startswith("sparring 0.")


def test_the_demo_passes_and_says_where_to_look_next(sparring: Sparring):
    done = sparring("demo")

    assert done.returncode == 0, done.stderr
    assert "PASSED: all 7 passed" in done.stdout
    assert "Rules that hold: orders_are_really_placed (6 of 6), size_decides_price (6 of 6)" in done.stdout
    assert re.search(r"  (python -m )?sparring show latest orders/1\n", done.stdout)


def test_what_the_demo_points_to_is_there(inside: Sparring):
    inside("demo")

    shown = inside("show", "latest", "orders/1")

    assert shown.returncode == 0
    assert "goals answered" in shown.stdout
    assert "pizza" in shown.stdout


def test_show_lists_batches_by_name_and_a_batch_by_its_name(inside: Sparring):
    inside("demo")

    assert "demo" in inside("show").stdout
    assert "PASSED: all 7 passed" in inside("show", "demo", "--all").stdout
    assert inside("show", "demo", "--json").stdout.startswith("{")
    assert "did you mean 'demo'" in inside("show", "dmo").stderr


def test_chat_answers_and_ends_with_the_input(inside: Sparring):
    done = inside("chat", "pizzeria", "--model", "offline", stdin="What are the opening hours?\n/help\n")

    assert done.returncode == 0
    assert "1 pm" in done.stdout
    assert "/exit" in done.stderr


@pytest.mark.process
def test_a_reader_that_closes_the_pipe_is_no_error(inside: Sparring, tmp_path: Path):
    command = f"{sys.executable} -m sparring show | head -0"
    inside("demo")

    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.stderr == ""


def test_help_and_version_are_found_by_every_usual_spelling(inside: Sparring):
    spellings = [("help", "report"), ("report", "-h"), ("report", "--help")]

    helps = [inside(*each) for each in spellings]

    assert {each.returncode for each in helps} == {0}
    assert len({each.stdout for each in helps}) == 1
    assert "Usage: sparring report" in helps[0].stdout
    assert inside("version").stdout == inside("--version").stdout


def test_old_spellings_of_options_work_and_warn(inside: Sparring):
    done = inside("run", "nowhere.yml", "--sequence")

    assert "warning: --sequence is now --replay-mode sequence; the old spelling works until 0.3\n" in done.stderr
    assert "error: --replay-mode sequence requires --replay FILE\n" in done.stderr
