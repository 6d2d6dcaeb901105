"""Handing over without a language model: a grammar knows which tool is called for, and the spec who has it."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace

import orjson

from sparring.chatbots.stages import HAND_OFF
from sparring.core.prompts import Agent
from sparring.llm.model import ChatMessage, Completion, Model, Request, Tool, ToolRequest


@dataclass(frozen=True, slots=True)
class Routed:
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
