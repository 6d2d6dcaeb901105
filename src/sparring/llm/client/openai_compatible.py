"""Client for servers with OpenAI's chat-completions format, over any transport."""

from collections.abc import Awaitable, Mapping
from functools import partial
from typing import Any

import orjson
from pydantic import SecretStr

from sparring.core.errors import BadCompletion, ModelError, ModelRejected, ModelTimeout, ModelUnavailable
from sparring.core.events import ModelPaused
from sparring.llm.call_context import current_call
from sparring.llm.client.circuit_breaker import CircuitBreaker
from sparring.llm.client.output_modes import ModelCapabilities, OutputMode, OutputModes, shape, shaped
from sparring.llm.client.provider_errors import ProviderError, hidden_refusal, read_refusal
from sparring.llm.client.rate_headers import asked_in_words, nothing_left, reset_at, retry_after, server_time
from sparring.llm.client.rate_limiter import MINUTE, TokenEstimator
from sparring.llm.client.retry import Retries, TryAgain
from sparring.llm.client.transport import (
    ConnectionLost,
    NoConnection,
    RequestUnread,
    Response,
    Transport,
    TransportError,
)
from sparring.llm.client.wire_format import Filtered, NoRoom, chat_request, read_body, read_completion, read_usage
from sparring.llm.model import Completion, Request
from sparring.llm.pricing import Price, unknown_price
from sparring.llm.redaction import Hidden, quote, without_key

_LOADING = 15.0
"""Seconds between attempts while a server loads its model: five minutes in 20 attempts."""

_COLD = "a model that has to be loaded first may need longer: raise retry_seconds, or wait until it is loaded"


