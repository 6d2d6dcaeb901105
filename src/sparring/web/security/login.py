"""Login and logout for browsers: a token is exchanged for a cookie that does not reveal it."""

import re
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from sparring.web.rendering import page
from sparring.web.security.access import COOKIE, HOURS, Access

_INSIDE = re.compile(r"/(?![/\\])[^\x00-\x1f]*")

router = APIRouter(include_in_schema=False)
NextPath = Annotated[str, Query(max_length=2000)]


@router.get("/login")
async def login_form(request: Request, next: NextPath = "/batches") -> Response:
    """Show the login form."""
    if not _access(request).requires_token:
        return RedirectResponse("/batches", 303)
    return page(request, "login.html", next=_local_path(next), wrong=False)


@router.post("/login")
async def log_in(
    request: Request, token: Annotated[str, Form(max_length=500)], next: Annotated[str, Form(max_length=2000)] = "/"
) -> Response:
    """Check the token and set the login cookie."""
    access = _access(request)
    if not access.requires_token:
        return RedirectResponse("/batches", 303)
    caller = access.by_token(token.strip())
    if caller is None:
        return page(request, "login.html", status=401, next=_local_path(next), wrong=True)
    answer = RedirectResponse(_local_path(next), 303)
    answer.set_cookie(
        COOKIE,
        access.cookie(caller),
        max_age=HOURS * 3600,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer


@router.post("/logout")
async def log_out() -> Response:
    """Delete the login cookie."""
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(COOKIE)
    return answer


def _access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


def _local_path(where: str) -> str:
    """Return `where` if it is a path on this server, else the list of batches; prevents open redirects."""
    return where if _INSIDE.fullmatch(where) else "/batches"
