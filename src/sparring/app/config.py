"""The configuration of the application as plain values, from any file or option."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from sparring.core.audit import AuditMode
from sparring.core.batch import Decides
from sparring.core.case import Limits
from sparring.core.checks import Crash, Gate
from sparring.core.tool_errors import ToolError
from sparring.core.usage import Budget
from sparring.core.webhook import WebhookConfig
from sparring.llm.plugin_context import LLMConfig
from sparring.llm.redaction import secrets_in


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenPlayers:
    """The players by role. An empty name leaves the role to `model` or its default."""

    chatbot: str = ""
    model: str = ""
    chatbot_model: str = ""
    user: str = ""
    judge: str = ""
    reader: str = "auto"

    def by_role(self) -> dict[str, str]:
        """Return the names by role."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputConfig:
    """The folders that a run writes to besides the store; None writes nothing."""

    results: Path | None = None
    logs: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AppConfig:
    """Everything that the functions of the application are configured with.

    `environment` holds the keys of providers and the values of `${NAME}`. `case_limits` hold for a conversation whose
    scenario sets none, and `turn_seconds` limits the part of the user and of the reader in each turn. Spans are
    received at the address `traces`, and conversations sent to the collector at `otlp`. `objects` are players that a
    program passed as objects, by the names that stand for them.
    """

    store: Path | str
    players: ChosenPlayers
    llm: LLMConfig
    budget: Budget
    webhook: WebhookConfig
    output: OutputConfig
    environment: Mapping[str, str]
    seed: int
    concurrency: int
    case_limits: Limits
    turn_seconds: float
    redact: tuple[str, ...] = ()
    tool_errors: tuple[ToolError, ...] = ()
    keep_days: int | None = None
    decides: Decides = "latest"
    crash: Crash = "failed"
    audit: AuditMode = "void"
    gate: Gate | None = None
    null_bots: bool = True
    traces: str = ""
    otlp: str = ""
    objects: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"AppConfig(store={str(self.store)!r}, players={self.players!r})"  # the environment holds keys

    @property
    def informed(self) -> bool:
        """True if a webhook may add variables to cases before they run."""
        return bool(self.webhook.url)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Secret values of the environment, which must not appear anywhere."""
        return secrets_in(self.environment)

    def with_players(self, **names: str) -> "AppConfig":
        """Return the configuration with other players in these roles."""
        return replace(self, players=replace(self.players, **names))
