"""What was ordered, against what was wanted."""

from typing import Any

import pytest

from sparring.core.case import Case, Persona
from sparring.core.conversation import Conversation, Ending, Evidence, goal_progress
from sparring.core.message import Message, ToolCall, message
from sparring.core.value import Json
from sparring.core.verdict import CheckOutcome, Verdict
from sparring_bots.phone_orders.order_judge.judge import judge_order
from tables import table

GOAL: list[Json] = [
    {"name": "Milk", "qty": 2, "packaging": "box"},
    {"name": "Sugar", "qty": "3", "packaging": "bags"},
    {"name": "Salt", "qty": 1, "removed": True},
]
MILK: Json = {"product_code": "D1", "name": "Whole milk", "quantity": 2, "packaging": "box"}
SUGAR: Json = {"product_code": "G1", "name": "Cane sugar", "quantity": 3, "packaging": "bag"}
WANTED: dict[str, Json] = {
    "ORDER_GOAL": GOAL,
    "DELIVERY_DATE": "Thursday",
    "LOCATION": "2 Low Road",
    "CURRENT_DATE": "2026-02-03",
}


def placed(*cart: Json, date: str = "2026-02-05", location: Json = "2 Low Road", status: str = "confirmed") -> ToolCall:
    result: Json = {"status": status, "cart": [*cart], "delivery_date": date, "location": location}
    return ToolCall(name="confirm_order", result=result)


def judged(*calls: ToolCall, said: str = "Your order is placed.", language: str = "English", **changes: Any) -> Verdict:
    messages: tuple[Message, ...] = (
        message("user", "Hello, milk and sugar, молоко, сахар"),
        *(message("chatbot", said if call is calls[-1] else "And?", tool_calls=(call,)) for call in calls),
    )
    if not calls:
        messages += (message("chatbot", said),)
    fields: dict[str, Any] = {"variables": WANTED, "persona": Persona(language=language)}
    case = Case(id="a", **{**fields, **{key: changes.pop(key) for key in list(changes) if key in fields}})
    kept = {"ending": Ending.USER_DONE, "reports_tools": True, **changes}
    return judge_order(Conversation(case=case, messages=messages, **kept))


def test_what_was_wanted_and_placed_scores_three():
    verdict = judged(placed(MILK, SUGAR))

    assert (verdict.outcome, verdict.score, verdict.by) == (CheckOutcome.PASS, 3, "order")
    assert verdict.reason == "The order was placed and is what was wanted."
    assert [(evidence.at, evidence.text) for evidence in verdict.evidence] == [(1, "Your order is placed.")]


@table(
    ("call", "score", "reason"),
    [
        (placed(MILK), 2, "Not in the order: Sugar."),
        (placed(MILK, SUGAR, {"name": "Tea", "quantity": 1}), 2, "In the order, and not wanted: Tea."),
        (placed(MILK, SUGAR, MILK), 2, "In the order, and not wanted: Whole milk."),
        (
            placed(MILK, {"name": "Sugar", "quantity": 4, "packaging": "bag"}),
            2,
            "Sugar: 4 were ordered, and 3 wanted.",
        ),
        (
            placed(MILK, {"name": "Sugar", "quantity": 3, "packaging": "pack"}),
            2,
            'Sugar: the packaging is "pack", and "bags" was wanted.',
        ),
        (placed(MILK, SUGAR, date="2026-02-06"), 2, "The day of delivery is 2026-02-06, and Thursday was wanted."),
        (
            placed(MILK, SUGAR, location={"id": 1, "address": "1 High Street"}),
            2,
            'The address is "1 1 High Street", and "2 Low Road" was wanted.',
        ),
        (placed({"name": "Tea", "quantity": 1}), 1, None),
        (placed(MILK, SUGAR, date="", location=None), 2, None),
        (placed(), 1, None),
    ],
)
def test_every_difference_costs_points_and_is_named(call: ToolCall, score: int, reason: str | None):
    verdict = judged(call)

    assert (verdict.outcome, verdict.score) == (CheckOutcome.FAIL, score)
    assert reason is None or verdict.reason == reason


def test_success_that_no_tool_confirmed_scores_one_and_the_claim_is_quoted():
    verdict = judged(placed(MILK, SUGAR, status="cart"), said="Wonderful. Your order is placed.")

    assert (verdict.score, verdict.outcome) == (1, CheckOutcome.FAIL)
    assert verdict.reason == "The chatbot says that the order is placed, but no tool confirmed it."
    assert [evidence.text for evidence in verdict.evidence] == ["Your order is placed."]


def test_a_chatbot_that_uses_no_tool_at_all_scores_one():
    assert (judged().score, judged(said="Bye.").reason) == (1, "The order was not placed; The cart is empty.")


