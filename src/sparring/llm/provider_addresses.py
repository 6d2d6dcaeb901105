"""Providers and their addresses, without imports of a client."""

from collections.abc import Mapping
from dataclasses import dataclass

BY_URL_KEY = "SPARRING_API_KEY"


@dataclass(frozen=True, slots=True)
class Provider:
    """The address of a provider and the environment variable with its key.

    `priced` is true if the price list knows it; local models have no price. `url_variable` is the environment variable
    that overrides the address.
    """

    name: str
    url: str
    key: str = ""
    key_needed: bool = True
    priced: bool = True
    url_variable: str = ""


def _local(name: str, port: int, key: str = "") -> Provider:
    return Provider(name, f"http://127.0.0.1:{port}/v1", key, key_needed=False, priced=False)


PROVIDERS: Mapping[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", url_variable="OPENAI_BASE_URL"),
        Provider("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        Provider("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
        Provider("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
        Provider("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
        Provider("together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
        _local("ollama", 11434),
        _local("vllm", 8000, "VLLM_API_KEY"),
        _local("lmstudio", 1234),
        _local("llamacpp", 8080, "LLAMA_API_KEY"),
    )
}


def address(name: str, environment: Mapping[str, str]) -> str:
    """Return the address of the model called `name`; empty for models of other plug-ins."""
    kind, _, _ = name.partition(":")
    if kind in ("http", "https"):
        return name.partition("#")[0]
    provider = PROVIDERS.get(kind)
    return "" if provider is None else environment.get(provider.url_variable, "").strip() or provider.url


def plain(name: str) -> str:
    """Return a model name in comparable form: an address without a slash at its end."""
    url, mark, model = name.partition("#")
    return f"{url.rstrip('/')}{mark}{model}"


def placed(name: str, environment: Mapping[str, str]) -> str:
    """Return the name of a model, with its address if that is not the default of its provider."""
    provider, url = PROVIDERS.get(name.partition(":")[0]), address(name, environment)
    return name if provider is None or url == provider.url else f"{name} at {url}"
