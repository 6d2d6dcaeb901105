"""Cache of model answers, so that judges and rule functions pay only once for the same request."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from sparring.core.errors import InputError, NotRecorded
from sparring.core.usage import Usage
from sparring.llm.call_context import current_call
from sparring.llm.model import Completion, Model, Request
from sparring.llm.pricing import Price
from sparring.llm.recording import CallRecording, StoredRequest

_HIT = Usage(from_cache=1)


@dataclass(frozen=True)
class Cache:
    """A recording that answers requests it contains. With `refresh`, it only adds answers."""

    recording: CallRecording
    refresh: bool = False

    def model(self, name: str, model: Model) -> "Cached":
        """Return `model` behind the cache. `name` identifies the model and its address."""
        return Cached(self, name, model)


@contextmanager
def cache_in(path: Path | None, secrets: tuple[str, ...], *, refresh: bool = False) -> Iterator[Cache | None]:
    """Open the cache in the file `path`, if there is one. `secrets` are never written to it."""
    if path is None:
        yield None
        return
    with CallRecording(path, secrets=secrets, latest=True) as recording:
        yield Cache(recording, refresh)


class Cached:
    """A model that is called only for requests that are not in the cache.

    Requests are equal if model, messages, schema, temperature, seed and length are equal.
    """

    def __init__(self, cache: Cache, name: str, model: Model) -> None:
        self._cache, self._recording, self._name, self._model = cache, cache.recording, name, model

    @property
    def price(self) -> Price:
        """Price of calls that are not answered by the cache."""
        return self._model.price

    async def complete(self, request: Request) -> Completion:
        asked = self._recording.write(self._name, request)
        if (known := self._known(asked.content)) is not None:
            return replace(known, usage=_HIT)
        completion = await self._model.complete(request)
        current_call().write_or_defer(lambda: self._keep(asked, completion))
        return completion

    def _known(self, content: str) -> Completion | None:
        """Return the earlier answer, by this or another program. Failures are not answers."""
        if self._cache.refresh:
            return None
        if self._recording.asking(content) is None:
            self._read_on()
        found = self._recording.asking(content)
        return found.answer() if found is not None and "completion" in found.outcome else None

    def _read_on(self) -> None:
        try:
            self._recording.refresh()
        except (InputError, OSError) as error:
            raise NotRecorded(f"the cache cannot be read: {error}") from error

    def _keep(self, asked: StoredRequest, completion: Completion) -> None:
        self._recording.add((current_call().conversation, "cache", 0), asked, completion)
