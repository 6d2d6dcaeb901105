"""The pizzeria served as a program of its own, and over HTTP the same as in process."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from sparring.chatbots import http
from sparring.chatbots.prompted.chatbot import Prompted
from sparring.core.case import Case
from sparring.core.clock import SystemClock
from sparring.core.message import message
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.plugin_context import LLMConfig, PluginContext
from sparring_bots.pizzeria.__main__ import main

PROGRAM = [sys.executable, "-m", "sparring_bots.pizzeria"]


@pytest.fixture
def served(process: None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The program, running, and its address."""
    with subprocess.Popen(
        [*PROGRAM, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        yield program, program.stdout.readline().rsplit(" ", 1)[-1].strip()
        program.kill()


async def test_over_http_it_says_the_same_as_in_process(served: tuple[subprocess.Popen[str], str], pizzeria: Prompted):
    said = ["A small custom pizza with ham", "no, thanks", "How much is it?", "yes", "What's my order id?", "blah"]
    case = Case(id="custom_pizza/1", seed=7)

    async with HttpTransport() as transport:
        over_http = http.rasa(served[1], PluginContext(LLMConfig(), SystemClock(), transport))
        async with over_http.connect(case) as there, pizzeria.connect(case) as here:
            answers = [
                ((await there.reply(message("user", line))).text, (await here.reply(message("user", line))).text)
                for line in said
            ]

    assert [there for there, _ in answers] == [here for _, here in answers]


def test_ctrl_c_closes_it_cleanly(served: tuple[subprocess.Popen[str], str]):
    program, _ = served
    program.send_signal(signal.SIGINT)

    output, errors = program.communicate(timeout=240)

    assert (program.returncode, output, errors) == (0, "", "closed\n")


def test_the_server_can_be_terminated(served: tuple[subprocess.Popen[str], str]):
    program, _ = served
    program.terminate()

    output, errors = program.communicate(timeout=240)

    assert (program.returncode, output, errors) == (0, "", "")


def test_a_port_in_use_is_one_sentence_and_a_hint(capsys: pytest.CaptureFixture[str]):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        code = main(["--port", str(port)])

    output, errors = capsys.readouterr()
    assert (code, output) == (2, "")
    assert errors == f"error: port {port} is already in use\nhint: choose another one, such as --port {port + 1}\n"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--port", "0", "--host", "256.1.1.1"], "error: cannot serve at 256.1.1.1:0"),
        (["--port", "0", "--model", "opnai:x"], "error: unknown model 'opnai'"),
        (["--port", "0", "--fault", "wrong_totl"], "error: unknown fault 'wrong_totl' of pizzeria"),
        (["--port", "0", "--model", "http://127.0.0.1:1/v1"], "error: no model after the address"),
    ],
)
def test_correctable_errors_are_one_sentence(arguments: list[str], error: str, capsys: pytest.CaptureFixture[str]):
    code = main(arguments)

    assert code == 2
    assert capsys.readouterr().err.startswith(error)


@pytest.mark.parametrize("port", ["70000", "-1", "x"])
def test_a_port_that_is_none_is_a_usage_error(port: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as caught:
        main([f"--port={port}"])

    assert caught.value.code == 2
    assert f"expected a port from 0 to 65535, got '{port}'" in capsys.readouterr().err
