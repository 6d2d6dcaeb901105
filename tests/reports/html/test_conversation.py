import json
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.core.audit import Need
from sparring.core.causes import Symptom
from sparring.core.conversation import Evidence
from sparring.core.message import message
from sparring.core.usage import ModelCall, Usage
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.html.conversation import (
    Mark,
    Piece,
    RenderedTurn,
    changed_lines,
    first_difference,
    follows,
    mark_differences,
    pieces,
    render_conversation,
)
from sparring.reports.html.formatting import as_json, money, number, percent, seconds, shown
from sparring.reports.usage import MessageUsage, consumed
from sparring.testing.factories import a_case, a_conversation

MARKS = st.builds(Mark, st.integers(-3, 30), st.integers(-3, 30), st.sampled_from(["goal", "output"]), st.text())


def test_words_are_marked_with_all_that_they_show():
    evidence = (Evidence(at=1, start=0, end=14, text="That is $12.50"),)
    verdict = Verdict(check="says the price", outcome=CheckOutcome.PASS, conversation="a", evidence=evidence)

    turn = render_conversation(a_conversation(a_case("a")), [verdict])[1]

    assert [(piece.text, piece.kinds) for piece in turn.pieces] == [
        ("That is ", "verdict"),
        ("$12.50", "goal output verdict"),
        (". Anything else?", ""),
    ]
    assert (turn.seconds, turn.shows) == (0.5, (1,))


@given(st.text(max_size=25), st.lists(MARKS, max_size=6))
def test_marking_never_changes_what_was_said(text: str, marks: list[Mark]):
    assert "".join(piece.text for piece in pieces(text, marks)) == text


def test_a_reply_keeps_its_time_beside_injected_messages():
    conversation = a_conversation(a_case("a"))
    first, *rest = conversation.messages
    injected = message("chatbot", "Wait.", injected=True)

    turns = render_conversation(conversation.model_copy(update={"messages": (first, injected, *rest)}))

    assert [turn.seconds for turn in turns] == [None, None, 0.5, None, 0.25]


def test_usage_is_shown_with_its_turn():
    conversation = a_conversation(a_case("a"))
    assert conversation.timing is not None
    calls = (
        ModelCall(role="user", turn=1, input_tokens=7, output_tokens=2, cost=0.5),
        ModelCall(role="chatbot", turn=1, input_tokens=10, output_tokens=1),
        ModelCall(role="chatbot", turn=1, input_tokens=20, output_tokens=2, cost=0.25),
        ModelCall(role="reader", turn=1),
        ModelCall(role="user", turn=2, cost=0.0),
    )
    timing = conversation.timing.model_copy(update={"calls": (1.0, 2.0, 3.0, None, 0.5)})

    turns = render_conversation(conversation.model_copy(update={"calls": calls, "timing": timing}))

    assert [turn.took for turn in turns] == [
        [MessageUsage("user", 1, 1.0, 9, 0.5)],
        [MessageUsage("chatbot", 2, 5.0, 33, 0.25, 1), MessageUsage("reader", 1, None, None, None, 1)],
        [MessageUsage("user", 1, 0.5, None, 0.0)],
        (),
    ]


def test_words_that_differ_are_marked_on_their_side():
    one, other = (
        RenderedTurn(0, 0, message("user", text), ()) for text in ("A large pizza.", "A small pizza, please.")
    )

    before, after = mark_differences([one], [other])

    assert [piece.text for piece in before[0].pieces if piece.marks] == ["large"]
    assert [piece.text for piece in after[0].pieces if piece.marks] == ["small", ", please"]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (["A: $11.50."], ["A: $10."], "First difference in turn 0: “$11.50” became “$10” after the same user messages"),
        (["A"], ["A", "B"], "The conversation goes on in turn 0 only after"),
        (["A", "B"], ["A"], "The conversation goes on in turn 0 only before"),
        (["A"], ["A"], ""),
    ],
)
def test_two_conversations_part_at_their_first_difference(before: list[str], after: list[str], said: str):
    sides = [[RenderedTurn(0, 0, message("chatbot", text), ()) for text in side] for side in (before, after)]

    assert first_difference(*sides) == said


