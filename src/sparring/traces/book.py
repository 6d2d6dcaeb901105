"""Spans of the conversations that run: which trace belongs to which turn, and what came of it."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from secrets import token_hex
from time import monotonic

from sparring.traces.log_events import LogEvent, awaits_events, with_events
from sparring.traces.spans import Span
from sparring.traces.turns import is_answered, readings

_MOST_SPANS = 100_000


@dataclass(slots=True)
class TurnTrace:
    """The trace of one turn: our span ids, one for each request, and the spans that came by their ids."""

    id: str
    sent: set[str] = field(default_factory=set)
    spans: dict[str, Span] = field(default_factory=dict)
    events: dict[bytes, LogEvent] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """True if a span below ours has come, and every span's parent has."""
        parents = {each.parent for each in self.spans.values()}
        return bool(self.sent & parents) and parents <= self.sent | self.spans.keys()

    @property
    def told(self) -> list[Span]:
        """The spans, with what events tell of them."""
        return with_events(self.spans.values(), self.events.values())

    @property
    def finished(self) -> bool:
        """True if it is complete, what its models said has come, and the last of them asks for nothing more."""
        return self.complete and not any(map(awaits_events, told := self.told)) and is_answered(readings(told))


class ConversationTraces:
    """The traces of a conversation, by turn."""

    def __init__(self, book: "TraceBook") -> None:
        self._book = book
        self.turns: dict[int, TurnTrace] = {}
        self.last = monotonic()

    def traceparent(self, turn: int) -> str:
        """Return the header of a request in a turn: always of the same trace, each time of another span."""
        if turn not in self.turns:
            self.turns[turn] = TurnTrace(token_hex(16))
            self._book.expect(self.turns[turn], self)
        span = token_hex(8)
        self.turns[turn].sent.add(span)
        return f"00-{self.turns[turn].id}-{span}-01"

    async def settled(self) -> None:
        """Wait until every trace is complete and nothing has come for a while, but no longer than the grace."""
        end = monotonic() + self._book.grace
        while monotonic() < end:
            quiet = monotonic() - self.last >= self._book.quiet
            if quiet and all(each.finished for each in self.turns.values()):
                break
            await asyncio.sleep(min(0.05, self._book.quiet))
        self._book.forget(self)


class TraceBook:
    """Holds spans until their conversation has ended. Those of no conversation are only counted."""

    def __init__(self, *, grace: float = 8.0, quiet: float = 1.0) -> None:
        self.grace, self.quiet = grace, quiet
        self.unmatched = 0
        self._open: dict[str, tuple[TurnTrace, ConversationTraces]] = {}
        self._held = 0

    def conversation(self) -> ConversationTraces:
        """Return the traces of a conversation that begins."""
        return ConversationTraces(self)

    def expect(self, trace: TurnTrace, conversation: ConversationTraces) -> None:
        """Hold the spans of a trace from now on."""
        self._open[trace.id] = trace, conversation

    def forget(self, conversation: ConversationTraces) -> None:
        """Hold no more spans of a conversation: what comes later changes nothing."""
        for trace in conversation.turns.values():
            self._open.pop(trace.id, None)
            self._held -= len(trace.spans) + len(trace.events)

    def add(self, spans: Iterable[Span]) -> int:
        """Take spans, and return the number of those for which there was no room."""
        refused = 0
        for span in spans:
            found = self._open.get(span.trace)
            if found is None:
                self.unmatched += 1
                continue
            trace, conversation = found
            earlier = trace.spans.get(span.id)
            if earlier is None and self._held >= _MOST_SPANS:
                refused += 1
                continue
            if earlier is None or not earlier.end:  # a span is the first that has ended
                self._held += earlier is None
                trace.spans[span.id] = span
                conversation.last = monotonic()
        return refused

    def add_events(self, events: Iterable[LogEvent]) -> int:
        """Take events of spans, and return the number of those for which there was no room."""
        refused = 0
        for event in events:
            found = self._open.get(event.trace)
            if found is None or event.key in found[0].events:
                continue
            if self._held >= _MOST_SPANS:
                refused += 1
                continue
            found[0].events[event.key] = event
            self._held += 1
            found[1].last = monotonic()
        return refused
