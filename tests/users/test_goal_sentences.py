from random import Random

import pytest

from sparring.extraction.phrasebooks import phrasebook
from sparring.users.goal_sentences import goal_sentence, join_words

ENGLISH = phrasebook("english")


@pytest.mark.parametrize(
    ("goal", "sentences"),
    [
        (
            "a small pizza",
            {"I'd like a small pizza.", "I would like a small pizza, please.", "Can I have a small pizza, please?"},
        ),
        ("First, order a pizza.", {"I'd like to order a pizza.", "I want to order a pizza, please."}),
        ("Ask about ADA", {"I'd like to ask about ADA.", "I want to ask about ADA, please."}),
        ("the pizza has ham and corn", {"The pizza has ham and corn."}),
        (
            "what are the opening hours",
            {"Could you tell me what are the opening hours?", "Can you tell me what are the opening hours, please?"},
        ),
        (
            "whether there is parking",
            {"Could you tell me whether there is parking?", "Can you tell me whether there is parking, please?"},
        ),
        ("What types of pizza do you serve?", {"What types of pizza do you serve?"}),
        ("My order is late. I want to know where it is", {"My order is late. I want to know where it is."}),
    ],
)
def test_a_goal_is_said_as_a_person_would_say_it(goal: str, sentences: set[str]):
    said = {goal_sentence(goal, (), ENGLISH, Random(seed), attempt=0) for seed in range(20)}

    assert said == sentences


def test_every_further_attempt_says_it_otherwise_and_in_the_end_barely():
    values = ("small", "corn", "ham")

    said = [goal_sentence("a small pizza with corn and ham", values, ENGLISH, Random(0), attempt=n) for n in range(3)]

    assert len(set(said)) == 3
    assert said[2] == "Small, corn and ham"


@pytest.mark.parametrize(
    ("values", "text"), [((), ""), (("a",), "a"), (("a", "b"), "a and b"), (("a", "b", "c"), "a, b and c")]
)
def test_values_are_listed_as_in_a_sentence(values: tuple[str, ...], text: str):
    assert join_words(values, "and") == text
