"""Rules over two or more conversations, by example; that the counts are exact is for the differential test to show."""

from typing import Any

import pytest

from sparring.core.verdict import Cause, CheckOutcome, Example, Finding, Offender
from sparring.llm.model import Completion, Request, UnpricedModel
from sparring.rules.check import check
from sparring.rules.limits import EvaluationLimits
from sparring.rules.recording import RecordedMessage, Recording
from sparring.rules.rule_file import parse_rule, rule_of
from tables import table

MORE = """\
name: more
conversations: 2
when: conv[0].size == conv[1].size
if: 'len(conv[0].toppings) > len(conv[1].toppings)'
then: extract_float(conv[0].price) > extract_float(conv[1].price)
"""


def pizza(id: str, toppings: int, price: str | None, size: str = "small") -> Recording:
    return Recording(id, {"size": size, "toppings": ["ham"] * toppings, "price": price})


PIZZAS = [
    pizza("a", 1, "$10"),
    pizza("b", 2, "$11"),
    pizza("c", 3, "$10.50"),
    pizza("d", 3, None),
    pizza("e", 1, "$9", "big"),
]


async def found(text: str, recordings: list[Recording], **options: Any) -> Finding:
    rule = parse_rule(text) if "\n" in text else rule_of(text, conversations=2)
    (finding,) = (await check([rule], recordings, **options)).findings
    return finding


async def test_all_ordered_pairs_are_counted_and_the_first_violations_shown():
    finding = await found(MORE, PIZZAS)

    assert (finding.total, finding.applicable, finding.satisfied, finding.violated, finding.not_applicable) == (
        20,
        5,
        2,
        1,
        15,
    )
    assert finding.errors == {"when": 0, "if": 0, "then": 2}
    assert finding.examples == (
        Example(
            conversations=("c", "b"),
            reason="expected extract_float(conv[0].price) > extract_float(conv[1].price), got 10.5 and 11.0",
        ),
    )


async def test_the_conversations_behind_the_violations_are_named_by_their_share():
    finding = await found(MORE, PIZZAS)

    assert (
        finding.culprits
        == (
            Offender(conversation="b", violated=1, applicable=3),
            Offender(conversation="c", violated=1, applicable=2),
        )[::-1]
    )


async def test_what_cannot_be_decided_has_its_cause():
    finding = await found(MORE, PIZZAS)

    assert finding.causes == (
        Cause(clause="then", reason="extract_float() expects a text, got nothing", conversations=1, first="d"),
    )


async def test_kinds_that_cannot_be_compared_are_said_by_the_first_pair():
    finding = await found("conv[0].x < conv[1].x", [Recording("a", {"x": 1}), Recording("b", {"x": "1"})])

    assert (finding.errors["then"], finding.causes) == (
        2,
        (
            Cause(
                clause="then",
                reason="< cannot compare a number with a text",
                conversations=1,
                first="a and b",
            ),
        ),
    )


async def test_a_message_of_the_author_explains_a_violation():
    finding = await found(MORE + "yields: f'{conv[0].price} is not more than {conv[1].price}'\n", PIZZAS)

    assert finding.examples[0].reason == "$10.50 is not more than $11"


async def test_functions_of_a_conversation_are_asked_while_it_streams_by():
    talks = [Recording(str(n), {}, (RecordedMessage("user", "hi"),) * n) for n in (1, 2, 3)]

    finding = await found("turns(conv[0]) < turns(conv[1])", talks)

    assert (finding.satisfied, finding.violated) == (3, 3)
    assert finding.examples[0].reason == "expected turns(conv[0]) < turns(conv[1]), got 2 and 1"


async def test_a_function_cannot_be_asked_about_what_another_conversation_holds():
    finding = await found("chatbot_returns(conv[0], conv[1].price)", PIZZAS)

    assert [str(problem) for problem in finding.invalid] == [
        "--rule:1:1: then: its arguments must be written out, or come from the same conversation"
    ]


async def test_what_removed_everything_is_named():
    finding = await found(
        MORE.replace("if:", "if: conv[0].size == 'huge' and conv[1].price and")
        .replace("'len", "len")
        .replace(")'", ")"),
        PIZZAS,
    )

    assert (finding.outcome, finding.removed_by) == (CheckOutcome.NOT_APPLICABLE, "if: conv[0].size == 'huge'")


@pytest.mark.parametrize("size", [0, 1])
async def test_with_fewer_conversations_than_positions_nothing_is_exercised(size: int):
    finding = await found(MORE, PIZZAS[:size])

    assert (finding.total, finding.outcome) == (0, CheckOutcome.NOT_APPLICABLE)


@pytest.mark.slow
async def test_totals_of_four_positions_are_exact_beyond_64_bits():
    rule = rule_of("conv[0].x == conv[1].x == conv[2].x == conv[3].x", conversations=4)
    numbers = [Recording(str(n), {"x": 1}) for n in range(60_000)]

    (finding,) = (await check([rule], numbers)).findings

    assert finding.satisfied == finding.total == 60_000 * 59_999 * 59_998 * 59_997


OPEN = "name: r\nconversations: 2\nwhen: conv[0].open and conv[1].open\n"


class Judge(UnpricedModel):
    """A model that says yes whenever both hours of a question are the same, and counts the questions."""

    def __init__(self) -> None:
        self.asked = 0

    async def complete(self, request: Request) -> Completion:
        self.asked += 1
        text = request.messages[-1].content
        return Completion("yes" if text.count("nine") == 2 or text.count("ten") == 2 else "no")


