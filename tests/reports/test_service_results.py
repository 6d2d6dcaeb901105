from datetime import UTC, datetime

from reports.summing import decided
from sparring.core.batch import BatchExecution, Progress
from sparring.core.case import Case
from sparring.core.conversation import Ending
from sparring.core.message import ToolCall, message
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.service_results import Status, cost, scenario_name, scenario_result, status_of, turns
from sparring.reports.service_summary import Counting
from sparring.reports.usage import Costs
from sparring.testing.factories import CREATED, a_case, a_conversation
from tables import table

NOW = datetime(2026, 1, 2, tzinfo=UTC)
HALF, WHOLE = Progress(planned=4, endings={Ending.GAVE_UP: 2}), Progress(planned=2, endings={Ending.USER_DONE: 2})


@table(
    "job, progress, expected",
    [
        (BatchExecution(batch="B", served=True), HALF, Status.PENDING),
        (BatchExecution(batch="B", started=NOW), HALF, Status.RUNNING),
        (BatchExecution(batch="B", started=NOW), WHOLE, Status.RUNNING),
        (BatchExecution(batch="B", started=NOW, ended=NOW), WHOLE, Status.COMPLETED),
        (BatchExecution(batch="B", started=NOW, ended=NOW), HALF, Status.CANCELLED),
        (BatchExecution(batch="B", started=NOW, cancelled=True), HALF, Status.CANCELLED),
        (BatchExecution(batch="B", started=NOW, ended=NOW, cancelled=True), WHOLE, Status.COMPLETED),
        (BatchExecution(batch="B", ended=NOW, error="no"), HALF, Status.FAILED),
        (None, WHOLE, Status.COMPLETED),
        (None, HALF, Status.CANCELLED),
    ],
)
def test_the_status_of_a_batch_is_derived(job: BatchExecution | None, progress: Progress, expected: Status):
    assert status_of(job, progress) is expected


@table(
    "case, name",
    [
        (Case(id="calls/Calm-reorder", tags=("Calm reorder",)), "Calm reorder"),
        (Case(id="calls/Calm-reorder~2", tags=("Calm reorder",)), "Calm reorder"),
        (Case(id="calls/0", tags=("!!!",)), "!!!"),
        (Case(id="order/3", tags=("smoke",)), "order/3"),
        (Case(id="order/3"), "order/3"),
    ],
)
def test_a_scenario_is_called_as_its_author_called_it(case: Case, name: str):
    assert scenario_name(case) == name


def verdict(by: str, score: float | None = None, outcome: CheckOutcome = CheckOutcome.PASS) -> Verdict:
    return Verdict(check=by, outcome=outcome, conversation="a", reason=f"says the {by}", score=score, by=by)


@table(
    "verdicts, expected",
    [
        ([], (None, "", "not_evaluated")),
        ([verdict("rule", 1)], (None, "", "not_evaluated")),
        ([verdict("checklist")], (None, "says the checklist", "success")),
        ([verdict("checklist"), verdict("model", 2)], (2, "says the model", "success")),
        ([verdict("model", 2), verdict("human", 3)], (3, "says the human", "success")),
        ([verdict("model", 2), verdict("human")], (2, "says the model", "success")),
        ([verdict("model", outcome=CheckOutcome.ERROR)], (None, "says the model", "failed")),
        ([verdict("checklist", outcome=CheckOutcome.NOT_APPLICABLE)], (None, "", "not_evaluated")),
    ],
)
def test_the_score_is_that_of_a_judge_and_never_made_up(verdicts: list[Verdict], expected: tuple):
    told = scenario_result(0, decided(a_conversation(a_case("a")), verdicts))

    assert (told.score, told.comment, told.evaluation_status) == expected


