"""The routes of prompts, under /api: what the players of batches were told, and what was saved, version by version.

The routes that save prompts, under /api: a version is checked, kept for good, and known by its hash.

A version of prompts as it is sent: texts and names, and nothing that could be run, opened or looked up.
"""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, params
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import Field, NonNegativeInt, PositiveInt, ValidationError

from sparring.app.wiring import player_names, players
from sparring.chatbots.prompted.chatbot import ALONE
from sparring.core.errors import InputError, Problem
from sparring.core.prompts import Agent, Prompts, PromptVariable, SavedPrompts
from sparring.core.text import suggest
from sparring.core.value import Value
from sparring.llm import template
from sparring.reports.html.word_diff import unified
from sparring.runner.prompts import chatbot_told
from sparring.web import schemas
from sparring.web.api.batches import Service, declared_as_json
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import Refusal, answer, problems_of, refusals

_GIVEN = "session"


class PromptPayload(Value):
    """Everything a chatbot is told, as texts: a prompt for each agent, the tools that it may use of those which the
    chatbot has, and to whom it hands over, and when.
    """

    description: str = ""
    entry: str
    agents: dict[str, Agent] = Field(min_length=1, max_length=100)
    variables: dict[str, PromptVariable] = {}
    greeting: str = ""
    handoffs_per_turn: PositiveInt = Field(5, le=1000)


class PromptUpdate(Value):
    """A version to save: a name, the chatbot whose tools it is for (the operator's first if not given), and texts."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._@/-]{0,99}$")]
    chatbot: Annotated[str, Field(max_length=200)] | None = None
    spec: PromptPayload

    def prompts(self) -> Prompts:
        """The version, as it is kept but for the tools."""
        return Prompts(name=self.name, **dict(self.spec))


def spoken(prompts: Prompts) -> PromptPayload:
    """A version as it would be sent. A prompt without a spec declares nothing, and needs whatever it mentions."""
    said = {name: getattr(prompts, name) for name in PromptPayload.model_fields}
    if not prompts.variables and tuple(prompts.agents) == (ALONE,):
        needed = PromptVariable(required=True)
        said["variables"] = {name: needed for name in _fields(prompts) if name != _GIVEN}
    return PromptPayload(**said)


def _fields(prompts: Prompts) -> list[str]:
    found = dict[str, None]()
    for text in (prompts.agents[ALONE].prompt, prompts.greeting):
        try:
            needs = list(template.read(text).needs())
        except InputError:  # it was kept by a version that read templates otherwise
            needs = []
        found |= {name.partition(".")[0]: None for name, _ in needs}
    return list(found)


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
    saved: tuple[SavedPrompts, ...]


class Content(Version):
    """A version with its texts, by the names of files; and as it is sent to save another."""

    files: dict[str, str]
    spec: PromptPayload


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


async def version_of(hash: str, service: AppState) -> Prompts:
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


editing_router = APIRouter(prefix="/api/prompts", tags=["prompts"], dependencies=[Depends(declared_as_json)])


_MOST_BYTES = 500_000
_MOST_VARIABLES = 1_000
"""Nobody else is answered while prompts are checked."""


def _strictly(kind: type[Value]) -> list[params.Depends]:
    """Take a body as it is described, and nothing that could be made into it, such as 1 for true."""

    async def check(request: Request) -> None:
        body = await request.body()
        if len(body) > _MOST_BYTES:
            raise InputError(f"prompts may have {_MOST_BYTES:,} bytes")
        try:
            kind.model_validate_json(body, strict=True)
        except ValidationError as error:
            told = error.errors(include_input=False, include_url=False)
            raise RequestValidationError([{**each, "loc": ("body", *each["loc"])} for each in told]) from None

    return [Depends(check)]


class Checked(Value):
    """Whether a version could be saved: its hash, or everything that is wrong with it."""

    valid: bool
    hash: str | None = None
    problems: tuple[schemas.Problem, ...] = ()


class Named(Value):
    """A name for a version."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._@/-]{0,99}$")]


@editing_router.post(
    "/validate", response_model=Checked, responses=refusals(403, 415), dependencies=_strictly(PromptUpdate)
)
async def validate(wording: PromptUpdate, service: Service) -> Response:
    """Check a version of prompts against the tools of its chatbot, and save nothing."""
    try:
        found = await _checked(wording, service)
    except InputError as error:
        return answer(Checked(valid=False, problems=tuple(problems_of(error))))
    return answer(Checked(valid=True, hash=found.hash))


@editing_router.post(
    "", status_code=201, response_model=Content, responses=refusals(403, 415), dependencies=_strictly(PromptUpdate)
)
async def save(wording: PromptUpdate, service: Service) -> Response:
    """Save a version of prompts under a name. It is never changed: what differs is another version, with another hash,
    and the newest of a name is the one that it means. Launch with `prompts` to have a chatbot told it.
    """
    found = await _checked(wording, service)
    await service.store.save_prompts(wording.name, found, service.clock.now())
    return answer(content(found), 201)


@editing_router.post(
    "/{hash}/duplicate",
    status_code=201,
    response_model=Content,
    responses=refusals(403, 404, 415),
    dependencies=_strictly(Named),
)
async def duplicate(hash: Hash, named: Named, service: Service) -> Response:
    """Give a version another name, to go on from there. The content is the same, and so is its hash."""
    found = await version_of(hash, service)
    await service.store.save_prompts(named.name, found, service.clock.now())
    return answer(content(found), 201)


async def _checked(wording: PromptUpdate, service: AppState) -> Prompts:
    """The version with the tools of its chatbot; an InputError with everything that is wrong with it."""
    chatbot = wording.chatbot or service.offer.chatbots[0]
    if chatbot not in service.offer.chatbots:
        hint = suggest(chatbot, service.offer.chatbots)
        raise InputError(Problem(path="chatbot", message=f"{chatbot[:100]!r} is not offered here", hint=hint))
    if len(wording.spec.variables) > _MOST_VARIABLES:
        raise InputError(Problem(path="variables", message=f"prompts may have {_MOST_VARIABLES:,} variables"))
    settings = service.settings.model_copy(update={"chatbot": chatbot, "model": service.offer.models[0]})
    try:
        async with players(
            player_names(settings), settings, service.background.environment, told=wording.prompts()
        ) as made:
            return chatbot_told(made[0].chatbot)[0]
    except InputError as error:
        if not error.problems:
            raise
        # What is wrong with a text is known by its place in it, and the text by its path.
        raise InputError(each.model_copy(update={"path": each.path or each.file}) for each in error.problems) from error
