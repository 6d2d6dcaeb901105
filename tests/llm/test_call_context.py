"""One context for all calls of a conversation; cancelled calls are recorded through it."""

import ast
import asyncio
from pathlib import Path
from random import Random

import pytest

import sparring
from model_faults import InjectedFault
from model_server import LoopbackModelServer
from sparring.core.clock import SystemClock
from sparring.core.errors import BadCompletion, ModelUnavailable
from sparring.core.usage import Usage
from sparring.llm.call_context import CallContext, call_context, current_call
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.client.openai_compatible import OpenAICompatible
from sparring.llm.client.retry import Retries, TryAgain
from sparring.llm.metering import Meter
from sparring.llm.model import ChatMessage, Completion, MeteredModel, Request, UnpricedModel

ASK = Request((ChatMessage("user", "Hello?"),))
BILLABLE = Usage(calls=1, unknown_tokens=1, unknown_costs=1)


def test_context_variables_are_few():
    src = Path(sparring.__file__).parents[1]
    files = [path for path in src.rglob("*.py") if "ContextVar(" in path.read_text("utf-8")]
    made = [
        path.stem
        for path in files
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ContextVar"
    ]

    assert sorted(made) == ["call_context", "document", "model"]


def test_outside_of_every_block_the_context_is_empty():
    current_call().replay.next_call("user")

    assert current_call() == CallContext()


def test_a_block_inherits_what_it_does_not_change():
    meter = Meter()
    with call_context(conversation="a", meter=meter) as outer:
        outer.replay.turn = 3
        with call_context(cache_writes=[]) as inner:
            inner.warn("cut off")
            assert (inner.conversation, inner.meter, inner.replay.turn) == ("a", meter, 3)
        assert (current_call() is outer, outer.cache_writes, outer.warnings) == (True, None, ["cut off"])


def test_another_conversation_starts_its_position_and_warnings_afresh():
    meter = Meter()
    with call_context(conversation="a", meter=meter) as outer:
        outer.warn("cut off")
        outer.replay.next_call("user")
        with call_context(conversation="b") as inner:
            assert (inner.warnings, inner.replay.next_call("user"), inner.meter) == ([], 1, meter)


def hanging(server: LoopbackModelServer, transport: HttpTransport) -> MeteredModel:
    return MeteredModel(OpenAICompatible("m", url=server.url, transport=transport, retries=retries()), "user")


def retries(pace: float = 0) -> Retries:
    return Retries(SystemClock(), Random(0), pace=pace)


async def cancelled(call: "asyncio.Task[Completion]") -> None:
    call.cancel()
    with pytest.raises(asyncio.CancelledError) as raised:
        await call
    assert raised.value.args == ()


@pytest.mark.parametrize("fault", [InjectedFault.slow_headers(9), InjectedFault.slow_body(9)], ids=["headers", "body"])
async def test_a_call_cancelled_before_the_first_byte_or_during_the_body_may_be_billed(
    fault: InjectedFault, transport: HttpTransport
):
    meter = Meter()
    async with LoopbackModelServer(fault, keep=False) as server:
        with call_context(meter=meter):
            call = asyncio.create_task(hanging(server, transport).complete(ASK))
            await server.arrived(1)
            await asyncio.sleep(0.02)
            await cancelled(call)

    assert meter.usage == {"user": BILLABLE}


@pytest.mark.parametrize(
    ("failure", "usage"),
    [(BadCompletion("odd"), {"user": BILLABLE}), (ModelUnavailable("busy"), {})],
    ids=["billable", "free"],
)
async def test_a_call_cancelled_between_attempts_is_billed_only_for_those_before(
    failure: BadCompletion | ModelUnavailable, usage: dict[str, Usage]
):
    waiting = asyncio.Event()

    class Failing(UnpricedModel):
        async def complete(self, request: Request) -> Completion:
            return await Retries(SystemClock(), Random(0), sleep=self.sleep).run(self.attempt)

        async def attempt(self) -> Completion:
            raise TryAgain(failure)

        async def sleep(self, seconds: float) -> None:
            waiting.set()
            await asyncio.Event().wait()

    meter = Meter()
    with call_context(meter=meter):
        call = asyncio.create_task(MeteredModel(Failing(), "user").complete(ASK))
        await waiting.wait()
        await cancelled(call)

    assert meter.usage == usage


async def test_of_two_parallel_calls_only_the_cancelled_one_is_recorded_as_such():
    answered = asyncio.Event()
    used = Usage(calls=1, input_tokens=10, unknown_costs=1)

    class Answering(UnpricedModel):
        async def complete(self, request: Request) -> Completion:
            return await retries().run(self.attempt)

        async def attempt(self) -> Completion:
            await answered.wait()
            return Completion("Hello", usage=used)

    meter, model = Meter(), MeteredModel(Answering(), "user")
    with call_context(meter=meter):
        one, other = [asyncio.create_task(model.complete(ASK)) for _ in range(2)]
        await asyncio.sleep(0)
        await cancelled(one)
        before = meter.usage
        answered.set()
        await other

    assert (before, meter.usage) == ({"user": BILLABLE}, {"user": BILLABLE + used})
