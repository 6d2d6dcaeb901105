"""Agents that speak for one chatbot, one at a time, and hand the conversation over to each other.

Handing over is a tool call like any other: it is in the transcript and in reach of rules, and the user sees nothing of
it. The next agent is shown all that was said and done before.

Handing over without a language model: a grammar knows which tool is called for, and the spec who has it.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import orjson

from sparring.chatbots.prompted.tools import OpenToolbox, ToolResult, json_object, json_text
from sparring.core.message import ToolCall
from sparring.core.prompts import Agent
from sparring.core.value import Json
from sparring.llm.model import ChatMessage, Completion, Model, Request, Tool, ToolRequest, UnpricedModel

HAND_OFF = "hand_off"
HANDOFFS_PER_TURN = 5
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class HandoverRequest:
    """How the model of a conversation is asked, and for how many rounds it may use tools."""

    model: Model
    tools: tuple[Tool, ...]
    rounds: int
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class AgentStage:
    """An agent in a conversation: how its model is asked, its own tools, what it alone is told, to whom it may hand
    over, and when."""

    asking: HandoverRequest
    toolbox: OpenToolbox
    name: str = ""
    told: tuple[ChatMessage, ...] = ()
    handoffs: Mapping[str, str] | None = None

    def offered(self, *, handing: bool) -> tuple[Tool, ...]:
        """The tools of a round: its own, and handing over unless that was done too often."""
        hand_off = (hand_off_tool(self.handoffs),) if self.handoffs and handing else ()
        return (*self.asking.tools, *hand_off)


@dataclass(frozen=True, slots=True)
class AgentTeam:
    """The agents of a conversation; `most` is how often it may be handed over before the user is answered."""

    stages: Mapping[str, AgentStage]
    entry: str
    most: int = HANDOFFS_PER_TURN

    def after(self, lines: Iterable[ChatMessage]) -> AgentStage:
        """Who speaks after these lines: the last to whom the conversation was handed over."""
        asked: dict[str, str] = {}
        now = self.entry
        for line in lines:
            asked |= {each.id: each.arguments for each in line.tool_requests if each.name == HAND_OFF}
            if line.role == "tool" and line.tool_request_id in asked:
                target = (json_object(asked[line.tool_request_id]) or {}).get("to")
                failed = "error" in (json_object(line.content) or {})
                now = target if isinstance(target, str) and target in self.stages and not failed else now
        return self.stages[now]

    def hand_over(
        self, request: ToolRequest, now: AgentStage, times: int, said: str
    ) -> tuple[ToolResult, AgentStage | None]:
        """Hand over as a model asks for it, after it was done so many times; nobody if that cannot be.

        What the agent `said` with it is meant for the next one, and kept with the call.
        """
        given = json_object(request.arguments)
        target = (given or {}).get("to")
        known = now.handoffs or {}
        if times >= self.most:
            return _refused(given, "handed over too often in this turn: answer the user now"), None
        if not isinstance(target, str) or target not in known:
            return _refused(
                given, f"there is nobody {str(target)[:100]!r} to hand over to; there is: {', '.join(known)}"
            ), None
        result: dict[str, Json] = {"from": now.name, "to": target}
        if said.strip():
            result["said"] = said.strip()
        call = ToolCall(name=HAND_OFF, arguments=given or {}, result=result)
        return ToolResult(call, json_text(result)), self.stages[target]


def hand_off_tool(handoffs: Mapping[str, str]) -> Tool:
    """The tool by which an agent hands over, to these and when."""
    when = "\n".join(f"- {target}: {text}" for target, text in handoffs.items())
    return Tool(
        HAND_OFF,
        f"Hand the conversation over to another agent, who sees all of it. The user notices nothing.\n{when}",
        {
            "type": "object",
            "properties": {
                "to": {"type": "string", "enum": list(handoffs)},
                "reason": {"type": "string", "description": "why, in a few words"},
            },
            "required": ["to"],
            "additionalProperties": False,
        },
    )


def _refused(given: dict[str, Json] | None, error: str) -> ToolResult:
    call = ToolCall(name=HAND_OFF, arguments=given or {}, error=error[:_LONGEST])
    return ToolResult(call, json_text({"error": call.error}))


@dataclass(frozen=True, slots=True)
class Routed(UnpricedModel):
    """A model that plays one agent, and hands over where it would use a tool that only another agent has.

    `tools` are those of all agents, `own` are the names of its own, and `towards` is to whom it hands over for others.
    """

    model: Model
    tools: tuple[Tool, ...]
    own: frozenset[str]
    towards: Mapping[str, str]

    async def complete(self, request: Request) -> Completion:
        """What the model says when it is shown everything but the handing over."""
        messages = _without_handoffs(request.messages)
        completion = await self.model.complete(
            replace(request, messages=messages, tools=self.tools if request.tools else ())
        )
        wanted = completion.tool_requests
        first = next((number for number, each in enumerate(wanted) if each.name not in self.own), len(wanted))
        if first == len(wanted) or wanted[first].name not in self.towards:
            return completion
        if first:
            return replace(completion, tool_requests=wanted[:first])
        given = {"to": self.towards[wanted[0].name], "reason": f"needs {wanted[0].name}"}
        hand_off = ToolRequest(f"handed_{len(request.messages)}", HAND_OFF, orjson.dumps(given).decode())
        return replace(completion, text="", tool_requests=(hand_off,))


def towards(agents: Mapping[str, Agent], start: str) -> dict[str, str]:
    """For every tool that `start` lacks, the agent to hand over to on the shortest way to one that has it."""
    found: dict[str, str] = {}
    ways = deque((target, target) for target in agents[start].handoffs)
    seen = {start}
    while ways:
        name, first = ways.popleft()
        if name in seen:
            continue
        seen.add(name)
        for tool in agents[name].tools:
            if tool not in agents[start].tools:
                found.setdefault(tool, first)
        ways.extend((target, first) for target in agents[name].handoffs)
    return found


def _without_handoffs(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    handed = {each.id for line in messages for each in line.tool_requests if each.name == HAND_OFF}
    kept: list[ChatMessage] = []
    for line in messages:
        if line.role == "tool" and line.tool_request_id in handed:
            continue
        rest = tuple(each for each in line.tool_requests if each.id not in handed)
        if len(rest) == len(line.tool_requests):
            kept.append(line)
        elif rest:
            kept.append(line._replace(tool_requests=rest))
    return tuple(kept)
