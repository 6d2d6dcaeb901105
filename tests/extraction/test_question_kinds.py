"""Kinds of questions."""

import pytest

from sparring.extraction.question_kinds import QuestionKind, asks_information, question_kind
from sparring.extraction.speech_acts import is_yes_or_no_question
from tables import table


@table(
    "goal",
    [
        "как отменить заказ?",
        "узнать, как вернуть товар",
        "¿Cómo puedo cancelar?",
        "saber cómo cancelar",
        "como cancelo?",
    ],
)
def test_a_question_how_something_is_done_is_recognized(goal: str):
    assert question_kind(goal) is QuestionKind.HOW


@pytest.mark.parametrize(
    "goal", ["молоко, как в прошлый раз", "una mesa como siempre", "suco, como sempre", "пицца как обычно"]
)
def test_a_comparison_asks_nothing(goal: str):
    assert question_kind(goal) is QuestionKind.OTHER


@table(
    ("question", "expected"),
    [
        ("OK to book?", True),
        ("Waren Sie schon einmal hier?", True),
        ("Möchten Sie eine Bestätigung?", True),
        ("Souhaitez-vous une table ?", True),
        ("¿Tiene cita?", True),
        ("Möchten Sie wissen, wie es geht?", False),
        ("Which day?", False),
    ],
)
def test_a_question_for_a_yes_may_begin_with_its_verb(question: str, expected: bool):
    assert is_yes_or_no_question(question) is expected


@table("goal", ["the check-out time", "the delivery date", "die Abreisezeit", "l'heure de départ", "la hora de salida"])
def test_a_named_time_is_asked_for(goal: str):
    assert asks_information(goal)


@table("goal", ["a table at the same time", "the red coat", "change the date", "the delivery date changed to 5 May"])
def test_other_wishes_with_a_time_ask_nothing(goal: str):
    assert not asks_information(goal)
