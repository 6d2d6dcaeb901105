"""Structured output modes, most reliable first, and the parameters that a model does not support.

Both are learned from rejections and remembered for later calls.
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
    """Return True if something is rejected because it is present, not because of its value."""
    return refusal.changeable and _NOT_TAKEN.search(refusal.words) is not None


class ModelCapabilities:
    """Optional parameters that a model does not support. `max_tokens` is tried under its newer name first."""

    def __init__(self) -> None:
        self._renamed: dict[str, str] = {}  # to an empty name, what is left out

    def apply(self, body: dict[str, Any]) -> None:
        """Remove or rename unsupported parameters."""
        for name, renamed in self._renamed.items():
            if name in body:
                value = body.pop(name)
                if renamed:
                    body[renamed] = value

    def learn(self, sent: Collection[str], refusal: ProviderError) -> str:
        """Learn from a rejection that names a sent parameter. Return the change in words, or an empty text.

        A rejection of a parameter that a simultaneous call has learned about counts as learned from.
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
    """The most reliable output mode that a model has not rejected. It only steps down."""

    def __init__(self) -> None:
        self._from = 0

    def rung(self, request: Request, misspoken: int = 0) -> OutputMode | None:
        """Return the output mode of a request, or None if it needs no structured output.

        If a server rejected the output of its model, `misspoken` times for this request, the first retry uses the same
        mode and later ones use lower modes. Other requests are not affected.
        """
        if request.answer is None:
            return None
        rung = _RUNGS[min(self._from + max(misspoken - 1, 0), len(_RUNGS) - 1)]
        # A forced tool would keep the model from using any other.
        return "json_object" if rung == "tool" and request.tools else rung

    def step_down(self, rung: OutputMode | None, refusal: ProviderError) -> str:
        """Step down after a rejection of the mode `rung`. Return the change in words.

        The text is empty if the rejection has another reason, or if there is no lower mode.
        """
        if rung is None or rung == _RUNGS[-1] or not _about_shape(refusal):
            return ""
        self._from = max(self._from, _RUNGS.index(rung) + 1)
        return f"going on without {rung}"


def _about_shape(refusal: ProviderError) -> bool:
    refused = not_taken(refusal) or (refusal.changeable and _ALSO_NOT_TAKEN.search(refusal.words) is not None)
    return refused and _ABOUT_SHAPE.search(refusal.words) is not None


def shape(body: dict[str, Any], schema: Schema, rung: OutputMode) -> None:
    """Add the schema to the request body as the mode `rung` requires."""
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
    """Return the messages with the schema at the end of the system message, which providers cache."""
    text = _ASKING.substitute(schema=orjson.dumps(schema.schema, default=dict).decode())
    if messages and messages[0]["role"] == "system":
        return [{"role": "system", "content": f"{messages[0]['content']}\n\n{text}"}, *messages[1:]]
    return [{"role": "system", "content": text}, *messages]


def shaped(completion: Completion, schema: Schema, rung: OutputMode) -> Completion:
    """Return the completion with the structured answer as its text."""
    if rung == "tool":
        for asked in completion.tool_requests:
            if asked.name == schema.name:
                return replace(completion, text=asked.arguments, tool_requests=(), rung=rung)
    return replace(completion, rung=rung)
