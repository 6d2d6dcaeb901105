"""Agents of one chatbot that speak in turn, and the handover between them.

A handover is a tool call like any other: it is in the transcript and visible to rules, but not to the user. The next
agent sees the entire history. Without a language model, the grammar decides which tool is needed and the spec decides
which agent has it.
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
    """Options of model calls in a conversation, and the maximum number of tool rounds."""

    model: Model
    tools: tuple[Tool, ...]
    rounds: int
    temperature: float | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class AgentStage:
    """An agent in a conversation: its model options, tools, system prompt, and handovers.

    It has all tools, or `only` those of these names.
    """

    asking: HandoverRequest
    toolbox: OpenToolbox
    name: str = ""
    instructions: tuple[ChatMessage, ...] = ()
    handoffs: Mapping[str, str] | None = None
    only: frozenset[str] | None = None

    def offered(self, *, handing: bool) -> tuple[Tool, ...]:
        """Return the tools of a round: its own, and the handover unless the limit is reached."""
        hand_off = (hand_off_tool(self.handoffs),) if self.handoffs and handing else ()
        return (*self.asking.tools, *hand_off)

    def with_tools(self, toolbox: OpenToolbox) -> "AgentStage":
        """Return the agent with the tools of another toolbox."""
        known = {name: each for name, each in toolbox.known.items() if self.only is None or name in self.only}
        asking = replace(self.asking, tools=tuple(each.tool for each in known.values()))
        return replace(self, asking=asking, toolbox=replace(toolbox, known=known))


@dataclass(frozen=True, slots=True)
class AgentTeam:
    """The agents of a conversation. `most` is the maximum number of handovers per turn."""

    stages: Mapping[str, AgentStage]
    entry: str
    most: int = HANDOFFS_PER_TURN

    def after(self, lines: Iterable[ChatMessage]) -> AgentStage:
        """Return the agent that speaks after these messages: the target of the last handover."""
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
        """Hand over as the model requests. Return no agent if that is not possible.

        `times` counts earlier handovers in this turn. Text that the agent `said` with the request is passed to the next
        agent and recorded.
        """
        given = json_object(request.arguments)
        target = (given or {}).get("to")
        known = now.handoffs or {}
        if times >= self.most:
            return _refused(given, "handed over too often in this turn: answer the user now"), None
        if not isinstance(target, str) or target not in known:
            return _refused(
                given, f"unknown agent {str(target)[:100]!r} in handover; available: {', '.join(known)}"
            ), None
        result: dict[str, Json] = {"from": now.name, "to": target}
        if said.strip():
            result["said"] = said.strip()
        call = ToolCall(name=HAND_OFF, arguments=given or {}, result=result)
        return ToolResult(call, json_text(result)), self.stages[target]


def hand_off_tool(handoffs: Mapping[str, str]) -> Tool:
    """Return the tool for handovers to these agents."""
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
    call = ToolCall(name=HAND_OFF, arguments=given or {}, error=error[:_LONGEST], status="attempted")
    return ToolResult(call, json_text({"error": call.error}))


@dataclass(frozen=True, slots=True)
class Routed(UnpricedModel):
    """A model in the role of one agent that hands over instead of calling another agent's tool.

    `tools` are those of all agents, `own` are the names of its own, and `towards` has the agents to hand over to for
    the others.
    """

    model: Model
    tools: tuple[Tool, ...]
    own: frozenset[str]
    towards: Mapping[str, str]

    async def complete(self, request: Request) -> Completion:
        """Complete with all tools, and turn a call of another agent's tool into a handover."""
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
    """Return, for every tool that `start` lacks, the agent on the shortest path to one that has it."""
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
