"""Model plug-ins of providers: `openai:gpt-4o-mini` is the factory `openai` with its argument."""

from collections.abc import Mapping
from functools import partial
from random import Random
from urllib.parse import urlsplit

from pydantic import SecretStr

from sparring.core.errors import InputError, Problem
from sparring.llm.client.openai_compatible import OpenAICompatible
from sparring.llm.client.retry import Retries, retry_listener
from sparring.llm.plugin_context import PluginContext
from sparring.llm.pricing import ListedPrice, rate_of, unknown_price
from sparring.llm.provider_addresses import BY_URL_KEY, PROVIDERS, Provider


def by_url(argument: str, context: PluginContext) -> OpenAICompatible:
    """Create a model on any other server: `BASE_URL#model`. Its only key is SPARRING_API_KEY, if set."""
    url, _, model = argument.partition("#")
    problems = _problems(url)
    if not model.strip():
        problems.append(Problem(message="no model after the address"))
    if problems:
        raise InputError(problems, hint="write BASE_URL#model, such as http://127.0.0.1:8000/v1#my-model")
    return OpenAICompatible(
        model.strip(),
        url=url,
        transport=context.transport,
        retries=_retries(context, f"{url}#{model.strip()}"),
        key=_key(BY_URL_KEY, context.environment),
        price=rate_of(context.llm.prices, f"{url}#{model.strip()}") or unknown_price,
        label=f"{url}#{model.strip()}",
        key_hint=f"check {BY_URL_KEY}, the key for servers given by address",
    )


def _connect(provider: Provider, argument: str, context: PluginContext) -> OpenAICompatible:
    """Create a model of a provider in the table."""
    model = argument.strip()
    if not model:
        raise InputError(f"{provider.name!r} names no model", hint=f"write {provider.name}:MODEL")
    key = _key(provider.key, context.environment)
    if key is None and provider.key_needed:
        raise InputError(
            f"{provider.name}:{model} needs a key, and {provider.key} is not set",
            hint=f"export {provider.key}=..., or {_instead(f'{provider.name}:{model}', context.chosen)}",
        )
    url = _url(provider, context.environment)
    priced = provider.priced and urlsplit(url).hostname == urlsplit(provider.url).hostname
    listed = ListedPrice(provider.name, model) if priced else unknown_price
    return OpenAICompatible(
        model,
        url=url,
        transport=context.transport,
        retries=_retries(context, f"{provider.name}:{model}"),
        key=key,
        price=rate_of(context.llm.prices, f"{provider.name}:{model}") or listed,
        label=f"{provider.name}:{model}",
        key_hint=f"check {provider.key}" if provider.key else "",
    )


openai = partial(_connect, PROVIDERS["openai"])
openrouter = partial(_connect, PROVIDERS["openrouter"])
groq = partial(_connect, PROVIDERS["groq"])
mistral = partial(_connect, PROVIDERS["mistral"])
deepseek = partial(_connect, PROVIDERS["deepseek"])
together = partial(_connect, PROVIDERS["together"])
ollama = partial(_connect, PROVIDERS["ollama"])
vllm = partial(_connect, PROVIDERS["vllm"])
lmstudio = partial(_connect, PROVIDERS["lmstudio"])
llamacpp = partial(_connect, PROVIDERS["llamacpp"])


_WITHOUT = {
    "model": "offline",
    "chatbot_model": "offline",
    "user": "agenda",
    "reader": "patterns",
    "judge": "ollama:MODEL (or checklist, which reads neither rubrics nor canaries)",
}
"""Alternatives by role that need no key."""


def _instead(name: str, chosen: Mapping[str, str]) -> str:
    """Return the options that avoid this model: for the roles that it was chosen for, if it was."""
    named = [role for role in _WITHOUT if chosen.get(role) == name]
    if not named:
        return "begin with --model offline, which needs none"
    options = " and ".join(f"--{role.replace('_', '-')} {_WITHOUT[role]}" for role in named)
    return f"choose {options}, which need{'s' * (len(named) == 1)} none"


def _retries(context: PluginContext, name: str) -> Retries:
    return Retries(
        context.clock,
        Random(),  # unseeded: chance only spreads the waits here, and processes that wait in step would defeat it
        call_seconds=context.llm.call_seconds,
        total_seconds=context.llm.retry_seconds,
        on_attempt=retry_listener(name),
        limiter=context.limits.of(name),
    )


def _key(variable: str, environment: Mapping[str, str]) -> SecretStr | None:
    """Return the key in an environment variable, or None. Keys have no other source."""
    key = environment.get(variable, "").strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise InputError(
            f"{variable} contains characters that are invalid in a key", hint="set it again, without quotes or spaces"
        )
    return SecretStr(key) if key else None


def _url(provider: Provider, environment: Mapping[str, str]) -> str:
    url = environment.get(provider.url_variable, "").strip() or provider.url
    problems = _problems(url)
    if problems:
        raise InputError(
            [problem.model_copy(update={"path": provider.url_variable}) for problem in problems],
            hint=f"write an address such as {provider.url}",
        )
    return url


def _problems(url: str) -> list[Problem]:
    """Return the problems of a base address. One that may contain a secret is not repeated."""
    if "@" in url or "?" in url:
        return [
            Problem(
                message="the address contains a password or a query", hint="put the key into an environment variable"
            )
        ]
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        return [Problem(message=f"the address cannot be read: {error}")]
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        return [Problem(message=f"{url!r} is not the address of a server")]
    return []
