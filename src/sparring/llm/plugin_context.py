"""The context that is passed to the factory of a plug-in."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparring.core.clock import Clock
from sparring.core.errors import InputError
from sparring.core.prompts import Prompts
from sparring.core.usage import Pricing, RateLimit
from sparring.llm.client.rate_limiter import RateLimits
from sparring.llm.client.transport import Transport
from sparring.llm.model import Model

RawReplyListener = Callable[[str, str, Sequence[str]], None]
"""Receives the source of a reply, the reply before it was parsed, and the secrets to redact in it."""


def ignore_reply(where: str, raw: str, secrets: Sequence[str]) -> None:
    """Ignore raw replies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LLMConfig:
    """The configuration of calls to language models.

    `call_seconds` limits one attempt, `retry_seconds` all attempts at a call. Prices and limits go by the name of a
    model or of its provider. `cache` is a file of answers that judges and rules reuse.
    """

    call_seconds: float = 60
    retry_seconds: float = 120
    prices: Mapping[str, Pricing] = field(default_factory=dict)
    limits: Mapping[str, RateLimit] = field(default_factory=dict)
    cache: Path | None = None


@dataclass(frozen=True)
class PluginContext:
    """Configuration of model calls, models by role, the clock and connections.

    Roles are `chatbot`, `user`, `reader` and `judge`. A role in `offline` needs no language model; `stand_ins` collects
    those that used a stand-in for one. `limits` are the rate limits of models, shared by all callers. `environment` has
    the keys of providers: the environment variables, extended by a .env file. `overhear` receives replies of chatbots
    that do not use the transport. `chosen` has the configured names by role, for hints about a missing key. `prompts`
    replaces the prompts of a chatbot; if `lenient`, they may name tools and agents it lacks. `objects` are players
    passed by a program, by the names that stand for them.
    """

    llm: LLMConfig
    clock: Clock
    transport: Transport
    models: Mapping[str, Model] = field(default_factory=dict)
    offline: frozenset[str] = frozenset()
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    stand_ins: set[str] = field(default_factory=set)
    limits: RateLimits = field(default_factory=RateLimits)
    overhear: RawReplyListener = ignore_reply
    prompts: Prompts | None = None
    lenient: bool = False
    chosen: Mapping[str, str] = field(default_factory=dict)
    objects: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def model(self, role: str, *, offline: Callable[[], Model] | None = None) -> Model:
        """Return the model of `role`. `offline` creates its stand-in if no language model is wanted."""
        if role in self.models:
            return self.models[role]
        if role in self.offline and offline is not None:
            self.stand_ins.add(role)
            return offline()
        if role in self.offline:
            raise InputError(
                f"the {role} has no offline model", hint=f"choose a model for it: --{role}-model openai:gpt-4o-mini"
            )
        raise InputError(
            f"no model is chosen for the {role}",
            hint="--model offline needs no key; --model openai:gpt-4o-mini uses OPENAI_API_KEY",
        )
