"""What people say to the sales agent, in Russian and in English, and what it understands and answers."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparring.core.case import Case
from sparring.core.message import Message
from sparring_bots.phone_orders.agent import PhoneOrders

Talk = Callable[..., Awaitable[list[Message]]]


def add(**arguments: Any) -> tuple[str, dict[str, Any]]:
    return "add_to_cart", arguments


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        ("три коробки молока", [add(quantity=3, packaging="коробки", product="молока")]),
        ("Мне нужно вот что: сахар песок — 2 мешка.", [add(quantity=2, packaging="мешка", product="сахар песок")]),
        (
            "Можно, пожалуйста: мука ржаная — 12 упаковок.",
            [add(quantity=12, packaging="упаковок", product="мука ржаная")],
        ),
        ("Я хочу заказать: гречка.", [add(product="гречка")]),
        ("двадцать пять кг картофеля", [add(quantity=25, packaging="кг", product="картофеля")]),
        (
            "две коробки молока и 5 кг сахара",
            [
                add(quantity=2, packaging="коробки", product="молока и"),
                add(quantity=5, packaging="кг", product="сахара"),
            ],
        ),
        ("сахар", [add(product="сахар")]),
        ("2 x сметана", [add(quantity=2, product="сметана")]),
        ("мешок", [add(packaging="мешок")]),
        ("5 мешков", [add(quantity=5, packaging="мешков")]),
        ("Мне нужно: сахар как в прошлый раз", [add(product="сахар", as_before=True)]),
        ("Я хочу убрать из заказа: соль.", [("remove_from_cart", {"product": "соль"})]),
        ("Мне нужно убрать: рис длиннозёрный.", [("remove_from_cart", {"product": "рис длиннозёрный"})]),
        ("Майонез — 5 вёдер", [add(quantity=5, packaging="вёдер", product="Майонез")]),
        (
            "Мне нужно вот что: 2 x кукуруза сладкая, как в прошлый раз.",
            [add(quantity=2, product="кукуруза сладкая", as_before=True)],
        ),
        ("Тунец, 2 коробки.", [add(quantity=2, packaging="коробки", product="Тунец")]),
        ("Tuna, 2 boxes", [add(quantity=2, packaging="boxes", product="Tuna")]),
        (
            "лимоны, 4 кг, чай, 3 упаковки",
            [
                add(quantity=4, packaging="кг", product="лимоны"),
                add(quantity=3, packaging="упаковки", product="чай"),
            ],
        ),
        ("Тунец — 2 коробки, пожалуйста.", [add(quantity=2, packaging="коробки", product="Тунец")]),
        ("Для меня это ново. Тунец — 2 коробки, пожалуйста.", [add(quantity=2, packaging="коробки", product="Тунец")]),
        ("Вторник вместо понедельника.", [("change_delivery_date", {"delivery_date": "Вторник"})]),
        ("Отмените заказ, пожалуйста.", [("remove_from_cart", {"product": "всё"})]),
        ("Please cancel the order.", [("remove_from_cart", {"product": "everything"})]),
        ("Tuesday instead of Monday, please.", [("change_delivery_date", {"delivery_date": "Tuesday"})]),
        ("уберите бананы", [("remove_from_cart", {"product": "бананы"})]),
        (
            "Я хочу изменить количество: сахар песок — 3 мешка.",
            [("change_item", {"product": "сахар песок", "quantity": 3, "packaging": "мешка"})],
        ),
        ("Нет, это всё, спасибо.", [("checkout", {})]),
        ("больше ничего", [("checkout", {})]),
        ("Всё.", [("checkout", {})]),
        ("ну вроде всё", [("checkout", {})]),
        ("в четверг, пожалуйста", [("change_delivery_date", {"delivery_date": "четверг"})]),
        ("5 февраля", [("change_delivery_date", {"delivery_date": "5 февраля"})]),
        ("есть ли у вас лимонад?", [("find_products", {"message": "лимонад"})]),
        ("сколько стоит гречка?", [("find_products", {"message": "гречка"})]),
        ("Спасибо, до свидания.", [("end_call", {"reason": "клиент попрощался"})]),
        ("I'd like 2 boxes of whole milk, please.", [add(quantity=2, packaging="boxes", product="whole milk, please")]),
        (
            "2 boxes of milk and 5 kg of sugar",
            [add(quantity=2, packaging="boxes", product="milk and"), add(quantity=5, packaging="kg", product="sugar")],
        ),
        ("Can I have wheat flour?", [add(product="wheat flour")]),
        ("a bag of rye flour", [add(packaging="bag", product="rye flour")]),
        ("One.", [add(quantity=1)]),
        ("I'd like sugar, as last time.", [add(product="sugar", as_before=True)]),
        ("I want 2 x green peas, as last time.", [add(quantity=2, product="green peas", as_before=True)]),
        ("Remove the green tea from my order, please.", [("remove_from_cart", {"product": "green tea"})]),
        ("I don't want green tea after all", [("remove_from_cart", {"product": "green tea"})]),
        ("how much does green tea cost?", [("find_products", {"message": "green tea"})]),
        ("I'd like to remove the rice.", [("remove_from_cart", {"product": "rice"})]),
        (
            "I'd like to change the flour to 6 bags.",
            [("change_item", {"product": "flour", "quantity": 6, "packaging": "bags"})],
        ),
        ("No, that is all, thank you.", [("checkout", {})]),
        ("on Thursday", [("change_delivery_date", {"delivery_date": "Thursday"})]),
        ("2026-02-05", [("change_delivery_date", {"delivery_date": "2026-02-05"})]),
        ("do you have lemonade?", [("find_products", {"message": "lemonade"})]),
        ("Thanks, bye.", [("end_call", {"reason": "the customer took leave"})]),
    ],
)
async def test_orders_are_understood(talk: Talk, said: str, calls: list[tuple[str, dict[str, Any]]]):
    (reply,) = await talk(said, language="Russian" if any("а" <= letter <= "я" for letter in said) else "English")

    assert [(call.name, call.arguments) for call in reply.tool_calls] == calls


async def test_a_russian_order_goes_from_the_first_item_to_the_farewell(talk: Talk):
    replies = await talk(
        "сахар",
        "песок",
        "мешок",
        "два",
        "Нет, это всё, спасибо.",
        "в среду",
        "в четверг",
        "Мира 20",
        "Да, верно.",
        "Спасибо, до свидания.",
        language="Russian",
        DELIVERY_DAYS="понедельник, четверг",
        LOCATIONS=["ул. Садовая, 1", "пр. Мира, 20"],
    )

    assert [reply.text for reply in replies] == [
        "Какой именно товар: Сахар песок или Сахар тростниковый?",
        "Сахар песок: мешок × 50 по 3 450 ₽, упаковка × 10 по 720 ₽. "
        "В какой упаковке взять Сахар песок: мешок или упаковка?",
        "Сколько мешков взять: Сахар песок?",
        "Записала: Сахар песок, 2 мешка, 6 900 ₽. Что-нибудь ещё?",
        "Хорошо, на сумму 6 900 ₽. На какой день доставить: понедельник или четверг?",
        "Среда 4 февраля доставки нет. На какой день доставить: понедельник или четверг?",
        "Доставка: четверг 5 февраля. По какому адресу доставить: ул. Садовая, 1 или пр. Мира, 20?",
        "Адрес: пр. Мира, 20. Итак, заказ: Сахар песок, 2 мешка. Доставка: четверг 5 февраля, пр. Мира, 20. "
        "Сумма 6 900 ₽. Всё верно, оформляем?",
        f"Заказ {order_id(replies)} оформлен: Сахар песок, 2 мешка. Доставка: четверг 5 февраля, пр. Мира, 20. "
        "Сумма 6 900 ₽. Спасибо за заказ.",
        "Спасибо за заказ, до свидания!",
    ]
    assert [reply.ends for reply in replies] == [False] * 9 + [True]


async def test_an_english_order_can_be_changed_before_it_is_confirmed(talk: Talk):
    replies = await talk(
        "4 bags of wheat flour and 2 boxes of mustard",
        "the usual whole milk",
        "2",
        "change the flour to 6 bags",
        "remove the mustard",
        "that's all",
        "Thursday",
        "1",
        "yes",
    )

    assert result(replies[-1])["cart"] == [
        {"product_code": "G205", "name": "Wheat flour", "quantity": 6, "packaging": "bag", "price": 11700},
        {"product_code": "D101", "name": "Whole milk", "quantity": 2, "packaging": "box", "price": 2280},
    ]
    assert result(replies[-1])["delivery_date"] == "2026-02-05"
    assert result(replies[-1])["location"] == {"id": 1, "address": "1 High Street"}


async def test_a_courtesy_parts_what_is_no_product_from_what_is(talk: Talk):
    (reply,) = await talk("Мозно, пожалуйста: сахар песок — 3 мешка.", language="Russian")

    assert reply.text.startswith("Записала: Сахар песок, 3 мешка")


async def test_an_order_can_be_cancelled_when_it_is_to_be_confirmed(talk: Talk):
    *_, asked, cancelled, again = await talk(
        "2 boxes of butter", "that's all", "Thursday", "1", "No, cancel it, please.", "that's all"
    )

    assert "Is everything right" in asked.text
    assert (cancelled.text, again.text) == (
        "The order is cancelled. What would you like to order?",
        "The order is still empty. What would you like to order?",
    )


async def test_taking_back_another_product_changes_nothing(talk: Talk):
    replies = await talk("рис круглозёрный — 2 мешка", "уберите рис длиннозёрный", "уберите рис", language="Russian")

    assert [result(reply)["status"] for reply in replies] == ["added", "not_there", "removed"]


async def test_the_agent_speaks_first_and_by_name(agent: PhoneOrders):
    async with agent.connect(Case(id="call", variables={"client_name": "Kim"})) as session:
        assert session.greeting is not None
        assert session.greeting.text.startswith("Hello, Kim! This is the order desk")


async def test_a_customer_who_begins_in_russian_is_answered_in_russian(talk: Talk):
    (reply,) = await talk("Здравствуйте, сахар песок, 2 мешка")
    (fixed,) = await talk("молоко", LANGUAGE="English")

    assert "Записала: Сахар песок" in (await talk("сахар песок — 2 мешка"))[0].text
    assert not any("a" <= letter <= "z" for letter in reply.text.lower())
    assert fixed.text == "Which one exactly: Whole milk, Baked milk or Lactose-free milk?"


async def test_more_than_there_is_in_stock_is_refused(talk: Talk):
    (reply,) = await talk("900 boxes of whole milk")

    assert "at most: Whole milk, 200 boxes" in reply.text
    assert result(reply)["cart"] == []


async def test_nothing_is_confirmed_before_everything_is_known(talk: Talk):
    replies = await talk("2 boxes of whole milk", "yes, confirm", "that's all", "ok")

    assert not any(result(reply).get("order_id") for reply in replies if reply.tool_calls)


def result(reply: Message) -> dict[str, Any]:
    found = reply.tool_calls[-1].result
    assert isinstance(found, dict)
    return found


def order_id(replies: list[Message]) -> str:
    return next(str(result(reply)["order_id"]) for reply in replies if "order_id" in result(reply))


WORDS = (
    "сахар молоко коробка две 3 и , . убрать изменить это всё нет да в четверг среду как прошлый раз I'd like 2 boxes "
    "of milk remove the flour that's all yes no on Thursday High Street same as last time {{x}}"
).split(" ")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join), min_size=1, max_size=5))
async def test_answers_are_deterministic_and_no_tool_breaks(talk: Talk, lines: list[str]):
    replies = await talk(*lines)

    assert replies == await talk(*lines)
    assert all(reply.text for reply in replies)
    assert not [call for reply in replies for call in reply.tool_calls if "Error" in call.error]
