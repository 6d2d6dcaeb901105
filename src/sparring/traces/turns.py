"""The data of a trace's spans about a turn: tool calls, usage and models."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import orjson

from sparring.core.message import ToolCall
from sparring.core.usage import ModelCall, Usage
from sparring.core.value import MAX_DEPTH, decoded, is_deeper, mapping
from sparring.llm.pricing import at_list_price
from sparring.traces.dialects import Reading, dialect
from sparring.traces.spans import Span

CHATBOT = "chatbot"
_LONGEST_NAME = 200


class TracedCall(NamedTuple):
    """A call of a model with what it used, and its duration in seconds."""

    call: ModelCall
    usage: Usage
    seconds: float


@dataclass(frozen=True, slots=True)
class _Call:
    at: int
    id: str
    fields: dict[str, Any]


def readings(spans: Sequence[Span]) -> list[Reading]:
    """Return the spans of known dialects once each, in the order in which they began."""
    unique = {(each.trace, each.id): each for each in sorted(spans, key=lambda each: bool(each.end))}
    ordered = sorted(unique.values(), key=lambda each: each.start)
    known = {each.id: table for each in ordered if (table := dialect(each))}
    parents = {each.id: each.parent for each in ordered}
    found = []
    for each in ordered:
        if table := known.get(each.id):
            above, steps = each.parent, 0
            while above and above not in known and steps < len(parents):
                above, steps = parents.get(above, ""), steps + 1
            found.append(Reading(each, table, above))
    return found


def tool_calls(found: Sequence[Reading]) -> tuple[ToolCall, ...]:
    """Return the tool calls: those that ran, and those that a model asked for and no span shows."""
    left = [_ran(each) for each in found if each.kind == "tool"]
    answers: dict[str, Any] = {}
    asked: dict[str, _Call] = {}
    reported: list[list[str]] = []
    for each in found:
        if each.kind == "model":
            new = _new(each)
            for said in new:
                answers |= _answers(said)
            known_calls = [call for call in _calls(new, each.span.start) if call.id]
            for call in (*known_calls, *_asked(each)):
                asked.setdefault(call.id or f"{each.span.id}/{len(asked)}", call)
            reported.append([call.id for call in known_calls])
    ran, lost = dict[str, _Call](), dict[str, _Call]()
    for id, call in asked.items():
        same = next((one for one in left if call.id and one.id == call.id), None) or next(
            (one for one in left if not (one.id and call.id) and _is_same(one, call)), None
        )
        if same:
            left.remove(same)
            ran[id] = same
        else:
            outcome = {"result": answers[call.id]} if call.id in answers else {"status": "attempted"}
            lost[id] = replace(call, fields=call.fields | outcome)
    for ids in reported:  # a call without a span is before the next one that the model was told of
        for later, id in pairwise(reversed(ids)):
            if id in lost:
                lost[id] = replace(lost[id], at=min(lost[id].at, (lost.get(later) or ran[later]).at - 1))
    made = sorted((*left, *ran.values(), *lost.values()), key=lambda each: each.at)
    return tuple(ToolCall.model_validate(each.fields) for each in made)


def _ran(each: Reading) -> _Call:
    fields = _fields(each.value("tool_name"), each.value("arguments"))
    status = each.span.attributes.get("sparring.tool.status")
    value = each.value("result")
    message = _tool_message(value)
    result = _storable(decoded(message["content"]) if message else value)
    failed = each.span.failed or message.get("status") == "error"
    if failed:
        fields["error"] = each.span.error if each.span.failed else str(message["content"])
    if result is not None and not failed:
        fields["result"] = result
    if status:
        fields["status"] = status
    elif not failed:
        fields["status"] = "executed" if result is None else "succeeded"
        if isinstance(result, dict) and result.get("error"):
            fields["status"] = "failed"
    id = str(each.value("call_id") or message.get("tool_call_id") or "")
    return _Call(each.span.start, id.strip('"'), fields)  # Langfuse writes its metadata as JSON


def _tool_message(result: Any) -> dict[str, Any]:
    """Return the message in which LangChain wraps the result of a tool, or nothing for another result."""
    outer = mapping(result)
    held = next((each for name in ("data", "kwargs") if (each := mapping(outer.get(name)))), outer)
    return held if {"tool_call_id", "content"} <= held.keys() else {}


def _new(each: Reading) -> list[dict[str, Any]]:
    """Return the new messages to a model in this turn, which may mention calls whose own spans are lost."""
    inputs = each.messages("input")
    return inputs[max((at for at, said in enumerate(inputs) if said.get("role") == "user"), default=len(inputs)) :]


def _asked(each: Reading) -> Iterator[_Call]:
    return _calls(each.messages("output"), each.span.end)


def _calls(messages: Iterable[dict[str, Any]], at: int) -> Iterator[_Call]:
    for said in messages:
        for call in said.get("tool_calls") or ():
            function = call.get("function", call) if isinstance(call, dict) else None
            if isinstance(function, dict) and function.get("name"):
                fields = _fields(function["name"], function.get("arguments", function.get("args")))
                yield _Call(at, str(call.get("id") or ""), fields)


def is_answered(found: Sequence[Reading]) -> bool:
    """Return False if the last model that spoke asked for tools, so that its next answer is still to come."""
    spoke = [each for each in found if each.kind == "model" and each.messages("output")]
    return not spoke or not any(_asked(spoke[-1]))


def _fields(name: Any, arguments: Any) -> dict[str, Any]:
    value = _storable(decoded(arguments))
    if isinstance(value, dict) and value.keys() == {"args", "kwargs"}:  # a function that Langfuse observes
        value = value["kwargs"]
    return {"name": str(name or ""), "arguments": value if isinstance(value, dict) else {}}


def _answers(said: dict[str, Any]) -> dict[str, Any]:
    found = {str(said["tool_call_id"]): said.get("content")} if said.get("tool_call_id") else {}
    found |= {str(each.get("id")): each.get("response", each.get("result")) for each in said.get("more", ())}
    return {id: _storable(decoded(content)) for id, content in found.items()}


def _is_same(one: _Call, other: _Call) -> bool:
    return one.fields["name"] == other.fields["name"] and _canonical(one) == _canonical(other)


def _canonical(call: _Call) -> bytes:
    return orjson.dumps(call.fields["arguments"], option=orjson.OPT_SORT_KEYS)


def _storable(value: Any) -> Any:
    return str(value) if is_deeper(value, MAX_DEPTH) else value


def model_calls(found: Sequence[Reading], turn: int = 0) -> list[TracedCall]:
    """Return the calls of models at list prices; without any, the usage of the outermost agent."""
    models = [each for each in found if each.kind == "model"]
    agents = [each for each in found if each.kind == "agent" and each.number("input_tokens") is not None]
    return [_model_call(each, turn) for each in models or agents[:1]]


def _model_call(each: Reading, turn: int) -> TracedCall:
    tokens, cost = each.number("input_tokens"), each.number("cost")
    model, provider = str(each.value("model_name") or ""), str(each.value("provider") or "")
    used = Usage(
        calls=1,
        input_tokens=int(tokens or 0),
        output_tokens=int(each.number("output_tokens") or 0),
        cached_tokens=int(each.number("cached_tokens") or 0),
        unknown_tokens=int(tokens is None),
        cost=cost or 0.0,
        unknown_costs=int(cost is None),
    )
    priced = at_list_price(used, provider.lower(), model)
    call = ModelCall(
        role=CHATBOT,
        turn=turn,
        input_tokens=None if tokens is None else priced.input_tokens,
        output_tokens=None if tokens is None else priced.output_tokens,
        cached_tokens=priced.cached_tokens,
        cost=priced.known_cost,
        model=model[:_LONGEST_NAME],
    )
    return TracedCall(call, priced, max(0, each.span.end - each.span.start) / 1e9)


def models(found: Sequence[Reading]) -> tuple[str, ...]:
    """Return the names of the models that were called."""
    return tuple(dict.fromkeys(str(each.value("model_name")) for each in found if each.value("model_name")))
