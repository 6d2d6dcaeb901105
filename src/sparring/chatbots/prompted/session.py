"""One conversation with a chatbot made of a model: its history, and rounds of tools before a reply."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sparring.chatbots.prompted.handover import HAND_OFF, AgentStage, AgentTeam, HandoverRequest
from sparring.chatbots.prompted.tools import OpenToolbox, ToolResult, json_text
from sparring.chatbots.response import bounded
from sparring.chatbots.tool_faults import ToolFaults
from sparring.core.case import InjectReply, InjectTool
from sparring.core.errors import ChatbotError, ModelError, ProviderFailed
from sparring.core.message import Message, Text, ToolCall, message_of_parts, text_part
from sparring.core.value import Json
from sparring.llm.model import ChatMessage, Completion, Request, Tool, ToolRequest, words


class PromptedSession:
    """A conversation with a model. Every tool call is recorded in the message it was made for.

    With a `team`, its agents speak in turn; otherwise `lines` begin with the system prompt.
    """

    def __init__(
        self,
        asking: HandoverRequest,
        toolbox: OpenToolbox,
        lines: Iterable[ChatMessage],
        greeting: Message | None,
        team: AgentTeam | None = None,
    ) -> None:
        self.greeting = greeting
        self._toolbox = toolbox
        self._team = team or AgentTeam({"": AgentStage(asking, toolbox)}, entry="")
        self._lines = tuple(lines)
        self._stage = self._team.after(self._lines)
        self._stubs: tuple[InjectTool, ...] = ()
        self._faults: ToolFaults | None = None

    async def inject(self, step: InjectReply | InjectTool) -> None:
        """Add a reply or tool call to the history, as if the model had made it."""
        self._lines = (*self._lines, *lines_of(step.message, len(self._lines)))
        self._stage = self._team.after(self._lines)

    async def stub(self, tool: InjectTool) -> None:
        """Set the result of the next matching call of this tool."""
        self._stubs = (*self._stubs, tool)

    async def break_tools(self, faults: ToolFaults) -> None:
        """Let the tools fail as the faults say."""
        self._faults = faults

    async def state(self) -> object:
        """Return what the tools work on."""
        return await self._toolbox.state()

    async def call_tool(self, name: str, arguments: Mapping[str, Json]) -> ToolCall:
        """Call a tool without the model."""
        return (await self._toolbox.for_outside.use(ToolRequest("", name, json_text(dict(arguments))))).call

    async def reply(self, message: Message) -> Message:
        """Return the model's reply after rounds of tools, up to the limit; the last round has no tools.

        Tools that are requested together are called one after the other, so that the same seed gives the same
        conversation. A failed reply leaves the history and the stubs unchanged.
        """
        await self._refresh_tools()
        lines = [*self._lines, ChatMessage("user", words(message))]
        said: list[Text] = []
        calls: list[ToolCall] = []
        ends, stubs, stage, handed = False, list(self._stubs), self._stage, 0
        for rounds_left in range(stage.asking.rounds, -1, -1):
            tools = stage.offered(handing=handed < self._team.most) if rounds_left else ()
            completion = await _complete(stage, tuple(lines), tools)
            lines.append(ChatMessage("assistant", completion.text, completion.tool_requests))
            next_stage: AgentStage | None = None
            for request in completion.tool_requests:
                if request.name == HAND_OFF and stage.handoffs:
                    times = self._team.most if next_stage else handed
                    used, target = self._team.hand_over(request, stage, times, completion.text)
                    next_stage = next_stage or target
                else:
                    used = _stubbed(stage.toolbox, request, stubs) or await stage.toolbox.use(request, self._faults)
                lines.append(ChatMessage("tool", used.answer, tool_request_id=request.id))
                calls.append(used.call)
                ends = ends or used.ends
            if next_stage:
                stage, handed = next_stage, handed + 1
            elif completion.text.strip():
                said.append(text_part(completion.text))
            if not completion.tool_requests or (ends and said):
                break
        parts = bounded(tuple(said))
        self._lines, self._stubs, self._stage = tuple(lines), tuple(stubs), stage
        return message_of_parts("chatbot", parts, tool_calls=tuple(calls), ends=ends)

    async def _refresh_tools(self) -> None:
        """Give the agents the tools that servers offer now."""
        known = self._toolbox.known
        for name, server in self._toolbox.servers.items():
            # It brings the YAML reader along, which few chatbots need.
            from sparring.chatbots.prompted.mcp_tools import relisted

            known = relisted(known, name, await server.tools())
        if known != self._toolbox.known:
            self._toolbox = replace(self._toolbox, known=known)
            stages = {name: each.with_tools(self._toolbox) for name, each in self._team.stages.items()}
            self._team, self._stage = replace(self._team, stages=stages), stages[self._stage.name]


def _stubbed(toolbox: OpenToolbox, request: ToolRequest, stubs: list[InjectTool]) -> ToolResult | None:
    """Return the stubbed result of a request and remove the stub, or None."""
    for stub in stubs:
        if used := toolbox.stubbed(request, stub):
            stubs.remove(stub)
            return used
    return None


async def _complete(stage: AgentStage, lines: tuple[ChatMessage, ...], tools: tuple[Tool, ...]) -> Completion:
    """Return text or requests for the offered tools. Ask once more after an empty answer."""
    asking = stage.asking
    request = Request((*stage.instructions, *lines), tools, None, asking.temperature, asking.seed)
    for _ in range(2):
        try:
            completion = await asking.model.complete(request)
        except ModelError as error:
            kind = ProviderFailed if error.infrastructure else ChatbotError
            raise kind(f"its model failed: {error}") from error
        if completion.tool_requests and not tools:
            completion = replace(completion, tool_requests=())
        if completion.text.strip() or completion.tool_requests:
            return completion
    raise ChatbotError("its model returned an empty answer twice")


def lines_of(message: Message, number: int) -> list[ChatMessage]:
    """Return a message of the history for a model, its tool calls first. `number` makes their ids unique."""
    if message.role == "user":
        return [ChatMessage("user", words(message))]
    if not message.tool_calls:
        return [ChatMessage("assistant", words(message))]
    requests = tuple(
        ToolRequest(f"past_{number}_{index}", call.name, json_text(call.arguments))
        for index, call in enumerate(message.tool_calls)
    )
    answers = [
        ChatMessage("tool", _answer(call), tool_request_id=request.id)
        for call, request in zip(message.tool_calls, requests, strict=True)
    ]
    said = [ChatMessage("assistant", words(message))] if words(message) else []
    return [ChatMessage("assistant", "", requests), *answers, *said]


def _answer(call: ToolCall) -> str:
    return json_text({"error": call.error} if call.error else call.result)
