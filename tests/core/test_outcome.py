"""The decision of a conversation's outcome: order of precedence, reasons and blame."""

import pytest

from sparring.core.audit import Blame
from sparring.core.case import Case, Goal
from sparring.core.checks import Expectation, Rule
from sparring.core.conversation import Conversation, Ending, GoalProgress, GoalStage
from sparring.core.message import message
from sparring.core.outcome import Crash, Discrimination, Outcome, decide
from sparring.core.verdict import CHECKLIST, HUMAN, CheckOutcome, Verdict
from tables import table


def conversation(ending: Ending | None = Ending.USER_DONE, *, said: str = "Hello", error: str = "") -> Conversation:
    messages = (message("user", "Hi"), message("chatbot", said))
    return Conversation(case=Case(id="a"), messages=messages, ending=ending, error=error)


def verdict(
    outcome: CheckOutcome,
    *,
    check: str = "price",
    reason: str = "",
    judge: str = "",
    blame: Blame | None = None,
    by: str = "rule",
) -> Verdict:
    return Verdict(check=check, outcome=outcome, conversation="a", reason=reason, judge=judge, blame=blame, by=by)


PASS, FAIL, ERROR = map(verdict, (CheckOutcome.PASS, CheckOutcome.FAIL, CheckOutcome.ERROR))
NOT_APPLICABLE = verdict(CheckOutcome.NOT_APPLICABLE)
HUMAN_PASS = verdict(CheckOutcome.PASS, judge=HUMAN)
HUMAN_FAIL = verdict(CheckOutcome.FAIL, judge=HUMAN)
WEAK = Discrimination(kind="weak", passed_by=("echo",), reason="echo passes", remedy="say the answer")


@table(
    ("verdicts", "outcome", "blame"),
    [
        ([PASS], Outcome.PASSED, None),
        ([PASS, NOT_APPLICABLE], Outcome.PASSED, None),
        ([PASS, FAIL, ERROR], Outcome.FAILED, Blame.CHATBOT),
        ([PASS, ERROR], Outcome.UNDECIDED, Blame.JUDGE),
        ([], Outcome.UNDECIDED, Blame.CASE),
        ([NOT_APPLICABLE], Outcome.UNDECIDED, Blame.CASE),
        ([verdict(CheckOutcome.ERROR, blame=Blame.CASE)], Outcome.UNDECIDED, Blame.CASE),
    ],
)
def test_verdicts_decide(verdicts: list[Verdict], outcome: Outcome, blame: Blame | None):
    decision = decide(conversation(), verdicts)
    assert (decision.outcome, decision.blame) == (outcome, blame)
    assert bool(decision.reasons) == (outcome is not Outcome.PASSED)


@pytest.mark.parametrize(
    ("checklist", "told"),
    [
        (CheckOutcome.FAIL, ["checklist"]),
        (CheckOutcome.ERROR, ["answer", "checklist"]),
        (CheckOutcome.PASS, ["answer"]),
        (CheckOutcome.NOT_APPLICABLE, ["answer"]),
    ],
)
def test_a_wrong_answer_is_reported_once(checklist: CheckOutcome, told: list[str]):
    expected = Expectation(rule=Rule(name="answer", then="goal_answer(1)"), goal=1)
    case = Case(id="a", goals=(Goal(text="the hours"),), expectations=(expected,))
    verdicts = [verdict(CheckOutcome.FAIL, check="answer"), verdict(checklist, check=CHECKLIST, by=CHECKLIST)]

    decision = decide(conversation().changed(case=case), verdicts)

    assert decision.outcome is Outcome.FAILED
    assert [reason.check for reason in decision.reasons] == told


@pytest.mark.parametrize("ending", [Ending.CHATBOT_FAILED, Ending.TIMEOUT])
@pytest.mark.parametrize(("crash", "outcome"), [("failed", Outcome.FAILED), ("undecided", Outcome.UNDECIDED)])
def test_a_crash_is_the_chatbots_failure_unless_asked_otherwise(ending: Ending, crash: Crash, outcome: Outcome):
    decision = decide(conversation(ending, error="HTTP 500"), [PASS, FAIL], crash=crash)
    assert (decision.outcome, decision.blame, decision.crash) == (outcome, Blame.CHATBOT, True)
    assert decision.reason.endswith(": HTTP 500")


