import json

from hypothesis import given
from hypothesis import strategies as st

from reports.summing import summarise
from sparring.core.conversation import Conversation, Ending
from sparring.core.message import message
from sparring.core.usage import Usage
from sparring.reports.json_report import line, run_json
from sparring.testing.factories import a_batch, a_case, a_conversation, all_conversations


def test_a_conversation_is_one_line_that_reads_back_whole():
    conversation = a_conversation(a_case("pizza/1"))

    assert Conversation.model_validate_json(line(conversation)) == conversation


def test_measured_times_are_under_timing_alone():
    conversation = a_conversation(a_case("pizza/1"))
    later = conversation.model_copy(update={"timing": conversation.timing.model_copy(update={"seconds": 99.0})})

    different = {key for key, value in json.loads(line(conversation)).items() if json.loads(line(later))[key] != value}

    assert different == {"timing"}


def test_keys_are_in_the_order_of_the_fields():
    assert list(json.loads(line(a_conversation(a_case("a"))))) == [
        name
        for name in Conversation.model_fields
        if name not in ("settled", "recoveries")  # left out if empty
    ]


@given(
    st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(["##[error]", "###vso[x]", "\x85\u2028\u2029"])
)
def test_messages_stay_one_line_and_give_no_workflow_commands(said: str):
    conversation = Conversation(case=a_case("a"), messages=(message("chatbot", said),), ending=Ending.GAVE_UP)
    written = line(conversation)

    assert len(written.decode().splitlines()) == 1
    assert (b"##[" in written, b"##vso[" in written) == (False, False)
    assert Conversation.model_validate_json(written) == conversation


def test_the_json_of_a_run_has_every_key():
    batch = a_batch("a", "b")

    summary = summarise(batch, all_conversations(batch))

    told = run_json(summary)
    assert told.pop("sentence")["word"] == "UNDECIDED"  # type: ignore[index,call-overload]
    assert told.pop("rate")["value"] is None  # type: ignore[index,call-overload]
    (cause,) = told.pop("causes")  # type: ignore[misc]
    (line,) = told.pop("trust")  # type: ignore[misc]
    assert line == {
        "id": "planned",
        "state": "pass",
        "text": "All 2 planned conversations are counted: 2 undecided",
        "count": 2,
    }
    assert (cause["count"], cause["blame"]) == (2, "case")  # type: ignore[index,call-overload]
    assert told == {
        "batch": "B1",
        "ref": "B1",
        "counts": {"planned": 2, "passed": 0, "failed": 0, "undecided": 2, "void": 0, "not_run": 0},
        "blame": {"chatbot": 0, "user": 0, "judge": 0, "infrastructure": 0, "case": 2},
        "seed": 7,
        "datasets": {},
        "players": {
            "chatbot": "pizzeria",
            "chatbot_model": "grammar",
            "user": "agenda (no model)",
            "reader": "patterns",
            "judge": "checklist",
            "prompts": "",
        },
        "who": {
            "chatbot": "pizzeria",
            "chatbot_model": "grammar",
            "user": "agenda (no model)",
            "reader": "patterns",
            "judge": "checklist",
            "prompts": "",
        },
        "endings": {
            "goals_answered": 2,
            "user_done": 0,
            "chatbot_done": 0,
            "turn_limit": 0,
            "gave_up": 0,
            "timeout": 0,
            "chatbot_failed": 0,
            "user_stuck": 0,
            "user_failed": 0,
            "infrastructure_failed": 0,
        },
        "outcomes": {"passed": 0, "failed": 0, "undecided": 2, "void": 0},
        "outcome": "undecided",
        "last_outcomes": {"passed": 0, "failed": 0, "undecided": 2, "void": 0},
        "retried": 0,
        "most_attempts": 1,
        "blames": {"case": 2},
        "crashes": 0,
        "guards": 0,
        "weak": 0,
        "refused": 0,
        "untried": 0,
        "not_run": 0,
        "scores": [],
        "statistics": summary.statistics and summary.statistics.model_dump(mode="json"),
        "agreements": [],
        "consistency": [],
        "rules": {},
        "calls": 4,
        "from_cache": 0,
        "tokens": {"input": 1800, "output": 120, "unknown": 0},
        "cost": 0.0024,
        "unknown_costs": 0,
        "unkept": {
            "calls": 0,
            "from_cache": 0,
            "tokens": {"input": 0, "output": 0, "unknown": 0},
            "cost": 0.0,
            "unknown_costs": 0,
        },
    }


def test_an_unknown_cost_is_null():
    batch = a_batch("a")
    conversation = a_conversation(batch.cases[0]).model_copy(
        update={"usage": {"chatbot": Usage(calls=2, unknown_costs=2, unknown_tokens=1)}}
    )
    told = run_json(summarise(batch, [conversation]))

    assert (told["cost"], told["unknown_costs"], told["tokens"]) == (None, 2, {"input": 0, "output": 0, "unknown": 1})
