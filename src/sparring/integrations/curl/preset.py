"""A preset from a curl command: its secrets become variables of the environment, and the user's words a gap.

What in a curl command may be a secret: a variable of the environment stands for it, and it is written nowhere.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

from sparring.core.errors import InputError
from sparring.core.value import Json
from sparring.integrations.curl.command import Curl, pairs
from sparring.llm.redaction import redact
from sparring.parsing import KeyPath

_SECRET_NAME = re.compile(
    r"auth|cookie|key|token|secret|passw|pwd|\bpin\b|credential|signature|csrf|xsrf|jwt|bearer", re.IGNORECASE
)
_PLAIN = re.compile(r"[A-Za-z][a-z]{0,14}|\d{1,4}|v?\d(\.\d){0,2}|[a-z]{1,10}[/_-][a-z]{1,10}|")
_RANDOM = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])[\w\-:.=+/%]{16,}", re.ASCII)
_SHELL = re.compile(r"\$(?:\{(\w+)\}|([A-Za-z_]\w*))", re.ASCII)
_SCHEME = re.compile(r"(Bearer|Basic|Token|Digest|ApiKey|Key)\s+\S", re.IGNORECASE)


@dataclass
class Secrets:
    """The secrets that were found: the variable that stands for each, and where it was."""

    where: dict[str, str] = field(default_factory=dict)

    def header(self, name: str, value: str) -> str:
        """The value of a header. What is not known to be harmless is taken for a secret."""
        where = f"the header {name}"
        if shell := self._shell(value, where):
            return shell
        if not _SECRET_NAME.search(name) and _PLAIN.fullmatch(value):
            return value
        scheme = _SCHEME.match(value)
        gap = self._gap("key" if name.lower() == "authorization" else name, where)
        return f"{scheme[1]} {gap}" if scheme else gap

    def address(self, piece: str) -> str:
        """A piece of the path of an address."""
        return self._shell(piece, "the address") or (
            self._gap("path_key", "the address") if _RANDOM.fullmatch(piece) else piece
        )

    def value(self, name: str, value: str, where: str) -> str:
        """A value of a query, a form or a body, as text."""
        if value and (_SECRET_NAME.search(name) or _RANDOM.fullmatch(value) or redact(value) != value):
            return self._gap(name or "key", where)
        return value

    def check_name(self, name: str) -> None:
        """Refuse a name that may be a secret itself: a name cannot be taken from the environment."""
        if _RANDOM.fullmatch(name) or redact(name) != name:
            raise InputError("something that looks like a key stands where a name should", hint="write NAME=KEY")

    def _shell(self, value: str, where: str) -> str:
        """A value with variables of the shell, which stay variables; nothing if there is none in it."""
        rest = _SHELL.sub("", value)
        if rest == value or _RANDOM.search(rest):
            return ""
        for braced, bare in _SHELL.findall(value):
            self.where[braced or bare] = where
        return _SHELL.sub(lambda found: f"${{{found[1] or found[2]}}}", value)

    def _gap(self, name: str, where: str) -> str:
        words = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").upper() or "KEY"
        wanted = words if words.startswith("CHATBOT") else f"CHATBOT_{words}"
        variable, number = wanted, 1
        while self.where.get(variable, where) != where:
            number += 1
            variable = f"{wanted}_{number}"
        self.where[variable] = where
        return f"${{{variable}}}"


GUESSED = ("reply", "response", "answer", "text", "message", "output")
"""Where the words of an answer may be, if nobody has seen one."""

_SPOKEN = ("message", "text", "input", "query", "question", "prompt", "content", "msg", "utterance", "q", "body")
_SESSIONS = ("session", "sender", "conversation", "chat", "thread", "user", "uid", "client", "visitor")
_DROPPED = re.compile(
    r"accept(-encoding)?|content-length|host|connection|sec-.*|dnt|priority|pragma|cache-control|user-agent|te|"
    r"upgrade-insecure-requests|referer|if-.*",
    re.IGNORECASE,
)
_HARMLESS = re.compile(r"accept-language|content-type|origin|x-requested-with", re.IGNORECASE)
_GAP = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_HEAD = (
    "# Drafted from a curl command, whose secrets are in the environment now, or in .env.",
    "# `sparring doctor --chatbot http:chatbot.yaml` says hello and shows what is where in the answer:",
    "# `reply` is where the chatbot's words are.",
)


@dataclass(frozen=True, slots=True)
class Draft:
    """The text of a preset, the variables of its secrets and where these were, and where words and session go."""

    text: str
    secrets: Mapping[str, str]
    spoken: str
    session: str


def draft(curl: Curl) -> Draft:
    """The preset for a request; an InputError if nobody can tell what in it the user says."""
    secrets = Secrets()
    url, query = _address(curl, secrets)
    body, form = _body(curl, secrets)
    if curl.query and form is not None:
        query, form = query | form, None
    parts: dict[str, Json] = {"query": query, "body": body, "form": form}
    sent: dict[str, Json] = {name: value for name, value in parts.items() if value}
    gaps = _gaps(sent)
    keys: dict[str, Json] = {
        "url": url,
        "method": "" if curl.method == "POST" else curl.method,
        "headers": _headers(curl, secrets),
        **{name: _filled(value, (name,), gaps) for name, value in sent.items()},
        "reply": _reply(url, gaps),
        "timeout": curl.seconds,
    }
    lines = [f"{name}: {_as_yaml(value)}" for name, value in keys.items() if value]
    return Draft("\n".join([*_HEAD, *lines, ""]), secrets.where, _place(gaps, "message"), _place(gaps, "session"))


def _as_yaml(value: Json) -> str:
    """A value as YAML 1.2, of which JSON is a part."""
    text = json.dumps(value, ensure_ascii=False, indent=2 if isinstance(value, dict) and len(value) > 1 else None)
    return text.replace("\n", "\n  ")


def _address(curl: Curl, secrets: Secrets) -> tuple[str, dict[str, Json]]:
    parts = urlsplit(curl.url)
    path = "/".join(map(secrets.address, parts.path.split("/")))
    query: dict[str, Json] = {
        name: _safe(name, value, f"the query's {name}", secrets) for name, value in pairs(parts.query)
    }
    return urlunsplit((parts.scheme, parts.netloc, path, "", "")), query


def _headers(curl: Curl, secrets: Secrets) -> dict[str, Json]:
    """The headers that matter; what kind of body it is, a preset says by itself."""
    return {
        name: value if _HARMLESS.fullmatch(name) else secrets.header(name, value)
        for name, value in curl.headers
        if name and not _DROPPED.fullmatch(name) and not (name.lower() == "content-type" and curl.data)
    }


def _body(curl: Curl, secrets: Secrets) -> tuple[Json, dict[str, Json] | None]:
    """What is sent along, as JSON or as a form, with gaps for its secrets."""
    if not curl.data:
        return None, None
    text = "&".join(curl.data)
    if not curl.query:
        try:
            return _without_secrets(json.loads(text), "", secrets), None
        except (ValueError, RecursionError):
            kinds = [value for name, value in curl.headers if name.lower() == "content-type"]
            if curl.json or any("json" in kind for kind in kinds):
                hint = "copy the command again, with its quotes"
                raise InputError("what curl would send is not JSON", hint=hint) from None
    if not all("=" in part for part in text.split("&") if part):
        hint = """for example --data '{"text": "hello"}'"""
        raise InputError("what curl would send is neither JSON nor a form", hint=hint)
    return None, {name: _safe(name, value, f"the form's {name}", secrets) for name, value in pairs(text)}


def _without_secrets(value: Json, name: str, secrets: Secrets) -> Json:
    if isinstance(value, dict):
        return {key: _without_secrets(inner, key, secrets) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without_secrets(inner, name, secrets) for inner in value]
    if value is None or isinstance(value, bool):
        return value
    safe = _safe(name, str(value), f"the body's {name}", secrets)
    return value if safe == str(value) else safe


def _safe(name: str, value: str, where: str, secrets: Secrets) -> str:
    """A value without what may be secret in it. The name of a conversation is going to be another one anyhow."""
    secrets.check_name(name)
    return value if _is_session(name) or _GAP.search(value) else secrets.value(name, value, where)


def _is_session(name: str) -> bool:
    words = _snake(name)
    stem = re.sub(r"[_-]?(id|uuid)$", "", words)
    return stem in _SESSIONS and (stem != words or words in ("session", "sender", "uid", "user", "conversation"))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _gaps(sent: dict[str, Json]) -> dict[KeyPath, str]:
    """Where the user's words go, and the name of the conversation."""
    everything = dict(_inside(sent, ()))
    texts = {path: text for path, text in everything.items() if isinstance(text, str)}
    gaps = {path: "{{new_session}}" for path in texts if _is_session(str(path[-1]))}
    gaps |= {path: text for path, text in texts.items() if _GAP.search(text)}
    if any(name in ("message", "messages") for gap in gaps.values() for name in _GAP.findall(gap)):
        return gaps
    for path, value in everything.items():
        if path[-1] == "messages" and isinstance(value, list):
            return gaps | {path: "{{messages}}"}
    return gaps | {_spoken({path: text for path, text in texts.items() if path not in gaps}): "{{message}}"}


