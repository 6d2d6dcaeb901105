from dataclasses import replace

from reports.summing import decided, summarise
from sparring.core.audit import Blame
from sparring.core.case import Case, Goal, GoalAnswer
from sparring.core.conversation import Conversation, Ending, GoalProgress, GoalStage, Output
from sparring.core.message import Image, Message, ToolCall, message
from sparring.core.outcome import NOTHING_CHECKED, Outcome, decide
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome, Finding, Verdict
from sparring.reports.measures import Spread
from sparring.reports.reported import ReportedConversation
from sparring.reports.summary import EXAMPLES, ConversationExample, ScenarioRate, Summary, Tally
from sparring.reports.text import summary_text
from sparring.testing.factories import a_batch, a_case, a_conversation, all_conversations, attempt
from tables import table


def test_a_batch_is_counted():
    batch = a_batch("a", "b", "c", repeats=2)
    played = [
        a_conversation(batch.cases[0]),
        a_conversation(batch.cases[0], repeat=2).model_copy(update={"warnings": ("one", "two")}),
        unanswered(a_conversation(batch.cases[1], ending=Ending.TURN_LIMIT)),
        a_conversation(batch.cases[1], repeat=2, ending=Ending.TIMEOUT),
        a_conversation(batch.cases[2], ending=Ending.USER_FAILED),
    ]
    verdicts = [
        verdict("a#2", CheckOutcome.FAIL, "too dear"),
        verdict("a", CheckOutcome.PASS),
        verdict("b#2", CheckOutcome.FAIL),
    ]

    outcomes = {Outcome.PASSED: 1, Outcome.FAILED: 2, Outcome.UNDECIDED: 1, Outcome.VOID: 1}

    summary = summarise(batch, played, verdicts, [Finding(rule="same price", violated=1)])

    assert summary.model_copy(update={"statistics": None, "causes": ()}) == Summary(
        batch="B1",
        seed=7,
        who=batch.who,
        planned=6,
        stored=5,
        not_run=1,
        endings=dict.fromkeys(Ending, 0)
        | {Ending.GOALS_ANSWERED: 2, Ending.TURN_LIMIT: 1, Ending.TIMEOUT: 1, Ending.USER_FAILED: 1},
        outcomes=outcomes,
        last_outcomes=outcomes,
        blames={Blame.CHATBOT: 2, Blame.USER: 1, Blame.CASE: 1},
        crashes=1,
        last_crashes=1,
        goals=3,
        goals_answered=2,
        outputs=3,
        outputs_stated=2,
        turns=Spread(n=3, mean=2, std=0, median=2, min=2, max=2),
        reply_seconds=Spread(n=6, mean=0.375, std=0.01875**0.5, median=0.375, min=0.25, max=0.5),
        usage={"chatbot": Usage(calls=10, input_tokens=4500, output_tokens=300, cost=sum([0.0012] * 5))},
        warnings={"one": 1, "two": 1},
        examples=(
            example("a#2", Outcome.FAILED, Blame.CHATBOT, "polite: too dear"),
            example("b#2", Outcome.FAILED, Blame.CHATBOT, "the chatbot did not reply in time", "polite"),
            example("b", Outcome.UNDECIDED, Blame.CASE, NOTHING_CHECKED),
            example("c", Outcome.VOID, Blame.USER, "the simulated user failed"),
        ),
        findings=(Finding(rule="same price", violated=1),),
        worst=(
            ScenarioRate(scenario="b", passed=0, conversations=2),
            ScenarioRate(scenario="c", passed=0, conversations=1),
            ScenarioRate(scenario="a", passed=1, conversations=2),
        ),
    )


def test_a_batch_of_which_nothing_was_run_has_no_statistics():
    summary = summarise(a_batch("a"), [])

    assert (summary.not_run, summary.turns, summary.reply_seconds, summary.consumed) == (1, Spread(), Spread(), Usage())


def test_a_message_that_the_case_brought_along_is_no_turn():
    case = a_case("a")
    case = case.model_copy(update={"history": a_conversation(case).messages})
    conversation = a_conversation(case)
    conversation = conversation.model_copy(update={"messages": (*case.history, *conversation.messages)})

    assert summarise(a_batch("a"), [conversation]).turns.max == 2


