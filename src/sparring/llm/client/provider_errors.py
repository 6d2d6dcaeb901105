"""Error responses of providers, parsed from the many shapes that servers use."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from sparring.llm.client.transport import Response

_DEEPEST = 6
_NO_CREDIT = re.compile(
    r"insufficient_quota|billing_not_active|billing_hard_limit|credit balance is too low"
    r"|insufficient (?:balance|credits)",
    re.IGNORECASE,
)
ABOUT_CALLER = (*range(300, 400), 401, 402, 403, 404, 405, 410)
"""Statuses of requests that fail regardless of their content: redirects, and wrong keys, permissions and addresses."""

_THREE = re.compile(r"[45]\d\d", re.ASCII)
_NAMED = {
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "insufficient_quota": 429,
    "overloaded_error": 529,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "invalid_request_error": 400,
}
_MISSPOKE = re.compile(r"\b(?:tool_use_failed|json_validate_failed|output_parse_failed)\b")
_LOADING = re.compile(r"\bloading\b.{0,99}\bmodel\b|\bmodel\b.{0,99}\bloading\b", re.IGNORECASE)
_NEVER_FITS = re.compile(r"request too large", re.IGNORECASE)
_PLACES = ("error", "message", "msg", "detail", "param", "code", "metadata", "raw")


@dataclass(frozen=True, slots=True)
class ProviderError:
    """An error status with the provider's own text, which has to be quoted before it is displayed.

    `headers` are values in the body that other providers send as headers. `generated` is the rejected output of the
    model.
    """

    status: int
    words: str
    headers: Mapping[str, str] = field(default_factory=dict)
    generated: str = ""

    @property
    def temporary(self) -> bool:
        """True if the same request may succeed later.

        It cannot without credit, or if it is larger than the limit of a minute.
        """
        if self.status == 429 and (self.no_credit or _NEVER_FITS.search(self.words)):
            return False
        return self.status in (408, 409, 429) or self.status >= 500

    @property
    def no_credit(self) -> bool:
        """True if the account has no credit for further calls."""
        return self.status == 402 or (self.status in (400, 403, 429) and bool(_NO_CREDIT.search(self.words)))

    @property
    def about_caller(self) -> bool:
        """True if the key, its permissions, the credit or the address is wrong, not the request."""
        return self.no_credit or self.status in ABOUT_CALLER

    @property
    def misspoke(self) -> bool:
        """True if the output of the model was rejected, which may differ in another attempt."""
        return self.status == 400 and bool(_MISSPOKE.search(self.words))

    @property
    def loading(self) -> bool:
        """True if the server is running but still loads its model, which may take minutes."""
        return self.status == 503 and bool(_LOADING.search(self.words))

    @property
    def changeable(self) -> bool:
        """True if a changed request may succeed: the problem is the request, not the client."""
        return self.status in (400, 404, 422)


def read_refusal(response: Response) -> ProviderError:
    """Return the error in a response with a status other than success."""
    if 300 <= response.status < 400:
        return ProviderError(
            response.status, f"it redirects to {response.headers.get('location', 'nowhere')}; ask there"
        )
    text = response.body.decode(errors="replace")
    try:
        read = orjson.loads(response.body)
    except orjson.JSONDecodeError:
        read = None
    error = _error(read)
    generated = error.get("failed_generation")
    return ProviderError(
        response.status, _words(read) or text, _headers(error), generated if isinstance(generated, str) else ""
    )


def hidden_refusal(response: dict[str, Any]) -> ProviderError | None:
    """Return the error in a response with a status of success, or None.

    Gateways send it when it is too late for another status.
    """
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    error = response.get("error") or (first.get("error") if isinstance(first, dict) else None)
    if error:
        return ProviderError(_status(error), _words(error), _headers(_error(error)))
    words = _words(response) if choices is None else ""
    return ProviderError(_status(response), words) if words else None


def _status(error: Any) -> int:
    """Return the status of an error from its code, or from the name of its code or type."""
    said = [error.get(key) for key in ("code", "status", "type")] if isinstance(error, dict) else []
    for each in said:
        status = int(each) if isinstance(each, int) or (isinstance(each, str) and _THREE.fullmatch(each)) else 0
        status = _NAMED.get(each, status) if isinstance(each, str) else status
        if 400 <= status < 600:
            return status
    return 502


def _words(read: Any, depth: int = 0) -> str:
    """Return all texts in the fields where servers put messages, in their order."""
    if isinstance(read, str) or depth > _DEEPEST:
        return read if isinstance(read, str) else ""
    if isinstance(read, list):
        return "; ".join(filter(None, (_words(part, depth + 1) for part in read)))
    if not isinstance(read, dict):
        return ""
    where = read.get("loc")  # of a validation error, such as {"loc": ["body", "seed"], "msg": "..."}
    place = ".".join(map(str, where)) if isinstance(where, list) else ""
    parts = [_words(read.get(key), depth + 1) for key in _PLACES]
    return ": ".join(filter(None, [place, *dict.fromkeys(parts)]))


def _error(read: Any) -> dict[str, Any]:
    """Return the error object in a body, which may be a list or the object itself."""
    read = read[0] if isinstance(read, list) and read else read
    error = read.get("error", read) if isinstance(read, dict) else None
    return error if isinstance(error, dict) else {}


def _headers(error: dict[str, Any]) -> dict[str, str]:
    """Return values that stand for headers: OpenRouter's `metadata.headers`, and Google's `RetryInfo`."""
    details, metadata = error.get("details"), error.get("metadata")
    headers = metadata.get("headers") if isinstance(metadata, dict) else None
    found = {name.lower(): str(value) for name, value in headers.items()} if isinstance(headers, dict) else {}
    for each in details if isinstance(details, list) else ():
        if isinstance(each, dict) and isinstance(delay := each.get("retryDelay"), str):
            found["retry-after"] = delay.removesuffix("s")
    return found
