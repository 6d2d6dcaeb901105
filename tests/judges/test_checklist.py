import pytest

from sparring.core.case import Case, Goal, Limits
from sparring.core.conversation import Conversation, Ending, Evidence, GoalProgress, Output, goal_progress
from sparring.core.verdict import CheckOutcome
from sparring.judges.checklist import checklist

SAID = Evidence(at=1, start=0, end=2, text="ok")
ANSWERED = goal_progress("a pizza", 0, SAID)
STATED = Output(name="price", value="$1", evidence=SAID)
CASE = Case(id="a", goals=(Goal(text="a pizza"),))


def judged(
    *, case: Case = CASE, ending: Ending = Ending.USER_DONE, goal: GoalProgress = ANSWERED, output: Output = STATED
) -> tuple[CheckOutcome, str]:
    verdict = checklist(Conversation(case=case, ending=ending, goals=(goal,), outputs=(output,)))
    return verdict.outcome, verdict.reason


def test_everything_answered_and_stated_passes():
    assert judged() == (CheckOutcome.PASS, "")


@pytest.mark.parametrize(
    ("goal", "output", "ending", "reason"),
    [
        (goal_progress("a pizza", 0, None), STATED, Ending.TURN_LIMIT, "not answered: a pizza"),
        (GoalProgress(text="a pizza"), STATED, Ending.CHATBOT_DONE, "never asked: a pizza"),
        (ANSWERED, Output(name="price"), Ending.USER_DONE, "not stated: price"),
        (ANSWERED, STATED, Ending.GAVE_UP, "the chatbot did not understand, again and again"),
    ],
)
def test_what_is_missing_fails_and_is_named(goal: GoalProgress, output: Output, ending: Ending, reason: str):
    assert judged(goal=goal, output=output, ending=ending) == (CheckOutcome.FAIL, reason)


@pytest.mark.parametrize("ending", [Ending.TIMEOUT, Ending.CHATBOT_FAILED, Ending.USER_STUCK, Ending.USER_FAILED])
def test_an_ending_that_does_not_count_is_not_judged(ending: Ending):
    assert judged(goal=GoalProgress(text="a pizza"), ending=ending)[0] is CheckOutcome.NOT_APPLICABLE


def test_a_user_that_only_took_some_steps_is_not_judged_by_its_goals():
    case = CASE.model_copy(update={"limits": Limits(steps=2)})

    assert judged(case=case, goal=GoalProgress(text="a pizza"))[0] is CheckOutcome.NOT_APPLICABLE


def test_where_nothing_was_wanted_there_is_nothing_to_judge():
    assert checklist(Conversation(case=Case(id="a"), ending=Ending.USER_DONE)).outcome is CheckOutcome.NOT_APPLICABLE
