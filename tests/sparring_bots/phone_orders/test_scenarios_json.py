"""Scenarios of the calling service."""

import json
import re
from dataclasses import replace

import pytest

from sparring.core.case import AnswerHint, Case, Goal, Limits, Persona
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.message import message
from sparring.core.value import Json
from sparring.parsing.json_reader import JsonDocument
from sparring.scenarios.expansion import LoadOptions
from sparring.users.agenda import Agenda
from sparring_bots.phone_orders.order_goals import HOW_MANY, which
from sparring_bots.phone_orders.scenarios_json import ASKED_WHERE as WHERE
from sparring_bots.phone_orders.scenarios_json import ROLE, cases
from tables import table

MILK = [{"name": "milk", "qty": 2, "from_history": True}, {"name": "bread"}]


def only(terms: LoadOptions, name: str = "Calm reorder", **variables: Json) -> Case:
    """The case of a file with one scenario."""
    text = json.dumps([{"name": name, "variables": {"ORDER_GOAL": "milk", **variables}}])
    return cases(JsonDocument(text, "calls.json"), terms).cases[0]


def said(how_many: str, name: str) -> tuple[AnswerHint, ...]:
    return (AnswerHint(asked=HOW_MANY, says=how_many), AnswerHint(asked=which(name), says=name))


def complaints(text: str, terms: LoadOptions) -> list[str]:
    with pytest.raises(InputError) as caught:
        cases(JsonDocument(text, "calls.json"), terms)
    return [str(problem) for problem in caught.value.problems]


def test_a_scenario_becomes_a_case(terms: LoadOptions):
    variables: dict[str, Json] = {
        "PERSONALITY": "a calm customer",
        "AMB_LEVEL": 0,
        "PATIENCE": 3,
        "ORDER_GOAL": json.dumps(MILK),
        "CURRENT_DATE": "2025-03-14 Friday",
        "LOCATIONS": ["1 High Street", "2 Low Road"],
        "PURCHASE_HISTORY": "milk\nbread",
        "mood": "sunny",
        "SEED": 42,
    }

    case = only(replace(terms, limits=Limits(turns=9)), **variables)

    assert case == Case(
        id="calls/Calm-reorder",
        persona=Persona(
            role=ROLE,
            traits=(
                "a calm customer",
                "You are very patient: you take all the time that is needed.",
                "You say exactly what you want, with all details at once.",
                "Today is 2025-03-14 Friday.",
                "Your addresses: 1 High Street; 2 Low Road.",
                "You have ordered before: milk bread.",
            ),
        ),
        goals=(
            Goal(text="2 milk, as last time", answers=said("2", "milk")),
            Goal(text="bread", answers=said("1", "bread")),
        ),
        answers={WHERE: "1 High Street"},
        unspoken=("AMB_LEVEL", "CURRENT_DATE", "ORDER_GOAL", "PATIENCE", "PERSONALITY"),
        ends="farewell",
        standard_rubric="order",
        variables={name: value for name, value in variables.items() if name != "SEED"} | {"ORDER_GOAL": MILK},
        tags=("Calm reorder",),
        seed=42,
        limits=Limits(turns=9, fallbacks=6),
    )


@pytest.mark.parametrize(
    ("written", "goals", "kept"),
    [
        (json.dumps(MILK), ["2 milk, as last time", "bread"], MILK),
        (MILK, ["2 milk, as last time", "bread"], MILK),
        (json.dumps(MILK[1]), ["bread"], [{"name": "bread"}]),
        ("two of milk", ["two of milk"], [{"name": "two of milk"}]),
        (["milk", ["bread", 317]], ["milk", "bread"], [{"name": "milk"}, {"name": "bread", "code": 317}]),
        ([{"title": "milk", "quantity": "2 l"}], ["2 l milk"], [{"name": "milk", "qty": "2 l"}]),
    ],
)
def test_an_order_is_understood_however_it_is_written(terms: LoadOptions, written: Json, goals: list[str], kept: Json):
    case = only(terms, ORDER_GOAL=written)

    assert ([goal.text for goal in case.goals], case.variables["ORDER_GOAL"]) == (goals, kept)


