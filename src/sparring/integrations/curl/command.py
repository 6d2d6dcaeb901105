"""Parse a curl command, as copied from a browser or a manual, into the request that it would send."""

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import unquote_plus, urlsplit

from sparring.core.errors import InputError

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

_ANSI_QUOTED = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_CONTROL = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True, slots=True, repr=False)
class CurlRequest:
    """A request as curl would send it. It may contain secrets, so it has no repr.

    `json` is True if the data is declared as JSON, `query` if it belongs in the URL.
    """

    url: str = ""
    method: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    data: tuple[str, ...] = ()
    json: bool = False
    query: bool = False
    seconds: float | None = None


def read_curl(text: str) -> CurlRequest:
    """Parse a curl command. Raise `InputError` for unsupported parts, without values of the command."""
    try:
        words = shlex.split(_ANSI_QUOTED.sub(_requote, text.replace("\\\r\n", " ").replace("\\\n", " ")))
    except ValueError as error:
        raise InputError(
            f"cannot parse the command: {str(error).lower()}", hint="copy it again, as cURL for bash"
        ) from None
    if not words or words[0].rpartition("/")[2] not in ("curl", "curl.exe"):
        raise InputError("not a curl command", hint="copy one from a browser: 'Copy as cURL'")
    curl = CurlRequest()
    for option, value in _options(words[1:]):
        curl = _with_option(curl, option, value)
    return _complete(curl)


def _requote(match: re.Match[str]) -> str:
    """Replace bash's $'...' by plain quotes."""
    return shlex.quote(_ESCAPE.sub(_unescape, match[1]))


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _CONTROL.get(code, code)