def test_an_unknown_price_is_null_and_not_zero():
    total = Usage(calls=2, input_tokens=10, output_tokens=5, unknown_costs=2)
    unknown = cost(Costs(batch="B", total=total), NOW)
    mixed = cost(Costs(batch="B", total=Usage(calls=2, cost=0.5, unknown_costs=1)), NOW)

    assert (unknown.total_cost_usd, unknown.average_cost_per_request, unknown.total_tokens) == (None, None, 15)
    assert (mixed.total_cost_usd, mixed.average_cost_per_request, mixed.unknown_costs) == (0.5, 0.5, 1)


def test_a_summary_counts_each_way_of_ending_once():
    counting = Counting()
    endings = Ending.USER_DONE, Ending.TIMEOUT, Ending.CHATBOT_FAILED, Ending.GAVE_UP
    for index, ending in enumerate(endings):
        conversation = a_conversation(a_case(f"case/{index}"), ending=ending)
        counting.add(scenario_result(index, decided(conversation, [verdict("model", 1 + index % 3)])))

    told = counting.summary("B", 6, NOW)

    assert (told.total_scenarios, told.successful_scenarios, told.failed_scenarios, told.timeout_scenarios) == (
        6,
        2,
        2,
        1,
    )
    assert (told.not_run_scenarios, told.unscored_scenarios, told.success_rate) == (2, 2, 0.5)
    assert told.score_distribution == {"score_1": 2, "score_2": 0, "score_3": 0}
    assert (told.score_statistics.mean, told.score_statistics.std) == (1, 0)


def test_a_summary_in_which_nothing_succeeded_has_no_statistics_of_scores():
    counting = Counting()
    counting.add(scenario_result(0, decided(a_conversation(a_case("a"), ending=Ending.CHATBOT_FAILED), [])))

    told = counting.summary("B", 1, NOW)

    assert (told.success_rate, told.score_statistics.mean, told.turn_statistics.max) == (0, None, None)
    assert Counting().summary("B", 3, NOW).success_rate == 0


def test_a_recording_without_times_and_a_history_have_none():
    conversation = a_conversation(a_case("a"))
    assert conversation.timing is not None
    before = message("user", "Hello again.")
    timed = conversation.model_copy(
        update={
            "case": conversation.case.model_copy(update={"history": (before,)}),
            "messages": (before, *conversation.messages),
            "timing": conversation.timing.model_copy(update={"said": (0.0, 0.5, 1.0, 1.25)}),
        }
    )

    assert {turn.timestamp for turn in turns(conversation)} == {None}
    assert [turn.timestamp and (turn.timestamp - CREATED).total_seconds() for turn in turns(timed)] == [
        None,
        0.0,
        0.5,
        1.0,
        1.25,
    ]


def test_usage_by_role_adds_up_to_the_total_with_what_was_dropped():
    spent, dropped = Usage(calls=3, input_tokens=9, cost=0.5), Usage(calls=2, unknown_tokens=2, unknown_costs=2)

    told = cost(
        Costs(batch="B", total=spent + dropped, roles={"user": spent}, models={"m": spent}, unkept=dropped), NOW
    )

    assert told.by_role == {"user": spent, "dropped": dropped}
    assert told.by_model == {"m": spent, "dropped": dropped}
    assert sum(each.calls for each in told.by_role.values()) == told.total_requests


def test_messages_name_the_agent_that_said_them_once_there_was_a_handover():
    call = ToolCall(name="hand_off", arguments={"to": "sales"}, result={"from": "desk", "to": "sales"})
    refused = ToolCall(name="hand_off", arguments={"to": "boss"}, error="unknown agent")
    said = (
        message("chatbot", "Hello"),
        message("user", "A pizza"),
        message("chatbot", "Which?", tool_calls=(call,)),
        message("user", "Ham"),
        message("chatbot", "Fine", tool_calls=(refused,)),
    )

    named = [turn.agent for turn in turns(a_conversation(a_case("a")).model_copy(update={"messages": said}))]

    assert named == ["desk", "", "sales", "", "sales"]
