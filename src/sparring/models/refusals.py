"""What a provider says when it does not answer: errors come in as many shapes as there are servers."""

import re
from dataclasses import dataclass
from typing import Any

import orjson

from sparring.models.transport import Response

_DEEPEST = 6
_NO_CREDIT = re.compile(
    r"insufficient_quota|billing_not_active|billing_hard_limit|credit balance is too low"
    r"|insufficient (?:balance|credits)",
    re.IGNORECASE,
)
_MISSPOKE = re.compile(r"\b(?:tool_use_failed|json_validate_failed)\b")
_NEVER_FITS = re.compile(r"request too large", re.IGNORECASE)
_PLACES = ("error", "message", "msg", "detail", "param", "code", "metadata", "raw")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A status that is no answer, and the provider's own words (raw: quote them before they are shown)."""

    status: int
    words: str

    @property
    def temporary(self) -> bool:
        """Whether the same request may succeed later; without credit it will not, whatever the status, nor where it is
        larger than all that a minute may hold."""
        if self.status == 429 and (self.no_credit or _NEVER_FITS.search(self.words)):
            return False
        return self.status in (408, 409, 429) or self.status >= 500

    @property
    def no_credit(self) -> bool:
        """Whether nobody pays for any further call."""
        return self.status == 402 or (self.status in (400, 403, 429) and bool(_NO_CREDIT.search(self.words)))

    @property
    def misspoke(self) -> bool:
        """Whether it is the model's own words that are refused, which may be others the next time."""
        return self.status == 400 and bool(_MISSPOKE.search(self.words))

    @property
    def changeable(self) -> bool:
        """Whether another request might be taken: the complaint is about what was asked, not about who asks."""
        return self.status in (400, 404, 422)


def read_refusal(response: Response) -> Refusal:
    """The refusal in a response whose status is not one of success."""
    if 300 <= response.status < 400:
        return Refusal(response.status, f"it redirects to {response.headers.get('location', 'nowhere')}; ask there")
    text = response.body.decode(errors="replace")
    try:
        words = _words(orjson.loads(response.body))
    except orjson.JSONDecodeError:
        words = ""
    return Refusal(response.status, words or text)


def hidden_refusal(response: dict[str, Any]) -> Refusal | None:
    """The refusal inside a response whose status claims success; gateways send it when another status is too late."""
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    error = response.get("error") or (first.get("error") if isinstance(first, dict) else None)
    if not error:
        return None
    code = error.get("code") if isinstance(error, dict) else None
    return Refusal(code if isinstance(code, int) and 400 <= code < 600 else 502, _words(error))


def _words(read: Any, depth: int = 0) -> str:
    """Every text in the places where servers put their words, in their order."""
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