def test_documented_variables_are_found_in_any_case_and_blanks_never_win(terms: LoadOptions):
    case = only(terms, personality="calm", PERSONALITY="", patience="1", Own="x")

    assert case.variables == {"ORDER_GOAL": [{"name": "milk"}], "PERSONALITY": "calm", "PATIENCE": 1, "Own": "x"}


@pytest.mark.parametrize(("patience", "borne"), [(0, 1), (1, 2), (2, 4), (3, 6), (None, 5)])
def test_patience_says_how_often_in_a_row_the_user_bears_not_being_understood(
    terms: LoadOptions, patience: int | None, borne: int
):
    assert only(terms, PATIENCE=patience).limits.fallbacks == borne


def test_the_seed_of_a_scenario_beats_that_of_the_run(terms: LoadOptions):
    assert [only(terms, SEED=seed).seed for seed in (0, "42", None, "")] == [0, 42, terms.seed, terms.seed]


@pytest.mark.parametrize(
    ("variables", "language"),
    [({}, "English"), ({"PERSONALITY": "спокойный"}, "Russian"), ({"LANGUAGE": "spanish"}, "Spanish")],
)
def test_the_language_is_what_is_said_or_what_is_written_in(
    terms: LoadOptions, variables: dict[str, Json], language: str
):
    assert only(terms, **variables).persona.language == language


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("Calm reorder", "calls/Calm-reorder"),
        ("../Заказ №1 / срочно!", "calls/Заказ-1-срочно"),
        ("???", "calls/0"),
        ("['x', 'y'] " * 30, "calls/x-y-x-y-x-y-x-y-x-y-x-y-x-y-x-y-x-y-x-y-x-y-x-y-x-y-x-y-x-y-e43c94"),
    ],
)
def test_a_name_becomes_an_id_that_is_short_and_safe(terms: LoadOptions, name: str, id: str):
    assert only(terms, name).id == id


def test_the_list_may_stand_under_scenarios_with_what_the_service_documents(terms: LoadOptions):
    text = json.dumps({"scenarios": [{"name": "a", "variables": {"ORDER_GOAL": "milk"}}], "prompt_version": "v1.0"})

    assert [case.id for case in cases(JsonDocument(text, "calls.json"), terms).cases] == ["calls/a"]


def test_all_problems_are_reported_at_once_with_their_places(terms: LoadOptions):
    text = """[
  {"nam": "a", "variables": {"ORDER_GOALS": "milk"}},
  {"name": "b", "variables": []},
  "c",
  {"name": "d", "variables": {"PATIENCE": 4, "AMB_LEVEL": "lots", "SEED": -1, "PERSONALITY": 3,
    "ORDER_GOAL": "[{'name': 'milk'}]"}},
  {"name": "e", "variables": {"ORDER_GOAL": [], "patience": 1, "PATIENCE": 2}},
  {"name": "f", "variables": {"ORDER_GOAL": [{"nme": "milk"}, {"name": "a", "qty": []}, ["a"], 3],
    "LANGUAGE": "Rusian"}}
]"""

    assert complaints(text, terms) == [
        "calls.json:2:3: [0].name: is missing",
        "calls.json:2:4: [0].nam: unknown key (did you mean 'name'?)",
        "calls.json:2:29: [0].variables.ORDER_GOAL: is missing (did you mean 'ORDER_GOALS'?)",
        "calls.json:3:30: [1].variables: should be a mapping, not a list",
        "calls.json:4:3: [2]: should be a mapping, not text",
        "calls.json:5:43: [3].variables.PATIENCE: should be a whole number from 0 to 3",
        "calls.json:5:59: [3].variables.AMB_LEVEL: should be a whole number from 0 to 3",
        "calls.json:5:75: [3].variables.SEED: should be a whole number, 0 or more",
        "calls.json:5:94: [3].variables.PERSONALITY: should be text, not a number (put it in quotes)",
        "calls.json:6:19: [3].variables.ORDER_GOAL: is not JSON: expecting property name enclosed in double quotes"
        " (write a list without quotes around it)",
        "calls.json:7:45: [4].variables.ORDER_GOAL: there are no items to order",
        "calls.json:7:64: [4].variables.PATIENCE: is a second PATIENCE with another value",
        "calls.json:8:46: [5].variables.ORDER_GOAL[0].name: is missing",
        "calls.json:8:47: [5].variables.ORDER_GOAL[0].nme: unknown key (did you mean 'name'?)",
        "calls.json:8:84: [5].variables.ORDER_GOAL[1].qty: should be a number or text",
        "calls.json:8:89: [5].variables.ORDER_GOAL[2]: should be a name, [name, code], or {name, qty}",
        "calls.json:8:96: [5].variables.ORDER_GOAL[3]: should be a mapping, not a number",
        "calls.json:9:17: [5].variables.LANGUAGE: unknown value 'Rusian' (did you mean 'Russian'?)",
    ]


