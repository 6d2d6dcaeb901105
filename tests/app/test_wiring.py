import asyncio

import pytest

from fakes import FrozenClock
from model_faults import FaultyTransport
from sparring.app.models import IsolatedModel, model_called
from sparring.chatbots import isolation
from sparring.core import plugins
from sparring.llm.model import ChatMessage, Completion, MeteredModel, Request, UnpricedModel
from sparring.llm.plugin_context import LLMConfig, PluginContext
from sparring.llm.pricing import unknown_price

ASKED = Request((ChatMessage("user", "Hello"),))


class Stubborn:
    """A model that goes on when it is cancelled, until it is let go."""

    def __init__(self) -> None:
        self.let_go = asyncio.Event()
        self.cancelled = 0

    def price(self, inputs: int, outputs: int, cached: int) -> float | None:
        return 1.0

    async def complete(self, request: Request) -> Completion:
        while not self.let_go.is_set():
            try:
                await self.let_go.wait()
            except asyncio.CancelledError:
                self.cancelled += 1
        return Completion("at last")


class Leaving(UnpricedModel):
    async def complete(self, request: Request) -> Completion:
        raise SystemExit(3)


@pytest.fixture
def context() -> PluginContext:
    return PluginContext(LLMConfig(), FrozenClock(), FaultyTransport(None, rate=1))  # type: ignore[arg-type]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The one model of a plug-in called `theirs`."""
    models: list[object] = []
    find, module = plugins.find, plugins.module_of
    monkeypatch.setattr(
        plugins,
        "find",
        lambda group, name: (lambda argument, context: models[0]) if name == "theirs" else find(group, name),
    )
    monkeypatch.setattr(
        plugins, "module_of", lambda group, name: "theirs.models" if name == "theirs" else module(group, name)
    )
    return models


@pytest.mark.usefixtures("virtual_time")
async def test_a_model_that_ignores_its_cancellation_does_not_block_the_caller(
    context: PluginContext, installed: list[object], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(isolation, "GRACE", 0.01)
    stubborn = Stubborn()
    installed.append(stubborn)
    model = MeteredModel(model_called("theirs:m", context), "user")

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await model.complete(ASKED)

    assert (stubborn.cancelled, model.price(1, 1, 0)) == (1, 1.0)
    stubborn.let_go.set()
    await asyncio.sleep(0)


async def test_a_model_that_ends_the_program_ends_its_call(context: PluginContext, installed: list[object]):
    installed.append(Leaving())

    with pytest.raises(isolation.PluginMisbehaved, match=r"^it raised SystemExit$"):
        await model_called("theirs:m", context).complete(ASKED)


def test_models_of_ours_need_no_task_of_their_own(context: PluginContext):
    ours = model_called("http://127.0.0.1:1/v1#m", context)

    assert not isinstance(ours, IsolatedModel)
    assert IsolatedModel(ours).price is ours.price  # type: ignore[attr-defined]


def test_a_model_without_a_price_has_an_unknown_one():
    assert IsolatedModel(Leaving()).price is unknown_price
