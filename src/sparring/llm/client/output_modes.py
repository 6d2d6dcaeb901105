"""The ways to get an answer of a given shape, from the surest down to plain asking.

What a model was found not to take: learned from its refusals, once each, and kept for later calls.
"""

import re
from collections.abc import Collection
from dataclasses import replace
from importlib.resources import files
from string import Template
from typing import Any, Literal

import orjson

from sparring.llm.client.provider_errors import ProviderError
from sparring.llm.client.wire_format import strict, written_tool
from sparring.llm.model import Completion, Request, Schema, Tool

_OPTIONAL = ("max_tokens", "max_completion_tokens", "temperature", "seed")
_NEWER_NAMES = {"max_tokens": "max_completion_tokens"}
_NOT_TAKEN = re.compile(
    r"unsupported|not\s+support|n't\s+support|not\s+(?:permitted|allowed|accepted|recognized|available|a\s+valid)"
    r"|unknown|unrecognized|unexpected|extra_forbidden|deprecated|only\s+the\s+default",
    re.IGNORECASE,
)


def not_taken(refusal: ProviderError) -> bool:
    """Whether it refuses something for being there, rather than for its value."""
    return refusal.changeable and _NOT_TAKEN.search(refusal.words) is not None


class ModelCapabilities:
    """The optional parameters one model does not take; `max_tokens` is first tried under its newer name."""

    def __init__(self) -> None:
        self._renamed: dict[str, str] = {}  # to an empty name, what is left out

    def apply(self, body: dict[str, Any]) -> None:
        """Drop or rename what the model does not take."""
        for name, renamed in self._renamed.items():
            if name in body:
                value = body.pop(name)
                if renamed:
                    body[renamed] = value

    def learn(self, sent: Collection[str], refusal: ProviderError) -> str:
        """What becomes of a parameter that was sent and that the refusal names, in words; empty if it names none.

        A refusal of what has been learned meanwhile, from a call made at the same time, counts as learned from.
        """
        if not not_taken(refusal):
            return ""
        for name in _OPTIONAL:
            if name in sent and re.search(rf"\b{name}\b", refusal.words):
                self._renamed[name] = renamed = _NEWER_NAMES.get(name, "")
                return f"going on with {renamed} for {name}" if renamed else f"going on without {name}"
        return ""


OutputMode = Literal["json_schema", "tool", "json_object", "prompt"]
_RUNGS: tuple[OutputMode, ...] = ("json_schema", "tool", "json_object", "prompt")
_ASKING = Template(files("sparring.llm.client").joinpath("prompts/answer.md").read_text(encoding="utf-8"))
_ABOUT_SHAPE = re.compile(
    r"response.?format|json.?schema|json.?object|json.?mode|structured|schema|tools?\b|tool.?choice|function",
    re.IGNORECASE,
)
_ALSO_NOT_TAKEN = re.compile(r"invalid|unavailable|must\b|no endpoints found", re.IGNORECASE)


class OutputModes:
    """The highest rung that one model has not refused. It only ever steps down."""

    def __init__(self) -> None:
        self._from = 0

    def rung(self, request: Request, misspoken: int = 0) -> OutputMode | None:
        """The rung to ask from, or None where any answer will do.

        Where a server refused what its model said, `misspoken` times for this request, it is asked once more in the
        same way, and then from lower rungs: others may ask from where they did.
        """
        if request.answer is None:
            return None
        rung = _RUNGS[min(self._from + max(misspoken - 1, 0), len(_RUNGS) - 1)]
        # A forced tool would keep the model from using any other.
        return "json_object" if rung == "tool" and request.tools else rung

    def step_down(self, rung: OutputMode | None, refusal: ProviderError) -> str:
        """What comes after this refusal of a request made from `rung`, in words.

        Empty if the refusal is about something else, or if there is nothing left to try.
        """
        if rung is None or rung == _RUNGS[-1] or not _about_shape(refusal):
            return ""
        self._from = max(self._from, _RUNGS.index(rung) + 1)
        return f"going on without {rung}"


def _about_shape(refusal: ProviderError) -> bool:
    refused = not_taken(refusal) or (refusal.changeable and _ALSO_NOT_TAKEN.search(refusal.words) is not None)
    return refused and _ABOUT_SHAPE.search(refusal.words) is not None


def shape(body: dict[str, Any], schema: Schema, rung: OutputMode) -> None:
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


def shaped(completion: Completion, schema: Schema, rung: OutputMode) -> Completion:
    """The completion with the answer as its text, wherever the rung makes the model put it."""
    if rung == "tool":
        for asked in completion.tool_requests:
            if asked.name == schema.name:
                return replace(completion, text=asked.arguments, tool_requests=(), rung=rung)
    return replace(completion, rung=rung)
