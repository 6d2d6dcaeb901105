"""Every row of the page for those who come from the customer-service bot: what its right column says to type works."""

import io
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import pages
from sparring.cli import call

pytestmark = [
    pytest.mark.extended,
    pytest.mark.process,
    pytest.mark.timeout(600),  # Inspect takes its time to start, and more where others are at work
]

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/coming-from-the-service-bot.md").read_text(encoding="utf-8")
EXPERIMENTS = (ROOT / "docs/how-to/run-experiments-with-inspect.md").read_text(encoding="utf-8")
TYPED_THERE = [command.partition("#")[0].strip() for command in pages.commands(EXPERIMENTS)]
SERVES = {"serve", "view"}
STARTS = ("sparring ", "python ", "make ", "inspect ")


def rows(heading: str) -> list[tuple[str, str]]:
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    found = [row.split("|")[1:3] for row in section.splitlines() if re.match(r"\| (?!then)", row)]
    return [(then.strip(), now.strip()) for then, now in found]


def commands(now: str) -> list[str]:
    return [command for command in re.findall(r"`([^`]+)`", now) if command.startswith(STARTS)]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the page."""
    folder = tmp_path_factory.mktemp("project")
    pages.write_files(PAGE, folder)
    return folder


@pytest.fixture(scope="module")
def logs(project: Path) -> None:
    """The page about experiments, typed from top to bottom: what both pages say to type, and logs for the rest."""
    pages.write_files(EXPERIMENTS, project)
    pages.type_in(EXPERIMENTS, project, patience=240)


@pytest.fixture
def api(project: Path) -> Iterator[str]:
    """The order API, at some port."""
    port = pages.free_port()
    with serving(f"python -m sparring_bots.service serve --port {port}", project, port):
        yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize(
    ("then", "command"),
    [(then, command) for then, now in rows("Scripts") + rows("Steps of a playbook") for command in commands(now)],
)
def test_a_command_works_as_it_stands(request: pytest.FixtureRequest, project: Path, then: str, command: str):
    if "experiment" in command:
        request.getfixturevalue("logs")
    if command in TYPED_THERE:
        return
    if "api-url" in command:
        command = re.sub(r"http://127\.0\.0\.1:\d+", request.getfixturevalue("api"), command)
    words = shlex.split(command)
    if SERVES & {*words}:
        port = pages.free_port()
        with serving(re.sub(r"--port \d+", f"--port {port}", command), project, port):
            return
    if words[0] == "make":
        command = f"make -n {words[1]}"
    if "pytest" in words:
        command += " --collect-only -q"
    run(command, ROOT if words[0] == "make" or "pytest" in words else project)


def test_the_report_is_where_the_page_says(project: Path, logs: None):
    assert "sparring experiment report" in TYPED_THERE
    assert "tracking" in (project / "logs/experiments/REPORT.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("then", "now"), rows("In the live chat"))
def test_a_slash_command_works_as_it_stands(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], then: str, now: str
):
    monkeypatch.chdir(project)
    answers = []
    for command in re.findall(r"`(/[^`]+)`", now):
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{command}\n"))
        assert call(["chat", "service:customer=CUST-001", "--model", "offline"]) == 0
        answers.append("".join(capsys.readouterr()))

    assert answers
    assert not any("unknown command" in answer for answer in answers)


def test_every_script_command_and_step_has_a_row():
    then = " ".join(
        row[0] for heading in ("Scripts", "In the live chat", "Steps of a playbook") for row in rows(heading)
    )

    scripts = (
        "env_setup.sh",
        "live_chat.sh",
        "run_tests.sh",
        "--live",
        "start_experiment.sh",
        "analyse_experiments.sh",
    )
    chat = ("/database", "/orders", "/order", "/metrics", "/reset", "/export", "/help", "/exit", "/quit")
    steps = ("user", "inject_bot_response", "inject_tool", "expect_tool", "expect_bot_regex")
    others = ("OPENROUTER_API_KEY", "aisi view", "uvicorn")
    assert [name for name in (*scripts, *chat, *steps, *others) if name not in then] == []


def run(command: str, folder: Path) -> None:
    done = pages.typed(command, folder, patience=240)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


class serving:
    """A program that serves at a port, until it is left; entered once it answers."""

    def __init__(self, command: str, folder: Path, port: int) -> None:
        self._started = (shlex.split(command), folder, port)

    def __enter__(self) -> None:
        words, folder, port = self._started
        quiet = subprocess.DEVNULL
        self._program = subprocess.Popen(words, cwd=folder, env=pages.environment(), stdout=quiet, stderr=quiet)
        for _ in range(6000):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            assert self._program.poll() is None, f"it ended by itself: {words}"
            time.sleep(0.05)
        raise AssertionError(f"nothing answers: {words}")

    def __exit__(self, *_: object) -> None:
        self._program.terminate()
        self._program.wait(240)
