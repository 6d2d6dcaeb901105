"""The routes of prompts, under /api: what the players of batches were told, and what was saved, version by version."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic import NonNegativeInt

from sparring.core.prompts import Prompts, Saved
from sparring.core.value import Value
from sparring.reports.html.word_diff import unified
from sparring.web.answers import Refusal, answer, refusals
from sparring.web.api import Service
from sparring.web.service import Served
from sparring.web.spoken import Spoken, spoken

router = APIRouter(prefix="/api/prompts", tags=["prompts"])

Hash = Annotated[str, Path(pattern="^[0-9a-f]{12,64}$", description="A hash, or its first 12 characters or more.")]


class Version(Value):
    """A version of prompts: what it is called, its hash, and its agents."""

    name: str
    hash: str
    description: str
    entry: str
    agents: tuple[str, ...]


class Versions(Value):
    """All versions that players of batches were told or that were saved, in the order of their hashes; `saved` are the
    names that were given to some, the newest first.
    """

    prompts: tuple[Version, ...]
    total_count: NonNegativeInt
    saved: tuple[Saved, ...]


class Content(Version):
    """A version with its texts, by the names of files; and as it is sent to save another."""

    files: dict[str, str]
    spec: Spoken


class Difference(Value):
    """What changed from one version to another: a unified diff for each file that did."""

    before: str
    after: str
    files: dict[str, str]


@router.get("", response_model=Versions, responses=refusals())
async def versions(service: Service) -> Response:
    """The versions of prompts that batches were told, or that were saved."""
    found, saved = await service.store.prompts(), await service.store.saved_prompts()
    return answer(Versions(prompts=tuple(map(head, found)), total_count=len(found), saved=tuple(saved)))


@router.get("/{hash}", response_model=Content, responses=refusals(404))
async def version(hash: Hash, service: Service) -> Response:
    """One version, as it was, whatever has become of its files."""
    return answer(content(await version_of(hash, service)))


@router.get("/{hash}/diff", response_model=Difference, responses=refusals(404))
async def difference(
    hash: Hash,
    service: Service,
    after: Annotated[str, Query(pattern="^[0-9a-f]{12,64}$", description="The hash of what to compare it with.")],
) -> Response:
    """What changed from this version to another."""
    old, new = await version_of(hash, service), await version_of(after, service)
    return answer(Difference(before=old.hash, after=new.hash, files=_changed(old.files(), new.files())))


def content(prompts: Prompts) -> Content:
    """A version with all that it says."""
    return Content(**head(prompts).model_dump(), files=prompts.files(), spec=spoken(prompts))


async def version_of(hash: str, service: Served) -> Prompts:
    """The version whose hash begins so."""
    found = await service.store.prompts(hash)
    if len(found) != 1:
        raise Refusal(404, f"there are no prompts with the hash {hash}")
    return found[0]


def head(prompts: Prompts) -> Version:
    """What it is called, and its hash."""
    return Version(
        name=prompts.name,
        hash=prompts.hash,
        description=prompts.description,
        entry=prompts.entry,
        agents=tuple(prompts.agents),
    )


def _changed(before: dict[str, str], after: dict[str, str]) -> dict[str, str]:
    found = {
        name: "\n".join(unified(before.get(name, "").splitlines(), after.get(name, "").splitlines(), name))
        for name in dict.fromkeys((*before, *after))
    }
    return {name: text for name, text in found.items() if text}
