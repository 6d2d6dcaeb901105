import pytest

from sparring.core.conversation import Conversation, Ending, GoalProgress, Output
from sparring.core.message import Image, Message, ToolCall, message
from sparring.core.usage import Usage
from sparring.core.verdict import HUMAN, Example, Finding, Outcome, Verdict
from sparring.reports.measures import Spread
from sparring.reports.summary import EXAMPLES, Summary, outcome_of, summarise
from sparring.testing.factories import a_batch, a_case, a_conversation, all_of


def test_a_batch_is_counted():
    batch = a_batch("a", "b", "c", repeats=2)
    played = [
        a_conversation(batch.cases[0]),
        a_conversation(batch.cases[0], repeat=2).model_copy(update={"warnings": ("one", "two")}),
        unanswered(a_conversation(batch.cases[1], ending=Ending.TURN_LIMIT)),
        a_conversation(batch.cases[1], repeat=2, ending=Ending.TIMEOUT),
        a_conversation(batch.cases[2], ending=Ending.USER_FAILED),
    ]
    verdicts = [verdict("a#2", Outcome.FAIL, "too dear"), verdict("a", Outcome.PASS), verdict("b#2", Outcome.FAIL)]

    assert summarise(batch, played, verdicts, [Finding(rule="same price", violated=1)]) == Summary(
        batch="B1",
        seed=7,
        who=batch.who,
        planned=6,
        stored=5,
        not_run=1,
        endings=dict.fromkeys(Ending, 0)
        | {Ending.GOALS_ANSWERED: 2, Ending.TURN_LIMIT: 1, Ending.TIMEOUT: 1, Ending.USER_FAILED: 1},
        outcomes={Outcome.PASS: 2, Outcome.FAIL: 1, Outcome.ERROR: 1, Outcome.NOT_APPLICABLE: 1},
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
            Example(conversations=("a#2",), outcome=Outcome.FAIL, reason="polite: too dear"),
            Example(conversations=("b#2",), outcome=Outcome.ERROR, reason="timeout"),
            Example(conversations=("c",), outcome=Outcome.NOT_APPLICABLE, reason="user_failed"),
        ),
        findings=(Finding(rule="same price", violated=1),),
    )


def test_a_conversation_about_which_no_check_said_anything_is_unjudged():
    batch = a_batch("judged", "not exercised", "alone")
    said = [verdict("judged", Outcome.PASS), verdict("not exercised", Outcome.NOT_APPLICABLE)]

    summary = summarise(batch, all_of(batch), said)

    assert (summary.outcomes[Outcome.PASS], summary.unjudged) == (3, 2)


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
        (Ending.GOALS_ANSWERED, (), Outcome.PASS),
        (Ending.TURN_LIMIT, (Outcome.PASS, Outcome.NOT_APPLICABLE), Outcome.PASS),
        (Ending.GOALS_ANSWERED, (Outcome.NOT_APPLICABLE,), Outcome.PASS),
        (Ending.GOALS_ANSWERED, (Outcome.ERROR, Outcome.FAIL), Outcome.FAIL),
        (Ending.GOALS_ANSWERED, (Outcome.PASS, Outcome.ERROR), Outcome.ERROR),
        (Ending.CHATBOT_FAILED, (Outcome.FAIL,), Outcome.ERROR),
        (Ending.USER_STUCK, (Outcome.FAIL,), Outcome.NOT_APPLICABLE),
        (None, (), Outcome.ERROR),
    ],
)
def test_a_conversation_passes_when_its_ending_counts_and_no_verdict_is_fail_or_error(
    ending: Ending | None, found: tuple[Outcome, ...], outcome: Outcome
):
    conversation = a_conversation(a_case("a")).model_copy(update={"ending": ending})

    assert outcome_of(conversation, [verdict("a", each) for each in found])[0] is outcome


def test_what_a_human_says_decides_only_for_those_who_trust_them():
    conversation, wrong = a_conversation(a_case("a")), verdict("a", Outcome.FAIL, "it is wrong")
    human = wrong.model_copy(update={"check": HUMAN, "judge": HUMAN})

    assert outcome_of(conversation, [verdict("a", Outcome.PASS), human]) == (Outcome.PASS, "")
    assert outcome_of(conversation, [human], trusts_human=True) == (Outcome.FAIL, "human: it is wrong")


SILENCE = message("chatbot", " \n")
PICTURE = Message(role="chatbot", parts=(Image(url="https://example.com/menu.png"),))


