"""REST routes for prompt versions: list, show, compare, validate and save.

A saved version is immutable and identified by its hash. A payload holds only texts and names: nothing in it is run,
opened or resolved.
"""

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Path, Query, Request, params
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import Field, NonNegativeInt, PositiveInt, ValidationError

from sparring.app.prompt_library import checked_version, offered
from sparring.chatbots.prompted.chatbot import ALONE
from sparring.core.errors import InputError, Problem
from sparring.core.prompts import Agent, PlayerRole, Prompts, PromptVariable, SavedPrompts
from sparring.core.text import suggest
from sparring.core.value import Value
from sparring.llm import template
from sparring.reports.html.conversation import unified_lines
from sparring.web import schemas
from sparring.web.api.batches import Service, require_json
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import RequestError, error_responses, json_response, request_problems

_GIVEN = "session"


class PromptPayload(Value):
    """All prompts of a player as texts: for each agent its prompt, its allowed tools, and its handovers.

    Those of the simulated user and of the judge have one agent, `user` or `judge`, which tells the `role` unless it is
    given.
    """

    role: PlayerRole | None = None
    description: str = ""
    entry: str
    agents: dict[str, Agent] = Field(min_length=1, max_length=100)
    variables: dict[str, PromptVariable] = {}
    greeting: str = ""
    handoffs_per_turn: PositiveInt = Field(5, le=1000)


class PromptUpdate(Value):
    """A prompt version to save; a chatbot's for the tools of `chatbot` (default: the first allowed one)."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._@/-]{0,99}$")]
    chatbot: Annotated[str, Field(max_length=200)] | None = None
    spec: PromptPayload

    def prompts(self) -> Prompts:
        """Return the prompt version, without the chatbot's tools."""
        return Prompts(name=self.name, **dict(self.spec))


def payload_of(prompts: Prompts) -> PromptPayload:
    """Return a stored version as a payload.

    A single prompt without a spec declares no variables, so all its placeholders become required variables.
    """
    said = {name: getattr(prompts, name) for name in PromptPayload.model_fields}
    if not prompts.variables and tuple(prompts.agents) == (ALONE,):
        needed = PromptVariable(required=True)
        said["variables"] = {name: needed for name in _placeholders(prompts) if name != _GIVEN}
    return PromptPayload(**said)


def _placeholders(prompts: Prompts) -> list[str]:
    found = dict[str, None]()
    for text in (prompts.agents[ALONE].prompt, prompts.greeting):
        try:
            needs = list(template.read(text).needs())
        except InputError:  # stored by a version of Sparring with another template syntax
            needs = []
        found |= {name.partition(".")[0]: None for name, _ in needs}
    return list(found)


router = APIRouter(prefix="/api/prompts", tags=["prompts"])

Hash = Annotated[str, Path(pattern="^[0-9a-f]{12,64}$", description="A hash, or at least its first 12 characters.")]


class PromptVersion(Value):
    """A prompt version: its name, its hash, its player, and the agents."""

    name: str
    role: PlayerRole
    hash: str
    description: str
    entry: str
    agents: tuple[str, ...]


class PromptVersions(Value):
    """Used, saved and bundled prompt versions; `saved` lists saved names, newest first."""

    prompts: tuple[PromptVersion, ...]
    total_count: NonNegativeInt
    saved: tuple[SavedPrompts, ...]


class VersionContent(PromptVersion):
    """A prompt version with its texts as files, and as a payload to save an edited copy."""

    files: dict[str, str]
    spec: PromptPayload


class VersionDiff(Value):
    """Unified diffs of the files that differ between two versions."""

    before: str
    after: str
    files: dict[str, str]


@router.get("", response_model=PromptVersions, responses=error_responses())
async def versions(service: Service) -> Response:
    """List prompt versions that batches used, that were saved, or that players have by default."""
    found, saved = await known_versions(service), await service.store.saved_prompts()
    return json_response(
        PromptVersions(prompts=tuple(map(version_summary, found)), total_count=len(found), saved=tuple(saved))
    )


@router.get("/{hash}", response_model=VersionContent, responses=error_responses(404))
async def version(hash: Hash, service: Service) -> Response:
    """Return one prompt version as stored, even if its files have changed since."""
    return json_response(version_content(await find_version(hash, service)))


@router.get("/{hash}/diff", response_model=VersionDiff, responses=error_responses(404))
async def difference(
    hash: Hash,
    service: Service,
    after: Annotated[str, Query(pattern="^[0-9a-f]{12,64}$", description="Hash of the version to compare with.")],
) -> Response:
    """Return the differences between this version and another."""
    old, new = await find_version(hash, service), await find_version(after, service)
    return json_response(VersionDiff(before=old.hash, after=new.hash, files=_unified_diffs(old.files(), new.files())))


def version_content(prompts: Prompts) -> VersionContent:
    """Return a prompt version with its texts."""
    return VersionContent(**version_summary(prompts).model_dump(), files=prompts.files(), spec=payload_of(prompts))


