"""Recordings of model calls: a file of requests and answers.

Each line is JSON. The first has the format; a `part` is a component of requests, stored once; a `call` lists its parts
and has the answer. Lines are only appended, each call in one write, so several programs can add to one file.
`broken_off` follows a line that was interrupted by a kill.
"""

import errno
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from sparring.core import errors
from sparring.core.errors import InputError, ModelError, NotRecorded, Problem
from sparring.core.usage import Usage
from sparring.llm.model import Completion, Request, ToolRequest
from sparring.llm.redaction import without

_FORMAT = 1
_OPTIONS = ("temperature", "seed", "max_tokens")
_LEAST_SECRET = 8
_BROKEN_OFF = b'\n{"broken_off":true}\n'


class _Unfit(ValueError):
    """A line is valid JSON but not valid in a recording."""


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """A request in stored form: hashes of its parts in order, and its options.

    `content` is the hash of all of it: equal hashes mean equal requests.
    """

    model: str
    messages: tuple[str, ...]
    others: tuple[str, ...]
    options: Mapping[str, Any]
    content: str
    parts: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A recorded call: its position, its request, and the line with its answer."""

    conversation: str
    role: str
    number: int
    model: str
    messages: tuple[str, ...]
    others: tuple[str, ...]
    options: Mapping[str, Any]
    content: str
    outcome: Mapping[str, Any]

    def answer(self) -> Completion:
        """Return the model's answer, or raise the recorded error."""
        if "error" in self.outcome:
            failed = self.outcome["error"]
            kind = getattr(errors, str(failed.get("kind")), ModelError)
            error = kind(str(failed.get("message"))) if issubclass(kind, ModelError) else ModelError("unknown")
            error.charged = int(failed.get("charged", 0))
            error.usage = Usage.model_validate(failed["usage"]) if "usage" in failed else None
            error.infrastructure = failed.get("infrastructure", error.infrastructure) is True
            raise error
        said = self.outcome["completion"]
        return Completion(
            text=said["text"],
            tool_requests=tuple(ToolRequest(**each) for each in said["tool_requests"]),
            usage=Usage.model_validate(said["usage"]),
            model=said["model"],
            rung=said["rung"],
            stopped=said.get("stopped", ""),
            refused=said.get("refused") is True,
        )


