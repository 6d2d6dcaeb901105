"""Pages about prompts: all versions that batches were told, one of them, and what changed from one to another."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import HTMLResponse

from sparring.core.batch import Batch
from sparring.core.errors import InputError
from sparring.core.prompts import Prompts
from sparring.reports.html.word_diff import changed
from sparring.web.api.batches import ULID, Service
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import Refusal
from sparring.web.rendering import page

router = APIRouter(prefix="/prompts", include_in_schema=False)

_BATCHES = 500
"""The newest batches, of which it is said what they were told."""

Hash = Annotated[str, Path(pattern="^[0-9a-f]{12,64}$")]


@dataclass(frozen=True)
class Version:
    """A version, and the newest batches that were told it, newest first."""

    prompts: Prompts
    batches: tuple[Batch, ...]

    @property
    def newest(self) -> str:
        return self.batches[0].id if self.batches else ""


@router.get("")
async def versions(
    request: Request, service: Service, batch: Annotated[str, Query(pattern=f"{ULID}|^$")] = ""
) -> HTMLResponse:
    """All versions, or those of one batch; those that were told last come first."""
    of = await _batch(service, batch) if batch else None
    found = await _versions(service, set(of.prompts.values()) if of else None)
    return page(request, "prompts.html", versions=found, of=of)


@router.get("/{hash}")
async def version(
    request: Request,
    service: Service,
    hash: Hash,
    other: Annotated[str, Query(alias="with", pattern="^([0-9a-f]{12,64})?$")] = "",
) -> HTMLResponse:
    """One version, as it was, whatever has become of its files; `with` says from which other one it is told apart."""
    known = await _versions(service, None)
    this, that = _one(known, hash), _one(known, other) if other else None
    others = sorted(
        (each for each in known if each is not this), key=lambda each: each.prompts.name != this.prompts.name
    )
    differences = changed(that.prompts.files(), this.prompts.files()) if that else {}
    return page(request, "prompt.html", version=this, that=that, differences=differences, others=others)


async def _versions(service: AppState, wanted: set[str] | None) -> list[Version]:
    told: defaultdict[str, list[Batch]] = defaultdict(list)
    for batch in await service.store.batches(limit=_BATCHES):
        for hash in set(batch.prompts.values()):
            told[hash].append(batch)
    found = [Version(each, tuple(told[each.hash])) for each in await service.store.prompts()]
    return sorted(
        (each for each in found if wanted is None or each.prompts.hash in wanted),
        key=lambda each: (each.newest, each.prompts.name),
        reverse=True,
    )


def _one(versions: list[Version], hash: str) -> Version:
    found = [each for each in versions if each.prompts.hash.startswith(hash)]
    if len(found) != 1:
        raise Refusal(404, f"there are no prompts with the hash {hash}")
    return found[0]


async def _batch(service: AppState, id: str) -> Batch:
    try:
        return await service.store.head(id)
    except InputError as error:
        raise Refusal(404, f"there is no batch {id}") from error