SILENCE = message("chatbot", " \n")
PICTURE = Message(role="chatbot", parts=(Image(url="https://example.com/menu.png"),))


@table(
    ("replies", "found", "outcome"),
    [
        ((SILENCE,), CheckOutcome.PASS, Outcome.FAILED),
        ((SILENCE,), CheckOutcome.ERROR, Outcome.FAILED),
        ((message("chatbot", "Injected", injected=True), SILENCE), CheckOutcome.PASS, Outcome.FAILED),
        ((SILENCE, message("chatbot", "Hello")), CheckOutcome.PASS, Outcome.PASSED),
        ((PICTURE,), CheckOutcome.PASS, Outcome.PASSED),
        ((message("chatbot", "", ends=True),), CheckOutcome.PASS, Outcome.PASSED),
        ((message("chatbot", "", tool_calls=(ToolCall(name="look"),)),), CheckOutcome.PASS, Outcome.PASSED),
        ((), CheckOutcome.PASS, Outcome.PASSED),
    ],
)
def test_a_chatbot_that_never_says_anything_passes_nothing(
    replies: tuple[Message, ...], found: CheckOutcome, outcome: Outcome
):
    said = (message("chatbot", "What came before is no reply."), message("user", "Hello?"))
    case = a_case("a").model_copy(update={"history": said[:1]})
    conversation = a_conversation(case).model_copy(update={"messages": (*said, *replies)})

    decision = decide(conversation, [verdict("a", found, "it is wrong")])
    assert decision.outcome is outcome
    assert decision.reason in ("", "the chatbot never said anything")


@table(
    ("endings", "findings", "outcome"),
    [
        ([Ending.GOALS_ANSWERED] * 2, [Finding(rule="r", satisfied=1)], Outcome.PASSED),
        ([Ending.GOALS_ANSWERED] * 2, [Finding(rule="r")], Outcome.UNDECIDED),
        ([Ending.GOALS_ANSWERED] * 2, [Finding(rule="r", violated=1)], Outcome.FAILED),
        ([Ending.GOALS_ANSWERED], [], Outcome.UNDECIDED),
        ([Ending.GOALS_ANSWERED, Ending.TIMEOUT], [], Outcome.FAILED),
        ([Ending.GOALS_ANSWERED, Ending.USER_STUCK], [], Outcome.UNDECIDED),
        ([Ending.USER_STUCK], [Finding(rule="r", violated=1)], Outcome.FAILED),
    ],
)
def test_fail_beats_what_could_not_be_decided_and_that_beats_pass(
    endings: list[Ending], findings: list[Finding], outcome: Outcome
):
    batch = a_batch("a", "b")
    played = [a_conversation(case, ending=ending) for case, ending in zip(batch.cases, endings, strict=False)]
    held = [verdict(each.id, CheckOutcome.PASS) for each in played]

    assert summarise(batch, played, held, findings).outcome is outcome


def test_nothing_planned_is_undecided():
    assert summarise(a_batch(), []).outcome is Outcome.UNDECIDED


def test_first_attempts_count_and_later_ones_are_listed():
    batch = a_batch("a", "b", "c")
    tally = Tally(batch)
    for case, number, found, first in (
        (batch.cases[0], 3, CheckOutcome.PASS, Outcome.FAILED),
        (batch.cases[1], 2, CheckOutcome.FAIL, Outcome.PASSED),
        (batch.cases[2], 2, CheckOutcome.PASS, None),
    ):
        conversation = attempt(a_conversation(case), number)
        tally.add(replace(decided(conversation, [verdict(case.id, found)]), first=first))

    summary = tally.summary()

    assert (summary.outcomes[Outcome.PASSED], summary.outcomes[Outcome.FAILED]) == (2, 1)
    assert (summary.last_outcomes[Outcome.PASSED], summary.last_outcomes[Outcome.FAILED]) == (2, 1)
    assert (summary.retried, summary.most_attempts) == (1, 3)
    assert [(each.conversation, each.reason) for each in summary.examples] == [
        ("a", "failed at the first attempt, passed on attempt 3")
    ]


