"""Wishes for things or acts that the user does not want."""

import pytest

from audited import calling, certain, faults, hotel, pizzeria
from sparring.core.case import Case, ChangeOfMind, Goal, Persona
from tables import table

SALAD = calling("A small Margarita and a salad.", "add_items", items=["Margarita", "salad"])
CANCEL = Goal(text="cancel my order ORD-001")
STATUS = Goal(text="know the status of my order ORD-002")


def orders(*goals):
    return Case(id="order", goals=goals)


def test_a_thing_beyond_the_role_sheet_that_the_chatbot_acted_on():
    (fault,) = faults(pizzeria(), "A small Margarita pizza and a salad, please.", SALAD)
    assert (fault.kind, fault.certainty, fault.touches) == ("wrong_item", "certain", ("*",))
    assert fault.evidence[0].text == "salad"


def test_a_thing_that_was_not_taken_up_may_do_no_harm():
    (fault,) = faults(pizzeria(), "A small Margarita pizza and a salad, please.", "One small Margarita pizza.")
    assert (fault.kind, fault.certainty, fault.touches) == ("wrong_item", "likely", ())


def test_what_the_chatbot_offered_may_be_taken():
    said = ("A small Margarita pizza, please.", "Which crust: thin or thick?", "I'd like a thin crust.")
    assert faults(pizzeria(), *said, calling("Thin.", "set_crust", crust="thin")) == []


def test_a_second_option_beside_the_wanted_one_is_a_thing_beyond_the_role_sheet():
    case = orders(Goal(text="a delivery")).changed(answers={"which day": "Thursday"})
    asked = ("I'd like a delivery, please.", "On which day: Monday or Thursday?")

    (fault,) = faults(case, *asked, "Thursday. And Monday as well, please.", "Noted.")
    assert (fault.kind, fault.certainty, fault.evidence[0].text) == ("wrong_item", "certain", "Monday")
    assert faults(case, *asked, "Thursday. Not on Monday as well, please.", "Noted.") == []


@pytest.mark.parametrize(
    "said",
    [
        "Is there a salad?",
        "A small Margarita pizza, no salad.",
        "A small Margarita pizza. My neighbour likes to eat salad and so do all of her friends.",
    ],
)
def test_a_thing_that_is_not_wished_for_is_no_wrong_item(said):
    assert faults(pizzeria(), said, SALAD) == []


def test_what_a_tool_repeats_of_talk_is_no_wrong_item():
    reply = calling("Cancelled.", "cancel_order", order_id="ORD-001", reason="moved abroad")
    assert faults(orders(CANCEL), "I want to cancel my order ORD-001, I have moved abroad.", reply) == []


def test_another_act_on_the_object_of_a_goal():
    reply = calling("It is returned.", "return_order", order_id="ORD-001")
    (fault,) = faults(orders(CANCEL), "I would like to return order ORD-001.", reply)
    assert (fault.kind, fault.certainty, fault.touches) == ("wrong_verb", "certain", ("goal:1",))
    (fault,) = faults(orders(CANCEL), "I would like to return order ORD-001.", "We do not take things back.")
    assert fault.certainty == "likely"


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("Quiero devolver el pedido ORD-001.", "El pedido ORD-001 está devuelto."),
        ("Я хочу вернуть заказ ORD-001.", "Заказ ORD-001 возвращен."),
    ],
)
def test_another_act_in_other_languages(said, reply):
    goals = {"Q": "cancelar el pedido ORD-001", "Я": "отменить заказ ORD-001"}
    assert certain(orders(Goal(text=goals[said[0]])), said, reply) == {"wrong_verb"}


def test_the_act_of_one_goal_on_the_object_of_another():
    reply = calling("Order ORD-002 is cancelled.", "cancel_order", order_id="ORD-002")
    assert certain(orders(STATUS, CANCEL), "Please cancel my order ORD-002.", reply) == {"wrong_verb"}


@pytest.mark.parametrize(
    "said",
    [
        "Please cancel my order ORD-001.",
        "I don't want to return order ORD-001, I want it cancelled.",
        "How can I change my password?",
        "Can I cancel order ORD-001 and get a refund?",
    ],
)
def test_the_own_act_is_right(said):
    assert faults(orders(CANCEL), said, calling("Cancelled.", "cancel_order", order_id="ORD-001")) == []


def test_a_thing_that_is_ordered_may_be_changed():
    said = ("A room in Graz for 3 nights.", "A room in Oslo for 3 nights.", "No, change it to Graz, please.")
    assert faults(hotel(), *said, "Graz it is.") == []


def test_a_thing_that_the_chatbot_asked_for_in_vain_is_not_certainly_wrong():
    said = ("A small Margarita pizza, please.", "What sauce would you like?", "Pesto.")
    assert certain(pizzeria(), *said, calling("Pesto.", "set_sauce", sauce="pesto")) == set()
    assert certain(pizzeria(), *said[:2], "Pesto, and a salad.", SALAD) == {"wrong_item"}


