from sparring.reports.measures import Latency, Measuring, scenario
from sparring.testing.factories import a_case, a_conversation


def test_reply_times_are_measured_by_turn():
    measuring = Measuring()
    for id in ("pizza/1", "pizza/2", "hello"):
        measuring.add(a_conversation(a_case(id)))

    found = measuring.measures()

    assert (found.conversations, len(found.latencies)) == (3, 2)
    assert found.latencies[0] == Latency(turn=1, n=3, p50=0.5, p95=0.5, p99=0.5)


def test_combinations_of_a_scenario_are_one():
    assert [scenario(case) for case in ("a/b/12", "a/b/12~2", "a/b", "12", "a/1x")] == [
        "a/b",
        "a/b",
        "a/b",
        "12",
        "a/1x",
    ]
