from typing import Any

import pytest

from sparring.llm.client.output_modes import ModelCapabilities
from sparring.llm.client.provider_errors import ProviderError
from tables import table

BODY = {"model": "m", "messages": [], "temperature": 0.2, "seed": 7, "max_tokens": 100}


def after(*refusals: ProviderError) -> dict[str, Any]:
    """What is sent after these refusals, each of what was sent before it."""
    quirks = ModelCapabilities()
    for refusal in refusals:
        sent = dict(BODY)
        quirks.apply(sent)
        assert quirks.learn(sent, refusal)
    sent = dict(BODY)
    quirks.apply(sent)
    return sent


@pytest.mark.parametrize(
    ("words", "sent"),
    [
        (
            "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
            {"model": "m", "messages": [], "temperature": 0.2, "seed": 7, "max_completion_tokens": 100},
        ),
        (
            "Unsupported value: 'temperature' does not support 0.2. Only the default (1) value is supported.",
            {"model": "m", "messages": [], "seed": 7, "max_tokens": 100},
        ),
        (
            "body.seed: Extra inputs are not permitted",
            {"model": "m", "messages": [], "temperature": 0.2, "max_tokens": 100},
        ),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_a_parameter_that_is_not_taken_is_dropped_or_renamed(status: int, words: str, sent: dict[str, Any]):
    assert after(ProviderError(status, words)) == sent


def test_each_is_learned_once_and_kept():
    refusals = [
        ProviderError(400, f"{name} is not supported") for name in ("seed", "max_tokens", "max_completion_tokens")
    ]

    assert after(*refusals) == {"model": "m", "messages": [], "temperature": 0.2}


@table(
    "refusal",
    [
        ProviderError(
            400, "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead."
        ),
        ProviderError(400, "Please reduce the length of the messages or max_tokens."),
        ProviderError(400, "top_p is not supported"),
        ProviderError(401, "temperature is not supported"),
        ProviderError(500, "temperature is not supported"),
    ],
)
def test_a_wrong_value_or_another_refusal_changes_nothing(refusal: ProviderError):
    assert ModelCapabilities().learn(dict(BODY), refusal) == ""


def test_what_was_not_sent_is_not_learned():
    assert ModelCapabilities().learn({"model": "m"}, ProviderError(400, "seed is not supported")) == ""
