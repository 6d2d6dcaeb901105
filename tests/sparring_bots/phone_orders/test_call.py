"""What is known when the phone rings: the variables of a case, however they are written."""

import json
from datetime import date
from typing import Any

import pytest

from scripted import ScriptedModel
from sparring.chatbots.chatbot import Chatbot
from sparring.core.case import Case, InjectTool
from sparring.core.errors import ChatbotError
from sparring.core.message import message
from sparring.core.value import Json
from sparring.llm.plugin_context import PluginContext
from sparring_bots.phone_orders.agent import chatbot
from sparring_bots.phone_orders.call import Call, Location, call, upper
from sparring_bots.phone_orders.catalogue import shipped_catalogue, split_items
from sparring_bots.phone_orders.delivery_days import spoken
from tables import table

TODAY = date(2026, 2, 3)
"""A Tuesday."""


def messages(bot: Chatbot, case: Case) -> tuple[str, ...]:
    return tuple(problem.message for problem in bot.check(case, complete=False))


def known(language: str = "English", **variables: Json) -> Call:
    return call(upper(variables), shipped_catalogue(), language=language, today=TODAY)


def test_the_catalogue_is_large_and_every_product_can_be_named_in_both_languages():
    assert len(shipped_catalogue().products) >= 60
    assert len(shipped_catalogue().by_code) == len(shipped_catalogue().products)
    for product in shipped_catalogue().products:
        for name in (product.code, product.ru, product.en):
            assert shipped_catalogue().meant(name) == (product,)


@table(
    ("words", "codes"),
    [
        ("молока", {"D101", "D102", "D103"}),
        ("sugar", {"G201", "G202"}),
        ("картошки", {"V601"}),
        ("лимонада", {"B505"}),
        ("eggs", {"D114"}),
        ("a bicycle", set()),
        ("", set()),
        ("пожалуйста", set()),
    ],
)
def test_a_product_is_what_its_words_say(words: str, codes: set[str]):
    assert {product.code for product in shipped_catalogue().meant(words)} == codes


def test_an_enumeration_is_taken_apart_and_packagings_are_no_products():
    assert split_items("сыр российский и бананы, пожалуйста") == ["сыр российский", "бананы"]
    assert split_items("коробка") == split_items("please") == []


@table(
    ("written", "offered"),
    [
        ("понедельник, четверг", ["Monday", "Thursday"]),
        (["Mon", "Thu"], ["Monday", "Thursday"]),
        ("пн-ср", ["Monday", "Tuesday", "Wednesday"]),
        ("Mon – Wed", ["Monday", "Tuesday", "Wednesday"]),
        ("будни", ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]),
        (["2026-02-12", "2026-02-09 Monday"], ["Monday 9 February", "Thursday 12 February"]),
        (None, ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]),
    ],
)
def test_delivery_days_are_read_however_they_are_written(written: Json, offered: list[str]):
    assert known(DELIVERY_DAYS=written).days.spoken("English") == offered


@table(
    ("said", "day"),
    [
        ("Thursday", date(2026, 2, 5)),
        ("в четверг", date(2026, 2, 5)),
        ("tuesday", date(2026, 2, 10)),
        ("tomorrow", date(2026, 2, 4)),
        ("завтра", date(2026, 2, 4)),
        ("5 февраля", date(2026, 2, 5)),
        ("2026-02-05", date(2026, 2, 5)),
        ("soon", None),
    ],
)
def test_a_day_is_meant_however_it_is_said(said: str, day: date | None):
    assert known().days.meant(said) == day


def test_there_is_no_delivery_today_or_on_another_day_or_in_a_year():
    days = known(DELIVERY_DAYS="Tuesday").days

    assert [days.delivers(date(2026, *day)) for day in ((2, 3), (2, 4), (2, 10), (12, 1))] == [
        False,
        False,
        True,
        False,
    ]


