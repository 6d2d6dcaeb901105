"""Draft a preset from a parsed curl command.

Likely secrets become environment variables and are never written; the user's message becomes a placeholder.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

import yaml

from sparring.app.detect_fields import NAMED_SESSION
from sparring.core.errors import InputError
from sparring.core.value import Json
from sparring.integrations.curl.command import CurlRequest, pairs
from sparring.llm.redaction import redact
from sparring.parsing import KeyPath

SECRET_NAME = re.compile(
    r"auth|cookie|key|token|secret|passw|pwd|\bpin\b|credential|signature|csrf|xsrf|jwt|bearer", re.IGNORECASE
)
_HARMLESS_VALUE = re.compile(r"[A-Za-z][a-z]{0,14}|\d{1,4}|v?\d(\.\d){0,2}|[a-z]{1,10}[/_-][a-z]{1,10}|")
_RANDOM = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])[\w\-:.=+/%]{16,}", re.ASCII)
_SHELL = re.compile(r"\$(?:\{(\w+)\}|([A-Za-z_]\w*))", re.ASCII)
_SCHEME = re.compile(r"(Bearer|Basic|Token|Digest|ApiKey|Key)\s+\S", re.IGNORECASE)


@dataclass
class SecretVariables:
    """Environment variables that replace secrets, each with the place where the secret was found.

    `values` are the secrets themselves, for `.env` and the first requests; those of shell variables are unknown.
    """

    where: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict, repr=False)

    def header(self, name: str, value: str) -> str:
        """Return the value of a header, with a variable in its place unless it is known to be harmless."""
        where = f"the header {name}"
        if shell := self._shell(value, where):
            return shell
        if not SECRET_NAME.search(name) and _HARMLESS_VALUE.fullmatch(value):
            return value
        scheme = _SCHEME.match(value)
        secret = value[len(scheme[0]) - 1 :] if scheme else value
        gap = self._gap("key" if name.lower() == "authorization" else name, secret, where)
        return f"{scheme[1]} {gap}" if scheme else gap

    def address(self, piece: str) -> str:
        """Return a segment of a URL path, with a variable in its place if it looks random."""
        return self._shell(piece, "the address") or (
            self._gap("path_key", piece, "the address") if _RANDOM.fullmatch(piece) else piece
        )

    def value(self, name: str, value: str, where: str) -> str:
        """Return a value of a query, a form or a body, with a variable in its place if it may be secret."""
        if value and (SECRET_NAME.search(name) or _RANDOM.fullmatch(value) or redact(value) != value):
            return self._gap(name or "key", value, where)
        return value

    def check_name(self, name: str) -> None:
        """Raise `InputError` if a name may be a secret itself, as names cannot be variables."""
        if _RANDOM.fullmatch(name) or redact(name) != name:
            raise InputError("a field name looks like a key", hint="write NAME=KEY")

    def _shell(self, value: str, where: str) -> str:
        """Return a value that consists of shell variables as ${NAME}; otherwise ""."""
        rest = _SHELL.sub("", value)
        if rest == value or _RANDOM.search(rest):
            return ""
        for braced, bare in _SHELL.findall(value):
            self.where[braced or bare] = where
        return _SHELL.sub(lambda found: f"${{{found[1] or found[2]}}}", value)

    def _gap(self, name: str, value: str, where: str) -> str:
        words = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").upper() or "KEY"
        wanted = words if words.startswith("CHATBOT") else f"CHATBOT_{words}"
        variable, number = wanted, 1
        while variable in self.where and self.values.get(variable) != value:
            number += 1
            variable = f"{wanted}_{number}"
        self.where[variable], self.values[variable] = where, value
        return f"${{{variable}}}"


REPLY_NAMES = ("reply", "response", "answer", "text", "message", "output")
"""Likely names of the reply in a response that is not known yet."""

_MESSAGE_NAMES = ("message", "text", "input", "query", "question", "prompt", "content", "msg", "utterance", "q", "body")
_SESSION_NAMES = ("session", "sender", "conversation", "chat", "thread", "user", "uid", "client", "visitor")
_DROPPED_HEADERS = re.compile(
    r"accept(-encoding)?|content-length|host|connection|sec-.*|dnt|priority|pragma|cache-control|user-agent|te|"
    r"upgrade-insecure-requests|referer|if-.*",
    re.IGNORECASE,
)
_HARMLESS_HEADERS = re.compile(r"accept-language|content-type|origin|x-requested-with", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_HEAD = (
    "# Drafted from a curl command. Its secrets belong in the environment or in .env.",
    "# `sparring doctor --chatbot http:chatbot.yaml` says hello and shows the fields of the response:",
    "# `reply` is the path of the chatbot's reply.",
)


@dataclass(frozen=True, slots=True)
class PresetDraft:
    """Text of a preset, its variables with the places of their secrets, two paths, and the known secrets."""

    text: str
    secrets: Mapping[str, str]
    spoken: str
    session: str
    values: Mapping[str, str] = field(repr=False)


def draft(curl: CurlRequest) -> PresetDraft:
    """Draft the preset of a request. Raise `InputError` if the user's message cannot be located."""
    secrets = SecretVariables()
    url, query = _address(curl, secrets)
    body, form = _body(curl, secrets)
    if curl.query and form is not None:
        query, form = query | form, None
    parts: dict[str, Json] = {"query": query, "body": body, "form": form}
    sent: dict[str, Json] = {name: value for name, value in parts.items() if value}
    gaps = _placeholders(sent)
    keys: dict[str, Json] = {
        "url": url,
        "method": "" if curl.method == "POST" else curl.method,
        "headers": _headers(curl, secrets),
        **{name: _with_placeholders(value, (name,), gaps) for name, value in sent.items()},
        "reply": _reply(url, gaps),
        "timeout": curl.seconds,
    }
    lines = [f"{name}: {_as_yaml(value)}" for name, value in keys.items() if value]
    text = "\n".join([*_HEAD, *lines, ""])
    return PresetDraft(text, secrets.where, _place(gaps, "message"), _place(gaps, "session"), secrets.values)