def test_cancelling_the_whole_order():
    said = ("A small Margarita pizza and a coke.", "One small Margarita and one coke. Shall I place the order?")
    reply = calling("Your order is cancelled.", "cancel_order")
    (fault,) = [
        each for each in faults(pizzeria(), *said, "Please cancel my order.", reply) if each.certainty == "certain"
    ]
    assert (fault.kind, fault.touches) == ("wrong_verb", ("goal:1", "goal:2"))
    refused = ("A small Margarita pizza and a coke.", "Unfortunately, we are out of coke. Anything else?")
    assert certain(pizzeria(), *refused, "Then cancel my order, please.", reply) == set()


def test_giving_up_what_the_chatbot_denies_in_other_words():
    case = orders(Goal(text="5 boxes of table salt"), Goal(text="4 packs of sea salt"))
    denied = "There is no such packaging: table salt (box). In what packaging would you like it: bag or pack?"
    removed = calling("Removed: 5 boxes of table salt.", "remove_from_cart", product="5 boxes of table salt")
    said = (
        "I would like 5 boxes of table salt, please.",
        denied,
        "Then I'll do without 5 boxes of table salt.",
        removed,
    )

    assert certain(case, *said) == set()


@table(
    "said",
    [
        "Scratch the coke, please.",
        "I've changed my mind, I don't want the coke any more.",
        "The coke isn't necessary any longer.",
        "No coke after all.",
        "Take the coke off again.",
        "Could you remove the coke?",
        "I have to change something, please leave the coke out.",
        "Is it still possible to cancel the coke?",
    ],
)
def test_a_thing_of_a_goal_that_is_given_up(said):
    ordered = ("A small Margarita pizza and a coke.", "One small Margarita and one coke. Shall I place the order?")
    found = faults(pizzeria(), *ordered, said, calling("It is removed.", "remove_item", item="coke"))
    assert {(fault.kind, fault.certainty) for fault in found} == {("wrong_verb", "certain")}


@table(
    "said",
    [
        "Don't forget the coke.",
        "I did not get the coke yet.",
        "Not a sprite, a coke.",
        "I would like a coke, no ice.",
        "I don't know if you have coke.",
    ],
)
def test_a_negation_that_gives_nothing_up(said):
    ordered = ("A small Margarita pizza and a coke.", "One small Margarita and a sprite with ice.")
    assert "wrong_verb" not in {fault.kind for fault in faults(pizzeria(), *ordered, said, "All right.")}


@table(
    "said",
    [
        "I'm looking for an umbrella.",
        "Throw in an umbrella, too.",
        "Don't forget the umbrella.",
        "My son wants an umbrella.",
        "Grab me an umbrella while you are there.",
        "How about an umbrella on top?",
        "An umbrella, please.",
        "One more thing, an umbrella.",
        "Se me olvidaba, una sombrilla.",
        "Quisiera llevarme una sombrilla.",
        "Чуть не забыл: плед.",
        "Me hace falta una sombrilla.",
        "Возьму плед.",
    ],
)
def test_things_are_wished_for_in_many_ways(said):
    (fault,) = faults(pizzeria(), "A small Margarita pizza.", "One small Margarita. Anything else?", said, "Pardon?")
    assert (fault.kind, fault.certainty) == ("wrong_item", "likely")


@table(
    "said",
    [
        "I need a short break.",
        "I'd like to visit you some day.",
        "If you need anything else from me, just ask.",
        "Let me put this clearly.",
        "I have a terrible headache.",
        "One more thing, the driver was very rude to my neighbours.",
        "I almost forgot, is there a terrace?",
        "Tengo un poco de prisa.",
        "Дайте подумать.",
    ],
)
def test_what_is_no_thing_is_not_wished_for(said):
    assert faults(pizzeria(), "A small Margarita pizza.", "One small Margarita. Anything else?", said, "Sure.") == []


def test_padding_of_a_phrasebook_is_no_wish():
    case = Case(id="x", persona=Persona(role="Quieres comer.", language="Spanish"), goals=(Goal(text="una pizza"),))

    assert faults(case, "A ver si me escucha. Quiero una pizza.", "De acuerdo.") == []


def test_a_declared_change_of_mind_is_no_wrong_verb():
    goal = Goal(text="have a large parcel collected at 9 am", variables=("size",))
    change = ChangeOfMind(variable="size", first="small", final="large")
    case = pizzeria(goals=(goal,), variables={"size": "large"}, changes=(change,))
    lines = ("Please collect a small parcel at 9 am.", "Shall I book it?", "Please change small to large.")
    assert faults(case, *lines, "I have changed it.") == []
