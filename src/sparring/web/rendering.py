"""Pages for people, made from templates; whatever is put into one is text, never markup."""

from functools import lru_cache

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment

from sparring.reports.html.templates import environment
from sparring.store.tokens import Role
from sparring.web.security.access import Caller

NAVIGATION = (
    ("/batches", "Batches"),
    ("/launch", "Launch"),
    ("/compare", "Compare"),
    ("/prompts", "Prompts"),
    ("/docs", "REST"),
)


def render(name: str, **values: object) -> str:
    """A page, or a part of one."""
    return _templates().get_template(name).render(**values)


def page(request: Request, name: str, *, status: int = 200, **values: object) -> HTMLResponse:
    """A whole page, with the navigation above it."""
    caller: Caller | None = request.scope.get("caller")
    may_run = caller is not None and caller.role.may(Role.RUN)
    shared = {
        "navigation": [each for each in NAVIGATION if may_run or each[0] != "/launch"] if caller else (),
        "path": request.url.path,
        "login": request.app.state.access.closed and request.url.path != "/login",
        "may_run": may_run,
    }
    return HTMLResponse(render(name, **shared, **values), status)


@lru_cache(1)
def _templates() -> Environment:
    return environment("sparring.web")
