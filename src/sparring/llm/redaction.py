"""Redaction of texts from outside: bounded, printable, and without secrets."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from urllib.parse import quote as percent_encoded

from sparring.llm.model import Completion

_LONGEST_READ = 20_000
_LONGEST_SHOWN = 300
_SHORTEST_SECRET = 4  # replacing every "x" would hide the message and no secret
_SHORTEST_KEY = 8  # a server of one's own may want "none" or "test", which people say
_HIDDEN = "[redacted]"
_LOOKS_LIKE_A_KEY = re.compile(
    r"""
    \b(?:bearer|basic)\s+(?=\S*\d|\S{24})[^\s"',;]{4,}       # an Authorization header, not "basic usage"
    | \b(?:sk|gsk|xai|hf|tgp)[-_][\w*.\-]{4,}                 # the prefixes providers use; they echo keys with stars
    | \bAIza[\w\-*]{10,}
    | (?<=://)[^\s/@]+(?=@)                                   # user:password in an address
    | (?<=[?&])(?:[\w\-]*(?:key|token|secret|signature))=[^\s&"']+
    | (?:x-)?api[-_]?key["']?\s*[:=]\s*["']?[^\s"',;}]{4,}
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SECRET_NAME = re.compile(r"(?:^|.*[_-])(?:api_?)?(?:key|keys|token|tokens|secret|secrets|password)$", re.IGNORECASE)


def is_secret_name(name: str) -> bool:
    """Return True if the name of a variable says that its value is secret."""
    return _SECRET_NAME.match(name) is not None


def secrets_in(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of variables whose names say that they are secret."""
    return tuple(value.strip() for name, value in environment.items() if is_secret_name(name) and value.strip())


class Hidden(str):
    """Text that is sent but not displayed: tracebacks and logs print the repr of values."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(_HIDDEN)


def without(text: str, *secrets: str) -> str:
    """Return `text` without these secrets, plain or percent-encoded."""
    for secret in secrets:
        if len(secret) >= _SHORTEST_SECRET:
            for written in (secret, *(percent_encoded(secret, safe=safe, errors="replace") for safe in ("", "/"))):
                text = text.replace(written, _HIDDEN)
    return text


def without_key(completion: Completion, key: str) -> Completion:
    """Return a completion without the key of the call, which a server in between may echo."""
    if len(key) < _SHORTEST_KEY or not any(key in text for text in _texts(completion)):
        return completion
    requests = [
        replace(each, id=without(each.id, key), name=without(each.name, key), arguments=without(each.arguments, key))
        for each in completion.tool_requests
    ]
    text, model = without(completion.text, key), without(completion.model, key)
    return replace(completion, text=text, tool_requests=tuple(requests), model=model)


def _texts(completion: Completion) -> Iterator[str]:
    yield completion.text
    yield completion.model
    for each in completion.tool_requests:
        yield from (each.id, each.name, each.arguments)


def redact(text: str, *secrets: str) -> str:
    """Return `text` without these secrets and without anything else that looks like a key."""
    return _LOOKS_LIKE_A_KEY.sub(_HIDDEN, without(text, *secrets))


def quote(text: str, *secrets: str) -> str:
    """Return a text from outside on one line, redacted, in at most 300 characters."""
    # Secrets go before the text is cut, or half of one could stay; and again once nothing invisible divides them.
    text = " ".join(without(text, *secrets).split())
    if not text.isprintable():
        text = without(" ".join("".join(filter(str.isprintable, text)).split()), *secrets)
    if len(text) > _LONGEST_READ:
        text = text[:_LONGEST_READ].rpartition(" ")[0] or text[:_LONGEST_READ]
    text = redact(text)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
