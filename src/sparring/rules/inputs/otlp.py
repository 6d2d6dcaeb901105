"""Exports of OpenTelemetry: an object with `resourceSpans` a file or line, or protobuf (`.pb`).

Traces that share a conversation id are one conversation; a trace without a message of the user is none.
"""

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import InputError, Problem
from sparring.core.usage import Usage
from sparring.core.value import decoded, mapping
from sparring.rules.inputs import NotARecording
from sparring.rules.inputs.entries import LogEntry
from sparring.rules.inputs.log_format import LogFormat
from sparring.rules.inputs.rows import Spool
from sparring.rules.inputs.transcript import Transcript, conversation, words
from sparring.traces.dialects import Reading, dialect
from sparring.traces.log_events import LogEvent, events_of_json, with_events
from sparring.traces.spans import Span, spans_of_json, spans_of_protobuf
from sparring.traces.turns import model_calls, models, readings, tool_calls

_LISTS = ("resourceSpans", "resource_spans", "resourceLogs")
_NO_USER = "no message of a user"


class Traces:
    """Spans by trace, with the conversation that each trace is of."""

    def __init__(self) -> None:
        self._spool = Spool[Span | LogEvent | LogEntry]()  # of each trace, first where it was found
        self._named: dict[str, tuple[int, str]] = {}

    def add(self, item: Span | LogEvent, entry: LogEntry) -> None:
        """Add a span or an event of one."""
        if item.trace not in self._spool:
            self._spool.add(item.trace, replace(entry, value=None, head={}))
        self._spool.add(item.trace, item)
        if isinstance(item, Span) and (table := dialect(item)):
            name = Reading(item, table).value("conversation")
            if name and item.start < self._named.get(item.trace, (sys.maxsize, ""))[0]:
                self._named[item.trace] = item.start, sys.intern(str(name))

    def conversations(self, without: str = _NO_USER) -> Iterator[Conversation | Problem]:
        """Yield the conversations, and a problem for each reason why traces are part of none.

        `without` says what those lack that have no message of a user.
        """
        sessions: dict[str, list[str]] = {}
        for trace in self._spool:
            sessions.setdefault(self._named[trace][1] if trace in self._named else trace, []).append(trace)
        lost: dict[str, list[tuple[str, int]]] = {}
        for id, traces in sessions.items():
            items = {trace: self._spool[trace][1:] for trace in traces}
            found = {trace: readings(_with_events(each)) for trace, each in items.items()}
            reasons = {trace: "" if each else "spans of no known instrumentation" for trace, each in found.items()}
            known = sorted(filter(None, found.values()), key=lambda each: each[0].span.start)
            try:
                made, silent = _conversation(id, known)
                if made:
                    yield made
                reasons = {
                    trace: reason or (without if not made or found[trace] in silent else "")
                    for trace, reason in reasons.items()
                }
            except NotARecording as error:
                reasons = dict.fromkeys(traces, f"{id} {error}")
            for trace, reason in reasons.items():
                if reason:
                    lost.setdefault(reason, []).append((trace, len(items[trace])))
        for reason, several in lost.items():
            more = f" and {len(several) - 1:,} more" if len(several) > 1 else ""
            first, spans = several[0][0], sum(number for _, number in several)
            hint = "export the fields of the group `io`" if without != _NO_USER else ""
            place = self._spool[first][0]
            assert isinstance(place, LogEntry)
            yield place.problem(f"trace {first}{more}, spans {spans:,}: {reason}", hint)


def _read(entries: Iterable[LogEntry]) -> Iterator[Conversation | Problem]:
    traces = Traces()
    for entry in entries:
        nameless = 0
        try:
            for item in _items(entry):
                if item is None:
                    nameless += 1
                else:
                    traces.add(item, entry)
        except InputError as error:
            yield entry.problem(str(error), error.hint)
        if nameless:
            yield entry.problem(f"{nameless:,} spans without the ids `traceId` and `spanId`")
    yield from traces.conversations()


def _items(entry: LogEntry) -> Iterator[Span | LogEvent | None]:
    if isinstance(entry.value, bytes):
        yield from spans_of_protobuf(entry.value)
        return
    value = {entry.under: [entry.value]} if entry.under else entry.value
    yield from events_of_json(value)
    for name in _LISTS[:2]:
        yield from spans_of_json(value.get(name, ()))


def _with_events(items: list[Span | LogEvent | LogEntry]) -> list[Span]:
    events = [each for each in items if isinstance(each, LogEvent)]
    return with_events([each for each in items if isinstance(each, Span)], events)


