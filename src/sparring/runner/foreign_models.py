"""Models of other people's plug-ins, kept from doing more than fail a call."""

from dataclasses import dataclass

from sparring.chatbots.isolation import alone
from sparring.llm.model import Completion, Model, Request
from sparring.llm.pricing import Price, price_by


@dataclass(frozen=True)
class Apart:
    """A model, each call in a task of its own: one that swallows its cancellation is left behind, and ends no batch."""

    model: Model

    @property
    def price(self) -> Price:
        return price_by(self.model)

    async def complete(self, request: Request) -> Completion:
        return await alone(self.model.complete(request))
