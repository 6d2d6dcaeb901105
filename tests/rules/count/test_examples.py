"""Tuples by case against enumeration of all ordered tuples."""

from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.core.checks import Rule
from sparring.core.verdict import Finding
from sparring.rules.check import check
from sparring.rules.limits import EvaluationLimits
from sparring.rules.recording import Recording
from sparring.statistics import Tuples, tuple_rate

RULES = {
    "conv[0].x == conv[1].x": lambda one, other, *_: one["x"] == other["x"],
    "conv[0].x <= conv[1].y": lambda one, other, *_: one["x"] <= other["y"],
    "abs(conv[0].x - conv[1].y) < 2": lambda one, other, *_: abs(one["x"] - other["y"]) < 2,
}
CONVERSATIONS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)), min_size=3, max_size=7)


def recordings(found: list[tuple[int, int, int]]) -> list[Recording]:
    """Return conversations with the number of their case, x and y."""
    return [
        Recording(f"r{n}", {"conversation_case": f"case {case}", "x": x, "y": y})
        for n, (case, x, y) in enumerate(found)
    ]


async def found(seen: list[Recording], then: str, number: int, candidates: int = 30_000_000) -> Finding:
    rule = Rule.model_validate({"name": "r", "conversations": number, "if": "conv[0].y > 0", "then": then})
    (finding,) = (await check([rule], seen, limits=EvaluationLimits(candidates=candidates))).findings
    return finding


@pytest.mark.slow
@pytest.mark.parametrize("candidates", [30_000_000, 0], ids=["counted", "enumerated"])
@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("then", RULES)
@settings(max_examples=8)  # of each of twelve kinds
@given(conversations=CONVERSATIONS)
async def test_tuples_of_each_case_are_counted_once(
    then: str, number: int, candidates: int, conversations: list[tuple[int, int, int]]
):
    seen = recordings(conversations)
    expected = {each.names["conversation_case"]: [0, 0] for each in seen}
    for some in permutations([each.names for each in seen], number):
        if some[0]["y"] > 0:
            for case in {each["conversation_case"] for each in some}:
                expected[case][0] += not RULES[then](*some)
                expected[case][1] += 1

    finding = await found(seen, then, number, candidates)

    if finding.applicable:
        assert finding.by_case is not None
        assert {case: list(finding.by_case.of(case)) for case in expected} == expected
        touching = [(violated, applicable) for violated, applicable in expected.values() if applicable]
        assert finding.rate == tuple_rate(Tuples(finding.violated, finding.applicable, touching))


async def test_a_rule_over_all_is_decided_for_each_repeat():
    seen = [
        Recording(f"{case}#{n}", {"conversation_case": case, "conversation_repeat": n, "x": x})
        for n, x in enumerate((1, 1, 9, 1), 1)
        for case in ("a", "b")
    ]
    rule = Rule.model_validate({"name": "r", "conversations": "all", "then": "mean(x) < 2"})

    (finding,) = (await check([rule], seen)).findings
    (few,) = (await check([rule], seen[:6])).findings

    assert (finding.by_repeat, few.by_repeat) == ((False, False, True, False), ())


async def test_a_rule_with_another_quantifier_is_decided_for_each_repeat():
    seen = [
        Recording(f"{case}#{n}", {"conversation_case": case, "conversation_repeat": n, "x": x})
        for n, values in enumerate(((1, 1, 2), (1, 1, 1), (2, 2, 2), (1, 2, 3)), 1)
        for case, x in zip("abc", values, strict=True)
    ]
    about = {"name": "r", "conversations": 2, "then": "conv[0].x == conv[1].x"}

    outcomes = {}
    for quantifier in ("forall", "forall exists", "exists"):
        rule = Rule.model_validate({**about, "quantifier": quantifier})
        (finding,) = (await check([rule], seen)).findings
        outcomes[quantifier] = finding.by_repeat

    assert outcomes == {
        "forall": (),
        "forall exists": (True, False, False, True),
        "exists": (False, False, False, True),
    }


async def test_the_tuples_of_each_case_are_extrapolated_from_a_sample():
    random = Random(3)
    seen = recordings([(n % 20, random.randint(0, 3), random.randint(1, 2)) for n in range(60)])
    rule = Rule.model_validate({"name": "r", "conversations": 2, "then": "conv[0].x <= conv[1].y"})

    (exact,) = (await check([rule], seen)).findings
    (sampled,) = (await check([rule], seen, limits=EvaluationLimits(candidates=0, samples=3000))).findings

    assert exact.by_case is not None
    assert sampled.by_case is not None
    assert sampled.rate is not None
    assert exact.rate is not None
    assert sampled.drawn == pytest.approx(3000, rel=0.05)
    for case in {each.names["conversation_case"] for each in seen}:
        assert sampled.by_case.of(case) == pytest.approx(exact.by_case.of(case), rel=0.25), case
    assert sampled.rate.effective <= exact.rate.effective
    assert sampled.rate.low < exact.violated / exact.applicable < sampled.rate.high