def _conversation(id: str, traces: list[list[Reading]]) -> tuple[Conversation | None, list[list[Reading]]]:
    """Return the conversation, or None without a user, and the traces that have no turn of it."""
    transcript, silent = Transcript(), list[list[Reading]]()
    for found in traces:
        if not _add_trace(transcript, found):
            silent.append(found)
    if not transcript.has_user:
        return None, traces
    everything = [each for found in traces for each in found]
    root = everything[0].span.attributes
    stated = {
        name: decoded(root[f"sparring.{name}"])
        for name in ("variables", "ending", "error")
        if f"sparring.{name}" in root
    }
    called = models(everything)
    used = model_calls(everything)
    known = {"models": [*called]} if called and "sparring.batch" not in root else {}
    made = conversation(
        id,
        transcript,
        variables={**known, **mapping(stated.get("variables"))},
        ending=Ending(stated.get("ending") or Ending.USER_DONE),
        error=str(stated.get("error") or ""),
        complete=any(each.kind == "tool" for each in everything) or bool(root.get("sparring.reports_tools")),
        usage=None if "sparring.usage" in root or not used else sum((each.usage for each in used), Usage()),
    )
    roles = mapping(decoded(root.get("sparring.usage")))
    if roles:
        made = made.changed(usage={role: Usage.model_validate(each) for role, each in roles.items()})
    return made, silent


def _add_trace(transcript: Transcript, found: list[Reading]) -> bool:
    """Add the turns of a trace: those of its agents that have messages, else those of its models.

    Return False if there are none.
    """
    parents = {each.span.id: each.parent for each in found}
    spoken = {
        each.span.id: [each]
        for each in found
        if each.kind == "agent" and (each.messages("output") or each.messages("input"))
    }
    outer = {id: group for id, group in spoken.items() if not _within(parents[id], parents, spoken.keys())}
    for each in found:
        turn = _within(each.span.id, parents, outer.keys()) or (next(iter(outer)) if len(outer) == 1 else "")
        if turn and each.span.id != turn:
            outer[turn].append(each)
    turns = [*outer.values()] or _model_turns(found)
    for said, *rest in turns:
        _add_turn(transcript, said, rest, [said] if outer else [one for one in (said, *rest) if one.kind == "model"])
    return bool(turns)


def _within(id: str, parents: Mapping[str, str], wanted: Collection[str]) -> str:
    """Return the first of these spans that a span is or is inside of; nothing if there is none."""
    for _ in range(len(parents) + 1):
        if not id or id in wanted:
            break
        id = parents.get(id, "")
    return id


def _model_turns(found: list[Reading]) -> list[list[Reading]]:
    """Return the spans of each turn, which begins where a model hears something new of the user."""
    turns: list[list[Reading]] = []
    last: tuple[int, str] = (0, "")
    early: list[Reading] = []
    for each in found:
        user_input = _user_input(each) if each.kind == "model" else (0, "")
        if user_input[1] and user_input != last:
            turns.append([each, *early])
            last, early = user_input, []
        else:
            (turns[-1] if turns else early).append(each)
    return turns


def _user_input(each: Reading) -> tuple[int, str]:
    """Return the number of messages that went in, and the last one if it is the user's."""
    messages = [said for said in each.messages("input") if said.get("role") not in ("system", "developer")]
    last = messages[-1] if messages else {}
    return len(messages), words(last.get("content")) if last.get("role") == "user" else ""


def _answers(each: Reading) -> list[dict[str, Any]]:
    """Return what came out and was not heard before: some graphs return the whole conversation."""
    messages = each.messages("output")
    last = max((at for at, said in enumerate(messages) if said.get("role") == "user"), default=-1)
    return [said for said in messages[last + 1 :] if said.get("role") not in ("tool", "system")]


def _add_turn(transcript: Transcript, first: Reading, rest: list[Reading], spoken: list[Reading]) -> None:
    if asked := _user_input(first)[1]:
        transcript.say("user", asked)
    for call in tool_calls([first, *rest]):
        known = {"error": call.error, "status": call.status, "result": call.result}
        transcript.call(call.name, call.arguments, **known)
    for said in (said for each in spoken for said in _answers(each)):
        transcript.say("chatbot", "")
        content = said.get("content")
        for part in content if isinstance(content, list) else [content]:
            transcript.say("chatbot", words([part] if isinstance(part, dict) else part))


def _fits(entry: LogEntry) -> bool:
    return entry.under in (*_LISTS, ".pb") or bool({*_LISTS} & mapping(entry.value).keys())


FORMAT = LogFormat(_fits, _read)
