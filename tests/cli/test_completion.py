"""Candidates of a word, and the scripts in shells that are installed, each in a terminal of its own."""

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import Sparring
from sparring.cli.help import candidates
from tables import table
from terminal import Terminal


@pytest.fixture
def project(inside: Sparring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a batch of the demo and a preset."""
    inside("demo")
    (tmp_path / "chatbot.yaml").write_text("url: http://localhost:1\n", encoding="utf-8")
    (tmp_path / "bot.py").touch()
    (tmp_path / "bots").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SPARRING_STORE", raising=False)
    return tmp_path


def completed(*words: str) -> list[str]:
    return [each.partition("\t")[0] for each in candidates([*words])]


@table(
    ("words", "expected"),
    [
        (("comp",), ["compare", "completion"]),
        (("help", "sch"), ["schema"]),
        (("tokens", "r"), ["revoke"]),
        (("run", "--max-c"), ["--max-cost", "--max-conversations"]),
        (("run", "--crash", ""), ["failed", "undecided"]),
        (
            (
                "run",
                "--crash=f",
            ),
            ["--crash=failed"],
        ),
        (("run", "--color", "n"), ["never"]),
        (("run", "--model", "off"), ["offline"]),
        (("run", "--chatbot", "piz"), ["pizzeria"]),
        (("run", "--chatbot", "ras"), ["rasa:"]),
        (("run", "--chatbot", "http:ch"), ["http:chatbot.yaml"]),
        (("run", "--chatbot", "websocket:ch"), ["websocket:chatbot.yaml"]),
        (("run", "--chatbot", "command:./b"), ["command:./bot.py", "command:./bots/"]),
        (("run", "--chatbot", "prompted:b"), ["prompted:bots/"]),
        (("run", "--chatbot", "python:b"), ["python:bot.py", "python:bots/"]),
        (("run", "--chatbot", "rasa:b"), []),
        (("run", "--resume", "la"), ["latest"]),
        (("run", "scenarios", ""), []),
        (("show", "de"), ["demo"]),
        (("show", "demo", "orders/1"), ["orders/1"]),
        (("show", "demo", "nothing"), []),
        (("compare", "demo", "la"), ["latest"]),
        (("init", "phone"), ["phone_orders"]),
        (("nonsense", ""), []),
    ],
)
def test_a_word_is_completed(project: Path, words: tuple[str, ...], expected: list[str]):
    assert completed(*words) == expected


def test_batches_are_found_in_the_store_of_the_settings(project: Path):
    (project / ".sparring").rename(project / "elsewhere")
    assert completed("show", "de") == []

    assert completed("show", "--store", "elsewhere/sparring.db", "de") == ["demo"]
    (project / "sparring.yaml").write_text("seed: 1\nstore: elsewhere/sparring.db # here\n", encoding="utf-8")
    assert completed("show", "de") == ["demo"]


def test_a_file_that_is_no_store_completes_nothing_but_latest(project: Path):
    (project / ".sparring" / "sparring.db").write_text("no database", encoding="utf-8")

    assert completed("show", "") == ["latest"]


@pytest.mark.process
def test_completing_imports_neither_a_web_framework_nor_models(project: Path):
    program = "import sys\nfrom sparring.cli import call\ncall(['_complete', 'show', 'demo', ''])\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.startswith("orders/1\tpassed\n")
    assert not {"typer", "pydantic", "rich", "asyncio", "fastapi", "sparring.web", "sparring.llm"} & {
        *done.stdout.split()
    }


AT_THE_TERMINAL = "import os, sys; os.login_tty(0); os.execv(sys.argv[1], sys.argv[1:])"  # fish ends without one
STARTS = {
    "bash": ["--norc", "-i"],
    "zsh": ["-f", "-i"],
    "fish": ["--no-config", "-i"],
}
LOADS = {
    "bash": "eval \"$(sparring completion bash)\"; PS1='you> '; bind 'set bell-style none'",
    "zsh": "autoload -U compinit; compinit -u -D; eval \"$(sparring completion zsh)\"; PS1='you> '",
    "fish": "function fish_prompt; echo -n 'you> '; end; sparring completion fish | source",
}


@pytest.mark.process
@pytest.mark.parametrize("shell", STARTS)
def test_a_shell_completes_commands_batches_and_chatbots(project: Path, shell: str):
    if not (program := shutil.which(shell)):
        pytest.skip(f"{shell} is not installed")
    screen, keyboard = pty.openpty()
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "TERM": "xterm", "HOME": str(project)}
    started = subprocess.Popen(
        [sys.executable, "-c", AT_THE_TERMINAL, program, *STARTS[shell]],
        cwd=project,
        env=environment,
        stdin=keyboard,
        stdout=keyboard,
        stderr=keyboard,
    )
    os.close(keyboard)
    try:
        shown = Terminal(screen)
        shown.type(f"{LOADS[shell]}; echo loa''ded")
        shown.waits("loaded")
        for typed, expected in (
            ("sparring compl", "sparring completion"),
            ("sparring show de", "sparring show demo"),
            ("sparring run --chatbot http:cha", "sparring run --chatbot http:chatbot.yaml"),
            ("sparring run --chatbot piz", "sparring run --chatbot pizzeria"),
        ):
            os.write(screen, f"{typed}\t".encode())
            shown.waits(expected[len(typed) :])
            os.write(screen, b"\x15")  # deletes the line
    finally:
        started.kill()
        started.wait()
        os.close(screen)
