import pytest

from sparring.llm.client.circuit_breaker import CircuitBreaker
from sparring.llm.client.provider_errors import ProviderError


@pytest.mark.parametrize(
    "refusal",
    [
        ProviderError(401, "Incorrect API key provided: invalid_api_key"),
        ProviderError(404, "The model `gpt-9` does not exist: model_not_found"),
        ProviderError(402, "Insufficient Balance"),
        ProviderError(429, "You exceeded your current quota: insufficient_quota"),
        ProviderError(308, "it redirects to https://127.0.0.1/v1; ask there"),
        ProviderError(405, "Method Not Allowed"),
        ProviderError(410, "The model `gpt-3` has been deprecated"),
        ProviderError(400, "Your credit balance is too low to access the API"),
    ],
    ids=["key", "model", "credit", "quota", "redirect", "method", "gone", "credit in a 400"],
)
def test_a_rejected_first_call_opens_the_circuit(refusal: ProviderError):
    assert CircuitBreaker().refused(refusal)


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refusal_of_what_was_asked_says_nothing_about_other_calls(status: int):
    outlook = CircuitBreaker()

    assert [outlook.refused(ProviderError(status, "context_length_exceeded")) for _ in range(5)] == [False] * 5


def test_exhausted_credit_stops_all_calls_at_once_even_after_successes():
    outlook = CircuitBreaker()
    outlook.answered()

    assert outlook.refused(ProviderError(429, "billing_not_active"))


@pytest.mark.parametrize("status", [401, 403, 404])
def test_after_a_success_more_failures_are_needed_to_open_the_circuit(status: int):
    outlook = CircuitBreaker()
    outlook.answered()

    assert [outlook.refused(ProviderError(status, "no")) for _ in range(3)] == [False, False, True]


def test_a_403_may_be_about_what_was_said():
    assert [CircuitBreaker().refused(ProviderError(403, "flagged by moderation")) for _ in range(3)] == [False] * 3


def test_three_calls_without_an_answer_open_the_circuit_and_a_success_resets_the_count():
    outlook = CircuitBreaker()
    before = [outlook.unanswered(reached=True) for _ in range(2)]
    outlook.answered()

    assert (before, [outlook.unanswered(reached=True) for _ in range(3)]) == ([False] * 2, [False, False, True])


def test_a_model_that_never_answered_is_unreachable():
    assert CircuitBreaker().unanswered(reached=False)
