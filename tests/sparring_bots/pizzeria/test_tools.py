from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.chatbots.prompted.tools import toolbox
from sparring_bots.pizzeria.menu import MENU
from sparring_bots.pizzeria.tools import Tools
from tables import table


def test_every_tool_is_described_and_its_choices_are_those_of_the_menu():
    tools = {tool.name: tool for tool in toolbox(Tools).tools}

    sizes = tools["add_pizza"].parameters["properties"]["size"]["anyOf"][0]["enum"]
    assert all(tool.description for tool in tools.values())
    assert sizes == ["small", "medium", "big", "large"]


def test_a_pizza_is_completed_step_by_step():
    tools = Tools("s")

    steps = [
        tools.add_pizza(),
        tools.add_pizza(size="small"),
        tools.add_pizza(kind="custom"),
        tools.add_toppings(["ham"]),
    ]

    assert [(step["pizza"], step["next"]) for step in steps] == [
        ("one pizza", "size"),
        ("one small pizza", "kind"),
        ("one small custom pizza", "toppings"),
        ("one small custom pizza with ham", "drink"),
    ]


def test_toppings_alone_make_a_custom_pizza():
    assert Tools("s").add_toppings(["ham", "corn"])["pizza"] == "one custom pizza with ham and corn"


def test_a_named_pizza_comes_as_it_is():
    result = Tools("s").add_pizza("small", "Margarita", ["ham"])

    assert (result["status"], result["pizza"]) == ("as_it_comes", "one small Margarita pizza")


def test_a_repeated_order_is_not_doubled():
    tools = Tools("s")
    tools.add_pizza("small", "custom", ["ham", "corn"])
    tools.add_drink("coke")
    tools.add_pizza("small")
    tools.add_drink("coke")

    assert tools.order_summary()["order"] == "one small custom pizza with ham and corn, and one coke"


def test_another_is_one_more():
    tools = Tools("s")
    tools.add_pizza("small", "Margarita")
    tools.add_pizza(another=True)
    tools.add_drink("coke", 2)
    tools.add_drink("coke", another=True)

    assert tools.order_summary()["order"] == "one small Margarita pizza, one small Margarita pizza, and three cokes"


def test_an_order_id_derives_from_the_session_and_each_order_has_its_own():
    def ids(session: str) -> list[object]:
        tools = Tools(session)
        found = []
        for _ in range(2):
            tools.add_pizza("small", "Margarita")
            tools.no_drinks()
            found.append(tools.place_order()["order_id"])
        return found

    assert ids("a") == ids("a")
    assert len({*ids("a"), *ids("b")}) == 4
    assert all(len(str(id)) == 6 for id in ids("a"))


@table("tool", ["place_order", "finish", "decline", "order_summary", "cancel_order", "remove_pizza"])
def test_nothing_is_placed_when_nothing_is_ordered(tool: str):
    assert getattr(Tools("s"), tool)()["status"] in ("empty", "nothing_open", "no_such_pizza")


def test_an_order_that_lacks_something_is_not_placed():
    tools = Tools("s")
    tools.add_pizza("small", "Margarita")

    assert tools.place_order() == {"status": "incomplete", "next": "drink", "options": "sprite, coke or water"}


@pytest.mark.parametrize("tool", ["finish", "place_order"])
def test_an_order_that_was_declined_is_confirmed_once_more_before_it_is_placed(tool: str):
    tools = Tools("s")
    tools.add_pizza("small", "Margarita")
    tools.add_drink("sprite")
    tools.decline()

    again, then = getattr(tools, tool)(), getattr(tools, tool)()

    assert (again["status"], again["total"], then["status"]) == ("kept", "$11.50", "placed")


sizes, toppings, drinks = map(st.sampled_from, (MENU.sizes, MENU.toppings, [*MENU.drinks]))
steps = st.one_of(
    st.tuples(st.just("add_pizza"), st.tuples(sizes, st.sampled_from(MENU.kinds))),
    st.tuples(st.just("change_pizza"), st.tuples(sizes)),
    st.tuples(st.just("add_toppings"), st.tuples(st.lists(toppings, min_size=1))),
    st.tuples(st.just("remove_toppings"), st.tuples(st.lists(toppings, min_size=1))),
    st.tuples(st.just("swap_topping"), st.tuples(toppings, toppings)),
    st.tuples(st.just("add_drink"), st.tuples(drinks, st.integers(1, 5))),
    st.tuples(st.just("change_drink"), st.tuples(drinks, drinks)),
    st.tuples(st.just("remove_drink"), st.tuples(drinks)),
    st.tuples(
        st.sampled_from(
            ["remove_pizza", "no_drinks", "decline", "finish", "place_order", "order_summary", "cancel_order"]
        ),
        st.just(()),
    ),
)


@given(st.lists(steps, max_size=25))
def test_the_charged_total_always_equals_the_stated_one(
    steps: list[tuple[str, tuple[Any, ...]]],
):
    tools = Tools("s")
    stated: object = None
    for name, arguments in steps:
        result = getattr(tools, name)(*arguments)
        if result["status"] == "placed":
            assert result["total"] == stated
            assert Decimal(str(stated)[1:]) > 0
        stated = result.get("total")
        assert (result["next"] == "confirm") == (
            "total" in result and result["status"] not in ("placed", "placed_before")
        )