class CallRecording:
    """An open recording, inside `with`. `secrets` are never written to it.

    With `must_exist`, the file has to exist and have calls; with `new`, it must not exist. Of equal requests, the first
    answer counts, or with `latest` the last. `broken` is the reason that nothing can be added any more. `conversations`
    are those with any call, and `gave_up` is the reason that no other was started.
    """

    def __init__(
        self,
        path: Path,
        *,
        secrets: Sequence[str] = (),
        must_exist: bool = False,
        new: bool = False,
        latest: bool = False,
    ) -> None:
        self.path = path
        self.added = 0
        self._secrets = [secret for secret in secrets if len(secret) >= _LEAST_SECRET]
        self._must_exist, self._new, self._latest = must_exist, new, latest
        self._parts: dict[str, bytes] = {}
        self._by_place: dict[tuple[str, str, int], RecordedCall] = {}
        self._earlier: dict[tuple[str, str, int], list[RecordedCall]] = {}
        self._by_content: dict[str, RecordedCall] = {}
        self.conversations: set[str] = set()
        self.gave_up = ""
        self.broken = ""
        self._file = -1
        self._read_to = 0

    def __enter__(self) -> Self:
        if self._must_exist and not self.path.is_file():
            raise InputError(
                f"{self.path}: there is no recording", hint="`sparring run --record FILE` makes one, if it asks a model"
            )
        if self._new and self.path.exists():
            raise InputError(f"{self.path}: already exists", hint="--replay FILE --replay-mode update adds to it")
        try:
            self.refresh()
            if self._must_exist and not self._by_place:
                raise InputError(f"{self.path}: contains no model call", hint="--replay-mode update begins one")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self._latest:
                self._open()
        except OSError as error:
            raise InputError(f"{self.path}: cannot be used: {error.strerror}") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._close()

    def __len__(self) -> int:
        return len(self._by_place)

    def write(self, model: str, request: Request) -> StoredRequest:
        """Return a request in stored form."""
        parts: dict[str, bytes] = {}
        messages = tuple(self._part(message._asdict(), parts) for message in request.messages)
        others = [self._part(tool, parts) for tool in request.tools]
        if request.answer is not None:
            others.append(self._part(request.answer, parts))
        options = {name: getattr(request, name) for name in _OPTIONS}
        whole = orjson.dumps([model, messages, others, options])
        return StoredRequest(model, messages, tuple(others), options, _hash(whole), parts)

    @property
    def cut_off(self) -> bool:
        """True if the file ends in the middle of a line: its writer is at work, or was interrupted."""
        return self.path.is_file() and self.path.stat().st_size > self._read_to

    def at(self, conversation: str, role: str, number: int) -> RecordedCall | None:
        """Return the n-th call of a role in a conversation, the last recorded one if there are several."""
        return self._by_place.get((conversation, role, number))

    def all_at(self, conversation: str, role: str, number: int) -> list[RecordedCall]:
        """Return all recordings of this call, the last first."""
        place = (conversation, role, number)
        last = self._by_place.get(place)
        return [last, *reversed(self._earlier.get(place, ()))] if last else []

    def asking(self, content: str) -> RecordedCall | None:
        """Return a call with exactly this request, or None."""
        return self._by_content.get(content)

    def refresh(self) -> None:
        """Read the lines that any program has added since the last read."""
        if not self.path.exists() or self.path.stat().st_size <= self._read_to:
            return
        with self.path.open("rb") as file:
            file.seek(self._read_to)
            added = file.read()
        whole = added[: added.rfind(b"\n") + 1]  # the rest is being written, or was interrupted
        self._read(whole)
        self._read_to += len(whole)

    def part(self, hash: str) -> Any:
        """Return a part of a request by its hash."""
        return orjson.loads(self._parts[hash])

    def ready(self) -> None:
        """Raise NotRecorded if the answer to the next request could not be stored."""
        if self.broken:
            raise NotRecorded(self.broken)

    def add(self, place: tuple[str, str, int], asked: StoredRequest, outcome: Completion | ModelError) -> None:
        """Append an answer. It is in the file when this returns."""
        said = {"completion": _completion(outcome)} if isinstance(outcome, Completion) else {"error": _error(outcome)}
        call = RecordedCall(*place, asked.model, asked.messages, asked.others, asked.options, asked.content, said)
        lines = [
            b'{"part":"%s","value":%s}\n' % (hash.encode(), value)
            for hash, value in asked.parts.items()
            if hash not in self._parts
        ]
        lines.append(self._redacted(orjson.dumps({"call": call})) + b"\n")
        self._append(b"".join(lines))
        self.added += 1
        self._parts |= asked.parts
        self._index(call)

    def _append(self, lines: bytes) -> None:
        try:
            if self._file < 0:
                self._open()
            if os.write(self._file, lines) < len(lines):
                self._close()
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            self.broken = f"{self.path}: cannot be written: {error.strerror}"
            raise NotRecorded(self.broken) from error

    def _open(self) -> None:
        """Open the file for appending, after the format and after the end of an interrupted line."""
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        if os.fstat(self._file).st_size == 0:
            os.write(self._file, orjson.dumps({"sparring_recording": _FORMAT}) + b"\n")
            return
        os.lseek(self._file, -1, os.SEEK_END)
        if os.read(self._file, 1) != b"\n":
            os.write(self._file, _BROKEN_OFF)

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _part(self, value: object, parts: dict[str, bytes]) -> str:
        written = self._redacted(orjson.dumps(value, default=dict))
        hash = _hash(written)
        parts[hash] = written
        return hash

    def _redacted(self, written: bytes) -> bytes:
        for secret in self._secrets:
            if secret.encode() in written:
                written = without(written.decode(), secret).encode()
        return written

    def _index(self, call: RecordedCall) -> None:
        place = (call.conversation, call.role, call.number)
        if place in self._by_place:
            self._earlier.setdefault(place, []).append(self._by_place[place])
        self._by_place[place] = call
        self.conversations.add(call.conversation)
        if failed := call.outcome.get("error"):
            self.gave_up = self.gave_up or str(failed.get("pointless", ""))
        if self._latest or call.content not in self._by_content:
            self._by_content[call.content] = call

    def _read(self, content: bytes) -> None:
        lines = content.split(b"\n")
        first, broken_off = self._read_to == 0, _BROKEN_OFF.strip()
        for number, line in enumerate(lines):
            if line and lines[number + 1 : number + 2] != [broken_off]:
                try:
                    self._read_line(orjson.loads(line), first=first and number == 0)
                except (ValueError, TypeError, KeyError, AttributeError) as error:
                    line_number = number + 1 if first else None
                    why = f": {error}" if isinstance(error, _Unfit) else ""
                    problem = Problem(
                        file=str(self.path), line=line_number, message=f"is not a line of a recording{why}"
                    )
                    raise InputError(problem) from error

    def _read_line(self, read: dict[str, Any], *, first: bool) -> None:
        if first and "sparring_recording" not in read:
            raise _Unfit('the first says which format it is, such as {"sparring_recording":1}')
        if first and (written := read["sparring_recording"]) != _FORMAT:
            raise _Unfit(f"its format is {written}, and this version of Sparring knows {_FORMAT}")
        if read.get("part"):
            self._parts[read["part"]] = orjson.dumps(read["value"])
        if "call" in read:
            call = read["call"]
            parts = *call["messages"], *call["others"]
            if not self._parts.keys() >= set(parts):
                raise _Unfit("a part of the call is missing, which should stand before it")
            self._index(RecordedCall(**{**call, "messages": tuple(call["messages"]), "others": tuple(call["others"])}))


def _hash(written: bytes) -> str:
    return hashlib.sha256(written).hexdigest()[:32]


def _completion(completion: Completion) -> dict[str, Any]:
    said: dict[str, Any] = {
        "text": completion.text,
        "tool_requests": completion.tool_requests,
        "usage": completion.usage.model_dump(),
        "model": completion.model,
        "rung": completion.rung,
    }
    if completion.refused:
        said["refused"] = True
    return {**said, "stopped": completion.stopped} if completion.stopped else said


def _error(error: ModelError) -> dict[str, Any]:
    said: dict[str, Any] = {"kind": type(error).__name__, "message": str(error), "charged": error.charged}
    if error.usage is not None and error.usage.calls:
        said["usage"] = error.usage.model_dump(mode="json")
    if error.pointless:
        said["pointless"] = error.one_line
    if error.infrastructure:
        said["infrastructure"] = True
    return said
