"""A client of a Sparring server's REST API."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote, urlsplit

import typer

from sparring.cli.server_options import token_from
from sparring.core.errors import InputError, Problem, SparringError
from sparring.llm.redaction import Hidden, without
from sparring.settings import environment

if TYPE_CHECKING:
    from aiohttp import ClientResponse

ApiUrl = Annotated[str | None, typer.Option("--api-url", metavar="URL")]
TokenFile = Annotated[Path | None, typer.Option("--token-file")]
_SECONDS = 60


class Remote:
    """A server at `url`. Its refusals and connection failures are errors."""

    def __init__(self, url: str, token_file: Path | None = None) -> None:
        address = urlsplit(url)
        if address.scheme not in ("http", "https") or not address.netloc or "@" in address.netloc:
            raise InputError(f"--api-url {url!r} is not the address of a server", hint="http://localhost:5000")
        self._url = url.rstrip("/").removesuffix("/api")
        self._token = Hidden(token_from(token_file, environment(Path.cwd())))

    async def batch(self, which: str) -> str:
        """Return the path of a batch, by its id or `latest`."""
        if which != "latest":
            return f"/api/batches/{quote(which, safe='')}"
        newest = (await self.ask("GET", "/api/batches?limit=1"))["batches"]
        if not newest:
            raise InputError("the server has no batches yet")
        return f"/api/batches/{newest[0]['batch_id']}"

    async def ask(self, method: str, path: str) -> Any:
        """Return the answer as JSON."""
        async with self._answer(method, path) as answer:
            return json.loads(await answer.read())

    async def read(self, path: str) -> AsyncIterator[bytes]:
        """Yield the answer in chunks."""
        async with self._answer("GET", path) as answer:
            async for chunk in answer.content.iter_any():
                yield chunk

    @asynccontextmanager
    async def _answer(self, method: str, path: str) -> "AsyncIterator[ClientResponse]":
        import aiohttp  # only who asks a server pays for it

        headers = {"authorization": f"Bearer {self._token!s}"} if self._token else {}
        waiting = aiohttp.ClientTimeout(sock_connect=_SECONDS, sock_read=_SECONDS)
        try:
            async with (
                aiohttp.ClientSession(headers=headers, timeout=waiting, trust_env=True) as session,
                session.request(method, self._url + path, allow_redirects=False) as answer,
            ):
                if answer.status not in (200, 201, 204):
                    raise _refused(answer.status, await answer.content.read(100_000))
                yield answer
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            said = without(str(error).replace(" ssl:default", "") or type(error).__name__, self._token)
            raise SparringError(
                f"{self._url} does not answer like a Sparring server: {said}", hint="is it running?"
            ) from None


def _refused(status: int, body: bytes) -> SparringError:
    try:
        said = json.loads(body)
        message = f"{said['error']}{f' ({now})' if (now := said.get('current_status')) else ''}"
    except (ValueError, KeyError, TypeError):
        return SparringError(f"the server answers with status {status}", hint="is it a Sparring server?")
    return InputError(Problem(message=message)) if status in (401, 403, 404) else SparringError(message)
