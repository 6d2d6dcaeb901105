"""Error handling of the REST API and the pages: `RequestError`, handlers and error format."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.params import Query
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from sparring.core.errors import InputError, SparringError
from sparring.core.value import Value, to_json
from sparring.parsing import written
from sparring.reports.service_results import Status
from sparring.web.api.openapi import allowed_methods
from sparring.web.rendering import page
from sparring.web.schemas import Error, RequestProblem, shortened

_DESCRIPTIONS = {
    400: "invalid request",
    401: "token required",
    403: "role of the token too low, or cross-site request",
    404: "not found",
    409: "conflict with the state of the batch",
    413: "request too large",
    415: "unsupported content type: expected application/json",
    429: "rate limit or batch limit reached",
    503: "store unavailable",
}
_TITLES = {
    400: "Invalid request",
    403: "Not allowed",
    404: "Page not found",
    405: "Method not allowed",
    409: "Conflict",
    413: "Request too large",
    415: "Unsupported content type",
    429: "Too many requests",
    500: "Internal error",
    503: "Store unavailable",
}
_SLASHES = "write / in the name of a batch as %2F"
_ALWAYS = (400, 401, 413, 429, 503)


class RequestError(Exception):
    """A request that fails with an HTTP status and a reason."""

    def __init__(
        self,
        status: int,
        reason: str,
        *,
        hint: str = "",
        current: Status | None = None,
        retry: int | None = None,
    ) -> None:
        super().__init__(reason)
        self.status, self.hint, self.current, self.retry = status, hint, current, retry


@contextmanager
def refusing(status: int, reason: str = "", *, current: Status | None = None) -> Iterator[None]:
    """Raise an `InputError` in the block as a `RequestError`, with `reason` or its own words."""
    try:
        yield
    except InputError as error:
        hint = "" if reason else error.hint
        raise RequestError(status, reason or str(error), hint=hint, current=current) from error


def json_response(value: Value, status: int = 200) -> Response:
    """Return a JSON response with this value."""
    return Response(to_json(value), status, media_type="application/json")


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the error responses of a route for OpenAPI, including those that all routes share."""
    return {status: {"model": Error, "description": _DESCRIPTIONS[status]} for status in sorted({*_ALWAYS, *statuses})}


def check_query(request: Request) -> None:
    """Raise `RequestError` for a query parameter that the route does not have."""
    params = get_flat_params(request.scope["route"].dependant)
    known = {field.alias for field in params if isinstance(field.field_info, Query)}
    if unknown := sorted(request.query_params.keys() - known):
        listed = f"; there are: {', '.join(sorted(known))}" if known else ""
        raise RequestError(400, f"unknown query parameter {unknown[0][:100]!r}{listed}")


def install_error_handlers(app: FastAPI) -> None:
    """Make the app return every error in the documented format."""
    for kind, handle in (
        (RequestError, _handle_request_error),
        (InputError, _handle_input_error),
        (SparringError, _handle_sparring_error),
        (RequestValidationError, _handle_validation_error),
        (HTTPException, _handle_http_error),
        (ClientDisconnect, _handle_disconnect),
        (Exception, _handle_unexpected_error),
    ):
        app.add_exception_handler(kind, handle)


async def _handle_disconnect(request: Request, error: Exception) -> Response:
    """Answer a client that has gone, which is no fault.

    With thousands of them, tracebacks in the log would stall the server.
    """
    return Response(status_code=400)


async def _handle_request_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestError)
    headers = {"retry-after": str(error.retry)} if error.retry else {}
    body = Error(error=str(error), hint=error.hint or None, current_status=error.current)
    return _error_response(request, error.status, body, headers)


async def _handle_input_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, InputError)
    body = Error(error=_summary(error), hint=error.hint or None, problems=tuple(request_problems(error)))
    return _error_response(request, 400, body)


async def _handle_sparring_error(request: Request, error: Exception) -> Response:
    return _error_response(request, 503, Error(error=str(error), hint=getattr(error, "hint", None) or None))


async def _handle_validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    if any(each["loc"][0] == "path" for each in error.errors()):
        known = allowed_methods(request.app, request.url.path)
        if known and request.method not in known:  # the router matched the path to a parameter of another route
            return _error_response(request, 405, Error(error="Method Not Allowed"), {"allow": ", ".join(known)})
        return _error_response(request, 404, Error(error="not found"))
    problems = [RequestProblem(path=_location(each["loc"]), message=shortened(each["msg"])) for each in error.errors()]
    summary = f"{problems[0].path}: {problems[0].message}"
    return _error_response(request, 400, Error(error=summary, problems=tuple(problems)))


async def _handle_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        known = allowed_methods(request.app, request.url.path)
        if known:  # the router reports only the first route of this path
            headers.pop("Allow", None)
            headers["allow"] = ", ".join(known)
    in_a_batch = error.status_code == 404 and request.url.path.startswith(("/batches/", "/api/batches/"))
    body = Error(error=error.detail, hint=_SLASHES if in_a_batch else None)
    return _error_response(request, error.status_code, body, headers)


async def _handle_unexpected_error(request: Request, error: Exception) -> Response:
    return _error_response(request, 500, Error(error="internal error: see the server log"))


def _location(loc: tuple[str | int, ...]) -> str:
    """Return the location of a problem: a path in the body, or the name of a parameter."""
    return (written(loc[1:]) if loc[0] == "body" else str(loc[-1])) or "body"


def wants_page(request: Request) -> bool:
    """Return True if a browser asks for a page."""
    path = request.url.path
    return "text/html" in request.headers.get("accept", "") and not path.startswith(("/api/", "/openapi.json"))


def _error_response(request: Request, status: int, error: Error, headers: dict[str, str] | None = None) -> Response:
    if wants_page(request):
        return page(request, "error.html", status=status, error=error, title=_title(status, error.error))
    return Response(error.body(), status, headers, media_type="application/json")


def _title(status: int, error: str) -> str:
    """Return the heading of an error page. A 404 names the missing thing, if it is known."""
    thing, _, rest = error.partition(" ")
    if status == 404 and "not found" in rest:
        return f"{thing.capitalize()} not found"
    return _TITLES.get(status, "Request failed")


def _summary(error: InputError) -> str:
    more = len(error.problems) - 1
    return f"{error.problems[0]}{f' (and {more} more)' if more > 0 else ''}" if error.problems else str(error)


def request_problems(error: InputError) -> Iterable[RequestProblem]:
    """Yield the problems of an `InputError` in the response format."""
    for each in error.problems:
        yield RequestProblem(path=each.path, line=each.line, column=each.column, message=each.message, hint=each.hint)
