"""The experiments of the customer service, for `sparring experiment` and `inspect eval sparring/tracking`.

What one conversation took.
"""

from dataclasses import dataclass, field
from pathlib import Path

from sparring.core.message import Message
from sparring.core.usage import Usage
from sparring.core.value import Json
from sparring.integrations.inspect_ai.experiment import Experiment
from sparring.llm.model import Completion, Model, Request, UnpricedModel

_PLAYBOOKS = Path(__file__).parent / "playbooks"


def tracking() -> Experiment:
    """Where is my order?"""
    return Experiment(chatbot="service", files=(_PLAYBOOKS / "tracking.yaml",))


def cancellation() -> Experiment:
    """May this order be cancelled?"""
    return Experiment(chatbot="service", files=(_PLAYBOOKS / "cancellation.yaml",))


@dataclass(slots=True)
class Metrics:
    """Replies, tokens and tool calls so far. `round_limits` is how often the model was kept from using more tools."""

    replies: int = 0
    usage: Usage = field(default_factory=Usage)
    tools: dict[str, int] = field(default_factory=dict)
    failed_tools: int = 0
    round_limits: int = 0

    def count(self, reply: Message) -> None:
        """One reply more."""
        self.replies += 1
        for call in reply.tool_calls:
            self.tools[call.name] = self.tools.get(call.name, 0) + 1
            self.failed_tools += bool(call.error)

    def told(self) -> dict[str, Json]:
        """The figures. Tokens that nobody stated are unknown, and not none."""
        usage = self.usage
        tokens = usage.tokens
        unknown = usage.unknown_tokens > 0 and usage.unknown_tokens == usage.calls
        return {
            "replies": self.replies,
            "model_calls": usage.calls,
            "tokens": None if unknown else tokens,
            "input_tokens": None if unknown else usage.input_tokens,
            "output_tokens": None if unknown else usage.output_tokens,
            "calls_with_unknown_tokens": usage.unknown_tokens,
            "cost": usage.known_cost,
            "tool_calls": sum(self.tools.values()),
            "tool_calls_by_tool": {name: self.tools[name] for name in sorted(self.tools)},
            "failed_tool_calls": self.failed_tools,
            "hit_round_limit": self.round_limits,
        }


@dataclass(frozen=True)
class Counted(UnpricedModel):
    """The chatbot's model in one conversation, whose figures it adds up."""

    model: Model
    metrics: Metrics

    async def complete(self, request: Request) -> Completion:
        # The chatbot offers its tools in every round but the last one that it allows.
        self.metrics.round_limits += not request.tools
        completion = await self.model.complete(request)
        self.metrics.usage += completion.usage
        return completion
