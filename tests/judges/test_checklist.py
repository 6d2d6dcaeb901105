import pytest

from sparring.core.audit import Blame
from sparring.core.case import Case, Goal, GoalAnswer, Limits
from sparring.core.conversation import Conversation, Ending, Evidence, GoalProgress, GoalStage, Output, goal_progress
from sparring.core.message import message
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.judges.checklist import checklist
from tables import table

SAID = Evidence(at=1, start=0, end=2, text="ok")
DONE = goal_progress("a pizza", 0, SAID)
STATED = Output(name="price", value="$1", evidence=SAID)
CASE = Case(id="a", goals=(Goal(text="a pizza"),))
MESSAGES = (message("user", "a pizza"), message("chatbot", "ok"))


def judged(
    *,
    case: Case = CASE,
    ending: Ending = Ending.USER_DONE,
    goal: GoalProgress = DONE,
    output: Output = STATED,
    usage: dict[str, Usage] | None = None,
) -> Verdict:
    return checklist(
        Conversation(case=case, ending=ending, messages=MESSAGES, goals=(goal,), outputs=(output,), usage=usage or {})
    )


def at(stage: GoalStage, evidence: Evidence | None = SAID) -> GoalProgress:
    return GoalProgress(text="a pizza", asked_at=0, stage=stage, evidence=evidence)


def test_a_goal_that_is_done_and_an_output_that_is_stated_pass():
    verdict = judged()

    assert (verdict.outcome, verdict.reason, verdict.score) == (CheckOutcome.PASS, "", 3)


def test_the_reason_names_the_answer_that_the_author_expects():
    case = Case(id="a", goals=(Goal(text="a pizza", answer=(GoalAnswer(text="$9"), GoalAnswer(number=9))),))

    verdict = judged(case=case, goal=at(GoalStage.CONTRADICTED))

    assert verdict.reason == "expected '$9' or '9' for: a pizza; the chatbot said something else: \"ok\" (turn 1)"


@table(
    ("goal", "output", "ending", "reason"),
    [
        (at(GoalStage.ASKED), STATED, Ending.TURN_LIMIT, 'expected: a pizza; the chatbot said: "ok" (turn 1)'),
        (at(GoalStage.ASKED, None), STATED, Ending.TURN_LIMIT, "expected: a pizza; the chatbot did not answer"),
        (
            at(GoalStage.REFUSED),
            STATED,
            Ending.USER_DONE,
            'expected: a pizza; the chatbot refused: "ok" (turn 1)',
        ),
        (
            at(GoalStage.PROPOSED),
            STATED,
            Ending.TURN_LIMIT,
            'expected: a pizza; the chatbot only proposed it: "ok" (turn 1)',
        ),
        (
            at(GoalStage.CONTRADICTED),
            STATED,
            Ending.USER_DONE,
            'expected: a pizza; the chatbot said something else: "ok" (turn 1)',
        ),
        (GoalProgress(text="a pizza"), STATED, Ending.CHATBOT_DONE, "the user did not bring up: a pizza"),
        (DONE, Output(name="price"), Ending.USER_DONE, "the chatbot did not state the output price"),
        (DONE, STATED, Ending.GAVE_UP, "the chatbot did not understand the user, again and again"),
    ],
)
def test_a_goal_that_is_not_done_or_a_missing_output_fails_with_the_quote(
    goal: GoalProgress, output: Output, ending: Ending, reason: str
):
    verdict = judged(goal=goal, output=output, ending=ending)

    assert (verdict.outcome, verdict.reason) == (CheckOutcome.FAIL, reason)


def test_the_reason_shows_a_filled_in_pattern_as_it_was_written():
    case = Case(id="a", goals=(Goal(text="a pizza", answer=(GoalAnswer(pattern=r"booked for Monday\ at\ 14\:30"),)),))

    verdict = judged(case=case, goal=at(GoalStage.ASKED, None))

    assert verdict.reason == "expected /booked for Monday at 14:30/ for: a pizza; the chatbot did not answer"


def test_what_the_user_did_not_bring_up_comes_last():
    verdict = judged(goal=at(GoalStage.NOT_ASKED, None), output=Output(name="price"))

    assert verdict.reason == "the chatbot did not state the output price; the user did not bring up: a pizza"


