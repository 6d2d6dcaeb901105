import subprocess
import sys

import pytest
from genai_prices import Usage, calc_price
from genai_prices.data_snapshot import get_snapshot
from hypothesis import given
from hypothesis import strategies as st

from sparring.core.usage import Usage as Reported
from sparring.llm.pricing import ListedPrice, at_list_price, unknown_price
from sparring.llm.provider_addresses import PROVIDERS


def listed() -> list[tuple[str, str]]:
    """Return the provider and name of each model with a price."""
    return [
        (provider.id, model.id)
        for provider in get_snapshot().providers
        if provider.id in PROVIDERS
        for model in provider.models
        if not isinstance(model.prices, list) and provider.find_model(model.id) is model
    ]


LISTED = st.deferred(lambda: st.sampled_from(listed()))  # takes half a second, so not when tests are collected


def test_a_known_price_is_the_sum_of_its_tokens():
    assert ListedPrice("openai", "gpt-4o-mini")(1_000_000, 1_000_000, 500_000) == pytest.approx(0.075 + 0.0375 + 0.6)


@pytest.mark.parametrize(
    ("provider", "model"), [("openai", "my-own-model"), ("openai", ""), ("ollama", "llama3.2"), ("", "gpt-4o")]
)
def test_an_unknown_price_is_none_and_not_zero(provider: str, model: str):
    assert ListedPrice(provider, model)(1000, 1000, 0) is None
    assert unknown_price(1000, 1000, 0) is None


@pytest.mark.parametrize(
    ("provider", "model", "known"),
    [
        ("openai", "gpt-4o-mini", True),
        ("nowhere", "gpt-4o-mini", False),
        ("", "gpt-4o-mini", False),
        ("openai", "", False),
    ],
)
def test_usage_that_a_chatbot_reports_has_the_price_of_its_provider(provider: str, model: str, known: bool):
    used = Reported(calls=2, input_tokens=1_000_000, output_tokens=1_000_000, unknown_costs=2)

    priced = at_list_price(used, provider, model)

    assert (priced.known_cost == pytest.approx(0.15 + 0.6), priced == used) == (known, not known)
    assert at_list_price(used.changed(unknown_tokens=1), provider, model).known_cost is None


@given(LISTED, st.integers(0, 400_000), st.integers(0, 10_000), st.floats(0, 1))
def test_the_sum_is_the_price_lists_own(listed: tuple[str, str], input_tokens: int, output_tokens: int, share: float):
    provider, model = listed
    cached = int(input_tokens * share)
    theirs = calc_price(
        Usage(input_tokens=input_tokens, output_tokens=output_tokens, cache_read_tokens=cached),
        model,
        provider_id=provider,
    )

    ours = ListedPrice(provider, model)(input_tokens, output_tokens, cached)

    complete = theirs.model_price.input_mtok is not None and theirs.model_price.output_mtok is not None
    assert (ours is not None) is complete
    assert ours is None or ours == pytest.approx(float(theirs.total_price), abs=1e-12)


@pytest.mark.process
def test_the_price_list_is_loaded_by_the_first_price_and_not_before():
    program = (
        "import sys; import sparring.llm.providers as p; from sparring.llm.pricing import ListedPrice;"
        "price = ListedPrice('openai', 'gpt-4o'); print('genai_prices' in sys.modules, 'aiohttp' in sys.modules);"
        "price(1, 1, 0); print('genai_prices' in sys.modules)"
    )

    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert run.stdout.split() == ["False", "False", "True"]
