"""Who plays a sample: the chatbot by Inspect's model, the user by its script, by a model role, or by its agenda."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from inspect_ai.model import Model as InspectModel
from inspect_ai.model import get_model, model_roles

from sparring.app.wiring import OFFLINE, connect, model_called, webhook_of
from sparring.chatbots.chatbot import Chatbot
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.extraction.pattern_extractor import PatternReader
from sparring.inspecting.asking import ThroughInspect, inspect_role
from sparring.inspecting.provider import is_ours
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.metering import Metered
from sparring.llm.model import Model
from sparring.llm.plugin_context import Context
from sparring.runner.players import Players
from sparring.runner.webhook import Webhook
from sparring.settings import environment, load
from sparring.users.agenda import Agenda
from sparring.users.simulated import Simulated


@dataclass(frozen=True)
class InspectContext(Context):
    """A context in which every model is asked through Inspect. `made` are those of them that are our own, by name."""

    made: dict[tuple[str, str], Model] = field(default_factory=dict)

    def model(self, role: str, *, offline: Callable[[], Model] | None = None) -> Model:
        """The model that plays `role`. Whoever cannot be played by it says so now, before the first word."""

        def own(model: InspectModel) -> Model | None:
            if not is_ours(model):
                return None
            if (role, model.name) not in self.made:
                self.made[role, model.name] = self._own(role, model.name, offline)
            return self.made[role, model.name]

        own(get_model(role=inspect_role(role)))
        return Metered(ThroughInspect(role, own), role)

    def _own(self, role: str, name: str, offline: Callable[[], Model] | None) -> Model:
        if name != OFFLINE:
            return model_called(name, self)
        if offline is None:
            raise InputError(f"the {role} cannot be played offline", hint="choose a model for it")
        return offline()


class Stage:
    """The chatbot called `name`, made once for all samples; connections are open as long as any sample is played."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._chatbot: Chatbot | None = None
        self._transport = HttpTransport()
        self._playing = 0

    @asynccontextmanager
    async def players(self) -> AsyncIterator[Players]:
        """Those who play a sample."""
        if not self._playing:
            await self._transport.__aenter__()
        self._playing += 1
        try:
            here = Path.cwd()
            async with webhook_of(load({}, directory=here), environment(here)) as webhook:
                yield self._players(webhook)
        finally:
            self._playing -= 1
            if not self._playing:
                await self._transport.__aexit__(None, None, None)

    def _players(self, webhook: Webhook | None) -> Players:
        here, clock = Path.cwd(), SystemClock()
        context = InspectContext(load({}, directory=here), clock, self._transport, environment=environment(here))
        self._chatbot = self._chatbot or connect(self._name, context)
        user = Simulated(context.model("user")) if "user" in model_roles() else Agenda()
        return Players(chatbot=self._chatbot, user=user, reader=PatternReader(clock), clock=clock, webhook=webhook)
