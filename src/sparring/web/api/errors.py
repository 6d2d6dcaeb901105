"""Answers and refusals, in the one form that all of them have."""

from collections.abc import Iterable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from sparring.core.errors import InputError, SparringError
from sparring.core.value import Value, to_json
from sparring.parsing import written
from sparring.reports.service_results import Status
from sparring.web.api.openapi import methods
from sparring.web.rendering import page
from sparring.web.schemas import Error, Problem

_MEANINGS = {
    400: "something is wrong with what was sent",
    401: "a token is needed",
    403: "the token is not good for this, or a page of another site asks",
    404: "there is no such thing",
    409: "it is not in a state for this",
    413: "the request is too long",
    415: "the body has to be application/json",
    429: "too much is under way, or asked for",
    503: "the store cannot be used now",
}
_ALWAYS = (400, 401, 413, 429, 503)


class Refusal(Exception):
    """A request that is not answered, and why."""

    def __init__(self, status: int, why: str, *, current: Status | None = None, retry: int | None = None) -> None:
        super().__init__(why)
        self.status, self.current, self.retry = status, current, retry


def answer(value: Value, status: int = 200) -> Response:
    """A value as JSON."""
    return Response(to_json(value), status, media_type="application/json")


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """How a route may refuse, for its description; besides those that every route may refuse with."""
    return {status: {"model": Error, "description": _MEANINGS[status]} for status in sorted({*_ALWAYS, *statuses})}


def answer_errors(app: FastAPI) -> None:
    """Let the app answer every error in the documented form."""

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refusal)
        headers = {"retry-after": str(error.retry)} if error.retry else {}
        return _refuse(request, error.status, Error(error=str(error), current_status=error.current), headers)

    async def wrong(request: Request, error: Exception) -> Response:
        assert isinstance(error, InputError)
        return _refuse(
            request, 400, Error(error=_first(error), hint=error.hint or None, problems=tuple(problems_of(error)))
        )

    async def unable(request: Request, error: Exception) -> Response:
        return _refuse(request, 503, Error(error=str(error), hint=getattr(error, "hint", None) or None))

    async def malformed(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        if any(each["loc"][0] == "path" for each in error.errors()):
            known = methods(app, request.url.path)
            if known and request.method not in known:  # it was taken for the name of something beside this path
                return _refuse(request, 405, Error(error="Method Not Allowed"), {"allow": ", ".join(known)})
            return _refuse(request, 404, Error(error="there is nothing of this name"))
        told = [Problem(path=_place(each["loc"]), message=each["msg"]) for each in error.errors()]
        return _refuse(request, 400, Error(error=f"{told[0].path}: {told[0].message}", problems=tuple(told)))

    async def other(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        headers = dict(error.headers or {})
        if error.status_code == 405:
            known = methods(app, request.url.path)
            if known:  # it knows only the first route of this path
                headers.pop("Allow", None)
                headers["allow"] = ", ".join(known)
        return _refuse(request, error.status_code, Error(error=error.detail), headers)

    async def surprise(request: Request, error: Exception) -> Response:
        return _refuse(request, 500, Error(error="something went wrong here; the log of the server says what"))

    for kind, handle in (
        (Refusal, refused),
        (InputError, wrong),
        (SparringError, unable),
        (RequestValidationError, malformed),
        (HTTPException, other),
        (Exception, surprise),
    ):
        app.add_exception_handler(kind, handle)


def _place(loc: tuple[str | int, ...]) -> str:
    """Where something wrong stands: a path in a body, the name of a parameter elsewhere."""
    return (written(loc[1:]) if loc[0] == "body" else str(loc[-1])) or "body"


def wants_page(request: Request) -> bool:
    """Whether somebody reads the answer in a browser."""
    path = request.url.path
    return "text/html" in request.headers.get("accept", "") and not path.startswith(("/api/", "/openapi.json"))


def _refuse(request: Request, status: int, error: Error, headers: dict[str, str] | None = None) -> Response:
    if wants_page(request):
        return page(
            request, "error.html", status=status, error=error, title=_MEANINGS.get(status, "something is wrong")
        )
    return Response(error.answer(), status, headers, media_type="application/json")


def _first(error: InputError) -> str:
    more = len(error.problems) - 1
    return f"{error.problems[0]}{f' (and {more} more)' if more > 0 else ''}" if error.problems else str(error)


def problems_of(error: InputError) -> Iterable[Problem]:
    """What is wrong, each as it is answered."""
    for each in error.problems:
        yield Problem(path=each.path, line=each.line, column=each.column, message=each.message, hint=each.hint)
