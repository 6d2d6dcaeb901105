"""Render HTML pages from templates. Values are escaped unless they are `Markup`."""

from fastapi import Request
from fastapi.responses import HTMLResponse

from sparring.reports.html.templates import environment

NAVIGATION = (
    ("/batches", "Batches"),
    ("/launch", "Launch"),
    ("/compare", "Compare"),
    ("/prompts", "Prompts"),
    ("/docs", "REST"),
)


def render(name: str, **values: object) -> str:
    """Render a template: a page or a fragment."""
    return environment("sparring.web").get_template(name).render(**values)


def page(request: Request, name: str, *, status: int = 200, **values: object) -> HTMLResponse:
    """Render a whole page below the navigation.

    The guard puts `may_run` into the request's scope: True if the caller may start batches, None for strangers.
    """
    known: bool | None = request.scope.get("may_run")
    may_run = known is True
    shared = {
        "navigation": [each for each in NAVIGATION if may_run or each[0] != "/launch"] if known is not None else (),
        "path": request.url.path,
        "login": request.app.state.access.requires_token and request.url.path != "/login",
        "may_run": may_run,
    }
    return HTMLResponse(render(name, **shared, **values), status)
