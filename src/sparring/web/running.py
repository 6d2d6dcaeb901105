"""How far a batch is and how fast it goes, for its page."""

from dataclasses import dataclass

from sparring.app.listing import Seen
from sparring.core.batch import Batch
from sparring.core.listing import Brief
from sparring.judges.exact import EXACT
from sparring.runner.judge_worker import NOBODY
from sparring.web.documented import BatchStatus, Status
from sparring.web.service import Served, status

_NEWEST = 12


@dataclass(frozen=True)
class Running:
    """A batch at a moment: its status, what came out so far, what ended last, the seconds that are left, and the models
    that are asked nothing for so many seconds, as their providers wish. `judges_apart` says whether judges call models,
    which is in no figure of the conversations."""

    status: BatchStatus
    seen: Seen
    newest: list[Brief]
    playing: bool
    left: float | None
    pauses: dict[str, float]
    judges_apart: bool


async def running(service: Served, batch: Batch, *, patience: float = 0.2) -> Running:
    """How far a batch is now."""
    now = await status(service.store, batch)
    seen = await service.looking.look(batch, patience=patience)
    playing = service.background.plays(batch.id)
    newest = await service.store.newest(batch.id, limit=_NEWEST) if playing else []
    left = _left(service, now, seen) if playing else None
    pauses = service.background.limits.pauses() if playing else {}
    return Running(now, seen, newest, playing, left, pauses, batch.who.judge not in ("", NOBODY, *EXACT))


def _left(service: Served, now: BatchStatus, seen: Seen) -> float | None:
    """Seconds until the end at the speed so far; None while nobody can know."""
    if now.status is not Status.RUNNING or now.started_at is None or not seen.progress.stored:
        return None
    took = (service.clock.now() - now.started_at).total_seconds()
    return took / seen.progress.stored * seen.progress.left
