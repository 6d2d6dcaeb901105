"""What workers need to know of the configuration of a batch's submitter."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sparring.app.config import AppConfig
from sparring.core.usage import Budget, RateLimit
from sparring.core.value import Value


class RemoteOptions(Value):
    """Settings of the submitter that apply on every worker; all others are the worker's own."""

    budget: Budget = Budget()
    redact: tuple[str, ...] = ()
    null_bots: bool = True
    turn_seconds: float = 300
    limits: dict[str, RateLimit] = {}

    def applied(self, config: AppConfig) -> AppConfig:
        """Return the configuration of a worker for this batch."""
        llm = replace(config.llm, limits={**config.llm.limits, **self.limits})
        return replace(
            config,
            budget=self.budget,
            redact=self.redact,
            null_bots=self.null_bots,
            turn_seconds=self.turn_seconds,
            llm=llm,
        )


def options_of(config: AppConfig, budget: Budget) -> RemoteOptions:
    """Return the options of a batch that is submitted with this configuration."""
    limits: Mapping[str, Any] = config.llm.limits
    return RemoteOptions(
        budget=budget,
        redact=config.redact,
        null_bots=config.null_bots,
        turn_seconds=config.turn_seconds,
        limits=dict(limits),
    )
