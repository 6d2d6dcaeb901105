"""Which goal a question is about, where several have hints of their own."""

from sparring.core.case import AnswerHint, Case, Goal
from sparring.extraction.questions import hints_about
from tables import table


def goal(text: str, name: str, amount: str) -> Goal:
    answers = (AnswerHint(asked="сколько|how many", says=amount), AnswerHint(asked="who", says=name))
    return Goal(text=text, answers=answers, about=name)


CASE = Case(
    id="a",
    goals=(
        goal("Морковь — 3 упаковки", "Морковь", "3 упаковки"),
        goal("Какао порошок — 1 коробка", "Какао порошок", "1 коробка"),
        goal("Йогурт клубничный — 2 лотка", "Йогурт клубничный", "2 лотка"),
        goal("Йогурт натуральный — 4 лотка", "Йогурт натуральный", "4 лотка"),
        goal("2 boxes of Beef", "Beef", "2 boxes"),
        goal("1 box of Mayonnaise", "Mayonnaise", "1 box"),
    ),
)


@table(
    ("heard", "own", "about"),
    [
        ("В какой упаковке взять Какао порошок: коробка или упаковка?", ["Морковь"], "Какао порошок"),
        ("В какой упаковке взять Морковь: мешок или коробка?", ["Какао порошок"], "Морковь"),
        ("Какой именно товар: Йогурт клубничный или Йогурт натуральный?", ["Йогурт натуральный"], "Йогурт натуральный"),
        ("Сколько лотков взять: Йогурт клубничный?", ["Йогурт натуральный"], "Йогурт клубничный"),
        ("How many boxes of Mayonnaise?", ["Beef"], "Mayonnaise"),
        ("How many boxes?", ["2 boxes of Beef", "1 box of Mayonnaise"], "Mayonnaise"),
        ("How many boxes?", [], "Морковь"),
    ],
)
def test_a_question_is_about_the_goal_that_it_names_or_that_was_said_last(heard: str, own: list[str], about: str):
    assert hints_about(CASE, heard, own)[1][1] == about
