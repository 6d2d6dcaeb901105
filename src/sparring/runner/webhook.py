"""Requests variables from a webhook before a conversation starts.

With a `client_id` among the variables it is a POST of `{"call_inbound": {"from_number": client_id}}`, and without one a
GET. The answer is `{"session_id": ...}` or `{"call_inbound": {"dynamic_variables": {...}}}`.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

import orjson

from sparring.core.case import Case
from sparring.core.conversation import Conversation, Source
from sparring.core.errors import InputError, Problem, UserError
from sparring.core.value import MAX_DEPTH, Json, is_deeper
from sparring.core.webhook import WebhookConfig
from sparring.llm.client.transport import Response, Transport, TransportError
from sparring.llm.redaction import Hidden, quote
from sparring.scenarios.kinds import CALLS, scenario_kind

LARGEST = 2**20
"""Maximum number of bytes of an answer."""

_LONGEST_SESSION = 200
_MOST_VARIABLES = 1_000
_BUSY = (408, 425, 429, 500, 502, 503, 504)
_NAMED = re.compile(r"\$\{(\w+)\}")


@dataclass(frozen=True)
class PreparedCase:
    """A case as it runs, the sources of its variables, and the problems of preparing it."""

    case: Case
    provenance: Mapping[str, Source] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def noted(self, conversation: Conversation) -> Conversation:
        """Return the conversation with the sources and problems of its preparation."""
        if not self.provenance and not self.warnings:
            return conversation
        warnings = (*self.warnings, *conversation.warnings)
        return conversation.model_copy(update={"provenance": dict(self.provenance), "warnings": warnings})


class _Failed(Exception):
    """The webhook did not answer as it should; `again` says whether it may do so if asked once more."""

    def __init__(self, reason: str, *, again: bool = False) -> None:
        super().__init__(reason)
        self.again = again


class Webhook:
    """A webhook that is called once per conversation, and retried only if that may help."""

    def __init__(
        self,
        config: WebhookConfig,
        environment: Mapping[str, str],
        transport: Transport,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._config, self._transport, self._sleep = config, transport, sleep
        self._kind = scenario_kind(CALLS)
        self._headers = _headers(config, environment)
        self._secrets = tuple(word for value in self._headers.values() for word in (str(value), *value.split()))

    async def prepare(self, case: Case) -> PreparedCase:
        """Return a case with the variables of the webhook.

        A failure is a warning, or a `UserError` if the webhook is required.
        """
        try:
            given = _given(await self._fetch(case))
        except _Failed as failed:
            reason = f"the webhook failed: {quote(str(failed), *self._secrets)}"
            if self._config.required:
                raise UserError(reason) from None
            return self._merged(case, {}, (reason,))
        decisive = sorted(name for name in given if self._kind.canonical(name) in self._kind.decisive)
        warnings = (f"the webhook cannot decide on {', '.join(decisive)}",) if decisive else ()
        return self._merged(case, {name: given[name] for name in given if name not in decisive}, warnings)

    def _merged(self, case: Case, given: Mapping[str, Json], warnings: tuple[str, ...]) -> PreparedCase:
        """Merge variables: scenario, then webhook, then defaults; with `override`, the webhook first."""
        canonical = self._kind.canonical
        own = {canonical(name).lower(): (name, value) for name, value in case.variables.items() if not _blank(value)}
        ranked: list[tuple[Source, dict[str, tuple[str, Json]]]]
        ranked = [
            ("scenario", own),
            ("webhook", _filled(given, canonical)),
            ("default", _filled(self._config.defaults, canonical)),
        ]
        if self._config.override:
            ranked[0], ranked[1] = ranked[1], ranked[0]
        provenance: dict[str, Source] = {}
        new: dict[str, Json] = {}
        sessions: dict[str, Json] = {}
        for key in dict.fromkeys(key for _, found in ranked for key in found):
            source, (name, value) = next((source, found[key]) for source, found in ranked if key in found)
            name = own[key][0] if key in own else name
            provenance[name] = source
            if key == "session_id":
                sessions[source] = value
            if source != "scenario" and (key != "session_id" or key in own):
                new[name] = value
        session = next(iter(sessions.values()), None)
        if session is None:
            provenance["session_id"] = "sparring"
        ready = self._kind.informed(case, new)
        return PreparedCase(
            ready.model_copy(update={"session": "" if session is None else str(session)}), provenance, warnings
        )

    async def _fetch(self, case: Case) -> Response:
        """Return the answer of the webhook, after retries."""
        body = _question(case)
        for attempt in range(1, self._config.attempts + 1):
            try:
                return await self._once(body)
            except _Failed as failed:
                if not failed.again or attempt == self._config.attempts:
                    times = f" (after {attempt} attempts)" if attempt > 1 else ""
                    raise _Failed(f"{failed}{times}") from None
            await self._sleep(0.5 * 2 ** (attempt - 1))
        raise AssertionError("there is at least one attempt")

    async def _once(self, body: bytes | None) -> Response:
        failure = ""
        try:
            async with asyncio.timeout(self._config.timeout):
                method = "GET" if body is None else "POST"
                answer = await self._transport.send(method, self._config.url, headers=self._headers, body=body)
        except TimeoutError:
            failure = f"no answer within {self._config.timeout:g} s"
        except TransportError as error:
            failure = str(error)
        if failure:  # raised out here, because foreign exceptions hold the request with its headers
            raise _Failed(failure, again=True)
        if answer.status != 200:
            raise _Failed(f"HTTP {answer.status}", again=answer.status in _BUSY)
        return answer


def _headers(config: WebhookConfig, environment: Mapping[str, str]) -> dict[str, str]:
    missing = {name for value in config.headers.values() for name in _NAMED.findall(value) if not environment.get(name)}
    if missing:
        raise InputError(
            Problem(path="webhook.headers", message=f"{name} is not set", hint="set it in the environment or in .env")
            for name in sorted(missing)
        )
    own = {
        name.lower(): Hidden(_NAMED.sub(lambda found: environment[found[1]], value))
        for name, value in config.headers.items()
    }
    if unfit := [name for name, value in own.items() if not value.isprintable()]:
        raise InputError(Problem(path=f"webhook.headers.{unfit[0]}", message="has a character that no header can have"))
    return {"accept": "application/json", "content-type": "application/json", **own}


def _question(case: Case) -> bytes | None:
    """Return the body of the POST, or None if the case names no caller."""
    variables = {name.lower(): value for name, value in case.variables.items()}
    client = variables.get("client_id")
    if _blank(client):
        return None
    history = variables.get("scenario_purchase_history")
    injected = {} if _blank(history) else {"injected_purchase_history": history}
    return orjson.dumps({"call_inbound": {"from_number": client}, **injected})


def _given(answer: Response) -> dict[str, Json]:
    """Return the variables in an answer. Raise `_Failed` if it has none that can be used."""
    try:
        body = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        raise _Failed("its answer is no JSON") from None
    if not isinstance(body, dict):
        raise _Failed("its answer is no object")
    call = body.get("call_inbound")
    variables = call.get("dynamic_variables") if isinstance(call, dict) else None
    if variables is None and "session_id" in body:
        variables = {"session_id": body["session_id"]}
    if not isinstance(variables, dict):
        raise _Failed("its answer has neither call_inbound.dynamic_variables nor session_id")
    if len(variables) > _MOST_VARIABLES or is_deeper(variables, MAX_DEPTH):
        raise _Failed("its answer has more variables, or more deeply nested ones, than can be kept")
    session = variables.get("session_id")
    if not _blank(session) and (isinstance(session, bool) or not isinstance(session, str | int)):
        raise _Failed("its session_id is no text")
    if len(str(session)) > _LONGEST_SESSION or not str(session).isprintable():
        raise _Failed("its session_id is no name")
    return variables


def _filled(variables: Mapping[str, Json], canonical: Callable[[str], str]) -> dict[str, tuple[str, Json]]:
    """Return the variables that are not blank, with their canonical names, by these names in lower case."""
    named = {canonical(name): value for name, value in variables.items() if not _blank(value)}
    return {name.lower(): (name, value) for name, value in named.items()}


def _blank(value: Json) -> bool:
    return value is None or value == [] or value == {} or (isinstance(value, str) and not value.strip())
