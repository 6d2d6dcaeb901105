"""The routes that save prompts, under /api: a version is checked, kept for good, and known by its hash."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, params
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import Field, ValidationError

from sparring.app.wiring import choose, players
from sparring.core.errors import InputError, Problem
from sparring.core.prompts import Prompts
from sparring.core.text import meant
from sparring.core.value import Value
from sparring.runner.prompts import chatbot_told
from sparring.web import documented
from sparring.web.answers import answer, problems_of, refusals
from sparring.web.api import Service, declared_as_json
from sparring.web.service import Served
from sparring.web.spoken import Wording
from sparring.web.told import Content, Hash, content, version_of

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
    problems: tuple[documented.Problem, ...] = ()


class Named(Value):
    """A name for a version."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._@/-]{0,99}$")]


@editing_router.post("/validate", response_model=Checked, responses=refusals(403, 415), dependencies=_strictly(Wording))
async def validate(wording: Wording, service: Service) -> Response:
    """Check a version of prompts against the tools of its chatbot, and save nothing."""
    try:
        found = await _checked(wording, service)
    except InputError as error:
        return answer(Checked(valid=False, problems=tuple(problems_of(error))))
    return answer(Checked(valid=True, hash=found.hash))


@editing_router.post(
    "", status_code=201, response_model=Content, responses=refusals(403, 415), dependencies=_strictly(Wording)
)
async def save(wording: Wording, service: Service) -> Response:
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


async def _checked(wording: Wording, service: Served) -> Prompts:
    """The version with the tools of its chatbot; an InputError with everything that is wrong with it."""
    chatbot = wording.chatbot or service.offer.chatbots[0]
    if chatbot not in service.offer.chatbots:
        hint = meant(chatbot, service.offer.chatbots)
        raise InputError(Problem(path="chatbot", message=f"{chatbot[:100]!r} is not offered here", hint=hint))
    if len(wording.spec.variables) > _MOST_VARIABLES:
        raise InputError(Problem(path="variables", message=f"prompts may have {_MOST_VARIABLES:,} variables"))
    settings = service.settings.model_copy(update={"chatbot": chatbot, "model": service.offer.models[0]})
    try:
        async with players(choose(settings), settings, service.background.environment, told=wording.prompts()) as made:
            return chatbot_told(made[0].chatbot)[0]
    except InputError as error:
        if not error.problems:
            raise
        # What is wrong with a text is known by its place in it, and the text by its path.
        raise InputError(each.model_copy(update={"path": each.path or each.file}) for each in error.problems) from error
