"""Pages of prompt versions: the list, one version, the differences between two, and an editor."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import ValidationError

from sparring.core.batch import Batch
from sparring.core.errors import InputError, Problem
from sparring.core.prompts import PlayerRole, Prompts
from sparring.reports.html.conversation import changed_lines
from sparring.web.api.batches import ULID, Service, stored_batch
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import RequestError
from sparring.web.api.prompts import PromptUpdate, find_version, known_versions, payload_of, save_version
from sparring.web.rendering import page

router = APIRouter(prefix="/prompts", include_in_schema=False)

PROMPT_FIELDS: dict[PlayerRole, str] = {"chatbot": "prompts", "user": "user_prompts", "judge": "judge_prompts"}
"""Fields of the launch form and of a launch request, by the player whose prompts they choose."""

_BATCHES = 500
"""Newest batches to search for uses of a prompt version."""

_NAMED = "begin with a letter or a digit; then letters, digits, spaces and ._@/- are allowed, up to 100 in all"

Hash = Annotated[str, Path(pattern="^[0-9a-f]{12,64}$")]


@dataclass(frozen=True)
class PromptUse:
    """A prompt version, the names it is saved under, and the batches that used it, newest first.

    `runs` are the numbers of the newest ones among those of their names.
    """

    prompts: Prompts
    saved: tuple[str, ...]
    batches: tuple[Batch, ...]
    runs: Mapping[str, int]

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
    return page(
        request,
        "prompt.html",
        version=this,
        that=that,
        differences=differences,
        others=others,
        field=PROMPT_FIELDS[this.prompts.role],
    )


@router.get("/{hash}/edit")
async def edit(request: Request, service: Service, hash: Hash) -> HTMLResponse:
    """Show the texts of a version in a form that saves them as another one."""
    version = await find_version(hash, service)
    names = [each.name for each in await service.store.saved_prompts() if each.hash == version.hash]
    return _editor(request, service, version, called=names[0] if names else version.name.replace(":", " "))


@router.post("/{hash}/edit")
async def save(request: Request, service: Service, hash: Hash) -> Response:
    """Save the edited texts of a version under a name, and show what has changed."""
    version = await find_version(hash, service)
    async with request.form(max_files=0) as form:
        written = {name: text.replace("\r\n", "\n") for name, text in form.items() if isinstance(text, str)}
    edited = version.model_copy(
        update={
            "agents": {
                id: agent.model_copy(update={"prompt": written.get(f"prompt {id}", agent.prompt)})
                for id, agent in version.agents.items()
            },
            "greeting": written.get("greeting", version.greeting),
        }
    )
    name, chatbot = written.get("name", "").strip(), written.get("chatbot")
    try:
        update = PromptUpdate(name=name, chatbot=chatbot, spec=payload_of(edited))
        made = await save_version(update, service)
    except (InputError, ValidationError) as error:
        problems = error.problems if isinstance(error, InputError) else (Problem(path="name", message=_NAMED),)
        return _editor(
            request, service, edited, called=name, problems=problems, of=version, chatbot=chatbot, status=422
        )
    return RedirectResponse(f"/prompts/{made.short}?with={version.short}", 303)


def _editor(
    request: Request, service: AppState, prompts: Prompts, *, status: int = 200, **values: object
) -> HTMLResponse:
    shared = {"of": prompts, "chatbot": None, "problems": (), "chatbots": service.allowed.chatbots, **values}
    return page(request, "prompt_edit.html", status=status, prompts=prompts, **shared)


async def saved_names(service: AppState) -> dict[PlayerRole, list[str]]:
    """Return the names of saved versions by their player, most recently saved first."""
    roles = {each.hash: each.role for each in await service.store.prompts()}
    found: dict[PlayerRole, list[str]] = {role: [] for role in PROMPT_FIELDS}
    for each in await service.store.saved_prompts():
        if each.hash in roles and each.name not in found[roles[each.hash]]:
            found[roles[each.hash]].append(each.name)
    return found


async def _prompt_uses(service: AppState, wanted: set[str] | None) -> list[PromptUse]:
    users: defaultdict[str, list[Batch]] = defaultdict(list)
    for batch in await service.store.batches(limit=_BATCHES):
        for hash in set(batch.prompts.values()):
            users[hash].append(batch)
    names: defaultdict[str, list[str]] = defaultdict(list)
    for each in await service.store.saved_prompts():
        names[each.hash].append(each.name)
    known = await known_versions(service)
    shown = {batch.name for batches in users.values() for batch in batches[:5] if batch.name}
    runs = {id: run for name in shown for id, run in (await service.store.namesakes(name)).items()}
    found = [PromptUse(each, tuple(dict.fromkeys(names[each.hash])), tuple(users[each.hash]), runs) for each in known]
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
