"""Rules over all conversations at once."""

from typing import Any

import pytest

from sparring.core.verdict import Cause, CheckOutcome, Example, Finding
from sparring.rules.check import check
from sparring.rules.recording import Recording
from sparring.rules.rule_file import parse_rule, rule_of
from tables import table

ORDERS = [
    Recording("a", {"id": "x", "cost": "$10", "size": "small"}),
    Recording("b", {"id": "y", "cost": "$60", "size": "small"}),
    Recording("c", {"id": "x", "cost": "$20", "size": "big"}),
    Recording("d", {"id": None, "cost": None, "size": "big"}),
    Recording("e", {"size": "big"}),
]


async def found(then: str, recordings: list[Recording] = ORDERS) -> Finding:
    rule = parse_rule(then) if "\n" in then else rule_of(then, conversations="all")
    (finding,) = (await check([rule], recordings)).findings
    return finding


@table(
    ("then", "outcome"),
    [
        ("is_unique('id')", "fail"),
        ("is_unique(id)", "fail"),
        ("distinct(id) == 2", "pass"),
        ("exists('size == \"big\"') and exists(size == 'small')", "pass"),
        ("num_exist('size == \"big\"') == count(size == 'big') == 3", "pass"),
        ("percent(size == 'big') >= 60 and share(size == 'big') == 0.6", "pass"),
        ("mean(len(size)) == 3.8 and median(len(size)) == 3", "pass"),
        ("min(len(size)) == 3 and max(len(size)) == 5 and sum(len(size)) == 19", "pass"),
        ("quantile(len(size), 0.5) == 3 and quantile(len(size), 1) == 5", "pass"),
        ("max(min(len(size)), 4) == 4 and max([mean(len(size)), 9]) == 9", "pass"),
        ("count(True) == 5", "pass"),
        ("exists(extract_float(cost) > 50)", "pass"),
        ("count(extract_float(cost) > 50) == 1", "error"),
        ("mean(cost) > 1", "error"),
        ("mean([1 for c in size if c == 'z'][0]) > 1", "error"),
        ("count(semantic_content(size, 'x')) > 1", "error"),
    ],
)
async def test_aggregates(then: str, outcome: str):
    assert (await found(then)).outcome == outcome


async def test_only_the_conversations_that_when_and_if_pick_are_looked_at():
    finding = await found(
        "name: r\nconversations: all\nwhen: size == 'small'\nif: cost\nthen: is_unique(id) and count(True) == 2\n"
    )

    assert (finding.total, finding.filtered, finding.applicable, finding.satisfied) == (1, 3, 1, 1)


async def test_two_rules_do_not_see_each_others_conversations():
    rules = [rule_of("count(True) == 5", conversations="all")] * 2

    findings = (await check(rules, ORDERS)).findings

    assert [finding.satisfied for finding in findings] == [1, 1]


async def test_the_conversations_that_share_a_value_are_shown():
    assert (await found("is_unique(id)")).examples == (
        Example(conversations=("a", "c"), reason="expected is_unique(id): id is 'x'"),
    )


async def test_a_condition_that_fails_leaves_a_conversation_out_and_is_counted():
    finding = await found("name: r\nconversations: all\nwhen: extract_float(cost) > 5\nthen: count(True) == 3\n")

    assert (finding.filtered, finding.satisfied, finding.errors, finding.outcome) == (
        2,
        1,
        {"when": 1, "if": 0, "then": 0},
        CheckOutcome.ERROR,
    )
    assert [(cause.clause, cause.conversations, cause.first) for cause in finding.causes] == [("when", 1, "d")]
    assert finding.missing == (Cause(clause="when", reason="no 'cost' here", conversations=1, first="e"),)


@pytest.mark.parametrize("rule", ["count(cost == '$9') == 1", "percent(cost == '$9') == 50", "is_unique(cost)"])
async def test_an_aggregate_leaves_out_conversations_without_the_name(rule: str):
    recordings = [Recording("a", {"cost": "$9"}), Recording("b", {"size": "small"}), Recording("c", {"cost": "$8"})]

    (finding,) = (await check([rule_of(rule, conversations="all")], recordings)).findings

    assert (finding.outcome, finding.satisfied, finding.errors["then"]) == (CheckOutcome.PASS, 1, 0)
    assert finding.missing == (Cause(clause="then", reason="no 'cost' here", conversations=1, first="b"),)


async def test_examples_of_an_aggregate_name_the_right_conversations_beside_those_without_the_name():
    recordings = [Recording("a", {}), Recording("b", {"cost": 1}), Recording("c", {}), Recording("d", {"cost": 1})]

    (finding,) = (await check([rule_of("is_unique(cost)", conversations="all")], recordings)).findings

    assert [example.conversations for example in finding.examples] == [("b", "d")]


async def test_a_rule_over_all_does_not_apply_where_no_selected_conversation_has_the_name():
    recordings = [Recording("a", {"cost": 1, "size": "big"}), Recording("b", {"size": "small"})]
    rule = parse_rule("name: r\nconversations: all\nwhen: size == 'small'\nthen: not exists(cost > 3)\n")

    (finding,) = (await check([rule], recordings)).findings

    assert (finding.outcome, finding.not_applicable) == (CheckOutcome.NOT_APPLICABLE, 1)


async def test_without_any_conversation_left_a_rule_is_not_exercised():
    finding = await found("name: r\nconversations: all\nwhen: size == 'huge'\nthen: is_unique(id)\n")

    assert (finding.outcome, finding.not_applicable, finding.removed_by) == (
        CheckOutcome.NOT_APPLICABLE,
        1,
        "when: size == 'huge'",
    )


async def test_messages_may_use_aggregates():
    message = "f'only {count(size == \"big\")} of {count(True)}'"
    text = f"name: r\nconversations: all\nthen: count(size == 'big') > 4\nyields: {message}\n"

    assert (await found(text)).examples[0].reason.startswith("only 3 of 5")


def problems(then: str) -> list[str]:
    rule: Any = rule_of(then, conversations="all")
    return [problem.message for problem in rule.problems]


@table(
    ("then", "message"),
    [
        ("cost > 5", "use an aggregate: exists(cost ...), count(...), is_unique(cost), mean(cost), ..."),
        ("turns() > 5", "use an aggregate: exists(turns(...) ...), mean(turns(...)), ..."),
        ("is_unique('1 +')", "this is not an expression: invalid syntax"),
        ("count()", "count() is used as count(x)"),
        ("quantile(cost)", "quantile() is used as quantile(x, q)"),
        ("count(mean(cost) > 1)", "count() cannot contain another aggregate"),
    ],
)
def test_what_is_not_said_of_all_conversations_is_refused(then: str, message: str):
    assert problems(then) == [message]
