from sparring.core.case import Case, Goal, Persona
from sparring.judges.judge import deterministic_judge, standard

CALL = Case(id="call", standard_rubric="order")


def test_cases_are_judged_by_the_standard_rubric_that_they_name():
    assert (standard([CALL]).name, standard([CALL]).language) == ("order", "Russian")


def test_cases_that_name_different_rubrics_are_judged_by_the_general_one():
    assert [standard(cases).name for cases in ([], [Case(id="chat")], [CALL, Case(id="chat")])] == ["general"] * 3


def test_only_judges_without_a_model_are_deterministic():
    names = ("checklist", "order", "openai:gpt-4o", "none", "")

    assert [deterministic_judge(name) is not None for name in names] == [True, True, False, False, False]


def test_the_general_rubric_is_commented_in_the_language_of_most_cases():
    russian = Case(id="a", persona=Persona(language="Russian"))
    german = Case(id="b", goals=(Goal(text="eine Pizza mit viel Käse und ohne Zwiebeln bestellen"),))

    assert [standard(cases).language for cases in ([russian], [german], [russian, russian, german])] == [
        "Russian",
        "German",
        "Russian",
    ]
