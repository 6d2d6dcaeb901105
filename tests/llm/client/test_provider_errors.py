import json
from typing import Any

import pytest

from sparring.llm.client.provider_errors import ProviderError, hidden_refusal, read_refusal
from sparring.llm.client.transport import Response
from tables import table


def said(body: Any, status: int = 400) -> str:
    return read_refusal(Response(status, {}, json.dumps(body).encode())).words


@table(
    ("body", "words"),
    [
        ({"error": {"message": "No.", "type": "t", "param": "seed", "code": "c"}}, "No.: seed: c"),
        ({"error": "model 'x' not found"}, "model 'x' not found"),
        ({"object": "error", "message": "Too long", "code": 400}, "Too long"),
        (
            {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Not permitted"}]},
            "body.seed: Not permitted",
        ),
        ([{"error": {"code": 400, "message": "Bad", "status": "INVALID_ARGUMENT"}}], "Bad"),
        (
            {"error": {"message": "Provider returned error", "metadata": {"raw": "seed?"}}},
            "Provider returned error: seed?",
        ),
        ({"unheard": "of"}, '{"unheard": "of"}'),
        ([], "[]"),
    ],
)
def test_every_server_has_its_own_place_for_its_words(body: Any, words: str):
    assert said(body) == words


def test_what_is_nested_without_end_is_given_as_it_came():
    body: Any = "deep"
    for _ in range(200):
        body = {"error": body}

    assert said(body) == json.dumps(body)


def test_what_is_not_json_is_given_as_it_came():
    assert read_refusal(Response(502, {}, b"<h1>Bad \xff</h1>")).words == "<h1>Bad \ufffd</h1>"


def test_a_redirect_says_where_to():
    response = Response(308, {"location": "https://api.example.org/v1"}, b"")

    assert read_refusal(response).words == "it redirects to https://api.example.org/v1; ask there"


@table(
    ("response", "refusal"),
    [
        ({"choices": [{"message": {}}]}, None),
        ({"error": None, "choices": []}, None),
        ({"error": {"message": "overloaded", "code": 429}}, ProviderError(429, "overloaded")),
        ({"error": "broken"}, ProviderError(502, "broken")),
        ({"choices": [{"error": {"message": "upstream", "code": 400}}]}, ProviderError(400, "upstream")),
        ({"error": {"message": "slow", "code": "429"}}, ProviderError(429, "slow: 429")),
        ({"error": {"message": "no", "code": "insufficient_quota"}}, ProviderError(429, "no: insufficient_quota")),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, ProviderError(529, "busy")),
        ({"object": "error", "message": "no such model", "code": 404}, ProviderError(404, "no such model")),
        ({"detail": "Not Found"}, ProviderError(502, "Not Found")),
        ({"error": {"message": "odd", "code": True}}, ProviderError(502, "odd")),
        ({}, None),
        ({"choices": []}, None),
    ],
)
def test_a_status_of_success_may_hide_a_refusal(response: dict[str, Any], refusal: ProviderError | None):
    assert hidden_refusal(response) == refusal


def test_some_refusals_are_temporary_and_no_credit_is_not():
    temporary = {status for status in range(300, 600) if ProviderError(status, "").temporary}

    assert temporary == {408, 409, 429, *range(500, 600)}
    assert not ProviderError(429, "You exceeded your current quota: insufficient_quota").temporary
    assert not ProviderError(
        429, "Your account is not active, please check your billing details: billing_not_active"
    ).temporary


@pytest.mark.parametrize("code", ["tool_use_failed", "json_validate_failed", "output_parse_failed"])
def test_a_model_that_misspoke_may_say_it_better(code: str):
    assert ProviderError(400, f"Failed to call a function. Please adjust your prompt.: {code}").misspoke


@pytest.mark.parametrize(
    "words",
    [
        "Loading model: unavailable_error",
        "Model meta-llama/Llama-3-8B is currently loading",
        "The model is still loading",
    ],
)
def test_a_model_that_is_not_there_yet_is_being_loaded(words: str):
    assert ProviderError(503, words).loading
    assert not ProviderError(500, words).loading


@pytest.mark.parametrize("words", ["server busy, please try again", "overloading is no model of service"])
def test_not_every_server_that_has_no_time_is_loading(words: str):
    assert not ProviderError(503, words).loading


def test_what_is_larger_than_a_minute_may_hold_is_not_asked_again():
    words = "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 41230."

    assert not ProviderError(429, words).temporary
    assert ProviderError(
        429, "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29900"
    ).temporary
