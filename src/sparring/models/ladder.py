"""The ways to get an answer of a given shape, from the surest down to plain asking."""

import re
from dataclasses import replace
from importlib.resources import files
from string import Template
from typing import Any, Literal

import orjson

from sparring.models.chat_request import written_tool
from sparring.models.model import Completion, Request, Schema, Tool
from sparring.models.quirks import not_taken
from sparring.models.refusals import Refusal
from sparring.models.strict_schema import strict

Rung = Literal["json_schema", "tool", "json_object", "prompt"]
_RUNGS: tuple[Rung, ...] = ("json_schema", "tool", "json_object", "prompt")
_ASKING = Template(files("sparring.models").joinpath("prompts/answer.md").read_text(encoding="utf-8"))
_ABOUT_SHAPE = re.compile(
    r"response.?format|json.?schema|json.?object|json.?mode|structured|schema|tools?\b|tool.?choice|function",
    re.IGNORECASE,
)
_ALSO_NOT_TAKEN = re.compile(r"invalid|unavailable|must\b|no endpoints found", re.IGNORECASE)


class Ladder:
    """The highest rung that one model has not refused. It only ever steps down."""

    def __init__(self) -> None:
        self._from = 0

    def rung(self, request: Request, misspoken: int = 0) -> Rung | None:
        """The rung to ask from, or None where any answer will do.

        Where a server refused what its model said, `misspoken` times for this request, it is asked once more in the
        same way, and then from lower rungs: others may ask from where they did.
        """
        if request.answer is None:
            return None
        rung = _RUNGS[min(self._from + max(misspoken - 1, 0), len(_RUNGS) - 1)]
        # A forced tool would keep the model from using any other.
        return "json_object" if rung == "tool" and request.tools else rung

    def step_down(self, rung: Rung | None, refusal: Refusal) -> str:
        """What comes after this refusal of a request made from `rung`, in words.

        Empty if the refusal is about something else, or if there is nothing left to try.
        """
        if rung is None or rung == _RUNGS[-1] or not _about_shape(refusal):
            return ""
        self._from = max(self._from, _RUNGS.index(rung) + 1)
        return f"going on without {rung}"


def _about_shape(refusal: Refusal) -> bool:
    refused = not_taken(refusal) or (refusal.changeable and _ALSO_NOT_TAKEN.search(refusal.words) is not None)
    return refused and _ABOUT_SHAPE.search(refusal.words) is not None


def shape(body: dict[str, Any], schema: Schema, rung: Rung) -> None:
    """Ask for an answer of this shape, in the way of this rung."""
    if rung == "json_schema":
        wanted = {"name": schema.name, "schema": strict(schema.schema), "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    elif rung == "tool":
        body["tools"] = [written_tool(Tool(schema.name, "Give the answer.", strict(schema.schema)))]
        body["tool_choice"] = {"type": "function", "function": {"name": schema.name}}
    else:
        if rung == "json_object":
            body["response_format"] = {"type": "json_object"}
        body["messages"] = _asking(body["messages"], schema)


def _asking(messages: list[dict[str, Any]], schema: Schema) -> list[dict[str, Any]]:
    """The same messages with the schema at the end of the system message, where caches keep it."""
    text = _ASKING.substitute(schema=orjson.dumps(schema.schema, default=dict).decode())
    if messages and messages[0]["role"] == "system":
        return [{"role": "system", "content": f"{messages[0]['content']}\n\n{text}"}, *messages[1:]]
    return [{"role": "system", "content": text}, *messages]


def shaped(completion: Completion, schema: Schema, rung: Rung) -> Completion:
    """The completion with the answer as its text, wherever the rung makes the model put it."""
    if rung == "tool":
        for asked in completion.tool_requests:
            if asked.name == schema.name:
                return replace(completion, text=asked.arguments, tool_requests=(), rung=rung)
    return replace(completion, rung=rung)
