import pytest

from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending, GoalProgress, Output, goal_progress
from sparring.core.message import Button, Image, Link, Message, Text, ToolCall, message
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.transcript import transcript, verdict_line
from sparring.testing.factories import a_case, a_conversation


def test_a_conversation_can_be_read():
    assert (
        "\n".join(transcript(a_conversation(a_case("pizza/1"), repeat=2)))
        == """\
conversation pizza/1#2 · goals answered · 2 turns · 1.5 s

[0] user
  | A large pizza, please.

[1] chatbot
  tool price {"size": "large"} -> {"amount": 12.5, "currency": "USD"}
  | That is $12.50. Anything else?

[2] user
  | No, thanks. Привет!

[3] chatbot (ends the conversation)
  | Goodbye.

goals
  - done: order a large pizza ([1] $12.50)

outputs
  - price = {"amount": 12.5, "currency": "USD"} ([1] $12.50)"""
    )


def test_a_transcript_ends_with_the_error():
    parts = (
        Text(text="Choose:"),
        Image(url="https://a.example/x.png", alt="a pizza"),
        Button(title="Large", payload="/large"),
        Link(url="https://a.example", title="Menu"),
    )
    failed = ToolCall(name="price", arguments={"size": 10**30}, error="too large")
    conversation = Conversation(
        case=Case(id="a"),
        messages=(
            message("user", "Hi"),
            Message(role="chatbot", parts=parts, tool_calls=(failed,)),
            message("user", ""),
        ),
        ending=Ending.CHATBOT_FAILED,
        error="HTTP 502",
        goals=(goal_progress("order", 0, None), GoalProgress(text="pay")),
        outputs=(Output(name="price"),),
        warnings=("no variable 'size'",),
    )

    assert (
        "\n".join(transcript(conversation))
        == """\
conversation a · chatbot failed · 2 turns
error: HTTP 502

[0] user
  | Hi

[1] chatbot
  tool price {"size": 1000000000000000000000000000000} -> error: too large
  | Choose:
  image https://a.example/x.png a pizza
  button Large /large
  link https://a.example Menu

[2] user
  (nothing)

goals
  - asked: order (asked at [0])
  - not asked: pay

outputs
  - not stated: price

warnings
  - no variable 'size'"""
    )


def test_no_field_can_forge_a_line_or_give_an_order():
    evil = "x\n::error::forged\r\n##[group]\x1b[2J\n[9] user\u202e"
    conversation = Conversation(
        case=Case(id=evil),
        messages=(
            Message(
                role="chatbot",
                parts=(Text(text=evil), Image(url=evil, alt=evil), Button(title=evil, payload=evil), Link(url=evil)),
                tool_calls=(ToolCall(name=evil, arguments={evil: evil}, result=evil), ToolCall(name="t", error=evil)),
            ),
        ),
        error=evil,
        goals=(GoalProgress(text=evil),),
        outputs=(Output(name=evil),),
        warnings=(evil,),
    )

    lines = list(transcript(conversation))

    assert [line.split(" ")[0] or line[:4] for line in lines if line] == [
        "conversation",
        "error:",
        "[0]",
        *["  to"] * 2,
        *["  | "] * 4,
        "  im",
        "  bu",
        "  li",
        "goals",
        "  - ",
        "outputs",
        "  - ",
        "warnings",
        "  - ",
    ]
    assert [
        line for line in lines if "\x1b" in line or "\u202e" in line or "##[" in line or len(line.splitlines()) > 1
    ] == []


@pytest.mark.parametrize(
    ("judge", "by", "line"),
    [
        ("weak", "null bots", "null bots: fail: one passes"),
        ("openai:m", "openai:m", "null bots, by openai:m: fail: one passes"),
    ],
)
def test_the_kind_of_a_finding_of_null_bots_is_no_judge(judge: str, by: str, line: str):
    found = Verdict(
        check="null bots", conversation="a", outcome=CheckOutcome.FAIL, judge=judge, by=by, reason="one passes"
    )

    assert verdict_line(found) == line
