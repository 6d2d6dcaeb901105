import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from model_faults import completion
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError, ModelRejected
from sparring.llm import providers
from sparring.llm.client.transport import Response
from sparring.llm.model import ChatMessage, Request
from sparring.llm.plugin_context import LLMConfig, PluginContext
from sparring.llm.provider_addresses import PROVIDERS
from sparring.llm.providers import by_url
from tables import table

ASK = Request((ChatMessage("user", "Hi"),))
KEY = "c2VjcmV0-of-mine/42"


class Recording:
    """A transport that answers every request in the same way, and keeps where they went and with which key."""

    def __init__(self, status: int = 200) -> None:
        self.status = status
        self.sent: list[tuple[str, str, str]] = []

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        self.sent.append((url, json.loads(body or b"{}")["model"], headers.get("authorization", "")))
        return Response(self.status, {}, json.dumps(completion({"role": "assistant", "content": "Hello!"})).encode())


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in PROVIDERS.values():
        monkeypatch.delenv(provider.key or "_", raising=False)
        monkeypatch.delenv(provider.url_variable or "_", raising=False)
    monkeypatch.delenv("SPARRING_API_KEY", raising=False)


def context(transport: Any) -> PluginContext:
    return PluginContext(llm=LLMConfig(), clock=SystemClock(), transport=transport)


@pytest.mark.parametrize("name", PROVIDERS)
async def test_every_provider_is_reached_at_its_address_with_its_own_key(name: str, monkeypatch: pytest.MonkeyPatch):
    for provider in PROVIDERS.values():
        if provider.key:
            monkeypatch.setenv(provider.key, f" {provider.key.lower()}\n")
    transport = Recording()
    expected = PROVIDERS[name]

    await getattr(providers, name)("some/model:free", context(transport)).complete(ASK)

    bearer = f"Bearer {expected.key.lower()}" if expected.key else ""
    assert transport.sent == [(f"{expected.url}/chat/completions", "some/model:free", bearer)]


@pytest.mark.parametrize("name", [name for name, provider in PROVIDERS.items() if provider.key_needed])
def test_a_missing_key_is_named_with_what_to_do(name: str, monkeypatch: pytest.MonkeyPatch):
    variable = PROVIDERS[name].key
    monkeypatch.setenv(variable, "")

    with pytest.raises(InputError) as caught:
        getattr(providers, name)("m", context(Recording()))

    assert (str(caught.value), caught.value.hint) == (
        f"{name}:m needs a key, and {variable} is not set",
        f"export {variable}=..., or begin with --model offline, which needs none",
    )


@pytest.mark.parametrize(
    ("chosen", "instead"),
    [
        ({"model": "openai:m"}, "choose --model offline, which needs none"),
        (
            {"judge": "openai:m"},
            "choose --judge ollama:MODEL (or checklist, which reads neither rubrics nor canaries), which needs none",
        ),
        ({"model": "openai:m", "reader": "openai:m"}, "choose --model offline and --reader patterns, which need none"),
        (
            {"chatbot_model": "openai:m", "user": "openai:m"},
            "choose --chatbot-model offline and --user agenda, which need none",
        ),
        ({"model": "openai:other"}, "begin with --model offline, which needs none"),
    ],
)
def test_what_else_can_be_chosen_is_said_of_the_role_that_the_model_was_chosen_for(
    chosen: dict[str, str], instead: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "")
    without_key = replace(context(Recording()), chosen=chosen)

    with pytest.raises(InputError) as caught:
        providers.openai("m", without_key)

    assert caught.value.hint == f"export OPENAI_API_KEY=..., or {instead}"


async def test_a_server_on_this_machine_needs_no_key_and_has_no_price():
    transport = Recording()

    answered = await providers.ollama("llama3.2", context(transport)).complete(ASK)

    assert (transport.sent[0][2], answered.usage.known_cost) == ("", None)


async def test_openai_has_a_price_at_its_own_address_only(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    transport = Recording()
    listed = await providers.openai("gpt-4o-mini", context(transport)).complete(ASK)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:4000/v1/")
    elsewhere = await providers.openai("gpt-4o-mini", context(transport)).complete(ASK)

    assert [url for url, *_ in transport.sent] == [
        "https://api.openai.com/v1/chat/completions",
        "http://127.0.0.1:4000/v1/chat/completions",
    ]
    assert (listed.usage.known_cost, elsewhere.usage.known_cost) == (pytest.approx(12 * 0.15e-6 + 3 * 0.6e-6), None)


async def test_another_address_gets_its_own_key_and_no_other(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    transport = Recording()
    await by_url("https://llm.example.org/v1#a#b", context(transport)).complete(ASK)
    monkeypatch.setenv("SPARRING_API_KEY", "own")
    await by_url("https://llm.example.org/v1#a", context(transport)).complete(ASK)

    assert transport.sent == [
        ("https://llm.example.org/v1/chat/completions", "a#b", ""),
        ("https://llm.example.org/v1/chat/completions", "a", "Bearer own"),
    ]


@table(
    ("argument", "problems"),
    [
        ("http://127.0.0.1:8000/v1", ["no model after the address"]),
        ("llm.example.org#m", ["'llm.example.org' is not the address of a server"]),
        (
            "ftp://x/v1#",
            ["'ftp://x/v1' is not the address of a server", "no model after the address"],
        ),
        ("http://x:99999/v1#m", ["the address cannot be read: Port out of range 0-65535"]),
        ("http://[::1/v1#m", ["the address cannot be read: Invalid IPv6 URL"]),
        (
            f"https://me:{KEY}@x/v1#m",
            ["the address contains a password or a query (put the key into an environment variable)"],
        ),
        (
            f"https://x/v1?key={KEY}#m",
            ["the address contains a password or a query (put the key into an environment variable)"],
        ),
    ],
)
def test_a_wrong_address_says_everything_that_is_wrong_with_it(argument: str, problems: list[str]):
    with pytest.raises(InputError) as caught:
        by_url(argument, context(Recording()))

    assert ([str(problem) for problem in caught.value.problems], caught.value.hint) == (
        problems,
        "write BASE_URL#model, such as http://127.0.0.1:8000/v1#my-model",
    )


def test_a_wrong_address_in_the_environment_names_its_variable(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost:4000")

    with pytest.raises(InputError, match=r"^OPENAI_BASE_URL: 'localhost:4000' is not the address of a server$"):
        providers.openai("m", context(Recording()))


def test_a_model_must_be_named():
    with pytest.raises(InputError) as caught:
        providers.ollama(" ", context(Recording()))

    assert (str(caught.value), caught.value.hint) == ("'ollama' names no model", "write ollama:MODEL")


@pytest.mark.parametrize("key", ["two words", "“quoted”", "line\nbreak"])
def test_what_cannot_be_a_key_is_refused_and_not_shown(key: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", key)

    with pytest.raises(InputError, match=r"^OPENAI_API_KEY contains characters that are invalid in a key$"):
        providers.openai("m", context(Recording()))


async def test_a_refused_key_says_which_variable_holds_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = providers.openai("m", context(Recording(401)))

    with pytest.raises(ModelRejected) as caught:
        await model.complete(ASK)

    assert (caught.value.hint, repr(model)) == ("check OPENAI_API_KEY", "OpenAICompatible('openai:m')")