def test_a_turn_that_only_one_side_has_is_marked_whole():
    turn = RenderedTurn(0, 0, message("user", "Hello?"), (Piece("Hello?"),))

    before, after = mark_differences([turn], [])

    assert (["".join(p.text for p in before[0].pieces if p.marks)], after) == (["Hello?"], [])


def test_messages_of_very_many_words_are_marked_whole():
    one, other = (RenderedTurn(0, 0, message("chatbot", text), ()) for text in ("." * 1_100, ".," * 550))

    before, after = mark_differences([one], [other])

    assert [piece.text for piece in (*before[0].pieces, *after[0].pieces) if piece.marks] == ["." * 1_100, ".," * 550]


def test_files_that_differ_are_shown_line_by_line():
    found = changed_lines({"a": "one\ntwo\n", "b": "same\n"}, {"a": "one\n2\n", "b": "same\n", "c": "new\n"})

    assert found == {
        "a": [("gap", "…"), ("same", "one"), ("removed", "two"), ("added", "2")],
        "c": [("gap", "…"), ("added", "new")],
    }


def test_nothing_that_was_said_is_invisible_or_turned_around():
    assert shown("a\u202eb\x00\nc\td") == "a\\u202eb\\x00\nc\td"


def test_figures_say_what_they_are():
    assert [percent(share) for share in (None, 0, 0.00001, 0.5, 0.99999, 1)] == [
        "–",
        "0 %",
        "<0.1 %",
        "50 %",
        ">99.9 %",
        "100 %",
    ]
    assert [money(cost) for cost in (None, 0, 0.0012, 12.5, 0.0000123)] == [
        "unknown",
        "$0.00",
        "$0.0012",
        "$12.50",
        "$0.000012",
    ]
    assert [seconds(took) for took in (None, 0.05, 2.5, 90, 7260)] == ["–", "50 ms", "2.5 s", "1 min 30 s", "2 h 1 min"]
    assert [number(value) for value in (None, 1234.0, 2.333)] == ["–", "1,234", "2.33"]


def test_json_is_short_where_it_can_be_and_cannot_leave_its_element():
    value = {"short": {"a": [1, None]}, "<b>": "</pre><script>&", "long": ["word" * 12, "word" * 12]}

    written = as_json(value)

    assert '"short": {"a": [1, null]}' in written
    assert f'"long": [\n    "{"word" * 12}",\n' in written
    assert "<" not in written
    assert json.loads(unescape(written)) == value


def test_judges_are_among_those_who_took_something():
    conversation = a_conversation(a_case("a"))
    judged = Verdict(check="kind", outcome=CheckOutcome.PASS, conversation="a", usage=Usage(calls=2, cost=0.5))

    assert consumed(conversation, [judged]) == {**conversation.usage, "judge": judged.usage}
    assert consumed(conversation, []) == conversation.usage


def test_a_failure_follows_from_an_earlier_one_of_the_same_output_or_variable():
    conversation = a_conversation(a_case("a"))
    seen = {"price": 3, "total": 1, "price_again": 5, "size_kept": 7, "other": 0}
    subjects = {"price": "price", "total": "total", "price_again": "price", "size_kept": "kept", "other": "name"}
    reads = {"total": ("size",), "size_kept": ("size", "value:big")}
    failed = [
        Verdict(
            check=check,
            outcome=CheckOutcome.FAIL,
            conversation="a",
            symptoms=(Symptom(kind="value", subject=subjects[check], at=at),),
            needs=(Need(names=reads.get(check, ())),),
        )
        for check, at in seen.items()
    ]

    assert follows(conversation, failed) == {"price_again": "price", "size_kept": "total"}
