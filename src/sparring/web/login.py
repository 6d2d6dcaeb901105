"""Logging in with the token, for browsers: a cookie that says so for some hours, and says nothing of the token."""

import hashlib
import hmac
import re
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from sparring.core.clock import Clock, SystemClock
from sparring.models.redaction import Hidden
from sparring.web.pages import page

COOKIE = "sparring_login"
_HOURS = 12
_INSIDE = re.compile(r"/(?![/\\])[^\x00-\x1f]*")

router = APIRouter(include_in_schema=False)
Where = Annotated[str, Query(max_length=2000)]


@dataclass(frozen=True)
class Login:
    """What the token opens."""

    token: Hidden = field(repr=False)
    clock: Clock = field(default_factory=SystemClock)

    def cookie(self) -> str:
        """The value of a cookie that opens from now on."""
        until = str(int(self.clock.now().timestamp()) + _HOURS * 3600)
        return f"{until}.{self._signed(until)}"

    def opens(self, cookies: str) -> bool:
        """Whether one of the cookies of a request opens."""
        try:
            found = SimpleCookie(cookies).get(COOKIE)
        except CookieError:
            return False
        until, _, signature = found.value.partition(".") if found else ("", "", "")
        if not (until.isascii() and until.isdecimal() and len(until) < 12):
            return False
        same = hmac.compare_digest(signature.encode(), self._signed(until).encode())
        return same and int(until) > self.clock.now().timestamp()

    def _signed(self, until: str) -> str:
        return hmac.new(self.token.encode(), f"login until {until}".encode(), hashlib.sha256).hexdigest()


@router.get("/login")
async def form(request: Request, next: Where = "/batches") -> Response:
    """Where the token is asked for."""
    if request.app.state.login is None:
        return RedirectResponse("/batches", 303)
    return page(request, "login.html", next=_inside(next), wrong=False)


@router.post("/login")
async def log_in(
    request: Request, token: Annotated[str, Form(max_length=500)], next: Annotated[str, Form(max_length=2000)] = "/"
) -> Response:
    """Let in whoever has the token."""
    login: Login | None = request.app.state.login
    if login is None:
        return RedirectResponse("/batches", 303)
    if not hmac.compare_digest(token.strip().encode(errors="replace"), login.token.encode()):
        return page(request, "login.html", status=401, next=_inside(next), wrong=True)
    answer = RedirectResponse(_inside(next), 303)
    answer.set_cookie(
        COOKIE,
        login.cookie(),
        max_age=_HOURS * 3600,
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


def _inside(where: str) -> str:
    """A place on this server, and no other."""
    return where if _INSIDE.fullmatch(where) else "/batches"