@table(
    ("written", "places"),
    [
        (["A", "B"], [(1, "A"), (2, "B")]),
        ("7: A; 9: B", [(7, "A"), (9, "B")]),
        ("A\nB", [(1, "A"), (2, "B")]),
        ('["A", "B"]', [(1, "A"), (2, "B")]),
        ({"3": "A", "x": "B"}, [(3, "A"), (2, "B")]),
        ([{"id": 5, "address": "A"}, {"name": "B"}], [(5, "A"), (2, "B")]),
        (None, []),
    ],
)
def test_locations_are_read_however_they_are_written(written: Json, places: list[tuple[int, str]]):
    assert known(locations=written).locations == tuple(Location(*place) for place in places)


@table(
    ("written", "bought"),
    [
        ("Молоко цельное — 3 коробки; Горчица", [("D101", 3, "box"), ("O305", None, "")]),
        (["Whole milk - 2 boxes"], [("D101", 2, "box")]),
        (["D104", ["Bananas", "V608"]], [("D104", None, ""), ("V608", None, "")]),
        ([{"product_code": "D101", "qty": "4", "packaging": "boxes"}], [("D101", 4, "box")]),
        ("a bicycle", []),
    ],
)
def test_earlier_orders_are_read_however_they_are_written(written: Json, bought: list[Any]):
    history = known(scenario_purchase_history=written).history

    assert [(each.product, each.quantity, each.packaging) for each in history] == bought


def test_a_customer_who_is_known_by_id_has_a_name_and_a_history():
    corner = known(client_id="C-1002")

    assert (corner.name, [each.product for each in corner.history]) == ("Corner Bakery", ["G205", "D107", "G214"])
    assert known(client_id="C-1002", name="Kim").name == "Kim"


def test_twins_in_other_letters_only_count_where_there_is_no_value():
    assert upper({"client_name": "a", "CLIENT_NAME": "", "name": "c"}) == {"CLIENT_NAME": "a", "NAME": "c"}


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"DELIVERY_DAYS": "whenever"}, "DELIVERY_DAYS names no day: 'whenever'"),
        ({"CURRENT_DATE": "Tuesday"}, "CURRENT_DATE is not a date like 2026-02-03: 'Tuesday'"),
    ],
)
async def test_unreadable_input_fails_with_the_reason(context: PluginContext, variables: dict[str, Json], reason: str):
    with pytest.raises(ChatbotError) as caught:
        async with chatbot("", context).connect(Case(id="a", variables=variables)):
            pass

    assert str(caught.value) == reason


def test_unreadable_values_are_reported_before_the_first_call(context: PluginContext):
    variables: dict[str, Json] = {"DELIVERY_DAYS": "whenever", "current_date": "Tuesday"}
    script = (InjectTool(name="get_card", mode="stub"),)

    refused = messages(chatbot("", context), Case(id="a", variables=variables, script=script))

    assert refused[:2] == (
        "CURRENT_DATE is not a date like 2026-02-03: 'Tuesday'",
        "DELIVERY_DAYS names no day: 'whenever'",
    )
    assert [reason.split(";")[0] for reason in refused[2:]] == ["there is no tool 'get_card'"]
    assert messages(chatbot("", context), Case(id="a", variables={"DELIVERY_DAYS": "Mon"})) == ()


async def test_a_script_puts_results_into_the_tools(context: PluginContext):
    stubbed = InjectTool(name="add_to_cart", result={"status": "no_history"}, mode="stub")
    async with chatbot("", context).connect(Case(id="a", script=(stubbed,))) as session:
        await session.stub(stubbed)

        assert (await session.reply(message("user", "mustard"))).text == "I see no earlier orders of yours."


