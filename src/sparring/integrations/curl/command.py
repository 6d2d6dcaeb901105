"""Reading a curl command, as browsers and manuals give them: what would be sent, and where to."""

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import unquote_plus, urlsplit

from sparring.core.errors import InputError

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

_ANSI = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_CONTROL = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True, slots=True, repr=False)
class Curl:
    """A request as curl would send it; it may be full of secrets, so that nothing of it is shown.

    `json` says that the data is meant to be JSON, `query` that it goes into the address.
    """

    url: str = ""
    method: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    data: tuple[str, ...] = ()
    json: bool = False
    query: bool = False
    seconds: float | None = None


def read_curl(text: str) -> Curl:
    """The request of a curl command; an InputError says what of it is not read, never with the command's own values."""
    try:
        words = shlex.split(_ANSI.sub(_quoted, text.replace("\\\r\n", " ").replace("\\\n", " ")))
    except ValueError as error:
        raise InputError(f"this is no command: {str(error).lower()}", hint="copy it again, as cURL for bash") from None
    if not words or words[0].rpartition("/")[2] not in ("curl", "curl.exe"):
        raise InputError("this is no curl command", hint="a browser gives one: 'Copy as cURL'")
    curl = Curl()
    for option, value in _options(words[1:]):
        curl = _with(curl, option, value)
    return _complete(curl)


def _quoted(match: re.Match[str]) -> str:
    """Bash's $'...' as plain quotes."""
    return shlex.quote(_ESCAPE.sub(_letter, match[1]))


def _letter(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _CONTROL.get(code, code)


def _options(words: list[str]) -> Iterator[tuple[str, str]]:
    """The options with their long names and their values; an address is the value of `--url`."""
    todo = list(reversed(words))
    while todo:
        word = todo.pop()
        if word.startswith("--"):
            name, is_, value = word[2:].partition("=")
            if is_ or name not in _TAKES:
                yield name, value
            else:
                yield name, _next(todo, word)
        elif word.startswith("-") and len(word) > 1:
            name = _SHORT.get(word[1], word[1])
            if name in _TAKES:
                yield name, word[2:] or _next(todo, word[:2])
            else:
                yield name, ""
                if word[2:]:
                    todo.append(f"-{word[2:]}")
        else:
            yield "url", word


def _next(todo: list[str], option: str) -> str:
    if not todo:
        raise InputError(f"curl's {option} stands at the end, without its value")
    return todo.pop()


def _with(curl: Curl, option: str, value: str) -> Curl:
    """The request with one option more."""
    if option in _MEANS:
        return _MEANS[option](curl, value)
    if option in _IGNORED:
        return curl
    if option in _REFUSED:
        raise InputError(f"curl's --{option} is not read", hint=_REFUSED[option])
    shown = option if option.isascii() and option.replace("-", "").isalnum() and len(option) < 30 else "..."
    raise InputError(f"curl's {'--' if len(shown) > 1 else '-'}{shown} is not known here", hint="leave it out")


def _header(curl: Curl, value: str) -> Curl:
    name, _, said = value.partition(":")
    return replace(curl, headers=(*curl.headers, (name.strip(), said.strip())))


def _data(curl: Curl, value: str) -> Curl:
    if value.startswith("@"):
        raise InputError("curl's data is in another file", hint="write what is in it into the command: --data '...'")
    return replace(curl, data=(*curl.data, value))


def _encoded(curl: Curl, value: str) -> Curl:
    """`--data-urlencode name=value`, whose value is not encoded yet."""
    name, is_, said = value.partition("=")
    if not is_:
        raise InputError("curl's --data-urlencode has no name", hint="--data-urlencode 'message=hello'")
    return _data(curl, f"{name}={said.replace('%', '%25').replace('&', '%26').replace('+', '%2B')}")


def _url(curl: Curl, value: str) -> Curl:
    if curl.url:
        raise InputError("there are two addresses in the curl command", hint="quote the values of headers and data")
    return replace(curl, url=value)


def _seconds(curl: Curl, value: str) -> Curl:
    if not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", value) or not float(value):
        raise InputError("curl's --max-time is no number of seconds")
    return replace(curl, seconds=float(value))


_MEANS: dict[str, Callable[[Curl, str], Curl]] = {
    "url": _url,
    "request": lambda curl, value: replace(curl, method=value.upper()),
    "header": _header,
    "data": _data,
    "data-raw": lambda curl, value: replace(curl, data=(*curl.data, value)),
    "data-binary": _data,
    "data-ascii": _data,
    "data-urlencode": _encoded,
    "json": lambda curl, value: replace(_data(curl, value), json=True),
    "get": lambda curl, _: replace(curl, query=True),
    "cookie": lambda curl, value: _header(curl, f"Cookie: {value}"),
    "oauth2-bearer": lambda curl, value: _header(curl, f"Authorization: Bearer {value}"),
    "max-time": _seconds,
}
_NO_PASSWORD = "a name and a password belong into a header: -H 'Authorization: Basic ...', which becomes ${NAME}"
_REFUSED = {
    "user": _NO_PASSWORD,
    "form": "only --data, --data-urlencode and --json are; chatbots seldom take files",
    "form-string": "only --data, --data-urlencode and --json are; chatbots seldom take files",
    "head": "a chatbot has to answer",
    "upload-file": "only --data, --data-urlencode and --json are",
    "next": "write one request; a second one may become `start` in the preset",
    "config": "write what is in that file into the command",
    "netrc": _NO_PASSWORD,
    "cert": "certificates are not sent",
    "key": "certificates are not sent",
}
_TAKES = {*_MEANS, *_REFUSED, "output", "user-agent", "referer", "connect-timeout", "proxy", "retry", "max-redirs"} - {
    "get",
    "head",
    "next",
    "netrc",
}
_IGNORED = {
    *("output", "user-agent", "referer", "connect-timeout", "proxy", "retry", "max-redirs", "silent", "show-error"),
    *("location", "include", "verbose", "insecure", "compressed", "fail", "no-buffer", "http1.1", "http2", "globoff"),
}
_SHORT = {
    "X": "request",
    "H": "header",
    "d": "data",
    "u": "user",
    "b": "cookie",
    "F": "form",
    "G": "get",
    "I": "head",
    "A": "user-agent",
    "e": "referer",
    "o": "output",
    "m": "max-time",
    "x": "proxy",
    "T": "upload-file",
    "s": "silent",
    "S": "show-error",
    "L": "location",
    "i": "include",
    "v": "verbose",
    "k": "insecure",
    "f": "fail",
    "N": "no-buffer",
    "g": "globoff",
    "K": "config",
    "n": "netrc",
    "E": "cert",
}


def _complete(curl: Curl) -> Curl:
    """The request with everything that curl would fill in."""
    if not curl.url:
        raise InputError("there is no address in the curl command")
    url = curl.url if "://" in curl.url else f"http://{curl.url}"
    try:
        parts = urlsplit(url)
    except ValueError:
        raise InputError("the address in the curl command cannot be read") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError("the address in the curl command is none of http:// or https://")
    if "@" in parts.netloc:
        raise InputError("there is a name or a password in the address", hint=_NO_PASSWORD)
    method = curl.method or ("POST" if curl.data and not curl.query else "GET")
    if method not in METHODS:
        raise InputError("the method is not one a preset may have", hint=", ".join(METHODS))
    return replace(curl, url=url, method=method)


def pairs(text: str) -> list[tuple[str, str]]:
    """The names and values of a form or a query."""
    found = [part.partition("=") for part in text.split("&") if part]
    return [(unquote_plus(name), unquote_plus(value)) for name, _, value in found]
