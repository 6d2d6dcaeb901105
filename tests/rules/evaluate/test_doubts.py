from typing import Any

from sparring.core.checks import Rule
from sparring.core.verdict import Finding
from sparring.rules.check import check
from sparring.rules.recording import Recording
from sparring.rules.rule_file import parse_rule, rule_of
from tables import table

PIZZAS = (
    {"price": "$11.50", "size": "small", "toppings": ["ham"], "number": 2, "paid": True, "stated": None},
    {"price": "$12", "size": "big", "toppings": ["corn"], "number": 1, "paid": False, "stated": None},
)


async def found(rule: str | Rule, *names: dict[str, Any]) -> Finding:
    recordings = [Recording(id=str(number), names=each) for number, each in enumerate(names or PIZZAS)]
    rules = [rule if isinstance(rule, Rule) else rule_of(rule)]
    return (await check(rules, recordings)).findings[0]


async def doubts_of(rule: str, *names: dict[str, Any]) -> list[str]:
    return [f"{doubt.message} ({doubt.hint})" for doubt in (await found(rule, *names)).doubts]


@table(
    ("rule", "meant"),
    {
        "price != 23": "price is text and never a number, so this is always true "
        "(did you mean extract_float(price) != 23, or price != '23'?)",
        "23 == price": "price is text and never a number, so this is always false "
        "(did you mean extract_float(price) == 23, or price == '23'?)",
        "price == number": "price is text and never a number, so this is always false "
        "(did you mean extract_float(price) == number?)",
        "number != '2'": "number is a number and never text, so this is always true (did you mean str(number) != '2'?)",
        "price == {'small': 10, 'big': 12.5}[size]": "price is text and never a number, so this is always false "
        "(did you mean extract_float(price) == {'small': 10, 'big': 12.5}[size]?)",
        "price == (9 if paid else 2 * number)": "price is text and never a number, so this is always false "
        "(did you mean extract_float(price) == (9 if paid else 2 * number)?)",
        "number + 1 != 'a'": "number + 1 is a number and never text, so this is always true "
        "(did you mean str(number + 1) != 'a'?)",
        "price < 23": "price is text and never a number, so this is never decided "
        "(did you mean extract_float(price) < 23?)",
        "23 < price": "price is text and never a number, so this is never decided "
        "(did you mean extract_float(price) > 23?)",
        "number >= '2'": "number is a number and never text, so this is never decided ()",
        "toppings == 'ham'": "toppings is a list and never text, so this is always false "
        "(did you mean 'ham' in toppings?)",
        "price not in (23, 24)": "price is text and never a number, so this is always true ()",
        "turns() != '3'": "turns() is a number and never text, so this is always true "
        "(did you mean str(turns()) != '3'?)",
        "chatbot_phrases != 'Hi'": "chatbot_phrases is a list and never text, so this is always true "
        "(did you mean 'Hi' not in chatbot_phrases?)",
        "paid == 'yes'": "paid is True or False and never text, so this is always false ()",
        "conv[0].size == conv[1].size or conv[0].price != 23": "conv[0].price is text and never a number, so "
        "this is always true (did you mean extract_float(conv[0].price) != 23, or conv[0].price != '23'?)",
        "not exists(price == 23)": "price is text and never a number, so this is always false "
        "(did you mean extract_float(price) == 23, or price == '23'?)",
        "all(price != 1 for t in toppings)": "price is text and never a number, so this is always true "
        "(did you mean extract_float(price) != 1, or price != '1'?)",
    }.items(),
)
async def test_a_comparison_of_kinds_that_have_nothing_in_common_is_doubtful(rule: str, meant: str):
    assert await doubts_of(rule) == [meant]


@table(
    "rule",
    [
        "price != '23'",
        "extract_float(price) != 23",
        "price == 23 or price == '23'",
        "price in [None, 23]",
        "price != None",
        "stated != 23",
        "paid == 1",
        "number == 2.0",
        "conv[0].price == conv[1].price",
        "any(t != 3 for t in toppings)",
        "price.strip() != 3",
        "tool_result('pay') != 3",
        "price == {'small': 10, 'big': '12'}[size]",
        "price == {'small': 10}.get(size)",
        "price == price * number",
        "'a' == 1",
    ],
)
async def test_comparisons_that_may_hold_are_not_doubted(rule: str):
    assert await doubts_of(rule) == []


async def test_one_conversation_in_which_it_is_a_number_is_enough():
    assert await doubts_of("price != 23", *PIZZAS, {"price": 23}) == []


async def test_a_doubt_has_its_place_and_changes_no_count():
    rule = parse_rule("name: cheap\nthen: |\n  size != 'x' and\n  price != 23\n", "cheap.yml")
    assert isinstance(rule, Rule)

    finding = await found(rule)

    assert [(doubt.file, doubt.line, doubt.column, doubt.path) for doubt in finding.doubts] == [
        ("cheap.yml", 4, 3, "then")
    ]
    assert finding.model_copy(update={"doubts": ()}) == await found(
        rule.model_copy(update={"then": "size != 'x' and\nprice != '23'"})
    )


async def test_an_order_of_kinds_that_cannot_be_compared_names_them():
    causes = (await found("stated < 3")).causes

    assert [cause.reason for cause in causes] == ["< cannot compare a missing value with a number"]