@pytest.mark.parametrize("language", ["Russian", "English"])
async def test_the_prompt_has_all_of_the_call(context: PluginContext, language: str):
    model = ScriptedModel("Hello.")
    variables: dict[str, Json] = {
        "client_name": "Kim's Café",
        "CURRENT_DATE": "2026-02-03",
        "DELIVERY_DAYS": "2026-02-05",
        "locations": ["1 High Street", "2 Low Road"],
        "PURCHASE_HISTORY": "D101",
        "LANGUAGE": language,
    }
    agent = chatbot("", PluginContext(context.llm, context.clock, context.transport, models={"chatbot": model}))
    async with agent.connect(Case(id="a", variables=variables)) as session:
        await session.reply(message("user", "Hello"))

    prompt = model.requests[0].messages[0].content
    for told in ("Kim's Café", "2026-02-03", spoken(date(2026, 2, 5), language), "1: 1 High Street", "D101"):
        assert told in prompt
    assert {tool.name for tool in model.requests[0].tools} >= {"find_products", "confirm_order", "end_call"}


TEA: Json = [
    {"code": "T1", "name": "Mountain tea", "packs": {"boxes": [20, 900], "pack": 50}, "stock": 40},
    {"code": "T2", "ru": "Чай мятный", "en": "Mint tea", "also": ["peppermint"], "packs": {"упаковка": 40}},
]


@pytest.mark.parametrize("written", [TEA, json.dumps(TEA)])
async def test_a_case_may_bring_its_own_catalogue(context: PluginContext, written: Json):
    case = Case(id="a", variables={"catalogue": written, "client_id": "C-1002", "CURRENT_DATE": "2026-02-03"})
    async with chatbot("", context).connect(case) as session:
        said = ("2 boxes of tea", "mountain", "3 packs of peppermint", "whole milk")
        replies = [await session.reply(message("user", each)) for each in said]

    assert [reply.text for reply in replies[:3]] == [
        "Which one exactly: Mountain tea or Mint tea?",
        "I have put down: Mountain tea, 2 boxes, RUB 1,800. Anything else?",
        "I have put down: Mint tea, 3 packs, RUB 120. Anything else?",
    ]
    assert 'we have no "whole milk"' in replies[3].text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("catalogue", "reason"),
    [
        ("tea", "CATALOGUE is neither a list of products nor JSON: Expecting value: line 1 column 1 (char 0)"),
        ({"code": "T1"}, "CATALOGUE should be a list of {code, name, packs}"),
        (["tea"], "CATALOGUE[0]: should be {code, name, packs}"),
        ([{"code": "T1", "name": "Tea", "price": 3}], "CATALOGUE[0]: there is no 'price'; there are: code, name, "),
        ([{"code": "T1", "name": "Tea"}], "CATALOGUE[0]: packs: should be a mapping of packagings to prices"),
        (
            [{"code": "T1", "name": "Tea", "packs": {"armful": 3}}],
            "CATALOGUE[0]: packs: 'armful' is not a known packaging",
        ),
        ([{"code": "T1", "name": "Tea", "packs": {"box": -3}}], "CATALOGUE[0]: packs.box.1: Input should be greater"),
        ([{"code": "T1", "name": "Tea", "packs": {"box": [1, 2, 3]}}], "CATALOGUE[0]: packs.box: "),
        ([{"code": "T1", "packs": {"box": 3}}], "CATALOGUE[0]: name is missing"),
        ([{"name": "Tea", "packs": {"box": 3}}], "CATALOGUE[0]: code is missing"),
        (
            [{"code": "T1", "name": "Tea", "packs": {"box": 3}}, 3, {"code": "T1", "name": "Tea", "packs": {"box": 3}}],
            "CATALOGUE[1]: should be {code, name, packs}; CATALOGUE: the code 'T1' is listed twice",
        ),
    ],
)
def test_all_problems_of_a_catalogue_are_reported_before_the_first_call(
    context: PluginContext, catalogue: Json, reason: str
):
    refused = messages(chatbot("", context), Case(id="a", variables={"CATALOGUE": catalogue}))

    assert [each.startswith(reason) for each in refused] == [True], refused
