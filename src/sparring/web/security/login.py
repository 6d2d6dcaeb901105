"""Logging in with a token, for browsers: a cookie that says so for some hours, and says nothing of the token."""

import re
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from sparring.web.rendering import page
from sparring.web.security.access import COOKIE, HOURS, Access

_INSIDE = re.compile(r"/(?![/\\])[^\x00-\x1f]*")

router = APIRouter(include_in_schema=False)
Where = Annotated[str, Query(max_length=2000)]


@router.get("/login")
async def form(request: Request, next: Where = "/batches") -> Response:
    """Where the token is asked for."""
    if not _access(request).closed:
        return RedirectResponse("/batches", 303)
    return page(request, "login.html", next=_inside(next), wrong=False)


@router.post("/login")
async def log_in(
    request: Request, token: Annotated[str, Form(max_length=500)], next: Annotated[str, Form(max_length=2000)] = "/"
) -> Response:
    """Let in whoever has a token."""
    access = _access(request)
    if not access.closed:
        return RedirectResponse("/batches", 303)
    caller = access.by_token(token.strip())
    if caller is None:
        return page(request, "login.html", status=401, next=_inside(next), wrong=True)
    answer = RedirectResponse(_inside(next), 303)
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
    """Forget who was let in."""
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(COOKIE)
    return answer


def _access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


def _inside(where: str) -> str:
    """A place on this server, and no other."""
    return where if _INSIDE.fullmatch(where) else "/batches"
