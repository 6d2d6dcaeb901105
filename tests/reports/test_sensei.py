import csv
import io
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sparring.core.case import Case, Goal, Limits, OutputSpec, Persona, Style
from sparring.core.conversation import Conversation, Ending, Evidence, GoalProgress, Output, Timing, goal_progress
from sparring.core.message import Button, Link, Message, Text, message
from sparring.core.usage import Usage
from sparring.core.value import Json
from sparring.reports.sensei import COSTS, Reports, conversation_file, cost_rows, errors
from sparring.rules.inputs.sensei import parse_recording
from sparring.rules.recording import recording_of
from tables import table

CASE = Case(
    id="order/1",
    persona=Persona(traits=("You are brief.",), styles=(Style(name="change language", languages=("Spanish",)),)),
    goals=(Goal(text="a small pizza with ham and corn", variables=("size", "toppings")), Goal(text="a drink")),
    variables={"size": "small", "toppings": ["ham", "corn"], "hour": "10:30", "answer": "no"},
    outputs=(OutputSpec(name="price", type="money"),),
    limits=Limits(turns=7),
)
SHOWN = Evidence(at=1, start=0, end=3, text="$11")
TALK = Conversation(
    case=CASE,
    messages=(message("user", "a small pizza"), message("chatbot", "$11: 10:30?\nyes")),
    ending=Ending.GOALS_ANSWERED,
    goals=(goal_progress("a", 0, SHOWN), goal_progress("b", 0, SHOWN)),
    outputs=(Output(name="price", type="money", value="$11", evidence=SHOWN),),
    usage={"user": Usage(calls=2, cost=0.25), "chatbot": Usage(calls=1, unknown_costs=1)},
    timing=Timing(started=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), seconds=4.5, replies=(1.0, 3.0)),
)


def written(conversation: Conversation) -> list[dict[str, Any]]:
    text = conversation_file(conversation, serial="2026-01-02-03-04-05", number=6)
    return list(yaml.load_all(text, Loader=yaml.CSafeLoader))


def test_a_conversation_has_the_three_documents_that_sensei_writes():
    assert written(TALK) == [
        {
            "serial": "2026-01-02-03-04-05",
            "language": "English",
            "context": ["You are brief."],
            "ask_about": [
                "a {{size}} pizza with {{toppings}}",
                "a drink",
                {"size": "small"},
                {"toppings": ["ham", "corn"]},
                {"hour": "10:30"},
                {"answer": "no"},
            ],
            "conversation": [
                {"interaction_style": [{"change languages": ["Spanish"]}]},
                {"number": 6},
                {"all_answered": {"export": True, "limit": 7}},
            ],
            "data_output": [{"price": "$11"}],
            "errors": [],
            "total_cost($)": 0.25,
        },
        {
            "conversation time": 4.5,
            "assistant response time": [1.0, 3.0],
            "response time report": {"average": 2.0, "max": 3.0, "min": 1.0},
        },
        {"interaction": [{"User": "a small pizza"}, {"Assistant": "$11: 10:30?\nyes"}]},
    ]


def test_the_reader_of_the_rules_reads_back_what_was_said_meant_and_found():
    ours = recording_of(TALK)

    theirs = parse_recording(conversation_file(TALK, serial="x", number=6).encode(), ours.id)

    same = ("messages", "outputs", "latencies")
    assert [getattr(theirs, name) for name in same] == [getattr(ours, name) for name in same]
    names = [*CASE.variables, "price", "conversation_ending", "language", "cost", "seconds", "limit"]
    assert [theirs.value(name) for name in names] == [ours.value(name) for name in names]


def test_a_listed_variable_is_written_as_sensei_does_and_read_back_the_same():
    case = Case(id="a", goals=(Goal(text="b"),), variables={"hour": "10:00", "drink": "coke"}, listed=("hour",))
    held = Conversation(case=case, messages=(message("user", "hi"),))

    theirs = parse_recording(conversation_file(held, serial="x", number=1).encode(), "a")

    assert [theirs.value(name) for name in ("hour", "drink")] == [["10:00"], "coke"]
    assert [recording_of(held).value(name) for name in ("hour", "drink")] == [["10:00"], "coke"]


@given(
    st.lists(st.text(min_size=1), min_size=1, max_size=3),
    st.recursive(st.one_of(st.text(), st.integers(), st.booleans(), st.none()), st.lists, max_leaves=3),
)
def test_any_message_is_read_back_unchanged(texts: list[str], value: Json):
    said = tuple(message("user" if index % 2 == 0 else "chatbot", text) for index, text in enumerate(texts))
    case = Case(id="a", goals=(Goal(text="b"),), variables={"v": value})

    recording = parse_recording(
        conversation_file(Conversation(case=case, messages=said), serial="x", number=1).encode(), "a"
    )

    assert [each.text for each in recording.messages] == texts
    assert recording.value("v") == value


