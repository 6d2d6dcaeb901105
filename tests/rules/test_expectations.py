"""What a case expects is looked at when it is expected."""

from sparring.core.audit import Need
from sparring.core.case import Case, InjectReply, InjectTool, Say
from sparring.core.causes import Symptom
from sparring.core.checks import Expectation, Rule
from sparring.core.conversation import Conversation, Ending, Evidence, ExtractionSnapshot, Output
from sparring.core.message import ToolCall, message
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.rules.check import expected
from tables import table

SCRIPT = (
    InjectReply(text="Welcome back"),
    Say(text="hi"),
    InjectTool(name="track"),
    InjectTool(name="cancel", mode="stub"),
    Say(text="bye"),
)
SAID = (
    message("chatbot", "Hello"),
    message("chatbot", "Welcome back", injected=True),
    message("user", "hi"),
    message("chatbot", "It costs 5.", tool_calls=(ToolCall(name="price"),)),
    message("chatbot", "", tool_calls=(ToolCall(name="track"),), injected=True),
    message("user", "bye"),
    message("chatbot", "It costs 7."),
)


def price(value: int | None, at: int = 0) -> Output:
    evidence = None if value is None else Evidence(at=at, start=9, end=10, text=str(value))
    return Output(name="price", value=value, evidence=evidence)


def conversation(*expectations: Expectation, said: int = len(SAID)) -> Conversation:
    return Conversation(
        case=Case(id="a", script=SCRIPT, expectations=expectations),
        messages=SAID[:said],
        ending=Ending.USER_DONE if said == len(SAID) else Ending.CHATBOT_DONE,
        outputs=(price(7, 6),),
        moments=(
            ExtractionSnapshot(messages=4, outputs=(price(5, 3),)),
            ExtractionSnapshot(messages=7, outputs=(price(7, 6),)),
        ),
        reports_tools=True,
    )


def expecting(then: str, after: int | None = None, check: str = "", name: str = "x") -> Expectation:
    return Expectation(rule=Rule(name=name, then=then), after=after, check=check)


@table(
    ("after", "then"),
    [
        (1, "conversation_length() == 1 and price is None and ending is None"),
        (2, "price == 5 and turns() == 1 and calls('price') == 1"),
        (3, "price == 5 and turns() == 1 and calls() == 1"),
        (4, "turns() == 1"),
        (5, "price == 7 and turns() == 2 and ending == 'user_done'"),
        (None, "price == 7 and turns() == 2 and calls() == 1"),
    ],
)
async def test_an_expectation_sees_the_conversation_as_it_was_after_its_step(after: int | None, then: str):
    (verdict,) = await expected(conversation(expecting(then, after)))

    assert verdict == Verdict(check="x", outcome=CheckOutcome.PASS, conversation="a")


async def test_what_a_conversation_never_came_to_has_failed():
    found = await expected(conversation(expecting("True", 2), expecting("True", 3), expecting("True", 5), said=4))

    assert [(verdict.outcome, verdict.reason) for verdict in found] == [
        (CheckOutcome.PASS, ""),
        (CheckOutcome.FAIL, "it never came to that: chatbot_done"),
        (CheckOutcome.FAIL, "it never came to that: chatbot_done"),
    ]


async def test_a_line_without_an_answer_is_no_step_that_was_taken():
    (verdict,) = await expected(conversation(expecting("True", 5), said=6))

    assert verdict.outcome is CheckOutcome.FAIL


async def test_expectations_that_are_one_check_pass_or_fail_together():
    passing = [expecting("True", check="playbook"), expecting("turns() == 1", 2, "playbook")]
    wrong = [expecting("turns() == 3", 5, "playbook", "step 4"), expecting("missing", 5, "playbook", "step 5")]

    (passed,) = await expected(conversation(*passing))
    own, failed = await expected(conversation(*passing, *wrong, expecting("True", name="own")))

    assert passed == Verdict(check="playbook", outcome=CheckOutcome.PASS, conversation="a", score=1.0)
    assert own.check == "own"
    assert failed == Verdict(
        check="playbook",
        outcome=CheckOutcome.FAIL,
        conversation="a",
        reason="step 4: expected turns() == 3, got 2; step 5: no conversation has a variable 'missing'",
        score=0.0,
        needs=(Need(names=("value:3",)),),
        symptoms=(Symptom(kind="rule", subject="step 4", check="step 4"),),
    )


async def test_a_check_that_cannot_be_decided_has_no_score():
    unseen = conversation(expecting("calls() == 0", check="playbook")).model_copy(update={"reports_tools": False})

    (verdict,) = await expected(unseen)

    assert (verdict.outcome, verdict.score, verdict.reason) == (CheckOutcome.ERROR, None, "x: chatbot reports no tools")


@table(
    ("then", "reason"),
    [
        ("price == {'a': 9}['a']", "price: expected 9, got 7"),
        ("price <= 3 and turns() == 2", "price: expected at most 3, got 7"),
        ("price in [1, 2]", "price: expected one of [1, 2], got 7"),
        ("turns() == 3", "expected turns() == 3, got 2"),
    ],
)
async def test_the_reason_of_an_expectation_without_a_name_has_values_instead_of_code(then: str, reason: str):
    (found,) = await expected(conversation(expecting(then, name=then)))

    assert (found.outcome, found.reason) == (CheckOutcome.FAIL, reason)
