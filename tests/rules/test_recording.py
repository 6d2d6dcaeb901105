"""Conversations as rules see them."""

import pytest

from sparring.app.preflight import check_expectations
from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending, Evidence, Output
from sparring.core.errors import InputError
from sparring.core.message import ToolCall, message
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome
from sparring.rules.check import check
from sparring.rules.recording import RecordedMessage, names_of, recording_of
from sparring.rules.rule_file import require_valid, rule_of
from tables import table

PRICE = Evidence(at=1, start=0, end=2, text="$5")
PLAYED = Conversation(
    case=Case(id="a", variables={"size": ["small"], "ending": "sweet", "a price": 3, "price": "$4"}),
    repeat=2,
    messages=(message("user", "hi"), message("chatbot", "$5", tool_calls=(ToolCall(name="t"),))),
    ending=Ending.GOALS_ANSWERED,
    outputs=(Output(name="price", value="$5", evidence=PRICE), Output(name="id")),
    reports_tools=True,
    usage={"user": Usage(calls=1, cost=0.5)},
)


def test_a_variable_always_wins_and_everything_is_there_under_its_long_name():
    names = recording_of(PLAYED).names

    wanted = ("size", "ending", "conversation_ending", "price", "data_output_price", "id", "a_price", "cost", "repeat")
    assert [names[name] for name in wanted] == [["small"], "sweet", "goals_answered", "$4", "$5", None, 3, 0.5, 2]


def test_messages_outputs_and_evidence_come_along():
    recording = recording_of(PLAYED)

    assert (recording.id, recording.reports_tools, recording.outputs) == ("a#2", True, {"price": "$5", "id": None})
    assert recording.evidence == {"price": PRICE}
    assert recording.messages == (
        RecordedMessage("user", "hi"),
        RecordedMessage("chatbot", "$5", (ToolCall(name="t"),)),
    )


LISTED = Case(id="a", variables={"hour": "10:00", "service": "repair", "sizes": ["s", "m"]}, listed=("hour",))


def test_variables_of_a_sensei_profile_are_lists_in_rules_unless_they_are_nested():
    names = recording_of(Conversation(case=LISTED)).names

    assert (names["hour"], names["service"], names["sizes"]) == (["10:00"], "repair", ["s", "m"])
    assert names_of(LISTED)["hour"] == ["10:00"]


@pytest.mark.parametrize("rule", ["size[0] == 'small'", "conv[0].size[-1] == 'l'", "any(size[0] == x for x in ['s'])"])
async def test_a_letter_of_a_text_in_a_scenario_file_is_refused(rule: str):
    case = Case(id="a", variables={"size": "small", "toppings": ["ham"]})

    (finding,) = (await check([rule_of(rule)], [recording_of(Conversation(case=case))])).findings

    (problem,) = finding.invalid
    assert "'size' is a text in the scenario" in problem.message
    assert problem.hint.startswith("write ")
    with pytest.raises(InputError, match="'size' is a text in the scenario"):
        check_expectations([case], rules=require_valid([rule_of(rule)]))


@table(
    ("rule", "case"),
    [
        ("toppings[0] == 'ham'", Case(id="a", variables={"toppings": ["ham"]})),
        ("size[:1] == 's'", Case(id="a", variables={"size": "small"})),
        ("any(size[0] == 's' for size in ['s'])", Case(id="a", variables={"size": "small"})),
        ("hour[0] == '10:00'", LISTED),
        ("service[0] == 'r'", LISTED),
    ],
)
async def test_lists_slices_loops_and_profiles_are_not_refused(rule: str, case: Case):
    (finding,) = (await check([rule_of(rule)], [recording_of(Conversation(case=case))])).findings

    assert (finding.invalid, finding.outcome) == ((), CheckOutcome.PASS)
    check_expectations([case], rules=require_valid([rule_of(rule)]))


async def test_a_published_rule_fails_a_bot_that_is_wrong():
    output = Output(name="confirmed_time", value="13:30")

    (finding,) = (
        await check(
            [rule_of("hour[0] in str(confirmed_time)")], [recording_of(Conversation(case=LISTED, outputs=(output,)))]
        )
    ).findings

    assert finding.outcome is CheckOutcome.FAIL
