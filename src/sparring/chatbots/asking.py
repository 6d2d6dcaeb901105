"""Sending one request of a preset, and turning every way in which it can fail into one sentence."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode
from urllib.parse import quote as percent_encoded

from sparring.chatbots.answers import Answer, Format, Received, understand
from sparring.chatbots.json_paths import JsonPath
from sparring.chatbots.preset import Asking
from sparring.chatbots.templates import Known, as_text, fill, fill_text
from sparring.core.errors import ChatbotError, ChatbotTimeout
from sparring.core.value import Json
from sparring.models.redaction import quote
from sparring.models.transport import Transport, TransportError

_USER = re.compile(r"^(\w+://)(?:[^/@]*:)?([^/@]*)@")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class Wire:
    """The way to a chatbot's server. `ok` are the statuses that are answers (all of 200-299 if there are none), and
    `error` is where in an answer it admits a failure."""

    transport: Transport
    environment: Mapping[str, str] = field(repr=False)
    seconds: float
    ok: tuple[int, ...] = ()
    error: JsonPath | None = None

    async def ask(self, asking: Asking, names: Mapping[str, Json], form: Format = "json") -> Answer:
        """The answer to a request, its gaps filled with `names`; a ChatbotError where it is none."""
        known = Known(names, self.environment)
        url, headers, body = _url(asking, known), _headers(asking, known), _body(asking, known)
        try:
            async with asyncio.timeout(self.seconds):
                response = await self.transport.send(asking.method, url, headers=headers, body=body)
        except TimeoutError as error:
            raise ChatbotTimeout(f"no answer from {_shown(asking.url)} within {self.seconds:g} s") from error
        except TransportError as error:
            reason = quote(str(error), *_secrets(asking.url, headers, self.environment))
            # The cause may hold the whole request, keys and all.
            raise ChatbotError(f"no answer from {_shown(asking.url)}: {reason}") from None
        return self._answer(Received(response, _secrets(asking.url, headers, self.environment)), form)

    def _answer(self, received: Received, form: Format) -> Answer:
        status = received.response.status
        counts = status in self.ok if self.ok else 200 <= status < 300
        try:
            answer = Answer(understand(received.response.body, form), received)
        except ValueError:
            if counts:
                raise ChatbotError(f"the answer is not JSON: {received.shown}") from None
            answer = Answer((), received)
        admitted = answer.last(self.error)
        if not counts:
            raise ChatbotError(f"HTTP {status}: {received.quote(as_text(admitted)) if admitted else received.shown}")
        if admitted:
            raise ChatbotError(f"the chatbot reports an error: {received.quote(as_text(admitted))}")
        return answer


def _url(asking: Asking, known: Known) -> str:
    url = fill_text(asking.url, known, encode=lambda value: percent_encoded(value, safe=""))
    if not asking.query:
        return url
    query = urlencode({name: _field(value, known) for name, value in asking.query.items()})
    return f"{url}{'&' if '?' in url else '?'}{query}"


def _headers(asking: Asking, known: Known) -> dict[str, str]:
    headers = {"Accept": "application/json, text/event-stream, text/plain;q=0.9, */*;q=0.8"}
    if asking.body is not None:
        headers["Content-Type"] = "application/json"
    elif asking.form is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    for name, template in asking.headers.items():
        headers = {other: value for other, value in headers.items() if other.lower() != name.lower()}
        headers[name] = _CONTROL.sub(" ", fill_text(template, known)).strip()
    return headers


def _body(asking: Asking, known: Known) -> bytes | None:
    if asking.body is not None:
        return json.dumps(fill(asking.body, known), ensure_ascii=False).encode("utf-8", "replace")
    if asking.form is not None:
        return urlencode({name: _field(value, known) for name, value in asking.form.items()}).encode()
    return None


def _field(template: Json, known: Known) -> str:
    return as_text(fill(template, known)).encode("utf-8", "replace").decode()


def _shown(url: str) -> str:
    """An address without what may be secret in it: a password, and everything behind the question mark."""
    return quote(_USER.sub(r"\1", url).partition("?")[0].partition("#")[0])


def _secrets(url: str, headers: Mapping[str, str], environment: Mapping[str, str]) -> list[str]:
    """What must not be shown, the longest first, so that no part of one is left over."""
    values = [value for name, value in headers.items() if name not in ("Accept", "Content-Type")]
    words = [word for value in values for word in value.split() if len(word) >= 8]
    user = _USER.match(url)
    stated = [user[2] if user else "", *(value for _, value in parse_qsl(url.partition("?")[2]))]
    return sorted({*environment.values(), *values, *words, *stated}, key=len, reverse=True)
