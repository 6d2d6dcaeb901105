"""Logs of one batch, written from its events into a folder.

app_BATCH.log              one line for each event
error_BATCH.log            errors only
tokens_BATCH.log           `time - {json}`: usage of each model call
conversations_BATCH.jsonl  messages, and the ending of each conversation
"""

import logging
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import orjson

from sparring.core.batch import Batch
from sparring.core.clock import Clock
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, Problem
from sparring.core.events import (
    BatchFinished,
    BatchStarted,
    ConversationEnded,
    ConversationStarted,
    Event,
    MessageSaid,
    VerdictGiven,
)
from sparring.core.seeding import session_id
from sparring.core.text import visible
from sparring.core.usage import Usage
from sparring.core.value import Json, map_texts
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.llm.redaction import redact, secrets_in
from sparring.reports.usage import calls_of, model_of
from sparring.store import names as private
from sparring.store.redaction import Redaction

Level = Literal["debug", "info", "warning", "error"]

LARGEST = 10 * 2**20
"""Maximum size of a file in bytes; then it is rotated to `.1`."""

KEPT = 5
"""Rotated files that are kept."""

_LEVELS: Mapping[Level, int] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}
_SHORTEST_SECRET = 8
_TRUE = ("1", "true", "yes", "on")


class _File(RotatingFileHandler):
    """A log file, created with its first line. A file that cannot be written does not stop the batch."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=LARGEST, backupCount=KEPT, encoding="utf-8", errors="replace", delay=True)

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding=self.encoding, errors=self.errors, opener=private.opener)

    def line(self, text: str) -> None:
        self.handle(logging.LogRecord("sparring", logging.INFO, "", 0, text, None, None))

    def handleError(self, record: logging.LogRecord) -> None:
        """Ignore it: the store reports a full disk."""


class BatchLog:
    """The logs of one batch. Secrets and personal data are redacted in every line."""

    def __init__(
        self,
        folder: Path,
        batch: Batch,
        *,
        clock: Clock,
        level: Level = "info",
        redaction: Redaction | None = None,
        secrets: tuple[str, ...] = (),
    ) -> None:
        self._batch, self._clock, self._level, self._redaction = batch, clock, _LEVELS[level], redaction or Redaction()
        self._secrets = secrets
        make_folder(folder)
        self._app, self._errors = _File(folder / f"app_{batch.id}.log"), _File(folder / f"error_{batch.id}.log")
        self._tokens = _File(folder / f"tokens_{batch.id}.log")
        self._talk = _File(folder / f"conversations_{batch.id}.jsonl")
        self._times: defaultdict[str, list[datetime]] = defaultdict(list)
        self._sessions: dict[str, str] = {}

    def __call__(self, event: Event) -> None:
        """Log an event."""
        match event:
            case BatchStarted():
                planned = f"{event.batch.planned} planned, {event.stored} stored"
                self._say("info", f"batch started: {planned}; {self._batch.who}")
            case ConversationStarted():
                self._say("debug", f"{event.conversation}: started")
            case MessageSaid():
                self._times[event.conversation].append(self._clock.now())
                text = self._redaction.text(event.message.text)
                self._say("debug", f"{event.conversation}: {event.message.role}: {text}")
            case ConversationEnded():
                self._ended(self._redaction.hidden(event.conversation))
            case VerdictGiven():
                self._judged(self._redaction.hidden(event.verdict))
            case BatchFinished():
                why = f" ({event.reason})" if event.reason else ""
                self._say("info", f"batch finished: {event.stored} stored, {event.not_run} not run{why}")

    def close(self) -> None:
        """Close the files."""
        for file in (self._app, self._errors, self._tokens, self._talk):
            file.close()

    def _ended(self, conversation: Conversation) -> None:
        summary = f"{conversation.id}: {conversation.ending}, {conversation.turns} turns"
        self._say("error" if conversation.error else "info", f"{summary}: {conversation.error}".rstrip(": "))
        session = self._sessions[conversation.id] = session_id(conversation.case)
        calls = calls_of(conversation, self._batch.who)
        for call in calls:
            more: dict[str, Json] = {"turn": call.turn, "seconds": call.seconds}
            self._consumed(session, conversation.id, call.role, call.usage, more)
        for role, usage in () if calls else conversation.usage.items():
            self._consumed(session, conversation.id, role, usage)
        for record in _records(conversation, session, self._times.pop(conversation.id, [])):
            self._talk.line(self._json(record))

    def _judged(self, verdict: Verdict) -> None:
        score = "" if verdict.score is None else f", score {verdict.score:g}"
        level: Level = "error" if verdict.outcome is CheckOutcome.ERROR else "info"
        self._say(level, f"{verdict.conversation}: {verdict.check}: {verdict.outcome}{score}: {verdict.reason}")
        if verdict.usage.calls:
            session = self._sessions.get(verdict.conversation, "")
            self._consumed(session, verdict.conversation, "judge", verdict.usage)

    def _consumed(
        self, session: str, conversation: str, role: str, usage: Usage, more: Mapping[str, Json] = MappingProxyType({})
    ) -> None:
        fields: dict[str, Json] = {
            "session_id": session,
            "conversation": conversation,
            "role": role,
            "model": model_of(self._batch.who, role),
            "calls": usage.calls,
            "prompt_tokens": usage.input_tokens,
            "completion_tokens": usage.output_tokens,
            "total_tokens": usage.tokens,
            "cost_estimate": usage.known_cost,
            "unknown_costs": usage.unknown_costs,
            **more,
        }
        self._tokens.line(f"{self._now()} - {self._json(fields)}")

    def _say(self, level: Level, text: str) -> None:
        line = f"{self._now()} - {level.upper()} - {visible(redact(text, *self._secrets))}"
        if _LEVELS[level] >= self._level:
            self._app.line(line)
        if level == "error":
            self._errors.line(line)

    def _json(self, fields: Mapping[str, Json]) -> str:
        """Return JSON without secrets in its texts: redacted as a whole, a line would not be JSON any more."""
        return orjson.dumps(map_texts(dict(fields), self._redacted, names=self._redacted)).decode()

    def _redacted(self, text: str) -> str:
        return redact(text, *self._secrets).encode(errors="replace").decode()

    def _now(self) -> str:
        return self._clock.now().isoformat(timespec="milliseconds")


@contextmanager
def logs(
    folder: Path | None, batch: Batch, clock: Clock, *, redaction: Redaction, environment: Mapping[str, str]
) -> Iterator[Callable[[Event], None]]:
    """Yield a listener that writes the logs of a batch into a folder; without one it does nothing.

    Raises:
        InputError: nothing can be written there; raised before anything has happened.
    """
    if folder is None:
        yield lambda event: None
        return
    long = [each for each in secrets_in(environment) if len(each) >= _SHORTEST_SECRET]
    secrets = tuple(sorted(long, key=len, reverse=True))
    level = log_level(environment)
    book = BatchLog(folder, batch, clock=clock, level=level or "info", redaction=redaction, secrets=secrets)
    try:
        yield book
    finally:
        book.close()


def make_folder(folder: Path) -> None:
    """Create the folder of logs on demand; raise InputError if it is not writable."""
    try:
        folder.mkdir(private.FOLDER, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be a folder of logs: {error.strerror}") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{folder}: cannot be a folder of logs: nothing may be written there")


def files_of(folder: Path, batch: str) -> list[Path]:
    """Return the log files of a batch by its id, rotated ones included."""
    names = [f"app_{batch}.log", f"error_{batch}.log", f"tokens_{batch}.log", f"conversations_{batch}.jsonl"]
    aside = [f"{name}.{number}" for name in names for number in range(1, KEPT + 1)]
    return [folder / name for name in (*names, *aside) if (folder / name).is_file()]


def log_level(environment: Mapping[str, str]) -> Level | None:
    """Return the log level by `DEBUG` or `LOG_LEVEL`, or None if neither is set."""
    if environment.get("DEBUG", "").lower() in _TRUE:
        return "debug"
    written = environment.get("LOG_LEVEL", "").lower()
    for level in _LEVELS:
        if written == level:
            return level
    if written:
        raise InputError(Problem(path="LOG_LEVEL", message=f"should be one of: {', '.join(_LEVELS)}"))
    return None


def _records(conversation: Conversation, session: str, message_times: list[datetime]) -> Iterator[dict[str, Json]]:
    """Yield a record for each message and one for the ending."""
    said = conversation.messages[len(conversation.case.history) :]
    times = [time.isoformat() for time in message_times] if len(message_times) == len(said) else [None] * len(said)
    for number, (each, time) in enumerate(zip(said, times, strict=True), 1):
        calls = each.model_dump(mode="json", include={"tool_calls"})["tool_calls"]
        yield {
            "session_id": session,
            "turn_number": number,
            "role": "client" if each.role == "user" else "agent",
            "content": each.text,
            "tool_calls": [{"name": call["name"], "arguments": call["arguments"]} for call in calls],
            "tool_results": [{"error": call["error"]} if call["error"] else call["result"] for call in calls],
            "timestamp": time,
        }
    timing = conversation.timing
    yield {
        "event_type": "conversation_complete",
        "session_id": session,
        "conversation": conversation.id,
        "status": conversation.ending.status if conversation.ending else "failed",
        "ending": conversation.ending,
        "error": conversation.error or None,
        "total_turns": conversation.turns,
        "duration_seconds": timing.seconds if timing else None,
        "timestamp": timing.started.isoformat() if timing else None,
    }
