"""Tool calls in the answers of a chatbot's server, joined with their results."""

from collections.abc import Iterator

import orjson

from sparring.chatbots.placeholders import as_text
from sparring.chatbots.preset import Outcomes, Tools
from sparring.chatbots.response import ResponseBody, first_at, is_at, items_at, text_at
from sparring.chatbots.secrets import hidden
from sparring.core.message import CallStatus, ToolCall
from sparring.core.value import MAX_DEPTH, Json, decoded, is_deeper

Asked = dict[str, Json]
"""Tool calls without a result by id, as they were in an answer."""


def parse_tool_calls(tools: Tools, answer: ResponseBody, asked: Asked) -> Iterator[ToolCall]:
    """Yield the tool calls in an answer, and those of earlier answers whose results are in it.

    `asked` has the calls that still have no result.
    """
    results = _results(tools.results, answer) if tools.results else {}
    new = [(text_at(tools.id, item), item) for item in items_at(tools.each, answer.says) or []]
    known = dict(new)
    waiting = [(id, item) for id, item in asked.items() if id in results and id not in known]
    for id, item in [*waiting, *new]:
        asked.pop(id, None)
        if tools.results and id and id not in results:
            asked[id] = item
        if name := text_at(tools.name, item):
            outcome = (tools.results, results[id]) if tools.results and id in results else (tools, item)
            yield _call(tools, name, item, *outcome, answer)


def _results(where: Outcomes, answer: ResponseBody) -> dict[str, Json]:
    """Return the results in an answer by the ids of their calls; the last one of several."""
    places = (*where.result, *where.error)
    found = (item for item in items_at(where.each, answer.says) or [] if any(path.find(item) for path in places))
    return {text_at(where.id, item): item for item in found}


def _call(tools: Tools, name: str, item: Json, where: Outcomes, outcome: Json, answer: ResponseBody) -> ToolCall:
    """Return the call at `item`, whose outcome is at `outcome`."""
    keys, hide = answer.received.keys, answer.received.hide
    given, malformed = _arguments(first_at(tools.arguments, item))
    result, unreadable = storable(decoded(first_at(where.result, outcome)))
    failure = as_text(first_at(tools.error, item) or first_at(where.error, outcome))
    failed = where.failed is not None and is_at(where.failed, outcome)
    if failed and where is not tools:
        failure, result = failure or as_text(result) or "it failed", None
    error = hide("; ".join(filter(None, (failure, malformed, unreadable))))
    arguments = {hide(name): hidden(value, keys) for name, value in given.items()}
    fields = {"name": hide(name), "arguments": arguments, "result": hidden(result, keys), "error": error}
    return ToolCall.model_validate(fields | _status(tools, where, outcome, error, failed=failed))


def _status(tools: Tools, where: Outcomes, outcome: Json, error: str, *, failed: bool) -> dict[str, CallStatus]:
    """Return the status of a call, unless the call itself shows that it succeeded or has an error."""
    if error:
        return {}
    if failed:
        return {"status": "failed"}
    if not where.result and not tools.results:
        return {} if where.failed else {"status": "executed"}
    return {} if any(path.find(outcome) for path in where.result) else {"status": "attempted"}


def storable(value: Json) -> tuple[Json, str]:
    """Return a value that can be stored, and the problem of one that cannot."""
    return (None, "the result is nested too deep") if is_deeper(value, MAX_DEPTH) else (value, "")


def _arguments(value: Json) -> tuple[dict[str, Json], str]:
    """Return arguments and their problem; some chatbots send them as text."""
    if isinstance(value, str):
        try:
            value = orjson.loads(value or "{}")
        except orjson.JSONDecodeError:
            return {}, "the arguments are not JSON"
    if is_deeper(value, MAX_DEPTH + 1):  # each of them may be as deep as anything that is kept
        return {}, "the arguments are nested too deep"
    return (value, "") if isinstance(value, dict) else ({}, "" if value is None else "the arguments are no mapping")
