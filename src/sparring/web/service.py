"""What the routes work with: the store, the batches under way, and what the operator offers."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from sparring.core.batch import Batch
from sparring.core.clock import Clock
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.verdict import Verdict
from sparring.runner.background import Background
from sparring.runner.concluding import own_verdicts
from sparring.runner.demonstrating import CHATBOT
from sparring.runner.judged import with_said
from sparring.runner.wiring import OFFLINE
from sparring.settings import Settings
from sparring.store.store import ALL, Filter, Store
from sparring.web import documented
from sparring.web.documented import BatchStatus, Result
from sparring.web.finding_out import FindingOut
from sparring.web.launching import Offer
from sparring.web.looking import Looking
from sparring.web.seats import Seats


@dataclass
class Served:
    """One service; `closing` is set when it stops, so that whoever listens for ever stops too."""

    store: Store
    background: Background
    offer: Offer
    settings: Settings
    clock: Clock
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    finding_out: FindingOut = field(default_factory=FindingOut)
    looking: Looking = field(init=False)
    seats: Seats = field(init=False)

    @property
    def demonstrates(self) -> bool:
        """Whether the operator offers what the demonstration is played with."""
        return CHATBOT in self.offer.chatbots and OFFLINE in self.offer.models

    def __post_init__(self) -> None:
        self.looking = Looking(self.store)
        self.seats = Seats(self.settings.serve.listeners)


async def status(store: Store, batch: Batch) -> BatchStatus:
    """How far a batch is."""
    return documented.batch_status(batch, await store.job(batch.id), await store.progress(batch.id))


async def results(
    store: Store,
    batch: Batch,
    *,
    wanted: Filter = ALL,
    after: str = "",
    limit: int | None = None,
    transcripts: bool = False,
) -> AsyncIterator[Result]:
    """What became of the scenarios of a batch, in their order; `batch` comes with its cases."""
    places = {case.id: index for index, case in enumerate(batch.cases)}
    async for conversation, said in with_said(batch, store, wanted=wanted, after=after, limit=limit):
        yield await result(batch, places[conversation.case.id], conversation, said, transcript=transcripts)


async def result(
    batch: Batch, index: int, conversation: Conversation, said: list[Verdict], *, transcript: bool = False
) -> Result:
    """What became of one of them, given what judges said about it."""
    verdicts = await own_verdicts(batch, conversation, said)
    return documented.result(index, conversation, verdicts, transcript=transcript)


def place(batch: Batch, conversation: Conversation) -> int:
    """Which of the scenarios a conversation is of."""
    for index, case in enumerate(batch.cases):
        if case.id == conversation.case.id:
            return index
    raise InputError(f"batch {batch.id} has no case {conversation.case.id!r}")
