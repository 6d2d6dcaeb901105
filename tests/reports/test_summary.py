import pytest

from sparring.core.conversation import Conversation, Ending, GoalProgress, Output
from sparring.core.message import Image, Message, ToolCall, message
from sparring.core.usage import Usage
from sparring.core.verdict import HUMAN, CheckOutcome, Example, Finding, Verdict
from sparring.reports.measures import Spread
from sparring.reports.summary import EXAMPLES, Summary, outcome_of, summarise
from sparring.testing.factories import a_batch, a_case, a_conversation, all_conversations


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

    assert summarise(batch, played, verdicts, [Finding(rule="same price", violated=1)]) == Summary(
        batch="B1",
        seed=7,
        who=batch.who,
        planned=6,
        stored=5,
        not_run=1,
        endings=dict.fromkeys(Ending, 0)
        | {Ending.GOALS_ANSWERED: 2, Ending.TURN_LIMIT: 1, Ending.TIMEOUT: 1, Ending.USER_FAILED: 1},
        outcomes={CheckOutcome.PASS: 2, CheckOutcome.FAIL: 1, CheckOutcome.ERROR: 1, CheckOutcome.NOT_APPLICABLE: 1},
        unjudged=1,
        goals=3,
        goals_answered=2,
        outputs=3,
        outputs_stated=2,
        turns=Spread(n=3, mean=2, std=0, median=2, min=2, max=2),
        reply_seconds=Spread(n=6, mean=0.375, std=0.01875**0.5, median=0.375, min=0.25, max=0.5),
        usage={"chatbot": Usage(calls=10, input_tokens=4500, output_tokens=300, cost=sum([0.0012] * 5))},
        warnings={"one": 1, "two": 1},
        examples=(
            Example(conversations=("a#2",), outcome=CheckOutcome.FAIL, reason="polite: too dear"),
            Example(conversations=("b#2",), outcome=CheckOutcome.ERROR, reason="timeout"),
            Example(conversations=("c",), outcome=CheckOutcome.NOT_APPLICABLE, reason="user_failed"),
        ),
        findings=(Finding(rule="same price", violated=1),),
    )


def test_a_conversation_about_which_no_check_said_anything_is_unjudged():
    batch = a_batch("judged", "not exercised", "alone")
    said = [verdict("judged", CheckOutcome.PASS), verdict("not exercised", CheckOutcome.NOT_APPLICABLE)]

    summary = summarise(batch, all_conversations(batch), said)

    assert (summary.outcomes[CheckOutcome.PASS], summary.unjudged) == (3, 2)


def test_a_batch_of_which_nothing_was_run_has_no_statistics():
    summary = summarise(a_batch("a"), [])

    assert (summary.not_run, summary.turns, summary.reply_seconds, summary.consumed) == (1, Spread(), Spread(), Usage())


def test_a_message_that_the_case_brought_along_is_no_turn():
    case = a_case("a")
    case = case.model_copy(update={"history": a_conversation(case).messages})
    conversation = a_conversation(case)
    conversation = conversation.model_copy(update={"messages": (*case.history, *conversation.messages)})

    assert summarise(a_batch("a"), [conversation]).turns.max == 2


@pytest.mark.parametrize(
    ("ending", "found", "outcome"),
    [
        (Ending.GOALS_ANSWERED, (), CheckOutcome.PASS),
        (Ending.TURN_LIMIT, (CheckOutcome.PASS, CheckOutcome.NOT_APPLICABLE), CheckOutcome.PASS),
        (Ending.GOALS_ANSWERED, (CheckOutcome.NOT_APPLICABLE,), CheckOutcome.PASS),
        (Ending.GOALS_ANSWERED, (CheckOutcome.ERROR, CheckOutcome.FAIL), CheckOutcome.FAIL),
        (Ending.GOALS_ANSWERED, (CheckOutcome.PASS, CheckOutcome.ERROR), CheckOutcome.ERROR),
        (Ending.CHATBOT_FAILED, (CheckOutcome.FAIL,), CheckOutcome.ERROR),
        (Ending.USER_STUCK, (CheckOutcome.FAIL,), CheckOutcome.NOT_APPLICABLE),
        (None, (), CheckOutcome.ERROR),
    ],
)
def test_a_conversation_passes_when_its_ending_counts_and_no_verdict_is_fail_or_error(
    ending: Ending | None, found: tuple[CheckOutcome, ...], outcome: CheckOutcome
):
    conversation = a_conversation(a_case("a")).model_copy(update={"ending": ending})

    assert outcome_of(conversation, [verdict("a", each) for each in found])[0] is outcome


def test_what_a_human_says_decides_only_for_those_who_trust_them():
    conversation, wrong = a_conversation(a_case("a")), verdict("a", CheckOutcome.FAIL, "it is wrong")
    human = wrong.model_copy(update={"check": HUMAN, "judge": HUMAN})

    assert outcome_of(conversation, [verdict("a", CheckOutcome.PASS), human]) == (CheckOutcome.PASS, "")
    assert outcome_of(conversation, [human], trusts_human=True) == (CheckOutcome.FAIL, "human: it is wrong")


