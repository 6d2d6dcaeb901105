"""The pages that launch batches: drop files, see what they come to, and start."""

from dataclasses import dataclass
from functools import partial

from anyio import to_thread
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.datastructures import FormData, UploadFile

from sparring.app.demo import CHATBOT, demonstration
from sparring.app.estimate import ASSUMED
from sparring.app.launch import BatchPlan
from sparring.app.plan import Planned, planned
from sparring.app.wiring import OFFLINE
from sparring.core.errors import InputError, Problem
from sparring.judges.checklist import CHECKLIST
from sparring.settings import Settings
from sparring.web.api.batches import Service, make_room
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import Refusal
from sparring.web.api.launch import JUDGES, Upload, UploadedFiles, read
from sparring.web.rendering import page, render

router = APIRouter(include_in_schema=False)

_FILES = 200
_CASES_SHOWN = 50


@dataclass(frozen=True)
class Wanted:
    """What a form asks for; what is wrong with it is among the problems."""

    files: tuple[Upload, ...]
    settings: Settings
    name: str
    tags: tuple[str, ...]
    repeat: int
    problems: tuple[Problem, ...]


@router.get("/launch")
async def launching(request: Request, service: Service) -> HTMLResponse:
    """The form."""
    judges = _offered(service)["judge"]
    return page(request, "launch.html", service=service, judges=judges, demo=service.demonstrates)


@router.post("/launch/plan")
async def plan(request: Request, service: Service) -> HTMLResponse:
    """What the files come to and would cost, or what is wrong with them; nothing is started."""
    wanted = await _wanted(request, service)
    try:
        uploaded = await _uploaded(wanted, service)
        found = await planned(
            uploaded.sources,
            (),
            uploaded.questions,
            uploaded.settings,
            service.background.environment,
            repeats=wanted.repeat,
        )
    except InputError as error:
        return _wrong(error)
    return HTMLResponse(
        render(
            "plan.html",
            plan=found,
            called=wanted.name,
            namesakes=await service.store.namesakes(wanted.name),
            rules=uploaded.plan.rules,
            assumed=ASSUMED,
            shown=_CASES_SHOWN,
            cost=_cost(found),
        )
    )


@router.post("/launch")
async def launch(request: Request, service: Service) -> Response:
    """Start a batch of the files."""
    wanted = await _wanted(request, service)
    try:
        uploaded = await _uploaded(wanted, service)
        make_room(service)
        batch = await service.background.launch(uploaded.plan, uploaded.settings)
    except InputError as error:
        return _wrong(error)
    except Refusal as refusal:
        return _wrong(InputError(str(refusal)))
    return _to(request, f"/batches/{batch.id}")


@router.post("/demo")
async def demo(request: Request, service: Service) -> Response:
    """Start the batch of `sparring demo`."""
    if not service.demonstrates:
        raise Refusal(409, f"the demonstration needs {CHATBOT} and {OFFLINE} among what this server offers")
    make_room(service)
    settings = service.settings.model_copy(update={"chatbot": CHATBOT, "model": OFFLINE, "user": "", "judge": ""})
    made: BatchPlan = await to_thread.run_sync(partial(demonstration, settings.seed))
    batch = await service.background.launch(made, settings)
    return _to(request, f"/batches/{batch.id}")


async def _uploaded(wanted: Wanted, service: AppState) -> UploadedFiles:
    if wanted.problems:
        raise InputError(wanted.problems)
    make = partial(
        read,
        wanted.files,
        wanted.settings,
        name=wanted.name,
        tags=wanted.tags,
        repeats=wanted.repeat,
        most=service.settings.serve.scenarios,
    )
    return await to_thread.run_sync(make)


async def _wanted(request: Request, service: AppState) -> Wanted:
    async with request.form(
        max_files=_FILES, max_fields=4 * _FILES, max_part_size=service.settings.serve.body_bytes
    ) as form:
        files = [Upload(*pair) for pair in zip(_texts(form, "file_name"), _texts(form, "file_text"), strict=False)]
        problems: list[Problem] = []
        for each in form.getlist("files"):
            if isinstance(each, UploadFile) and each.filename:
                content = await each.read()
                try:
                    files.append(Upload(each.filename, content.decode("utf-8-sig")))
                except UnicodeDecodeError:
                    problems.append(Problem(file=each.filename, message="is not UTF-8 text"))
        if not files and not problems:
            problems.append(Problem(message="no file is given", hint="drop a profile, a scenario file or a playbook"))
        chosen = {name: _chosen(form, name, offered, problems) for name, offered in _offered(service).items()}
        seed = _number(form, "seed", service.settings.seed, 0, 2**53, problems)
        return Wanted(
            tuple(files),
            service.settings.model_copy(update={**chosen, "seed": seed}),
            str(form.get("name") or "")[:200],
            tuple(dict.fromkeys(str(form.get("tags") or "")[:1000].split())),
            _number(form, "repeat", 1, 1, 1000, problems),
            tuple(problems),
        )


def _offered(service: AppState) -> dict[str, tuple[str, ...]]:
    models = (each for each in service.offer.models if each != OFFLINE)
    judges = tuple(dict.fromkeys((service.settings.judge or CHECKLIST, *JUDGES, *models)))
    return {"chatbot": service.offer.chatbots, "model": service.offer.models, "judge": judges}


def _chosen(form: FormData, name: str, offered: tuple[str, ...], problems: list[Problem]) -> str:
    value = str(form.get(name) or offered[0])
    if value not in offered:
        problems.append(Problem(path=name, message=f"{value[:100]!r} is not offered here"))
    return value


def _number(form: FormData, name: str, default: int, least: int, most: int, problems: list[Problem]) -> int:
    written = str(form.get(name) or default).strip()
    if not (written.isascii() and written.isdecimal() and least <= int(written[:20]) <= most):
        problems.append(Problem(path=name, message=f"should be a whole number from {least} to {most:,}"))
        return default
    return int(written)


def _texts(form: FormData, name: str) -> list[str]:
    return [each for each in form.getlist(name) if isinstance(each, str)]


def _wrong(error: InputError) -> HTMLResponse:
    """What is wrong, in place of the plan; a browser shows the answer whatever its status."""
    problems = error.problems or (Problem(message=str(error), hint=error.hint),)
    return HTMLResponse(render("problems.html", problems=problems), 422)


def _cost(plan: Planned) -> tuple[float, float] | None:
    return (plan.cost.low, plan.cost.high) if plan.cost is not None else None


def _to(request: Request, path: str) -> Response:
    if request.headers.get("hx-request"):
        return Response(status_code=204, headers={"hx-redirect": path})
    return RedirectResponse(path, 303)
