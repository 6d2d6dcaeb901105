"""The order API as a program of its own, with the chatbot's tools reaching it over a socket."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import pytest

from sparring.core.case import Case
from sparring.core.clock import SystemClock
from sparring.core.message import message
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.plugin_context import PluginContext
from sparring_bots.service import chatbot
from sparring_bots.service.api import listen, serve
from sparring_bots.service.shop import Shop

CASE = Case(id="remote", variables={"customer_id": "CUST-001"})


@pytest.fixture
def served(process: None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The program, running, and its address."""
    command = [sys.executable, "-m", "sparring_bots.service", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        yield program, program.stdout.readline().rsplit(" ", 1)[-1].strip()
        program.kill()


async def test_the_tools_reach_it_and_the_orders_are_everybodys(
    served: tuple[subprocess.Popen[str], str], offline: PluginContext
):
    async with HttpTransport() as transport:
        bot = chatbot(f"api-url={served[1]}/", replace(offline, transport=transport, clock=SystemClock()))
        async with bot.connect(CASE) as one, bot.connect(CASE) as other:
            said = await one.reply(message("user", "Cancel ORD-001"))
            again = await other.reply(message("user", "Cancel ORD-001"))
            refused = [await one.commands()[name]("") for name in ("database", "reset")]
            shown = (await one.commands()["order"]("ORD-001")).splitlines()
            listed = (await one.commands()["orders"]("CUST-006")).splitlines()

    assert said.text == "Order ORD-001 is cancelled. $48.90 will be refunded."
    assert again.text == "Order ORD-001 cannot be cancelled. It is cancelled already."
    assert refused == [
        "This chat uses a shared order API. Use /orders CUSTOMER to list the orders of one customer.",
        "This chat uses a shared order API and cannot reset it. Start another chat instead.",
    ]
    assert "status: cancelled" in shown
    assert listed == ["CUST-006 has no orders."]


def test_a_server_that_reported_its_address_closes_cleanly(shop: Shop):
    line = listen("127.0.0.1", 0)

    with suppress(KeyboardInterrupt):
        serve(shop, line, lambda: signal.raise_signal(signal.SIGINT))

    assert line.fileno() == -1


def test_ctrl_c_closes_it_cleanly(served: tuple[subprocess.Popen[str], str]):
    program, _ = served
    program.send_signal(signal.SIGINT)

    output, errors = program.communicate(timeout=240)

    assert (program.returncode, output, errors) == (0, "", "closed\n")
