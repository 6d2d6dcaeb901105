from sparring.core.outcome import Outcome
from sparring.core.usage import ModelCall, Usage
from sparring.reports.measures import Latency, Measuring, scenario
from sparring.testing.factories import a_case, a_conversation


def test_success_times_and_cost_are_measured():
    measuring = Measuring()
    for number, outcome in enumerate((Outcome.PASSED, Outcome.FAILED), 1):
        measuring.add(a_conversation(a_case(f"pizza/{number}")), outcome)
    measuring.add(a_conversation(a_case("hello")), Outcome.PASSED)

    found = measuring.measures()

    assert dict(found.by_scenario) == {
        "pizza": {Outcome.PASSED: 1, Outcome.FAILED: 1},
        "hello": {Outcome.PASSED: 1},
    }
    assert found.latencies[0] == Latency(turn=1, n=3, p50=0.5, p90=0.5, p99=0.5)
    assert [round(each.cost, 4) for each in found.spent] == [0, 0.0012, 0.0024, 0.0036]


def test_cost_is_spent_when_what_it_was_for_was_said():
    conversation = a_conversation(a_case("pizza"))
    assert conversation.timing is not None
    timing = conversation.timing.model_copy(update={"said": (1.0, 4.0, 5.0, 6.0), "seconds": 20.0})
    calls = tuple(
        ModelCall(role=role, turn=turn, cost=1.0) for role, turn in (("user", 1), ("chatbot", 1), ("user", 3))
    )
    usage = {"chatbot": Usage(calls=1, cost=1.0), "user": Usage(calls=3, cost=2.5)}

    measuring = Measuring()
    measuring.add(conversation.model_copy(update={"timing": timing, "calls": calls, "usage": usage}), Outcome.PASSED)

    spent = [(each.seconds, each.cost) for each in measuring.measures().spent]
    assert spent == [(0, 0), (1.0, 1.0), (4.0, 2.0), (20.0, 2.5), (20.0, 3.5)], (
        "what nothing came of is spent at the end"
    )


def test_combinations_of_a_scenario_are_one():
    assert [scenario(case) for case in ("a/b/12", "a/b/12~2", "a/b", "12", "a/1x")] == [
        "a/b",
        "a/b",
        "a/b",
        "12",
        "a/1x",
    ]