SILENCE = message("chatbot", " \n")
PICTURE = Message(role="chatbot", parts=(Image(url="https://example.com/menu.png"),))


@pytest.mark.parametrize(
    ("replies", "found", "outcome"),
    [
        ((SILENCE,), CheckOutcome.PASS, (CheckOutcome.ERROR, "the chatbot never said anything")),
        ((SILENCE,), CheckOutcome.FAIL, (CheckOutcome.FAIL, "polite: it is wrong")),
        ((message("chatbot", "Injected", injected=True), SILENCE), CheckOutcome.PASS, (CheckOutcome.ERROR,)),
        ((SILENCE, message("chatbot", "Hello")), CheckOutcome.PASS, (CheckOutcome.PASS, "")),
        ((PICTURE,), CheckOutcome.PASS, (CheckOutcome.PASS, "")),
        ((message("chatbot", "", ends=True),), CheckOutcome.PASS, (CheckOutcome.PASS, "")),
        ((message("chatbot", "", tool_calls=(ToolCall(name="look"),)),), CheckOutcome.PASS, (CheckOutcome.PASS, "")),
        ((), CheckOutcome.PASS, (CheckOutcome.PASS, "")),
    ],
)
def test_a_chatbot_that_never_says_anything_passes_nothing(
    replies: tuple[Message, ...], found: CheckOutcome, outcome: tuple[CheckOutcome, ...]
):
    said = (message("chatbot", "What came before is no reply."), message("user", "Hello?"))
    case = a_case("a").model_copy(update={"history": said[:1]})
    conversation = a_conversation(case).model_copy(update={"messages": (*said, *replies)})

    assert outcome_of(conversation, [verdict("a", found, "it is wrong")])[: len(outcome)] == outcome


def test_a_human_may_pass_silence():
    conversation = a_conversation(a_case("a")).model_copy(update={"messages": (message("user", "Hello?"), SILENCE)})
    human = verdict("a", CheckOutcome.PASS).model_copy(update={"check": HUMAN, "judge": HUMAN})

    assert outcome_of(conversation, [human])[0] is CheckOutcome.ERROR
    assert outcome_of(conversation, [human], trusts_human=True)[0] is CheckOutcome.PASS


@pytest.mark.parametrize(
    ("endings", "findings", "outcome"),
    [
        ([Ending.GOALS_ANSWERED] * 2, [Finding(rule="r", satisfied=1)], CheckOutcome.PASS),
        ([Ending.GOALS_ANSWERED] * 2, [Finding(rule="r")], CheckOutcome.ERROR),
        ([Ending.GOALS_ANSWERED] * 2, [Finding(rule="r", violated=1)], CheckOutcome.FAIL),
        ([Ending.GOALS_ANSWERED], [], CheckOutcome.ERROR),
        ([Ending.GOALS_ANSWERED, Ending.TIMEOUT], [], CheckOutcome.ERROR),
        ([Ending.GOALS_ANSWERED, Ending.USER_STUCK], [], CheckOutcome.ERROR),
        ([Ending.TIMEOUT], [Finding(rule="r", violated=1)], CheckOutcome.FAIL),
    ],
)
def test_fail_beats_what_could_not_be_decided_and_that_beats_pass(
    endings: list[Ending], findings: list[Finding], outcome: CheckOutcome
):
    batch = a_batch("a", "b")
    played = [a_conversation(case, ending=ending) for case, ending in zip(batch.cases, endings, strict=False)]

    assert summarise(batch, played, findings=findings).outcome is outcome


def test_nothing_planned_is_nothing_to_decide():
    assert summarise(a_batch(), []).outcome is CheckOutcome.NOT_APPLICABLE


def test_only_the_first_that_did_not_pass_are_named():
    batch = a_batch("a", repeats=30)
    failed = [verdict(each.id, CheckOutcome.FAIL) for each in all_conversations(batch)]

    summary = summarise(batch, all_conversations(batch), failed)

    assert (len(summary.examples), summary.outcomes[CheckOutcome.FAIL]) == (EXAMPLES, 30)


def test_a_summary_survives_json():
    batch = a_batch("a", "b")
    summary = summarise(
        batch, all_conversations(batch), [verdict("a", CheckOutcome.FAIL)], [Finding(rule="r", violated=1)]
    )

    assert Summary.model_validate_json(summary.model_dump_json()) == summary


def verdict(conversation: str, outcome: CheckOutcome, reason: str = "") -> Verdict:
    return Verdict(check="polite", outcome=outcome, conversation=conversation, reason=reason)


def unanswered(conversation: Conversation) -> Conversation:
    goals = tuple(GoalProgress(text=goal.text) for goal in conversation.goals)
    outputs = tuple(Output(name=output.name) for output in conversation.outputs)
    return conversation.model_copy(update={"goals": goals, "outputs": outputs})