NO_GOALS = "calls.json:1:1: goals and scripts are not read from JSON (scenario files are YAML: `scenarios:` and a list"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[]", "calls.json:1:1: there is no scenario"),
        ('{"scenarios": []}', "calls.json:1:1: there is no scenario"),
        ('{"scenaros": []}', "calls.json:1:2: scenaros: unknown key (did you mean 'scenarios'?)"),
        ("3", "calls.json:1:1: should be a list, not a number"),
        ('{"goals": ["tea"]}', f"{NO_GOALS}, and calls.yml may hold this text)"),
        ('[{"name": "a", "script": ["Hi"]}]', f"{NO_GOALS})"),
    ],
)
def test_a_file_without_scenarios_is_refused(terms: LoadOptions, text: str, complaint: str):
    assert complaint in complaints(text, terms)


@pytest.mark.parametrize("qty", [-2, 0, "-1", " 0,0 ", -0.5])
def test_an_impossible_quantity_is_refused(terms: LoadOptions, qty: Json):
    with pytest.raises(InputError, match=r"ORDER_GOAL\[0\].qty: should be greater than 0$"):
        only(terms, ORDER_GOAL=[{"name": "milk", "qty": qty}])


@pytest.mark.parametrize(
    ("qty", "said"), [(2, "2 milk"), (0.5, "0.5 milk"), ("2 kg", "2 kg of milk"), ("a few", "a few milk")]
)
def test_any_other_quantity_is_kept(terms: LoadOptions, qty: Json, said: str):
    assert only(terms, ORDER_GOAL=[{"name": "milk", "qty": qty}]).goals[0].text == said


@pytest.mark.parametrize("day", ["31.02.2024", "2025-02-29", "2025-13-01 Monday", "on 31/02/2024", "0.1.2024"])
def test_a_day_that_no_calendar_has_is_refused(terms: LoadOptions, day: str):
    with pytest.raises(InputError, match=r"CURRENT_DATE: there is no such day: \S+$"):
        only(terms, CURRENT_DATE=day)


@pytest.mark.parametrize("day", ["2024-02-29 Thursday", "29.02.2024", "02/28/2024", "28/02/2024", "Monday", "20240231"])
def test_any_other_day_is_kept(terms: LoadOptions, day: str):
    assert only(terms, CURRENT_DATE=day).variables["CURRENT_DATE"] == day


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("What would you like to order?", "2 Flour"),
        ("Which location?", "Oslo Main"),
        ("What is in your purchase history?", "317"),
    ],
)
async def test_a_user_without_a_model_says_what_is_ordered_in_words(terms: LoadOptions, asked: str, said: str):
    case = only(
        terms,
        ORDER_GOAL=[{"name": "Flour", "qty": 2, "from_history": False}, {"name": "Milk"}],
        LOCATIONS=[{"city": "Oslo", "street": "Main", "main": True}],
        PURCHASE_HISTORY={"code": 317},
    )
    conversation = Conversation(case=case)
    for _ in range(4):
        conversation = conversation.with_message(message("chatbot", asked))
        conversation = conversation.with_message(await Agenda().speak(conversation) or message("user", ""))
    everything = " ".join(each.text for each in conversation.messages if each.role == "user")

    assert (said in everything, "{" in everything) == (True, False)


