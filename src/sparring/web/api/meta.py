"""REST routes about the service: the root, health, and the OpenAPI document."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from sparring.app.stores import store_problems, worker_problems
from sparring.core.clock import in_seconds
from sparring.core.value import Value
from sparring.core.version import __version__
from sparring.web.api.batches import Service
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import error_responses, json_response, wants_page
from sparring.web.api.openapi import openapi_document
from sparring.web.rendering import page
from sparring.web.schemas import Health

NAME = "sparring"
router = APIRouter(tags=["service"])

_PAUSE = 60
"""Seconds of a pause of a model that is a problem."""


class About(Value):
    """Name, version and endpoints of the service."""

    service: str
    version: str
    description: str
    endpoints: dict[str, str]
    documentation: str


@router.get("/", response_model=About, responses=error_responses())
async def root(request: Request) -> Response:
    """Return name, version and endpoints of the service. Browsers are redirected to the pages."""
    if wants_page(request):
        return RedirectResponse("/batches", 303)
    endpoints = {
        f"{method.upper()} {path}": operation["description"].partition("\n")[0]
        for path, operations in openapi_document(request.app)["paths"].items()
        for method, operation in operations.items()
    }
    return json_response(
        About(
            service=NAME,
            version=__version__,
            description=request.app.description,
            endpoints=endpoints,
            documentation="/docs",
        )
    )


@router.get("/api/health", response_model=Health, responses={**error_responses(), 503: {"model": Health}})
async def health(service: Service) -> Response:
    """Return the health of the service: 200 if its store can be read and written, 503 otherwise.

    `problems` say what is wrong, also that workers are gone, which no restart of the server mends.
    """
    problems = await store_problems(service.store, service.config.store)
    error = problems[-1] if problems else None
    problems += [] if error else await worker_problems(service.store, service.config.store)
    problems += _pauses(service)
    result = Health(
        status="unhealthy" if error else "healthy",
        service=NAME,
        version=__version__,
        timestamp=service.clock.now(),
        error=error,
        problems=tuple(problems),
    )
    return json_response(result, 503 if error else 200)


def _pauses(service: AppState) -> list[str]:
    """Return the models that are rate limited for longer than a conversation would wait."""
    pauses = service.background.limits.pauses()
    return [f"{name}: rate limited for another {in_seconds(left)}" for name, left in pauses.items() if left > _PAUSE]


@router.get("/openapi.json", responses=error_responses())
async def description(request: Request) -> JSONResponse:
    """Return the OpenAPI document."""
    return JSONResponse(openapi_document(request.app))


@router.get("/docs", response_class=HTMLResponse, responses=error_responses())
async def docs(request: Request) -> HTMLResponse:
    """Show the API reference."""
    return page(request, "docs.html", described=openapi_document(request.app))