def test_only_the_first_that_did_not_pass_are_named():
    batch = a_batch("a", repeats=30)
    failed = [verdict(each.id, CheckOutcome.FAIL) for each in all_conversations(batch)]

    summary = summarise(batch, all_conversations(batch), failed)

    assert (len(summary.examples), summary.outcomes[Outcome.FAILED]) == (EXAMPLES, 30)


def test_a_summary_survives_json():
    batch = a_batch("a", "b")
    summary = summarise(
        batch, all_conversations(batch), [verdict("a", CheckOutcome.FAIL)], [Finding(rule="r", violated=1)]
    )

    assert Summary.model_validate_json(summary.model_dump_json()) == summary


def example(conversation: str, outcome: Outcome, blame: Blame, *reasons: str) -> ConversationExample:
    return ConversationExample(
        conversation=conversation, outcome=outcome, blame=blame, reason=reasons[0], reasons=reasons
    )


def verdict(conversation: str, outcome: CheckOutcome, reason: str = "") -> Verdict:
    return Verdict(check="polite", outcome=outcome, conversation=conversation, reason=reason)


def unanswered(conversation: Conversation) -> Conversation:
    goals = tuple(GoalProgress(text=goal.text) for goal in conversation.goals)
    outputs = tuple(Output(name=output.name) for output in conversation.outputs)
    return conversation.model_copy(update={"goals": goals, "outputs": outputs})


def test_faults_and_doubts_are_counted_with_the_rates_that_depend_on_them():
    batch = a_batch("a", "b", "c", "d")
    passed = decide(a_conversation(batch.cases[0]), [verdict("a", CheckOutcome.PASS)])
    void = passed.changed(
        outcome=Outcome.VOID, as_played=Outcome.FAILED, faults=("role_flip", "meta"), blame=Blame.USER
    )
    doubted = passed.changed(outcome=Outcome.FAILED, doubts=("wrong_value",), blame=Blame.CHATBOT)
    tally = Tally(batch)
    for case, decision in zip(batch.cases, (passed, void, void, doubted), strict=True):
        tally.add(ReportedConversation(a_conversation(case), decision))

    summary = tally.summary()

    assert summary.faults == {"meta": 2, "role_flip": 2}
    assert summary.doubts == 1
    assert summary.statistics is not None
    assert summary.statistics.as_played is not None
    assert (summary.statistics.as_played.value, summary.statistics.decided.value) == (1 / 4, 1 / 2)
    text = "\n".join(summary_text(summary))
    assert "Faults that made conversations void: meta 2, role_flip 2" in text
    assert "passed 25 % with what the audit made void as it was played: " in text


def test_repairs_of_a_model_that_plays_the_user_are_counted():
    batch = a_batch("a", "b")
    tally = Tally(batch)
    for case in batch.cases:
        said = message("user", "Hi").changed(repaired=("label", "asked again: meta"))
        tally.add(decided(a_conversation(case).changed(messages=(said,), usage={"user": Usage(calls=2)})))

    summary = tally.summary()

    assert summary.repairs == {"asked again: meta": 2, "label": 2}
    assert "Repaired lines of the user's model: asked again: meta 2, label 2" in "\n".join(summary_text(summary))


def test_goals_that_do_not_say_what_is_right_are_proposed_once():
    goals = (Goal(text="the hours"), Goal(text="the price", answer=(GoalAnswer(number=9),)), Goal(text="a pizza"))
    batch = a_batch("a", "b").model_copy(update={"cases": tuple(Case(id=id, goals=goals) for id in "ab")})
    tally = Tally(batch)
    for case in batch.cases:
        read = tuple(
            GoalProgress(text=goal.text, stage=GoalStage.UNREAD if goal.text != "a pizza" else GoalStage.ASKED)
            for goal in goals
        )
        tally.add(decided(a_conversation(case).changed(goals=read)))
    summary = tally.summary()

    assert summary.unanswered == ("the hours",)
    assert '  - {asks: "the hours", answer: ...}' in list(summary_text(summary))
