"""Secrets of a preset.

Error messages hide everything that was sent; the chatbot's words hide only keys.
"""

import json
import re
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl, quote_plus, unquote, unquote_plus
from urllib.parse import quote as percent_encoded

from sparring.chatbots.preset import RequestTemplate
from sparring.core.value import Json, map_texts
from sparring.llm.redaction import quote, without

USER = re.compile(r"^(\w+://)(?:[^/@]*:)?([^/@]*)@")
_HOLDS_A_KEY = re.compile(r"key|token|secret|auth|passw|pwd|credential|signature|cookie", re.IGNORECASE)
_DEFAULT = re.compile(r"\$\{([A-Za-z_]\w*):-([^{}]*)\}", re.ASCII)
_SHORTEST_WORD = 8


def shown_address(url: str, environment: Mapping[str, str]) -> str:
    """Return an address without password and query, with the defaults of variables that are not set."""
    filled = _DEFAULT.sub(lambda gap: f"${{{gap[1]}}}" if environment.get(gap[1]) else gap[2], url)
    return quote(USER.sub(r"\1", filled).partition("?")[0].partition("#")[0])


def secrets_of(asking: RequestTemplate, headers: Mapping[str, str], environment: Mapping[str, str]) -> list[str]:
    """Return all secrets of a request: the environment, the headers and the query."""
    values = [value for name, value in headers.items() if name not in ("Accept", "Content-Type")]
    query = [*parse_qsl(asking.url.partition("?")[2]), *_texts(asking.query)]
    return in_every_writing(
        [*environment.values(), *values, *_words(values), _password(asking.url), *(value for _, value in query)]
    )


def keys_of(asking: RequestTemplate, headers: Mapping[str, str], environment: Mapping[str, str]) -> list[str]:
    """Return the keys to redact in the chatbot's words. Other headers may have ordinary words."""
    named = [*headers.items(), *parse_qsl(asking.url.partition("?")[2]), *_texts(asking.query)]
    values = [value for name, value in named if _HOLDS_A_KEY.search(name)]
    return in_every_writing([*keys_in(environment), *values, *_words(values), _password(asking.url)])


def keys_in(environment: Mapping[str, str]) -> list[str]:
    """Return the keys in environment variables; of an address, only its secret parts."""
    found = []
    for value in environment.values():
        query = [text for _, text in parse_qsl(value.partition("?")[2])]
        found += [_password(value), *query] if re.match(r"\w+://", value) else [value]
    return found


def in_every_writing(secrets: Iterable[str]) -> list[str]:
    """Return secrets in all encodings, longest first, so that no part of one remains."""
    every: set[str] = set()
    for secret in secrets:
        every |= {secret, unquote(secret), unquote_plus(secret), json.dumps(secret)[1:-1]}
        every |= {percent_encoded(secret, safe=safe, errors="replace") for safe in ("", "/")}
        every.add(quote_plus(secret, errors="replace"))
    return sorted(every, key=len, reverse=True)


def hidden(value: Json, secrets: list[str]) -> Json:
    """Return a value without these secrets."""

    def hide(text: str) -> str:
        return without(text, *secrets)

    return map_texts(value, hide, names=hide)


def _texts(query: Mapping[str, Json]) -> list[tuple[str, str]]:
    """Yield the literal texts of a query in the preset."""
    return [(name, value) for name, value in query.items() if isinstance(value, str) and "{{" not in value]


def _words(values: Iterable[str]) -> list[str]:
    return [word for value in values for word in value.split() if len(word) >= _SHORTEST_WORD]


def _password(url: str) -> str:
    user = USER.match(url)
    return user[2] if user else ""