def _options(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield options by long name with their values; a bare URL is the value of `url`."""
    todo = list(reversed(words))
    while todo:
        word = todo.pop()
        if word.startswith("--"):
            name, is_, value = word[2:].partition("=")
            if is_ or name not in _WITH_VALUE:
                yield name, value
            else:
                yield name, _next(todo, word)
        elif word.startswith("-") and len(word) > 1:
            name = _SHORT.get(word[1], word[1])
            if name in _WITH_VALUE:
                yield name, word[2:] or _next(todo, word[:2])
            else:
                yield name, ""
                if word[2:]:
                    todo.append(f"-{word[2:]}")
        else:
            yield "url", word


def _next(todo: list[str], option: str) -> str:
    if not todo:
        raise InputError(f"curl's {option} has no value")
    return todo.pop()


def _with_option(curl: CurlRequest, option: str, value: str) -> CurlRequest:
    """Apply one option to the request."""
    if option in _HANDLERS:
        return _HANDLERS[option](curl, value)
    if option in _IGNORED:
        return curl
    if option in _UNSUPPORTED:
        raise InputError(f"curl's --{option} is not supported", hint=_UNSUPPORTED[option])
    shown = option if option.isascii() and option.replace("-", "").isalnum() and len(option) < 30 else "..."
    raise InputError(f"curl's {'--' if len(shown) > 1 else '-'}{shown} is not supported", hint="remove it")


def _header(curl: CurlRequest, value: str) -> CurlRequest:
    name, _, said = value.partition(":")
    return replace(curl, headers=(*curl.headers, (name.strip(), said.strip())))


def _data(curl: CurlRequest, value: str) -> CurlRequest:
    if value.startswith("@"):
        raise InputError("curl's data is in a file", hint="put its content into the command: --data '...'")
    return replace(curl, data=(*curl.data, value))


def _urlencoded(curl: CurlRequest, value: str) -> CurlRequest:
    """Apply `--data-urlencode name=value`, whose value is not yet encoded."""
    name, is_, said = value.partition("=")
    if not is_:
        raise InputError("curl's --data-urlencode has no name", hint="--data-urlencode 'message=hello'")
    return _data(curl, f"{name}={said.replace('%', '%25').replace('&', '%26').replace('+', '%2B')}")


def _url(curl: CurlRequest, value: str) -> CurlRequest:
    if curl.url:
        raise InputError("the curl command has two URLs", hint="quote the values of headers and data")
    return replace(curl, url=value)


def _seconds(curl: CurlRequest, value: str) -> CurlRequest:
    if not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", value) or not float(value):
        raise InputError("curl's --max-time is not a number of seconds")
    return replace(curl, seconds=float(value))


_HANDLERS: dict[str, Callable[[CurlRequest, str], CurlRequest]] = {
    "url": _url,
    "request": lambda curl, value: replace(curl, method=value.upper()),
    "header": _header,
    "data": _data,
    "data-raw": lambda curl, value: replace(curl, data=(*curl.data, value)),
    "data-binary": _data,
    "data-ascii": _data,
    "data-urlencode": _urlencoded,
    "json": lambda curl, value: replace(_data(curl, value), json=True),
    "get": lambda curl, _: replace(curl, query=True),
    "cookie": lambda curl, value: _header(curl, f"Cookie: {value}"),
    "oauth2-bearer": lambda curl, value: _header(curl, f"Authorization: Bearer {value}"),
    "max-time": _seconds,
}
_NO_PASSWORD = "put name and password into a header: -H 'Authorization: Basic ...', which becomes ${NAME}"
_UNSUPPORTED = {
    "user": _NO_PASSWORD,
    "form": "use --data, --data-urlencode or --json; presets cannot send files",
    "form-string": "use --data, --data-urlencode or --json; presets cannot send files",
    "head": "a HEAD request has no reply",
    "upload-file": "use --data, --data-urlencode or --json",
    "next": "write one request; a second one may become `start` in the preset",
    "config": "put the content of that file into the command",
    "netrc": _NO_PASSWORD,
    "cert": "presets cannot send client certificates",
    "key": "presets cannot send client certificates",
}
_IGNORED_WITH_VALUE = {"output", "user-agent", "referer", "connect-timeout", "proxy", "retry", "max-redirs"}
_WITH_VALUE = {*_HANDLERS, *_UNSUPPORTED, *_IGNORED_WITH_VALUE} - {"get", "head", "next", "netrc"}
_IGNORED = {
    *("silent", "show-error", "location", "include", "verbose", "insecure", "compressed", "fail", "no-buffer"),
    *("http1.1", "http2", "globoff"),
    *_IGNORED_WITH_VALUE,
}
_SHORT = dict(
    pair.split("=")
    for pair in (
        "X=request H=header d=data u=user b=cookie F=form G=get I=head A=user-agent e=referer o=output m=max-time "
        "x=proxy T=upload-file s=silent S=show-error L=location i=include v=verbose k=insecure f=fail N=no-buffer "
        "g=globoff K=config n=netrc E=cert"
    ).split()
)


def _complete(curl: CurlRequest) -> CurlRequest:
    """Return the request with curl's defaults. Raise `InputError` if its URL or method is not allowed."""
    if not curl.url:
        raise InputError("the curl command has no URL")
    url = curl.url if "://" in curl.url else f"http://{curl.url}"
    try:
        parts = urlsplit(url)
    except ValueError:
        raise InputError("the URL in the curl command is invalid") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError("the URL in the curl command does not start with http:// or https://")
    if "@" in parts.netloc:
        raise InputError("the URL contains a name or a password", hint=_NO_PASSWORD)
    method = curl.method or ("POST" if curl.data and not curl.query else "GET")
    if method not in METHODS:
        raise InputError("presets do not support this method", hint=f"allowed: {', '.join(METHODS)}")
    return replace(curl, url=url, method=method)


def pairs(text: str) -> list[tuple[str, str]]:
    """Return the names and values of a form or a query string."""
    found = [part.partition("=") for part in text.split("&") if part]
    return [(unquote_plus(name), unquote_plus(value)) for name, _, value in found]