def _spoken(texts: Mapping[KeyPath, str]) -> KeyPath:
    """Where the user's words are: under a name that says so, or else in the only text that can be meant."""
    free = {path: text for path, text in texts.items() if "${" not in text}
    for name in _SPOKEN:
        for path in free:
            if name in re.split(r"[_\-.]", _snake(str(path[-1]))):
                return path
    for found in ([path for path, text in free.items() if " " in text.strip()], list(free)):
        if len(found) == 1:
            return found[0]
    raise InputError(
        "nobody can tell where in the curl command the user's words are",
        hint="""write {{message}} in their place: --data '{"say": "{{message}}"}'""",
    )


def _inside(value: Json, path: KeyPath) -> Iterator[tuple[KeyPath, Json]]:
    """Everything that is in a value, with the way to it."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in inner:
        yield (*path, step), part
        yield from _inside(part, (*path, step))


def _filled(value: Json, path: KeyPath, gaps: Mapping[KeyPath, str]) -> Json:
    if path in gaps:
        return gaps[path]
    if isinstance(value, dict):
        return {name: _filled(inner, (*path, name), gaps) for name, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, (*path, index), gaps) for index, inner in enumerate(value)]
    return value


def _place(gaps: Mapping[KeyPath, str], name: str) -> str:
    """Where a gap is, as people write it."""
    return next((".".join(map(str, path)) for path, gap in gaps.items() if name in gap), "")


def _reply(url: str, gaps: Mapping[KeyPath, str]) -> Json:
    """Where the words of the answer are, as far as anybody can tell from the question."""
    if "{{messages}}" in gaps.values():
        return "choices[0].message.content"
    return "[*].text" if url.endswith("/webhooks/rest/webhook") else [*GUESSED]
