from sparring.core.case import Case
from sparring.judges.judge import standard

CALL = Case(id="call", variables={"ORDER_GOAL": [{"name": "Milk", "qty": 2}]})


def test_orders_are_judged_as_orders_where_nobody_names_a_rubric():
    assert (standard([CALL]).name, standard([CALL]).language) == ("order", "Russian")


def test_anything_else_is_judged_by_the_general_rubric():
    assert [standard(cases).name for cases in ([], [Case(id="chat")], [CALL, Case(id="chat")])] == ["general"] * 3