class OpenAICompatible:
    """One model on one server. It learns unsupported parameters once and remembers them for later calls.

    `url` is the base address without `/chat/completions`, `label` is the name of the model in messages, and `key_hint`
    is the hint if the key is rejected.

    Errors are raised outside of the `except` block of their cause: the cause may contain the key, which providers echo.
    """

    def __init__(
        self,
        model: str,
        *,
        url: str,
        transport: Transport,
        retries: Retries,
        key: SecretStr | None = None,
        price: Price = unknown_price,
        label: str = "",
        key_hint: str = "",
    ) -> None:
        self._model = model
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._transport = transport
        self._retries = retries
        self._key = key or SecretStr("")
        self._headers = _headers(self._key)
        self.price = price
        self._label = label or model
        self._key_hint = key_hint
        self._parameters = ModelCapabilities()
        self._modes = OutputModes()
        self._breaker = CircuitBreaker()
        self._estimator = TokenEstimator()
        self._reached = False

    def __repr__(self) -> str:
        return f"OpenAICompatible({self._label!r})"

    async def complete(self, request: Request) -> Completion:
        limiter = self._retries.limiter
        tokens = 0
        if limiter and limiter.counts_tokens:
            tokens = self._estimator.guess(request)
            if reason := limiter.never_fits(tokens):
                current_call().emit(ModelPaused(model=limiter.name, seconds=MINUTE, reason=reason))
        misspoken: list[ProviderError] = []
        call = partial(self._attempt, request, misspoken)
        try:
            completion = await self._retries.run(call, reached=self._reached, tokens=tokens)
        except (ModelUnavailable, ModelTimeout) as error:
            error.pointless = self._breaker.unanswered(reached=self._reached)
            if isinstance(error, ModelTimeout) and not self._reached:
                error.hint = _COLD
            raise
        except BadCompletion as error:
            error.pointless = self._breaker.nonsense()
            raise
        self._breaker.answered()
        if tokens:
            self._estimator.learn(request, completion.usage)
        return completion

    async def _attempt(self, request: Request, misspoken: list[ProviderError]) -> Completion:
        rung = self._modes.rung(request, len(misspoken))
        sending, sent = self._sending(request, rung)
        response = await self._answered(sending)
        self._reached = True
        self._heed(response.headers)
        if not 200 <= response.status < 300:
            refusal = read_refusal(response)
            if refusal.misspoke and refusal.generated and rung and not request.tools:
                return self._misspoken(refusal, rung)
            misspoken += [refusal] * refusal.misspoke
            raise self._refused(refusal, sent, rung, response.headers)
        read = self._read(response, request.max_tokens)
        if isinstance(read, ProviderError):
            raise self._refused(read, sent, rung, response.headers)
        return read if request.answer is None or rung is None else shaped(read, request.answer, rung)

    def _body(self, request: Request, rung: OutputMode | None) -> dict[str, Any]:
        body = chat_request(self._model, request)
        if request.answer is not None and rung is not None:
            shape(body, request.answer, rung)
        self._parameters.apply(body)
        return body

    def _sending(self, request: Request, rung: OutputMode | None) -> tuple[Awaitable[Response], tuple[str, ...]]:
        """Return the pending response and the names of the fields that are sent.

        The body itself is not kept, which saves memory while the call is pending.
        """
        body = self._body(request, rung)
        try:
            written = orjson.dumps(body, default=dict)  # schemas may be mappings that are no dicts
        except orjson.JSONEncodeError as error:
            raise ModelRejected(self._say(f"the request cannot be written as JSON: {error}")) from None
        return self._transport.send("POST", self._url, headers=self._headers, body=written), tuple(body)

    async def _answered(self, sending: Awaitable[Response]) -> Response:
        failure: ModelError
        unreachable = unanswered = False
        try:
            return await sending
        except ConnectionLost as error:
            failure = BadCompletion(self._say(str(error)))
            failure.infrastructure = True
        except TransportError as error:
            unreachable = isinstance(error, NoConnection)
            unanswered = not isinstance(error, NoConnection | RequestUnread)
            failure = ModelUnavailable(self._say(str(error)), hint=f"does a server answer at {self._url}?")
        raise TryAgain(failure, unreachable=unreachable, unanswered=unanswered)

    def _read(self, response: Response, most: int | None) -> Completion | ProviderError:
        """Return the completion in a response.

        An answer without room within `most` tokens is final, and one that was filtered: another would be the same.
        """
        read: dict[str, Any] = {}
        try:
            read = read_body(response.body)
            return hidden_refusal(read) or without_key(read_completion(read, self.price), self._key.get_secret_value())
        except BadCompletion as error:
            short = isinstance(error, NoRoom) and most is not None
            final = short or isinstance(error, Filtered)
            failed = BadCompletion(self._say(f"{error}, within max_tokens={most}" if short else str(error)))
            failed.infrastructure = not isinstance(error, NoRoom | Filtered)  # a body that no model can have meant
        stated = read_usage(read.get("usage"), self.price)
        failed.usage = None if stated.unknown_tokens else stated
        if final:
            failed.charged = 1
            raise failed
        raise TryAgain(failed)

    def _misspoken(self, refusal: ProviderError, rung: OutputMode) -> Completion:
        """Return the model's rejected output as a completion.

        The caller can tell the model what is wrong with it, as for servers that do not validate output.
        """
        completion = Completion(refusal.generated, usage=read_usage(None, self.price), rung=rung)
        return without_key(completion, self._key.get_secret_value())

    def _heed(self, headers: Mapping[str, str]) -> None:
        """Pause all calls of the model if the server reports that the quota of this minute is used up."""
        limiter = self._retries.limiter
        if limiter and (seconds := nothing_left(headers)):
            limiter.pause(min(seconds, MINUTE))

    def _refused(
        self, refusal: ProviderError, sent: tuple[str, ...], rung: OutputMode | None, headers: Mapping[str, str]
    ) -> ModelError | TryAgain:
        """Return the consequence of a rejection: a changed request at once, a retry later, or a final error."""
        said = f"; it said: {refusal.generated}" if refusal.generated else ""
        words = self._say(f"HTTP {refusal.status}: {refusal.words}{said}")
        if refusal.misspoke:
            return TryAgain(BadCompletion(words), status=refusal.status)
        change = self._parameters.learn(sent, refusal) or self._modes.step_down(rung, refusal)
        if change:
            return TryAgain(ModelRejected(f"{words}; {change}"), status=refusal.status, wait=0)
        if refusal.temporary:
            return TryAgain(ModelUnavailable(words), status=refusal.status, wait=self._asked(refusal, headers))
        rejected = ModelRejected(words, hint=self._key_hint if refusal.status in (401, 403) else "")
        rejected.pointless = self._breaker.refused(refusal)
        rejected.infrastructure = refusal.about_caller
        return rejected

    def _asked(self, refusal: ProviderError, headers: Mapping[str, str]) -> float | None:
        """Return the number of seconds the provider asks to wait, from any place where it states them."""
        now, headers = server_time(headers, self._retries.clock.now()), {**refusal.headers, **headers}
        said = retry_after(headers, now) or nothing_left(headers)
        if not said and refusal.status == 429:
            said = reset_at(headers, now) or asked_in_words(refusal.words)
        return said or (_LOADING if refusal.loading else None)

    def _say(self, words: str) -> str:
        return f"{self._label}: {quote(words, self._key.get_secret_value())}"


def _headers(key: SecretStr) -> dict[str, str]:
    headers = {"content-type": "application/json", "accept": "application/json"}
    if key.get_secret_value():
        headers["authorization"] = Hidden(f"Bearer {key.get_secret_value()}")
    return headers
