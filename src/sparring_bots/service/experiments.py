"""Experiments of the customer service (`sparring experiment`), and the metrics of a conversation."""

from dataclasses import dataclass, field
from pathlib import Path

from sparring.core.message import Message
from sparring.core.usage import Usage
from sparring.core.value import Json
from sparring.integrations.inspect_ai.experiment import Experiment
from sparring.integrations.inspect_ai.process import ProcessCheck, ProcessRule
from sparring.llm.model import Completion, Model, Request, UnpricedModel

_PLAYBOOKS = Path(__file__).parent / "playbooks"


CANCELLING = ProcessRule(
    tool="cancel_order",
    same="order_id",
    after=(
        ProcessCheck(tool="validate_customer_ownership", passes={"owned": True}),
        ProcessCheck(tool="check_cancellation_policy", passes={"eligible": True}),
    ),
)
"""The checks that precede every cancellation."""


def tracking() -> Experiment:
    """Return the experiment on tracking orders."""
    return Experiment(chatbot="service", files=(_PLAYBOOKS / "tracking.yaml",), process=(CANCELLING,))


def cancellation() -> Experiment:
    """Return the experiment on cancelling orders."""
    return Experiment(chatbot="service", files=(_PLAYBOOKS / "cancellation.yaml",), process=(CANCELLING,))


@dataclass(slots=True)
class ConversationMetrics:
    """Replies, tokens and tool calls so far.

    `round_limits` counts replies that reached the limit of tool rounds.
    """

    replies: int = 0
    usage: Usage = field(default_factory=Usage)
    tools: dict[str, int] = field(default_factory=dict)
    failed_tools: int = 0
    round_limits: int = 0

    def count(self, reply: Message) -> None:
        """Count a reply and its tool calls."""
        self.replies += 1
        for call in reply.tool_calls:
            self.tools[call.name] = self.tools.get(call.name, 0) + 1
            self.failed_tools += bool(call.error)

    def as_json(self) -> dict[str, Json]:
        """Return the metrics as JSON. Unknown tokens are null, not zero."""
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
class MeteredModel(UnpricedModel):
    """The chatbot's model in one conversation, with its usage added to `metrics`."""

    model: Model
    metrics: ConversationMetrics

    async def complete(self, request: Request) -> Completion:
        # The last allowed round has no tools.
        self.metrics.round_limits += not request.tools
        completion = await self.model.complete(request)
        self.metrics.usage += completion.usage
        return completion
