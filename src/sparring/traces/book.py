"""Spans of the conversations that run: which trace belongs to which turn, and what came of it.

A conversation waits by evidence. A turn is finished once its root, every parent and the last answer of its model have
come. Spans that came after the root of their trace tell how much longer others may be under way, and spans of turns
that began before the conversation ended show that an exporter has not got to it yet.
"""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from secrets import token_hex
from typing import NamedTuple

from sparring.traces.log_events import LogEvent, awaits_events, with_events
from sparring.traces.spans import Span
from sparring.traces.turns import is_answered, readings

_MOST_SPANS = 100_000
_MOST_PAST = 10_000
_MARGIN = 1.25
_STEP = 0.05  # seconds


@dataclass(slots=True, eq=False)
class TurnTrace:
    """The trace of one turn: our span ids, one for each request, and the spans that came by their ids."""

    id: str
    begun: float = 0.0
    sent: set[str] = field(default_factory=set)
    spans: dict[str, Span] = field(default_factory=dict)
    events: dict[bytes, LogEvent] = field(default_factory=dict)
    root_end: int = 0
    rooted: float = 0.0
    _finished: bool | None = None

    @property
    def complete(self) -> bool:
        """True if a span below ours has come, and every span's parent has."""
        parents = {each.parent for each in self.spans.values()}
        return bool(self.sent & parents) and parents <= self.sent | self.spans.keys()

    @property
    def described_spans(self) -> list[Span]:
        """The spans, with what events tell of them."""
        return with_events(self.spans.values(), self.events.values())

    @property
    def finished(self) -> bool:
        """True if it is complete, what its models said has come, and the last of them asks for nothing more."""
        if self._finished is None:
            whole = self.complete and not any(map(awaits_events, spans := self.described_spans))
            self._finished = whole and is_answered(readings(spans))
        return self._finished

    def take(self, new: Span | LogEvent, now: float) -> None:
        """Take a span or an event."""
        self._finished = None
        if isinstance(new, LogEvent):
            self.events[new.key] = new
            return
        self.spans[new.id] = new
        if new.parent in self.sent and self.root_end < new.end:
            self.root_end, self.rooted = new.end, now


class PastTrace(NamedTuple):
    """What remains of a trace after its conversation has ended."""

    root_end: int
    rooted: float
    seen: set[int]


class ConversationTraces:
    """The traces of a conversation, by turn."""

    def __init__(self, book: "TraceBook") -> None:
        self._book = book
        self.turns: dict[int, TurnTrace] = {}
        self.last = self.ended = self.awaited = 0.0

    def traceparent(self, turn: int) -> str:
        """Return the header of a request in a turn: always of the same trace, each time of another span."""
        if turn not in self.turns:
            self.turns[turn] = TurnTrace(token_hex(16), self._book.now())
            self._book.expect(self.turns[turn], self)
        span = token_hex(8)
        self.turns[turn].sent.add(span)
        return f"00-{self.turns[turn].id}-{span}-01"

    async def settled(self) -> None:
        """Wait until every trace is finished and nothing more is to be expected.

        Give up once nothing has come for as long as the grace, neither of this conversation nor of turns before its
        end. Time in which this process could not listen does not count.
        """
        book, missed = self._book, 0.0
        self.ended = self.awaited = book.now()
        book.waiting.add(self)
        while (now := book.now() - missed) < self.awaited + book.grace:
            rooted = max((each.rooted for each in self.turns.values()), default=0.0)
            calm = now >= max(self.last + book.quiet, rooted + _MARGIN * book.disorder)
            if calm and all(each.finished for each in self.turns.values()):
                break
            await asyncio.sleep(min(_STEP, book.quiet))
            late = book.now() - missed - now - _STEP
            missed += late if late > _STEP else 0.0
        book.forget(self)


