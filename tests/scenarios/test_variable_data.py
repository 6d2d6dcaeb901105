from sparring.core.case import Goal
from sparring.scenarios.variable_data import fill_goal
from sparring.scenarios.variables import Variable

SIZE = Variable("size", ("small", "medium", "large"))


def test_a_goal_knows_what_else_could_have_been_chosen():
    goal = fill_goal("a {{size}} shirt", {"size": "large"}, [SIZE], conjunction="and")

    assert goal == Goal(text="a large shirt", variables=("size",), others={"size": ("small", "medium")})


def test_what_another_variable_of_the_conversation_holds_is_no_other_choice():
    row = {"start": "Berlin", "end": "Paris"}
    towns = ("Berlin", "Paris", "Rome")

    goal = fill_goal(
        "from {{start}} to {{end}}", row, [Variable("start", towns), Variable("end", towns)], conjunction="and"
    )

    assert goal.others == {"start": ("Rome",), "end": ("Rome",)}


def test_numbers_and_long_lists_are_no_choice():
    many = Variable("name", tuple("n" * length for length in range(3, 40)))

    goal = fill_goal(
        "{{qty}} for {{name}} at {{hour}}",
        {"qty": 2, "name": "nnn", "hour": "5 pm"},
        [Variable("qty", (1, 2)), many, Variable("hour", ("5 pm", "6 pm"))],
        conjunction="and",
    )

    assert goal.others == {}