def test_what_was_placed_counts_and_not_what_lies_in_the_cart_afterwards():
    later = ToolCall(name="add_to_cart", result={"status": "added", "cart": [MILK, SUGAR]})

    assert judged(placed(MILK), later).score == 2


@table("ending", [Ending.TIMEOUT, Ending.CHATBOT_FAILED, Ending.USER_STUCK, Ending.USER_FAILED, None])
def test_what_says_nothing_about_the_chatbot_has_no_score(ending: Ending | None):
    verdict = judged(ending=ending)

    assert (verdict.outcome, verdict.score) == (CheckOutcome.NOT_APPLICABLE, None)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"variables": {}}, ""),
        ({"reports_tools": False, "said": "Milk and sugar."}, "the chatbot's tool calls are not visible"),
        ({"reports_tools": False, "said": "Placed: milk, sugar."}, "the chatbot's tool calls are not visible"),
    ],
)
def test_without_a_goal_or_visible_tools_it_does_not_apply(changes: dict[str, Any], reason: str):
    verdict = judged(placed(MILK), **changes)

    assert (verdict.outcome, verdict.score, verdict.reason) == (CheckOutcome.NOT_APPLICABLE, None, reason)


def test_tools_without_a_cart_are_not_judged():
    verdict = judged(ToolCall(name="place_order", result={"status": "placed", "order": "a small pizza"}))

    assert (verdict.outcome, verdict.reason) == (CheckOutcome.NOT_APPLICABLE, "no result of a tool has a cart in it")


def test_a_tool_that_failed_places_nothing():
    cart = ToolCall(name="get_cart", result={"cart": [MILK, SUGAR]})

    assert judged(cart, ToolCall(name="confirm_order", error="HTTP 400"), said="Hm.").score == 1
    assert (
        judged(cart, ToolCall(name="confirm_order", result={"order_id": 7}), variables={"ORDER_GOAL": GOAL}).score == 3
    )


@pytest.mark.parametrize(
    "result",
    [
        {"order": {"items": [MILK, SUGAR]}, "placed": True},
        {
            "items": [{"title": "milk", "qty": "2", "unit": "boxes"}, {"sku": 7, "name": "sugar", "qty": 3.0}],
            "ordered": True,
        },
        {"result": {"status": "placed", "lines": [MILK, SUGAR]}},
    ],
)
def test_a_cart_is_found_under_the_names_that_are_documented(result: Json):
    goal: list[Json] = [{"name": "milk", "qty": 2}, {"name": "sugar", "qty": 3}]

    assert judged(ToolCall(name="anything", result=result), variables={"ORDER_GOAL": goal}).score == 3


def test_two_packagings_of_one_product_are_two_things():
    goal: list[Json] = [
        {"name": "Milk", "qty": 5, "packaging": "piece"},
        {"name": "Milk", "qty": 2, "packaging": "box"},
    ]
    pieces: Json = {"name": "Whole milk", "quantity": 5, "packaging": "piece"}

    assert judged(placed(MILK, pieces), variables={"ORDER_GOAL": goal}).score == 3


def test_a_code_that_is_known_decides():
    goal: list[Json] = [{"name": "Milk", "code": "D2"}]

    assert judged(placed(MILK), variables={"ORDER_GOAL": goal}).score == 1


def test_the_comment_is_in_the_language_of_the_conversation():
    goal: list[Json] = [{"name": "Молоко", "qty": 2}, {"name": "Сахар"}]
    milk: Json = {"name": "Молоко цельное", "quantity": 3}

    verdict = judged(placed(milk), language="Russian", variables={"ORDER_GOAL": goal})

    assert verdict.reason == "Молоко: количество 3, а нужно 2; Нет в заказе: Сахар."


def test_an_order_that_a_script_injected_was_never_placed():
    case = Case(id="a", variables={"ORDER_GOAL": GOAL})
    said = (message("chatbot", "", tool_calls=(placed(MILK, SUGAR),), injected=True), message("user", "Hello"))
    conversation = Conversation(case=case, messages=said, ending=Ending.USER_DONE, reports_tools=True)

    verdict = judge_order(conversation)

    assert (verdict.outcome, verdict.score) == (CheckOutcome.FAIL, 1)


def test_a_chatbot_that_claims_an_item_it_never_named_fails_without_visible_tools():
    some = judged(reports_tools=False, said="Your order is placed: two boxes of milk.")
    none = judged(reports_tools=False, said="Ваш заказ оформлен.", language="Russian")

    assert (some.outcome, some.score) == (CheckOutcome.FAIL, 2)
    assert some.reason == "The chatbot agreed to everything, and never named: Sugar."
    assert (none.score, none.reason) == (1, "Агент со всем согласился, но ни разу не назвал: Milk, Sugar.")
    assert [each.text for each in none.evidence] == ["Ваш заказ оформлен."]


