"""What the service is: the root, its health, and its description."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from sparring.core.errors import SparringError
from sparring.core.value import Value
from sparring.core.version import __version__
from sparring.web.api.batches import Service
from sparring.web.api.errors import answer, refusals, wants_page
from sparring.web.api.openapi import described
from sparring.web.rendering import page
from sparring.web.schemas import Health

NAME = "sparring"
router = APIRouter(tags=["service"])


class About(Value):
    """What the service is, and where everything is."""

    service: str
    version: str
    description: str
    endpoints: dict[str, str]
    documentation: str


@router.get("/", response_model=About, responses=refusals())
async def root(request: Request) -> Response:
    """What the service is, and where everything is; browsers are led to the pages."""
    if wants_page(request):
        return RedirectResponse("/batches", 303)
    endpoints = {
        f"{method.upper()} {path}": operation["description"].partition("\n")[0]
        for path, operations in described(request.app)["paths"].items()
        for method, operation in operations.items()
    }
    return answer(
        About(
            service=NAME,
            version=__version__,
            description=request.app.description,
            endpoints=endpoints,
            documentation="/docs",
        )
    )


@router.get("/api/health", response_model=Health, responses={**refusals(), 503: {"model": Health}})
async def health(service: Service) -> Response:
    """Whether the service can work: whether its store can be read."""
    error = None
    try:
        await service.store.count()
    except SparringError as failed:
        error = str(failed)
    told = Health(
        status="unhealthy" if error else "healthy",
        service=NAME,
        version=__version__,
        timestamp=service.clock.now(),
        error=error,
    )
    return answer(told, 503 if error else 200)


@router.get("/openapi.json", responses=refusals())
async def description(request: Request) -> JSONResponse:
    """The description of the service, for programs."""
    return JSONResponse(described(request.app))


@router.get("/docs", response_class=HTMLResponse, responses=refusals())
async def docs(request: Request) -> HTMLResponse:
    """The description of the service, for people."""
    return page(request, "docs.html", described=described(request.app))
