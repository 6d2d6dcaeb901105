import ast

from sparring.core.checks import Rule
from sparring.core.verdict import CheckOutcome, Finding
from sparring.rules.evaluate.decisions import lower_bound, source_of, with_outcome
from tables import table


def rule(**fields: object) -> Rule:
    return Rule.model_validate({"name": "r", "then": "x", "at_least": 0.9, **fields})


def finding(satisfied: int, violated: int, errors: int = 0) -> Finding:
    counts = {"when": 0, "if": 0, "then": errors}
    return Finding(rule="r", satisfied=satisfied, violated=violated, applicable=satisfied + violated, errors=counts)


@table(
    ("counts", "outcome"),
    [
        ((90, 10), CheckOutcome.PASS),
        ((89, 11), CheckOutcome.FAIL),
        ((95, 4, 1), CheckOutcome.PASS),
        ((89, 10, 1), CheckOutcome.ERROR),
        ((80, 19, 1), CheckOutcome.FAIL),
        ((0, 0, 0), CheckOutcome.NOT_APPLICABLE),
        ((0, 0, 3), CheckOutcome.ERROR),
    ],
)
def test_a_share_is_decided_only_if_what_could_not_be_decided_does_not_matter(
    counts: tuple[int, ...], outcome: CheckOutcome
):
    assert with_outcome(rule(), finding(*counts), 100).outcome is outcome


def test_with_confidence_the_share_must_hold_beyond_what_was_seen():
    sure = with_outcome(rule(confidence=0.95), finding(92, 8), 100)

    assert (sure.outcome, round(sure.bound or 0, 3)) == (CheckOutcome.FAIL, 0.86)
    assert with_outcome(rule(confidence=0.95), finding(9200, 800), 10_000).outcome is CheckOutcome.PASS


def test_bounds_are_exact():
    assert round(lower_bound(0.5, 10, 0.975), 4) == 0.1871


def test_the_source_of_a_generator_has_the_brackets_that_were_written():
    source = "any(len(word) > 2 for word in words) and all(any(x for x in row) for row in rows)"

    assert source_of(ast.parse(source, mode="eval").body) == source