async def find_version(hash: str, service: AppState) -> Prompts:
    """Return the version whose hash starts with `hash`. Raise `RequestError` unless there is exactly one."""
    found = [each for each in await known_versions(service) if each.hash.startswith(hash)]
    if len(found) != 1:
        raise RequestError(404, f"prompts {hash} not found")
    return found[0]


async def known_versions(service: AppState) -> list[Prompts]:
    """Return the stored versions, and those that allowed chatbots, the user and the judge have by default."""
    own = await to_thread.run_sync(offered, service.allowed.chatbots)
    stored = await service.store.prompts()
    hashes = {each.hash for each in stored}
    return [*stored, *{each.prompts.hash: each.prompts for each in own if each.prompts.hash not in hashes}.values()]


def version_summary(prompts: Prompts) -> PromptVersion:
    """Return name, hash and agents of a prompt version."""
    return PromptVersion(
        name=prompts.name,
        role=prompts.role,
        hash=prompts.hash,
        description=prompts.description,
        entry=prompts.entry,
        agents=tuple(prompts.agents),
    )


def _unified_diffs(before: dict[str, str], after: dict[str, str]) -> dict[str, str]:
    found = {
        name: "\n".join(unified_lines(before.get(name, "").splitlines(), after.get(name, "").splitlines(), name))
        for name in dict.fromkeys((*before, *after))
    }
    return {name: text for name, text in found.items() if text}


editing_router = APIRouter(prefix="/api/prompts", tags=["prompts"], dependencies=[Depends(require_json)])


_MAX_BYTES = 500_000
_MAX_VARIABLES = 1_000
"""Bound on validation, which blocks the event loop."""


def _strict_body(kind: type[Value]) -> list[params.Depends]:
    """Return a dependency that validates the body strictly: no coercion, such as 1 for true."""

    async def check(request: Request) -> None:
        body = await request.body()
        if len(body) > _MAX_BYTES:
            raise InputError(f"prompts may have at most {_MAX_BYTES:,} bytes")
        try:
            kind.model_validate_json(body, strict=True)
        except ValidationError as error:
            errors = error.errors(include_input=False, include_url=False)
            raise RequestValidationError([{**each, "loc": ("body", *each["loc"])} for each in errors]) from None

    return [Depends(check)]


class PromptValidation(Value):
    """Result of a validation: the hash of the version, or its problems."""

    valid: bool
    hash: str | None = None
    problems: tuple[schemas.RequestProblem, ...] = ()


class VersionName(Value):
    """A name for a prompt version."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._@/-]{0,99}$")]


@editing_router.post(
    "/validate",
    response_model=PromptValidation,
    responses=error_responses(403, 415),
    dependencies=_strict_body(PromptUpdate),
)
async def validate(wording: PromptUpdate, service: Service) -> Response:
    """Validate a prompt version against the chatbot's tools without saving it."""
    try:
        found = await _validated(wording, service)
    except InputError as error:
        return json_response(PromptValidation(valid=False, problems=tuple(request_problems(error))))
    return json_response(PromptValidation(valid=True, hash=found.hash))


@editing_router.post(
    "",
    status_code=201,
    response_model=VersionContent,
    responses=error_responses(403, 415),
    dependencies=_strict_body(PromptUpdate),
)
async def save(wording: PromptUpdate, service: Service) -> Response:
    """Save a prompt version under a name.

    Versions are immutable; a name refers to its newest version. Launch with `prompts` to use it.
    """
    return json_response(version_content(await save_version(wording, service)), 201)


@editing_router.post(
    "/{hash}/duplicate",
    status_code=201,
    response_model=VersionContent,
    responses=error_responses(403, 404, 415),
    dependencies=_strict_body(VersionName),
)
async def duplicate(hash: Hash, named: VersionName, service: Service) -> Response:
    """Save a version under another name. Its content and hash stay the same."""
    found = await find_version(hash, service)
    await service.store.save_prompts(named.name, found, service.clock.now())
    return json_response(version_content(found), 201)


async def save_version(wording: PromptUpdate, service: AppState) -> Prompts:
    """Validate and save a version. Raise `InputError` with all its problems."""
    found = await _validated(wording, service)
    await service.store.save_prompts(wording.name, found, service.clock.now())
    return found


async def _validated(wording: PromptUpdate, service: AppState) -> Prompts:
    """Return the version with the tools of its chatbot. Raise InputError with all its problems."""
    chatbot = wording.chatbot or service.allowed.chatbots[0]
    if chatbot not in service.allowed.chatbots:
        hint = suggest(chatbot, service.allowed.chatbots)
        raise InputError(Problem(path="chatbot", message=f"{chatbot[:100]!r} is not allowed on this server", hint=hint))
    if len(wording.spec.variables) > _MAX_VARIABLES:
        raise InputError(Problem(path="variables", message=f"prompts may have at most {_MAX_VARIABLES:,} variables"))
    config = service.config.with_players(chatbot=chatbot, model=service.allowed.models[0])
    try:
        return await checked_version(wording.prompts(), config)
    except InputError as error:
        if not error.problems:
            raise
        # Clients know no files: the path of a text stands in for its file name.
        raise InputError(each.model_copy(update={"path": each.path or each.file}) for each in error.problems) from error
