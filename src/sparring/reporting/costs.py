"""What a batch cost: by role, by model, and by conversation, where what nobody knows is counted and never nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sparring.core.batch import Batch, Who
from sparring.core.conversation import Conversation
from sparring.core.usage import Rate, Usage
from sparring.core.value import Value
from sparring.core.verdict import Verdict
from sparring.llm.pricing import rate_of


class Prices(Value):
    """Prices of one's own, by the name of a model, as they may stand in sparring.yaml."""

    prices: dict[str, Rate]


class Costs(Value):
    """A batch in money: all of it, by role, by model, and by conversation. `unkept` is what was consumed besides by
    attempts and verdicts that were replaced or broken off, at the prices of then."""

    batch: str
    total: Usage = Usage()
    roles: dict[str, Usage] = {}
    models: dict[str, Usage] = {}
    conversations: dict[str, Usage] = {}
    unkept: Usage = Usage()


@dataclass
class Adding:
    """A batch in money, in the making; `prices` of one's own, by model, beat what the calls were said to cost."""

    batch: Batch
    prices: Mapping[str, Rate] = field(default_factory=dict)
    _stated: Usage = field(default_factory=Usage)
    _roles: dict[str, Usage] = field(default_factory=dict)
    _models: dict[str, Usage] = field(default_factory=dict)
    _conversations: dict[str, Usage] = field(default_factory=dict)

    def add(self, conversation: Conversation, verdicts: Sequence[Verdict]) -> None:
        """Take a conversation, with what judges took to decide about it."""
        for role, usage in conversation.usage.items():
            self._count(conversation.id, role, model_of(self.batch.who, role), usage)
        for verdict in verdicts:
            if verdict.usage.calls or verdict.usage.from_cache:
                self._count(conversation.id, "judge", verdict.judge or verdict.by, verdict.usage)

    def _count(self, conversation: str, role: str, model: str, usage: Usage) -> None:
        rate = rate_of(self.prices, model)
        priced = _priced(usage, rate) if rate else usage
        self._stated += usage
        for counts, name in ((self._roles, role), (self._models, model), (self._conversations, conversation)):
            counts[name] = counts.get(name, Usage()) + priced

    def costs(self, whole: Usage) -> Costs:
        """What was added; `whole` is what the store knows of the whole batch, with attempts that are not kept."""
        unkept = whole - self._stated
        return Costs(
            batch=self.batch.id,
            total=sum(self._roles.values(), unkept),
            roles=dict(sorted(self._roles.items())),
            models=dict(sorted(self._models.items())),
            conversations=self._conversations,
            unkept=unkept,
        )


def _priced(usage: Usage, rate: Rate) -> Usage:
    """What was consumed, at this price; calls whose tokens nobody stated still have none."""
    cached = min(usage.cached_tokens, usage.input_tokens)
    dollars = rate(usage.input_tokens, usage.output_tokens, cached)
    return usage.model_copy(update={"cost": dollars, "unknown_costs": usage.unknown_tokens})


def read_prices(path: Path | None) -> Mapping[str, Rate]:
    """The prices in a file; an InputError with everything that is wrong with it."""
    if path is None:
        return {}
    from sparring import parsing  # who has no such file does not wait for what reads it

    return parsing.validate(parsing.load(path), Prices).prices


def model_of(who: Who, role: str) -> str:
    """The model that played a role, by the name under which it was chosen; the chatbot itself where nobody knows."""
    if role == "chatbot":
        return who.chatbot_model or who.chatbot
    named = {"user": who.user, "reader": who.reader, "judge": who.judge}.get(role, role)
    return named.removeprefix("simulated (").removesuffix(")") if named.startswith("simulated (") else named
