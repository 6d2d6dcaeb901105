"""Requests with their gaps filled."""

import json
import re
from urllib.parse import urlencode

from sparring.chatbots.preset import Asking
from sparring.chatbots.templates import Known, as_text, fill, fill_address, fill_text
from sparring.core.value import Json

_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def filled_url(asking: Asking, known: Known) -> str:
    """Where a request goes; a value can be no more than a part of a path or of a query."""
    url = fill_address(asking.url, known)
    if not asking.query:
        return url
    query = urlencode({name: _field(value, known) for name, value in asking.query.items()})
    return f"{url}{'&' if '?' in url else '?'}{query}"


def filled_headers(asking: Asking, known: Known) -> dict[str, str]:
    """The headers of a request; a value can begin no header of its own."""
    headers = {"Accept": "application/json, text/event-stream, text/plain;q=0.9, */*;q=0.8"}
    if asking.body is not None:
        headers["Content-Type"] = "application/json"
    elif asking.form is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    for name, template in asking.headers.items():
        headers = {other: value for other, value in headers.items() if other.lower() != name.lower()}
        headers[name] = _CONTROL.sub(" ", fill_text(template, known)).strip()
    return headers


def filled_body(asking: Asking, known: Known) -> bytes | None:
    """What a request sends along, if anything."""
    if asking.body is not None:
        return as_json(fill(asking.body, known)).encode()
    if asking.form is not None:
        return urlencode({name: _field(value, known) for name, value in asking.form.items()}).encode()
    return None


def as_json(value: Json) -> str:
    """A value as JSON that any server can read: half a character becomes a question mark."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()


def _field(template: Json, known: Known) -> str:
    return as_text(fill(template, known)).encode("utf-8", "replace").decode()