def test_half_of_a_character_becomes_a_question_mark_and_nothing_fails():
    half = TALK.model_copy(update={"messages": (message("chatbot", "\ud83d!"),)})

    assert written(half)[2] == {"interaction": [{"Assistant": "?!"}]}


def test_buttons_and_links_are_written_as_senseis_connectors_do():
    parts = (
        Text(text="Which?"),
        Button(title="Menu", payload="/menu"),
        Button(title="No"),
        Link(url="https://a", title="A"),
    )
    talk = TALK.model_copy(update={"messages": (Message(role="chatbot", parts=parts),)})

    assert written(talk)[2]["interaction"][0]["Assistant"] == (
        "Which?\n\nAVAILABLE BUTTONS: \n"
        " - BUTTON TEXT: Menu LINK: /menu\n\n - BUTTON TEXT: No LINK: <empty>\n\n - BUTTON TEXT: A LINK: https://a\n"
    )


@pytest.mark.parametrize(
    ("text", "variables", "phrase"),
    [
        ("a big pizza", {"size": "big"}, "a {{size}} pizza"),
        ("2 of 2", {"size": 2}, "2 of 2"),
        ("a pizza", {"size": ""}, "a pizza"),
        ("ham, corn and ham", {"size": ["ham", "corn", "ham"]}, "{{size}}"),
    ],
)
def test_a_phrase_has_its_placeholders_again_only_where_it_is_certain(text: str, variables: Any, phrase: str):
    case = Case(id="a", goals=(Goal(text=text, variables=tuple(variables)),), variables=variables)

    assert written(Conversation(case=case))[0]["ask_about"][0] == phrase


ENDINGS = {
    Ending.GOALS_ANSWERED: [],
    Ending.USER_DONE: [],
    Ending.CHATBOT_FAILED: [(500, "HTTP 502")],
    Ending.TIMEOUT: [(504, "HTTP 502")],
    Ending.GAVE_UP: [(1000, "HTTP 502")],
    Ending.TURN_LIMIT: [(1001, "0 goals left to complete.")],
}


@table(("ending", "wanted"), ENDINGS.items())
def test_endings_become_the_codes_that_sensei_has(ending: Ending, wanted: list[tuple[int, str]]):
    assert list(errors(TALK.model_copy(update={"ending": ending, "error": "HTTP 502"}))) == wanted


def test_a_missing_output_is_error_1001_with_any_ending():
    missing = {"outputs": (Output(name="price"),), "goals": (GoalProgress(text="a"), GoalProgress(text="b"))}
    gave_up = TALK.model_copy(update={**missing, "ending": Ending.GAVE_UP})
    stepping = TALK.model_copy(
        update={**missing, "case": CASE.model_copy(update={"limits": Limits(steps=2)}), "ending": Ending.USER_DONE}
    )

    assert list(errors(gave_up)) == [(1000, "gave up"), (1001, "3 goals left to complete.")]
    assert list(errors(stepping)) == [(1001, "1 goals left to complete.")]


def test_an_unknown_cost_is_left_out_and_never_0():
    unknown = TALK.model_copy(update={"usage": {"user": Usage(calls=1, unknown_costs=1)}, "timing": None})
    reports = Reports()
    reports.add(unknown, file="0.yml", test="order")

    assert "total_cost($)" not in written(unknown)[0]
    assert written(unknown)[1] == {
        "conversation time": None,
        "assistant response time": [],
        "response time report": {},
    }
    assert next(yaml.safe_load_all(reports.text()))["Global report"]["Total Cost"] is None
    assert next(cost_rows(unknown, file="0.yml", test="order"))[3] == ""


def test_a_report_is_over_all_and_over_each_test():
    reports = Reports()
    reports.add(TALK, file="0_a.yml", test="a")
    reports.add(TALK.model_copy(update={"ending": Ending.TIMEOUT}), file="1_a.yml", test="a")
    reports.add(TALK, file="0_b.yml", test="b")

    whole, first, second = yaml.safe_load_all(reports.text())

    times = {
        f"{which} assistant response time": value
        for which, value in (("Average", 2.0), ("Maximum", 3.0), ("Minimum", 1.0))
    }
    found = [{"error": 504, "count": 1, "conversations": ["1_a.yml"]}]
    assert whole == {"Global report": {**times, "Errors": found, "Total Cost": 0.75}}
    assert first == {"Test name": "a", **times, "Errors": found, "Total Cost": 0.5}
    assert second == {"Test name": "b", **times, "Errors": [], "Total Cost": 0.25}


def test_costs_are_rows_by_role():
    out = io.StringIO()
    csv.writer(out).writerows([COSTS, *cost_rows(TALK, file="0.yml", test="order")])

    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert [(row["Module"], row["Total Cost"], row["Timestamp"]) for row in rows] == [
        ("user_simulator", "0.25", "2026-01-02 03:04:05.000000"),
        ("chatbot", "", "2026-01-02 03:04:05.000000"),
    ]
    assert list(rows[0]) == list(COSTS)