@pytest.mark.parametrize(
    ("replies", "found", "outcome"),
    [
        ((SILENCE,), Outcome.PASS, (Outcome.ERROR, "the chatbot never said anything")),
        ((SILENCE,), Outcome.FAIL, (Outcome.FAIL, "polite: it is wrong")),
        ((message("chatbot", "Injected", injected=True), SILENCE), Outcome.PASS, (Outcome.ERROR,)),
        ((SILENCE, message("chatbot", "Hello")), Outcome.PASS, (Outcome.PASS, "")),
        ((PICTURE,), Outcome.PASS, (Outcome.PASS, "")),
        ((message("chatbot", "", ends=True),), Outcome.PASS, (Outcome.PASS, "")),
        ((message("chatbot", "", tool_calls=(ToolCall(name="look"),)),), Outcome.PASS, (Outcome.PASS, "")),
        ((), Outcome.PASS, (Outcome.PASS, "")),
    ],
)
def test_a_chatbot_that_never_says_anything_passes_nothing(
    replies: tuple[Message, ...], found: Outcome, outcome: tuple[Outcome, ...]
):
    said = (message("chatbot", "What came before is no reply."), message("user", "Hello?"))
    case = a_case("a").model_copy(update={"history": said[:1]})
    conversation = a_conversation(case).model_copy(update={"messages": (*said, *replies)})

    assert outcome_of(conversation, [verdict("a", found, "it is wrong")])[: len(outcome)] == outcome


def test_a_human_may_pass_silence():
    conversation = a_conversation(a_case("a")).model_copy(update={"messages": (message("user", "Hello?"), SILENCE)})
    human = verdict("a", Outcome.PASS).model_copy(update={"check": HUMAN, "judge": HUMAN})

    assert outcome_of(conversation, [human])[0] is Outcome.ERROR
    assert outcome_of(conversation, [human], trusts_human=True)[0] is Outcome.PASS


@pytest.mark.parametrize(
    ("endings", "findings", "outcome"),
    [
        ([Ending.GOALS_ANSWERED] * 2, [Finding(rule="r", satisfied=1)], Outcome.PASS),
        ([Ending.GOALS_ANSWERED] * 2, [Finding(rule="r")], Outcome.ERROR),
        ([Ending.GOALS_ANSWERED] * 2, [Finding(rule="r", violated=1)], Outcome.FAIL),
        ([Ending.GOALS_ANSWERED], [], Outcome.ERROR),
        ([Ending.GOALS_ANSWERED, Ending.TIMEOUT], [], Outcome.ERROR),
        ([Ending.GOALS_ANSWERED, Ending.USER_STUCK], [], Outcome.ERROR),
        ([Ending.TIMEOUT], [Finding(rule="r", violated=1)], Outcome.FAIL),
    ],
)
def test_fail_beats_what_could_not_be_decided_and_that_beats_pass(
    endings: list[Ending], findings: list[Finding], outcome: Outcome
):
    batch = a_batch("a", "b")
    played = [a_conversation(case, ending=ending) for case, ending in zip(batch.cases, endings, strict=False)]

    assert summarise(batch, played, findings=findings).outcome is outcome


def test_nothing_planned_is_nothing_to_decide():
    assert summarise(a_batch(), []).outcome is Outcome.NOT_APPLICABLE


def test_only_the_first_that_did_not_pass_are_named():
    batch = a_batch("a", repeats=30)
    failed = [verdict(each.id, Outcome.FAIL) for each in all_of(batch)]

    summary = summarise(batch, all_of(batch), failed)

    assert (len(summary.examples), summary.outcomes[Outcome.FAIL]) == (EXAMPLES, 30)


def test_a_summary_survives_json():
    batch = a_batch("a", "b")
    summary = summarise(batch, all_of(batch), [verdict("a", Outcome.FAIL)], [Finding(rule="r", violated=1)])

    assert Summary.model_validate_json(summary.model_dump_json()) == summary


def verdict(conversation: str, outcome: Outcome, reason: str = "") -> Verdict:
    return Verdict(check="polite", outcome=outcome, conversation=conversation, reason=reason)


def unanswered(conversation: Conversation) -> Conversation:
    goals = tuple(GoalProgress(text=goal.text) for goal in conversation.goals)
    outputs = tuple(Output(name=output.name) for output in conversation.outputs)
    return conversation.model_copy(update={"goals": goals, "outputs": outputs})
