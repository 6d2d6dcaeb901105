"""Pages that launch batches: upload files, preview the plan, start, and run the demo."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile

from sparring.app.config import AppConfig
from sparring.app.demo import CHATBOT, demonstration
from sparring.app.estimate import ASSUMED
from sparring.app.launch import BatchPlan
from sparring.app.models import OFFLINE
from sparring.app.plan import Planned, planned_batch
from sparring.app.promote import file_name, scenario_text
from sparring.app.prompt_library import chosen_prompts
from sparring.app.results import result
from sparring.app.sources import ChosenPrompts
from sparring.app.uploads import UploadedFile, plan_uploads
from sparring.core.errors import InputError, Problem, collected, hinted
from sparring.core.usage import Budget
from sparring.judges.rubric_files import built_in
from sparring.web.api.batches import ULID, Service, check_batch_limit, find_conversation, stored_batch
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import RequestError
from sparring.web.api.large_request import planned
from sparring.web.pages.prompts import PROMPT_FIELDS, saved_names
from sparring.web.rendering import page, render
from sparring.web.schemas import shortened

router = APIRouter(include_in_schema=False)

_MAX_FILES = 200
_CASES_SHOWN = 50


@dataclass(frozen=True)
class LaunchForm:
    """Files and configuration of a launch form; `fields` are other arguments of `plan_uploads`."""

    files: tuple[UploadedFile, ...]
    config: AppConfig
    fields: dict[str, Any]


@router.get("/launch")
async def launch_form(
    request: Request,
    service: Service,
    from_: Annotated[str, Query(alias="from", pattern=f"{ULID}|^$")] = "",
    id_: Annotated[str, Query(alias="id", max_length=2000)] = "",
) -> HTMLResponse:
    """Show the launch form, with the conversation `id` of the batch `from` as a scenario."""
    given = players = None
    if from_ and id_:
        batch = await stored_batch(service, from_)
        conversation = await find_conversation(service, batch, id_)
        recorded = await result(batch, service.store, conversation)
        given = UploadedFile(f"{file_name(id_)}.yml", scenario_text(batch, conversation, recorded.all))
        players = batch.who
    return page(
        request,
        "launch.html",
        service=service,
        judges=service.judges,
        demo=service.offers_demo,
        given=given,
        players=players,
        saved=await saved_names(service),
        models=set(service.allowed.models) - {OFFLINE},
        rubrics=built_in(),
        chosen={role: request.query_params.get(field, "") for role, field in PROMPT_FIELDS.items()},
    )


@router.post("/launch/plan")
async def preview_plan(request: Request, service: Service) -> HTMLResponse:
    """Show the plan and cost of the files, or their problems, without starting a batch."""
    wanted = await _read_form(request, service)
    try:
        plan = await _planned_uploads(wanted, service)
        found = await planned_batch(plan, wanted.config)
    except InputError as error:
        return _problems_response(error)
    return HTMLResponse(
        render(
            "plan.html",
            plan=found,
            called=plan.name,
            namesakes=await service.store.namesakes(plan.name),
            rules=plan.rules,
            assumed=ASSUMED,
            shown=_CASES_SHOWN,
            cost=_cost(found),
        )
    )


@router.post("/launch")
async def launch(request: Request, service: Service) -> Response:
    """Start a batch from the files."""
    wanted = await _read_form(request, service)
    try:
        plan = await _planned_uploads(wanted, service)
        check_batch_limit(service)
        batch = await service.background.launch(plan, wanted.config)
    except InputError as error:
        return _problems_response(error)
    except RequestError as refusal:
        return _problems_response(InputError(str(refusal), hint=refusal.hint))
    return _redirect(request, f"/batches/{batch.id}")


@router.post("/demo")
async def demo(request: Request, service: Service) -> Response:
    """Start the demo batch."""
    if not service.offers_demo:
        raise RequestError(409, f"the demo is not available: allow chatbot {CHATBOT} and model {OFFLINE}")
    check_batch_limit(service)
    config = service.config.with_players(chatbot=CHATBOT, model=OFFLINE, user="", judge="")
    made: BatchPlan = await to_thread.run_sync(partial(demonstration, config.seed))
    batch = await service.background.launch(made, config)
    return _redirect(request, f"/batches/{batch.id}")


async def _planned_uploads(wanted: LaunchForm, service: AppState) -> BatchPlan:
    size = sum(len(each.text) for each in wanted.files)
    async with service.parsing:
        return await planned(partial(plan_uploads, wanted.files, wanted.config, **wanted.fields), size)


async def _read_form(request: Request, service: AppState) -> LaunchForm:
    async with request.form(
        max_files=_MAX_FILES, max_fields=4 * _MAX_FILES, max_part_size=service.serve.max_body_bytes
    ) as form:
        files = [
            UploadedFile(*pair)
            for pair in zip(_text_fields(form, "file_name"), _text_fields(form, "file_text"), strict=False)
        ]
        problems: list[Problem] = []
        for each in form.getlist("files"):
            if isinstance(each, UploadFile) and each.filename:
                content = await each.read()
                try:
                    files.append(UploadedFile(each.filename, content.decode("utf-8-sig")))
                except UnicodeDecodeError:
                    problems.append(Problem(file=each.filename, message="is not UTF-8 text"))
        if not files and not problems:
            problems.append(Problem(message="no files", hint="add a profile, a scenario file or a playbook"))
        chosen = {name: _chosen(form, name, offered, problems) for name, offered in _allowed(service).items()}
        seed = _number(form, "seed", service.config.seed, 0, 2**53, problems)
        versions = ChosenPrompts()
        with collected(problems):
            names = {role: str(form.get(field) or "")[:200] for role, field in PROMPT_FIELDS.items()}
            versions = await chosen_prompts(names, service.store)
        rubric = _chosen(form, "rubric", ("", *built_in()), problems)
        fields = {
            "prompts": versions,
            "rubrics": [rubric] if rubric else [],
            "callback_url": _chosen(form, "callback_url", ("", *service.allowed.callbacks), problems),
            "name": str(form.get("name") or "")[:200],
            "tags": tuple(dict.fromkeys(str(form.get("tags") or "")[:1000].split())),
            "repeats": _number(form, "repeat", 1, 1, 1000, problems),
            "budget": _budget(form, problems),
            "most": service.serve.max_conversations,
            "problems": problems,
        }
        return LaunchForm(tuple(files), replace(service.config.with_players(**chosen), seed=seed), fields)


def _allowed(service: AppState) -> dict[str, tuple[str, ...]]:
    return {"chatbot": service.allowed.chatbots, "model": service.allowed.models, "judge": service.judges}


def _chosen(form: FormData, name: str, offered: tuple[str, ...], problems: list[Problem]) -> str:
    value = str(form.get(name) or offered[0])
    if value not in offered:
        problems.append(Problem(path=name, message=f"{value[:100]!r} is not allowed on this server"))
    return value


def _number(form: FormData, name: str, default: int, least: int, most: int, problems: list[Problem]) -> int:
    written = str(form.get(name) or default).strip()
    if not (written.isascii() and written.isdecimal() and least <= int(written[:20]) <= most):
        problems.append(Problem(path=name, message=f"expected a whole number from {least} to {most:,}"))
        return default
    return int(written)


def _budget(form: FormData, problems: list[Problem]) -> Budget:
    written = {name: str(form.get(f"max_{name}") or "").strip() for name in Budget.model_fields}
    try:
        return Budget.model_validate({name: limit for name, limit in written.items() if limit})
    except ValidationError as error:
        problems += [Problem(path=f"max_{each['loc'][0]}", message=shortened(each["msg"])) for each in error.errors()]
        return Budget()


def _text_fields(form: FormData, name: str) -> list[str]:
    return [each for each in form.getlist(name) if isinstance(each, str)]


def _problems_response(error: InputError) -> HTMLResponse:
    """Return the problems as a fragment that replaces the plan; htmx swaps it in despite the status."""
    return HTMLResponse(render("problems.html", problems=hinted(error)), 422)


def _cost(plan: Planned) -> tuple[float, float] | None:
    return (plan.cost.low, plan.cost.high) if plan.cost is not None else None


def _redirect(request: Request, path: str) -> Response:
    if request.headers.get("hx-request"):
        return Response(status_code=204, headers={"hx-redirect": path})
    return RedirectResponse(path, 303)