async def test_a_model_is_asked_only_about_pairs_that_get_that_far():
    hours = [
        Recording(id, {"hours": text, "open": open_})
        for id, text, open_ in [("a", "nine", 1), ("b", "ten", 1), ("c", "nine", 1), ("d", "x", 0)]
    ]
    model = Judge()
    text = OPEN + "then: semantic_content(conv[0].hours, conv[1].hours)\n"

    finding = await found(text, hours, model=model)

    assert (finding.satisfied, finding.violated, model.asked) == (2, 4, 4), "nine-nine, nine-ten, ten-nine, ten-ten"


async def test_a_model_is_asked_only_about_conversations_that_get_that_far():
    hours = [Recording(str(n), {"hours": f"at {n}", "open": n < 3}) for n in range(9)]
    model = Judge()
    text = OPEN + "then: tone(conv[0].hours) == tone(conv[1].hours)\n"

    finding = await found(text, hours, model=model)

    assert (finding.applicable, finding.errors["then"], model.asked) == (6, 6, 3)


async def test_pairs_that_need_a_model_are_counted_apart_without_one():
    finding = await found("semantic_content(conv[0].price, conv[1].price)", PIZZAS[:3])

    assert (finding.applicable, finding.needs_model, finding.errors["then"]) == (6, 6, 0)


QUANTIFIED = [Recording(str(n), {"x": n, "y": y}) for n, y in enumerate([1, 2, 3])]


@table(
    ("quantifier", "then", "outcome"),
    [
        ("exists", "conv[0].x > conv[1].x", "pass"),
        ("exists", "conv[0].x == conv[1].x", "fail"),
        ("forall exists", "conv[0].x != conv[1].x", "pass"),
        ("forall exists", "conv[0].x < conv[1].x", "fail"),
        ("exists forall", "conv[0].x < conv[1].x", "pass"),
        ("exists forall", "conv[0].x == conv[1].x", "fail"),
        ("forall exists", "conv[0].z < 1", "error"),
        ("exists forall", "conv[0].z < 1", "error"),
    ],
)
async def test_quantifiers_ask_for_some_or_for_one_each(quantifier: str, then: str, outcome: str):
    text = f"name: r\nconversations: 2\nquantifier: {quantifier}\nthen: {then}\n"

    finding = await found(text, [*QUANTIFIED[:-1], Recording("2", {"x": 2, "z": None})])

    assert finding.outcome == outcome


@pytest.mark.slow
async def test_a_rule_that_would_take_too_long_is_estimated():
    numbers = [Recording(str(n), {"x": n % 500, "key": n % 2}) for n in range(2000)]
    text = "name: r\nconversations: 2\nwhen: conv[0].key == conv[1].key\nthen: (conv[0].x + conv[1].x) // 2 % 10 != 0\n"

    exact = await found(text, numbers)
    estimated = await found(text, numbers, limits=EvaluationLimits(candidates=1000, samples=20_000))

    assert exact.estimate is None
    assert estimated.estimate is not None
    assert estimated.estimate.low <= exact.violated / exact.applicable <= estimated.estimate.high
    assert abs(estimated.applicable - exact.applicable) <= exact.applicable * 0.01
    assert estimated.examples


async def test_over_few_conversations_every_tuple_is_looked_at_instead():
    exact = await found(MORE, PIZZAS)
    looked = await found(MORE, PIZZAS, limits=EvaluationLimits(candidates=1))

    assert looked == exact.model_copy(update={"causes": ()})


async def test_a_quantifier_over_each_cannot_be_estimated():
    text = "name: r\nconversations: 2\nquantifier: forall exists\nthen: conv[0].x < conv[1].x\n"

    finding = await found(text, QUANTIFIED, limits=EvaluationLimits(candidates=1))

    assert (finding.outcome, finding.causes[0].reason) == (
        CheckOutcome.ERROR,
        "too many tuples to enumerate for 'quantifier: forall exists'",
    )


async def test_an_estimate_repeats():
    numbers = [Recording(str(n), {"x": n}) for n in range(300)]
    text = "name: r\nconversations: 3\nwhen: conv[0].x < conv[1].x\nthen: conv[0].x + conv[1].x // 2 != conv[2].x\n"

    first, second = [
        await found(text, numbers, limits=EvaluationLimits(candidates=10, samples=5000, sample_steps=30_000))
        for _ in range(2)
    ]

    assert first == second


@pytest.mark.parametrize(
    "then",
    [
        "conv[0].cost <= conv[1].cost + 10",
        "conv[0].cost == conv[1].cost or conv[0].cost != conv[1].cost",
        "all(c in conv[1].sides for c in conv[0].sides)",
    ],
)
async def test_a_rule_does_not_apply_to_pairs_with_a_conversation_that_lacks_a_name(then: str):
    recordings = [
        Recording("a", {"size": 1, "cost": 9, "sides": ["x"]}),
        Recording("b", {"size": 1}),
        Recording("c", {"size": 1, "cost": 8, "sides": ["x"]}),
    ]

    finding = await found(f"name: r\nconversations: 2\nwhen: conv[0].size == conv[1].size\nthen: {then}\n", recordings)

    assert (finding.outcome, finding.total, finding.satisfied, finding.not_applicable) == (CheckOutcome.PASS, 6, 2, 4)
    assert sum(finding.errors.values()) == 0
    (missing,) = finding.missing
    assert (missing.conversations, missing.first) == (1, "b")


async def test_for_every_conversation_that_has_the_name_there_is_another():
    recordings = [Recording("a", {"cost": 9}), Recording("b", {"hour": 1}), Recording("c", {"cost": 8})]
    rule = "name: r\nconversations: 2\nquantifier: forall exists\nthen: conv[0].cost != conv[1].cost\n"

    finding = await found(rule, recordings)

    assert finding.outcome is CheckOutcome.PASS
