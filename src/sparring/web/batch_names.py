"""Names of batches that hold a slash, in paths: `%2F` in a name does not end the part of the path."""

from urllib.parse import unquote_to_bytes

from starlette.types import ASGIApp, Receive, Scope, Send

_SLASH = "\ufffc"
"""Stands for a slash inside a part of the path, since routes are matched after decoding."""


def named(part: str) -> str:
    """Return the name in a part of the path."""
    return part.replace(_SLASH, "/")


class NamesWithSlashes:
    """Keeps an encoded slash in the name of a batch from being taken for the end of the name."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = scope.get("raw_path") or b""
        if scope["type"] == "http" and b"2f" in raw.lower():
            parts = raw.split(b"/")
            if b"batches" in parts[1:3]:
                at = parts.index(b"batches", 1) + 1
                decoded = [unquote_to_bytes(part).decode(errors="replace") for part in parts]
                decoded[at : at + 1] = [each.replace("/", _SLASH) for each in decoded[at : at + 1]]
                scope = {**scope, "path": "/".join(decoded)}
        await self._app(scope, receive, send)
