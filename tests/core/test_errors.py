import pytest

from sparring.core.errors import InputError, Problem
from sparring.core.plugins import find


def test_a_problem_quotes_a_limited_part_of_the_input():
    problem = Problem(path="k" * 500_000, message=f"{'a' * 500_000!r} is not known here", hint="did you mean 'b'?")

    assert (len(str(problem)) < 2100, problem.path[-3:], problem.message[-20:]) == (
        True,
        "kkk",
        "aa' is not known here"[-20:],
    )


def test_a_problem_names_file_line_column_path_what_is_wrong_and_what_was_meant():
    problem = Problem(file="a.yml", line=12, column=5, path="user.goals[1]", message="unknown", hint="did you mean x?")

    assert str(problem) == "a.yml:12:5: user.goals[1]: unknown (did you mean x?)"


def test_an_input_error_shows_every_problem():
    error = InputError([Problem(message="one"), Problem(file="b", message="two")])

    assert str(error) == "one\nb: two"


@pytest.mark.parametrize(
    ("name", "hint"), [("agend", "did you mean 'agenda'?"), ("zzz", "there are: agenda, scripted")]
)
def test_an_unknown_name_gets_a_suggestion(name: str, hint: str):
    with pytest.raises(InputError) as caught:
        find("sparring.users", name)

    assert (str(caught.value), caught.value.hint) == (f"unknown user {name!r}", hint)