def test_a_crash_is_reported_before_failed_checks():
    decision = decide(conversation(Ending.CHATBOT_FAILED), [PASS, FAIL, ERROR])
    assert [reason.check for reason in decision.reasons] == ["", "price", "price"]


@pytest.mark.parametrize(
    ("ending", "blame"),
    [
        (Ending.USER_FAILED, Blame.USER),
        (Ending.USER_STUCK, Blame.USER),
        (Ending.INFRASTRUCTURE_FAILED, Blame.INFRASTRUCTURE),
    ],
)
def test_a_failure_on_our_side_is_void_despite_any_check(ending: Ending, blame: Blame):
    decision = decide(conversation(ending), [FAIL])
    assert (decision.outcome, decision.blame) == (Outcome.VOID, blame)


def test_every_failed_check_is_a_reason():
    second = verdict(CheckOutcome.FAIL, check="polite", reason="it shouted")
    assert [str(each) for each in decide(conversation(), [FAIL, PASS, second]).reasons] == [
        "price",
        "polite: it shouted",
    ]


def test_a_weak_case_cannot_pass_but_can_fail():
    decision = decide(conversation(), [PASS, WEAK.verdict("a")])
    assert (decision.outcome, decision.blame, decision.weak) == (Outcome.UNDECIDED, Blame.CASE, True)
    assert decision.reason == "null bots: echo passes: say the answer"
    assert decide(conversation(), [FAIL, WEAK.verdict("a")]).outcome is Outcome.FAILED


@pytest.mark.parametrize("kind", ["discriminates", "guard", "untried", "off"])
def test_other_cases_can_pass(kind: str):
    discrimination = Discrimination.model_validate({"kind": kind})
    decision = decide(conversation(), [PASS, discrimination.verdict("a")])
    assert (decision.outcome, decision.guard) == (Outcome.PASSED, kind == "guard")


@pytest.mark.parametrize("ending", [Ending.USER_DONE, Ending.CHATBOT_FAILED, Ending.USER_FAILED])
def test_a_person_decides(ending: Ending):
    assert decide(conversation(ending), [FAIL, HUMAN_PASS]).outcome is Outcome.PASSED
    decision = decide(conversation(ending), [PASS, HUMAN_FAIL])
    assert (decision.outcome, decision.blame) == (Outcome.FAILED, Blame.CHATBOT)


def test_people_who_disagree_fail_a_conversation():
    assert decide(conversation(), [HUMAN_PASS, HUMAN_FAIL]).outcome is Outcome.FAILED


def test_a_chatbot_that_says_nothing_has_failed():
    decision = decide(conversation(said=""), [PASS])
    assert (decision.outcome, decision.blame) == (Outcome.FAILED, Blame.CHATBOT)


def test_a_conversation_without_an_ending_is_undecided():
    assert decide(conversation(None), [FAIL]).outcome is Outcome.UNDECIDED


def test_outcomes_of_earlier_versions_are_read():
    assert [Outcome(each) for each in ("pass", "fail", "error", "not_applicable")] == list(Outcome)
    with pytest.raises(ValueError, match="broken"):
        Outcome("broken")


@pytest.mark.parametrize(
    ("recorded", "stage"),
    [
        ({"text": "a"}, GoalStage.NOT_ASKED),
        ({"text": "a", "asked_at": 0, "answered": None}, GoalStage.ASKED),
        ({"text": "a", "asked_at": 0, "answered": {"at": 1, "start": 0, "end": 1, "text": "b"}}, GoalStage.DONE),
    ],
)
def test_goals_recorded_without_stages_are_read(recorded: dict[str, object], stage: GoalStage):
    progress = GoalProgress.model_validate(recorded)
    assert (progress.stage, progress.answered is not None) == (stage, stage is GoalStage.DONE)
    assert GoalProgress.model_validate(progress.model_dump()) == progress