def _as_yaml(value: Json) -> str:
    """Return a value as JSON, which is valid YAML 1.2."""
    text = json.dumps(value, ensure_ascii=False, indent=2 if isinstance(value, dict) and len(value) > 1 else None)
    return text.replace("\n", "\n  ")


def _address(curl: CurlRequest, secrets: SecretVariables) -> tuple[str, dict[str, Json]]:
    parts = urlsplit(curl.url)
    path = "/".join(map(secrets.address, parts.path.split("/")))
    query: dict[str, Json] = {
        name: _without_secret(name, value, f"the query's {name}", secrets) for name, value in pairs(parts.query)
    }
    return urlunsplit((parts.scheme, parts.netloc, path, "", "")), query


def _headers(curl: CurlRequest, secrets: SecretVariables) -> dict[str, Json]:
    """Return the relevant headers, without the content type of a body, which the preset implies."""
    return {
        name: value if _HARMLESS_HEADERS.fullmatch(name) else secrets.header(name, value)
        for name, value in curl.headers
        if name and not _DROPPED_HEADERS.fullmatch(name) and not (name.lower() == "content-type" and curl.data)
    }


def _body(curl: CurlRequest, secrets: SecretVariables) -> tuple[Json, dict[str, Json] | None]:
    """Return the body as JSON or as a form, with variables for its secrets."""
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
                raise InputError("the data of the curl command is not JSON", hint=hint) from None
    if not all("=" in part for part in text.split("&") if part):
        hint = """for example --data '{"text": "hello"}'"""
        raise InputError("the data of the curl command is neither JSON nor a form", hint=hint)
    return None, {name: _without_secret(name, value, f"the form's {name}", secrets) for name, value in pairs(text)}


def _without_secrets(value: Json, name: str, secrets: SecretVariables) -> Json:
    if isinstance(value, dict):
        return {key: _without_secrets(inner, key, secrets) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without_secrets(inner, name, secrets) for inner in value]
    if value is None or isinstance(value, bool):
        return value
    safe = _without_secret(name, str(value), f"the body's {name}", secrets)
    return value if safe == str(value) else safe


def _without_secret(name: str, value: str, where: str, secrets: SecretVariables) -> str:
    """Return a value without secrets. Session ids stay, as a placeholder replaces them."""
    secrets.check_name(name)
    return value if _is_session(name) or _PLACEHOLDER.search(value) else secrets.value(name, value, where)


def _is_session(name: str) -> bool:
    words = _snake(name)
    stem = re.sub(r"[_-]?(id|uuid)$", "", words)
    return stem in _SESSION_NAMES and (stem != words or words in ("session", "sender", "uid", "user", "conversation"))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _placeholders(sent: dict[str, Json]) -> dict[KeyPath, str]:
    """Return placeholders by path: the user's message and the session id."""
    everything = dict(_inside(sent, ()))
    texts = {path: text for path, text in everything.items() if isinstance(text, str)}
    gaps = {path: "{{new_session}}" for path in texts if _is_session(str(path[-1]))}
    gaps |= {path: text for path, text in texts.items() if _PLACEHOLDER.search(text)}
    if any(name in ("message", "messages") for gap in gaps.values() for name in _PLACEHOLDER.findall(gap)):
        return gaps
    for path, value in everything.items():
        if path[-1] == "messages" and isinstance(value, list):
            return gaps | {path: "{{messages}}"}
    return gaps | {_spoken({path: text for path, text in texts.items() if path not in gaps}): "{{message}}"}