def test_all_reasons_are_listed():
    verdict = judged(goal=at(GoalStage.REFUSED), output=Output(name="price"))

    assert verdict.reason == (
        'expected: a pizza; the chatbot refused: "ok" (turn 1); the chatbot did not state the output price'
    )
    assert (verdict.score, verdict.evidence) == (1, (SAID,))


def test_an_unread_goal_is_undecided_and_the_author_can_say_what_the_answer_is():
    verdict = judged(goal=at(GoalStage.UNREAD, None))

    assert (verdict.outcome, verdict.blame, verdict.score) == (CheckOutcome.ERROR, Blame.CASE, None)
    assert verdict.reason == (
        "cannot tell from the replies: a pizza; say what the answer is in the scenario (answer: ...), "
        "or choose a model as reader"
    )


def test_a_goal_that_a_model_could_not_read_is_due_to_the_judge():
    verdict = judged(goal=at(GoalStage.UNREAD, None), usage={"reader": Usage(calls=1)})

    assert (verdict.outcome, verdict.blame) == (CheckOutcome.ERROR, Blame.JUDGE)


def test_a_missing_output_fails_also_where_a_goal_is_unread():
    verdict = judged(goal=at(GoalStage.UNREAD, None), output=Output(name="price"))

    assert (verdict.outcome, verdict.reason) == (CheckOutcome.FAIL, "the chatbot did not state the output price")


@pytest.mark.parametrize(
    ("stage", "outcome", "reason"),
    [
        (GoalStage.REFUSED, CheckOutcome.PASS, ""),
        (GoalStage.DONE, CheckOutcome.FAIL, 'expected a refusal: a pizza; the chatbot said: "ok" (turn 1)'),
        (GoalStage.PROPOSED, CheckOutcome.FAIL, 'expected a refusal: a pizza; the chatbot said: "ok" (turn 1)'),
        (GoalStage.UNREAD, CheckOutcome.ERROR, None),
    ],
)
def test_where_a_refusal_is_right_the_goal_must_be_refused(stage: GoalStage, outcome: CheckOutcome, reason: str | None):
    verdict = judged(case=CASE.model_copy(update={"right": "refuse"}), goal=at(stage))

    assert verdict.outcome is outcome
    assert reason is None or verdict.reason == reason


def test_a_goal_with_an_expression_of_its_own_is_left_to_that_check():
    case = CASE.model_copy(update={"goals": (Goal(text="a pizza", done="called('place_order')"),)})

    assert judged(case=case, goal=at(GoalStage.UNREAD, None)).outcome is CheckOutcome.PASS
    assert judged(case=case, goal=at(GoalStage.UNREAD, None), output=Output(name="price")).outcome is CheckOutcome.FAIL


@pytest.mark.parametrize("ending", [Ending.TIMEOUT, Ending.CHATBOT_FAILED, Ending.USER_STUCK, Ending.USER_FAILED])
def test_an_ending_that_does_not_count_is_not_judged(ending: Ending):
    assert judged(goal=GoalProgress(text="a pizza"), ending=ending).outcome is CheckOutcome.NOT_APPLICABLE


def test_a_user_that_only_took_some_steps_is_not_judged_by_its_goals():
    case = CASE.model_copy(update={"limits": Limits(steps=2)})

    assert judged(case=case, goal=GoalProgress(text="a pizza")).outcome is CheckOutcome.NOT_APPLICABLE


def test_where_nothing_was_wanted_there_is_nothing_to_judge():
    assert checklist(Conversation(case=Case(id="a"), ending=Ending.USER_DONE)).outcome is CheckOutcome.NOT_APPLICABLE


@table(
    ("stage", "ending", "kinds"),
    [
        (GoalStage.ASKED, Ending.GAVE_UP, ["ending", "goal"]),
        (GoalStage.PROPOSED, Ending.GAVE_UP, ["goal"]),
        (GoalStage.ASKED, Ending.USER_DONE, ["goal"]),
    ],
)
def test_a_chatbot_that_does_not_understand_is_a_symptom_beside_the_goals(
    stage: GoalStage, ending: Ending, kinds: list[str]
):
    assert [each.kind for each in judged(goal=at(stage), ending=ending).symptoms] == kinds
