"""Pages of prompt versions: the list, one version, and the differences between two."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import HTMLResponse

from sparring.core.batch import Batch
from sparring.core.prompts import Prompts
from sparring.reports.html.word_diff import changed_lines
from sparring.web.api.batches import ULID, Service, stored_batch
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import RequestError
from sparring.web.rendering import page

router = APIRouter(prefix="/prompts", include_in_schema=False)

_BATCHES = 500
"""Newest batches to search for uses of a prompt version."""

Hash = Annotated[str, Path(pattern="^[0-9a-f]{12,64}$")]


@dataclass(frozen=True)
class PromptUse:
    """A prompt version and the batches that used it, newest first."""

    prompts: Prompts
    batches: tuple[Batch, ...]

    @property
    def newest(self) -> str:
        return self.batches[0].id if self.batches else ""


@router.get("")
async def versions(
    request: Request, service: Service, batch: Annotated[str, Query(pattern=f"{ULID}|^$")] = ""
) -> HTMLResponse:
    """List all prompt versions, or those of one batch, most recently used first."""
    of = await stored_batch(service, batch) if batch else None
    found = await _prompt_uses(service, set(of.prompts.values()) if of else None)
    return page(request, "prompts.html", versions=found, of=of)


@router.get("/{hash}")
async def version(
    request: Request,
    service: Service,
    hash: Hash,
    other: Annotated[str, Query(alias="with", pattern="^([0-9a-f]{12,64})?$")] = "",
) -> HTMLResponse:
    """Show one prompt version as stored; with `with`, its differences from that version."""
    known = await _prompt_uses(service, None)
    this, that = _find(known, hash), _find(known, other) if other else None
    others = sorted(
        (each for each in known if each is not this), key=lambda each: each.prompts.name != this.prompts.name
    )
    differences = changed_lines(that.prompts.files(), this.prompts.files()) if that else {}
    return page(request, "prompt.html", version=this, that=that, differences=differences, others=others)


async def _prompt_uses(service: AppState, wanted: set[str] | None) -> list[PromptUse]:
    users: defaultdict[str, list[Batch]] = defaultdict(list)
    for batch in await service.store.batches(limit=_BATCHES):
        for hash in set(batch.prompts.values()):
            users[hash].append(batch)
    found = [PromptUse(each, tuple(users[each.hash])) for each in await service.store.prompts()]
    return sorted(
        (each for each in found if wanted is None or each.prompts.hash in wanted),
        key=lambda each: (each.newest, each.prompts.name),
        reverse=True,
    )


def _find(versions: list[PromptUse], hash: str) -> PromptUse:
    found = [each for each in versions if each.prompts.hash.startswith(hash)]
    if len(found) != 1:
        raise RequestError(404, f"prompts {hash} not found")
    return found[0]
