import math

import pytest

from sparring.rules.functions.text import repeated_answers
from sparring.rules.recording import RecordedMessage, Recording


def said(*texts: str) -> Recording:
    return Recording("c", messages=tuple(RecordedMessage("chatbot", text) for text in texts))


@pytest.mark.parametrize(
    ("method", "threshold", "alike"),
    [
        ("exact", 1.0, ["we are open"]),
        ("jaccard", 0.5, ["We are open now", "we are open"]),
        ("tf-idf", 0.75, ["We are open now", "we are open"]),
        ("sequence-matcher", 0.9, ["we are open"]),
    ],
)
def test_answers_that_return_are_found_by_four_measures(method: str, threshold: float, alike: list[str]):
    conversation = said("we are open", "We are open now", "sorry?", "we are open")

    assert repeated_answers.call(conversation, method, threshold) == {"we are open": alike}


def test_tf_idf_is_the_cosine_of_smoothed_weights():
    once = 1 + math.log(1.5)
    cosine = 1 / (1 + once**2)

    assert repeated_answers.call(said("red car", "red bus"), "tf-idf", cosine - 1e-9)
    assert not repeated_answers.call(said("red car", "red bus"), "tf-idf", cosine + 1e-9)


@pytest.mark.parametrize("method", ["jaccard", "tf-idf", "sequence-matcher", "exact"])
def test_empty_answers_are_equal_and_nothing_worse(method: str):
    assert repeated_answers.call(said("", ""), method, 0.9) == {"": [""]}


def test_an_unknown_measure_is_an_error():
    with pytest.raises(ValueError, match="got 'levenshtein'"):
        repeated_answers.call(said("a"), "levenshtein")