def test_variables_that_are_nested_too_deep_are_refused(terms: LoadOptions):
    nested = "[" * 60 + "]" * 60

    (told,) = complaints(f'[{{"name": "a", "variables": {{"ORDER_GOAL": "milk", "deep": {nested}}}}}]', terms)

    assert "nested deeper than 50 levels" in told


MILK_IN_BOXES: Json = [{"name": "Whole milk", "qty": 2, "packaging": "box"}]


@pytest.mark.parametrize(
    ("level", "first"),
    [(0, {""}), (1, {"", "2 Whole milk"}), (2, {"Whole milk"}), (3, {"milk"})],
)
def test_the_vaguer_the_customer_the_less_is_said_at_first(terms: LoadOptions, level: int, first: set[str]):
    goals = [only(terms, AMB_LEVEL=level, ORDER_GOAL=MILK_IN_BOXES, SEED=seed).goals[0] for seed in range(20)]

    assert {goal.first for goal in goals} == first
    assert {goal.text for goal in goals} == {"2 boxes of Whole milk"}
    assert [answer.says for answer in goals[0].answers] == ["2 boxes", "box", "Whole milk"]


def test_what_is_taken_back_or_changed_is_wanted_after_everything_else(terms: LoadOptions):
    case = only(
        terms,
        PERSONALITY="спокойный",
        ORDER_GOAL=[
            {"name": "Соль", "qty": 1, "packaging": "мешок", "removed": True},
            {"name": "Сахар", "qty": 3, "packaging": "мешки", "first_qty": 5},
            {"name": "Чай", "qty": 2},
        ],
    )

    assert [goal.text for goal in case.goals] == [
        "Соль — 1 мешок",
        "Сахар — 5 мешков",
        "2 Чай",
        "убрать: Соль",
        "изменить количество: Сахар — 3 мешка",
    ]


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"DELIVERY_DAYS": ["Monday", "Friday"]}, ["Monday"]),
        ({"DELIVERY_DAYS": "Monday; Friday", "DELIVERY_DATE": "Friday"}, ["Friday"]),
        ({"LOCATIONS": [{"id": 4, "address": "1 High Street"}]}, ["1 High Street"]),
        ({"LOCATIONS": ["1 High Street"], "LOCATION": "2 Low Road"}, ["2 Low Road"]),
        ({"CLIENT_NAME": "Kim"}, ["Kim"]),
        ({}, []),
    ],
)
def test_a_user_asked_for_a_day_a_place_or_a_name_has_one_to_say(
    terms: LoadOptions, variables: dict[str, Json], says: list[str]
):
    assert [*only(terms, **variables).answers.values()] == says


@pytest.mark.parametrize(("patience", "turns"), [(0, 16), (1, 20), (2, 24), (3, 30), (None, 30)])
def test_the_less_patience_the_fewer_turns(terms: LoadOptions, patience: int | None, turns: int):
    assert only(terms, PATIENCE=patience, ORDER_GOAL=["a", "b"]).limits.turns == turns


@table(
    ("question", "asked"),
    [
        ("Which one exactly: whole milk or baked milk?", True),
        ("Which milk would you like?", True),
        ("And which whole milk?", True),
        ("Какой именно товар?", True),
        ("On which day shall we deliver?", False),
        ("Which address is it?", False),
        ("which?", False),
    ],
)
def test_which_one_is_asked_of_things_and_not_of_days(question: str, asked: bool):
    assert bool(re.search(which("Whole milk"), question, re.IGNORECASE)) is asked