@table(
    ("ending", "goal", "outcome", "score"),
    [
        (Ending.USER_DONE, {}, CheckOutcome.ERROR, None),
        (Ending.GOALS_ANSWERED, {}, CheckOutcome.ERROR, None),
        (Ending.CHATBOT_DONE, {}, CheckOutcome.FAIL, 2),
        (Ending.TURN_LIMIT, {}, CheckOutcome.FAIL, 2),
        (Ending.USER_DONE, {"from_history": True}, CheckOutcome.FAIL, 2),
    ],
)
def test_items_the_user_never_asked_for_cost_nothing(
    ending: Ending, goal: dict[str, Json], outcome: CheckOutcome, score: int | None
):
    wanted: list[Json] = [{"name": "Milk", "qty": 2}, {"name": "Sea salt", "qty": 1, **goal}]

    verdict = judged(placed(MILK), variables={"ORDER_GOAL": wanted}, ending=ending)

    assert (verdict.outcome, verdict.score) == (outcome, score)
    assert (outcome is not CheckOutcome.ERROR) or verdict.reason == (
        "The user never asked for it, so it cannot be judged: Sea salt."
    )


def test_of_two_things_that_share_a_word_the_user_has_to_say_which():
    wanted: list[Json] = [{"name": "Whole milk", "qty": 2}, {"name": "Baked milk", "qty": 1}]

    assert judged(placed(MILK), variables={"ORDER_GOAL": wanted}).outcome is CheckOutcome.ERROR


PRICED: Json = {"product_code": "D1", "name": "Milk", "quantity": 2, "packaging": "box", "price": 2280}


@table(
    ("said", "score"),
    [
        ("Your order is placed, RUB 2,280.", 3),
        ("Your order is placed, RUB 1,140 each, and RUB 4,560 for two such orders.", 3),
        ("Your order is placed, RUB 2,280 and RUB 300 for the delivery, RUB 2,580 in all.", 3),
        ("Your order is placed, RUB 2,180.", 2),
        ("Your order is placed, that is $99.", 2),
    ],
)
def test_an_amount_that_no_tool_gave_costs_and_is_quoted(said: str, score: int):
    goal: list[Json] = [{"name": "Milk", "qty": 2}]

    verdict = judged(placed(PRICED), said=said, variables={"ORDER_GOAL": goal, "DELIVERY_FEE": "300", "BOX": 1140})

    assert verdict.score == score
    assert ("which no tool gave" in verdict.reason) is (score == 2)
    assert len(verdict.evidence) == (2 if score == 2 else 1)


def test_prices_are_not_compared_if_no_tool_states_them():
    goal: list[Json] = [{"name": "Milk", "qty": 2}]

    assert judged(placed(MILK), said="It is placed, $7.", variables={"ORDER_GOAL": goal}).score == 3


def test_a_line_that_gets_dearer_without_having_changed_costs():
    goal: list[Json] = [{"name": "Milk", "qty": 2}]
    dearer: Json = {"product_code": "D1", "name": "Milk", "quantity": 2, "packaging": "box", "price": 2508}
    more: Json = {"product_code": "D1", "name": "Milk", "quantity": 1, "packaging": "box", "price": 1200}
    cart, less = (ToolCall(name="get_cart", result={"cart": [each]}) for each in (PRICED, more))

    raised = judged(cart, placed(dearer), variables={"ORDER_GOAL": goal})

    assert (raised.score, raised.reason) == (2, "Milk: the price was 2280, and is 2508 later.")
    assert judged(less, cart, placed(PRICED), variables={"ORDER_GOAL": goal}).score == 3


@pytest.mark.parametrize(
    ("said", "score"),
    [
        ("Done, your order is placed.", 1),
        ("Done, your order of milk is placed.", 2),
        ("Done, your order of milk and tea is placed.", None),
        ("Very well.", 1),
    ],
)
def test_a_chatbot_with_invisible_tools_fails_if_it_agrees_to_items_that_it_never_names(said: str, score: int | None):
    conversation = Conversation(
        case=Case(id="a", variables={"ORDER_GOAL": [{"name": "Milk"}, {"name": "Green tea"}]}),
        messages=(message("user", "Milk and green tea."), message("chatbot", said)),
        goals=tuple(
            goal_progress(text, 0, Evidence(at=1, start=0, end=1, text=said[:1])) for text in ("Milk", "Green tea")
        ),
        ending=Ending.USER_DONE,
        reports_tools=False,
    )

    verdict = judge_order(conversation)

    assert verdict.score == score
    assert ("never named: " in verdict.reason) == (score is not None)