def _spoken(texts: Mapping[KeyPath, str]) -> KeyPath:
    """Return the path of the user's message: by its name, else the only text that qualifies."""
    free = {path: text for path, text in texts.items() if "${" not in text}
    for name in _MESSAGE_NAMES:
        for path in free:
            if name in re.split(r"[_\-.]", _snake(str(path[-1]))):
                return path
    for found in ([path for path, text in free.items() if " " in text.strip()], list(free)):
        if len(found) == 1:
            return found[0]
    raise InputError(
        "cannot find the user's message in the curl command",
        hint="""write {{message}} in its place: --data '{"say": "{{message}}"}'""",
    )


def _inside(value: Json, path: KeyPath) -> Iterator[tuple[KeyPath, Json]]:
    """Yield all nested values with their paths."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in inner:
        yield (*path, step), part
        yield from _inside(part, (*path, step))


def _with_placeholders(value: Json, path: KeyPath, gaps: Mapping[KeyPath, str]) -> Json:
    if path in gaps:
        return gaps[path]
    if isinstance(value, dict):
        return {name: _with_placeholders(inner, (*path, name), gaps) for name, inner in value.items()}
    if isinstance(value, list):
        return [_with_placeholders(inner, (*path, index), gaps) for index, inner in enumerate(value)]
    return value


def _place(gaps: Mapping[KeyPath, str], name: str) -> str:
    """Return the path of a placeholder in dotted notation."""
    return next((".".join(map(str, path)) for path, gap in gaps.items() if name in gap), "")


def _reply(url: str, gaps: Mapping[KeyPath, str]) -> Json:
    """Return the likely path of the reply, guessed from the request."""
    if "{{messages}}" in gaps.values():
        return "choices[0].message.content"
    return "[*].text" if url.endswith("/webhooks/rest/webhook") else [*REPLY_NAMES]


_SENT = ("headers", "query", "body", "form")
_BLOCKS = ("|", ">")


@dataclass(frozen=True, slots=True)
class PresetProblem:
    """A problem without its secret, and the corrected text from `start` to `end` of the file."""

    text: str
    start: int
    end: int
    right: str
    secrets: dict[str, str] = field(default_factory=dict, repr=False)


def problems_of(text: str) -> list[PresetProblem]:
    """Return the constant sessions and literal secrets in the text of a preset."""
    secrets, found = SecretVariables(), dict[int, PresetProblem]()
    for part, value in _entries(yaml.compose(text, yaml.SafeLoader)):
        if part not in _SENT:
            continue
        for name, node in _scalars(value, part, set()):
            value_text, where = str(node.value), f"{part}.{name}"
            if not value_text or "{{" in value_text or "${" in value_text or node.style in _BLOCKS:
                continue
            start, end = node.start_mark.index, node.end_mark.index
            if not node.tag.endswith((":str", ":int")):
                continue
            if NAMED_SESSION.search(name):
                message = f"{where} is the same in every conversation"
                found[start] = PresetProblem(message, start, end, json.dumps("{{new_session}}"))
            elif SECRET_NAME.search(name) or redact(value_text) != value_text:
                safe = secrets.header(name, value_text) if part == "headers" else secrets.value(name, value_text, where)
                used = {each: secret for each, secret in secrets.values.items() if f"${{{each}}}" in safe}
                found[start] = PresetProblem(f"{where} is a secret in the file", start, end, json.dumps(safe), used)
    return list(found.values())


def with_reply(text: str, path: str) -> str | None:
    """Return the text of a preset with another path of the reply; None if `reply` takes several lines."""
    for part, value in _entries(yaml.compose(text, yaml.SafeLoader)):
        if part == "reply":
            if isinstance(value, yaml.CollectionNode) and not value.flow_style:
                return None
            return mended(text, [PresetProblem("", value.start_mark.index, value.end_mark.index, json.dumps(path))])
    return f"{text.rstrip()}\nreply: {json.dumps(path)}\n"


def mended(text: str, problems: Iterable[PresetProblem]) -> str:
    """Return a text in which the right words are in the place of the wrong ones."""
    for each in sorted(problems, key=lambda each: each.start, reverse=True):
        text = text[: each.start] + each.right + text[each.end :]
    return text


def _entries(node: yaml.Node | None) -> Iterator[tuple[str, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        yield from ((str(key.value), value) for key, value in node.value)


def _scalars(node: yaml.Node, name: str, seen: set[int]) -> Iterator[tuple[str, yaml.ScalarNode]]:
    if id(node) in seen:  # an alias
        return
    seen.add(id(node))
    if isinstance(node, yaml.ScalarNode):
        yield name, node
    elif isinstance(node, yaml.SequenceNode):
        for inner in node.value:
            yield from _scalars(inner, name, seen)
    for key, inner in _entries(node):
        yield from _scalars(inner, key, seen)