class TraceBook:
    """Holds spans until their conversation has ended, and drops those of no conversation.

    `disorder` is the longest delay of a span that came after a later-ending one of its trace.
    """

    def __init__(self, *, grace: float = 8.0, quiet: float = 1.0) -> None:
        self.grace, self.quiet = grace, quiet
        self.disorder = 0.0
        self.waiting: set[ConversationTraces] = set()
        self._open: dict[str, tuple[TurnTrace, ConversationTraces]] = {}
        self._past: dict[str, PastTrace] = {}
        self._held = 0
        self._late = self._refused = self._stray = self._nameless = 0
        self._strangers = set[str]()

    @staticmethod
    def now() -> float:
        return asyncio.get_running_loop().time()

    def conversation(self) -> ConversationTraces:
        """Return the traces of a conversation that begins."""
        return ConversationTraces(self)

    def expect(self, trace: TurnTrace, conversation: ConversationTraces) -> None:
        """Hold the spans of a trace from now on."""
        self._open[trace.id] = trace, conversation

    def forget(self, conversation: ConversationTraces) -> None:
        """Drop the spans of a conversation. Later ones change nothing, but show how late spans come."""
        self.waiting.discard(conversation)
        for trace in conversation.turns.values():
            self._open.pop(trace.id, None)
            self._held -= len(trace.spans) + len(trace.events)
            self._past[trace.id] = PastTrace(trace.root_end, trace.rooted, {*map(hash, (*trace.spans, *trace.events))})
        while len(self._past) > _MOST_PAST:
            del self._past[next(iter(self._past))]

    def losses(self) -> Iterator[str]:
        """Yield a sentence for each reason for which spans or events are in no conversation."""
        if self._stray:
            yield (
                f"{self._stray:,} spans of {len(self._strangers):,} traces belong to no conversation: does the chatbot "
                "pass `traceparent` on, and has its exporter sent everything of earlier runs?"
            )
        if self._late:
            yield f"{self._late:,} spans came after their conversations had been stored, and are not in them"
        if self._refused:
            yield f"{self._refused:,} spans were refused, because {_MOST_SPANS:,} were held already"
        if self._nameless:
            yield f"{self._nameless:,} spans had no ids of a trace and a span"

    def add(self, spans: Iterable[Span | None]) -> int:
        """Take spans, and return the number of those for which there was no room, or that have no ids."""
        refused = 0
        for span in spans:
            self._nameless += span is None
            refused += span is None or self._add(span, span.trace, span.id, span.end)
        return refused

    def add_events(self, events: Iterable[LogEvent]) -> int:
        """Take events of spans, and return the number of those for which there was no room."""
        return sum([self._add(event, event.trace, event.key, event.at) for event in events])

    def _add(self, new: Span | LogEvent, trace_id: str, key: str | bytes, at: int) -> bool:
        """Take a span or an event that ended `at`, and return True if there was no room for it."""
        found = self._open.get(trace_id)
        if found is None:
            self._add_late(trace_id, key, at)
            return False
        trace, conversation = found
        earlier = trace.events.get(key) if isinstance(key, bytes) else trace.spans.get(key)
        if isinstance(earlier, LogEvent) or (earlier and earlier.end):  # a span is the first that has ended
            return False
        if earlier is None and self._held >= _MOST_SPANS:
            self._refused += 1
            return True
        self._held += earlier is None
        now = self.now()
        self._note_disorder(trace, at, now)
        trace.take(new, now)
        conversation.last = now
        for each in self.waiting:
            if trace.begun <= each.ended:
                each.awaited = now
        return False

    def _add_late(self, trace_id: str, key: str | bytes, at: int) -> None:
        past = self._past.get(trace_id)
        if past is None:
            self._stray += 1
            if len(self._strangers) < _MOST_PAST:
                self._strangers.add(trace_id)
        elif hash(key) not in past.seen:
            past.seen.add(hash(key))
            self._late += 1
            self._note_disorder(past, at, self.now())

    def _note_disorder(self, trace: TurnTrace | PastTrace, at: int, now: float) -> None:
        if at <= trace.root_end:
            self.disorder = min(self.grace, max(self.disorder, now - trace.rooted))
