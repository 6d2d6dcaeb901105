"""Rules over one conversation, from the recordings to what was found."""

import subprocess
import sys

import pytest

from sparring.core.checks import Rule
from sparring.core.conversation import Ending, Evidence
from sparring.core.verdict import Cause, CheckOutcome, Example, Finding, QuotedEvidence, Verdict
from sparring.llm.model import Completion, Request, UnpricedModel
from sparring.rules.check import SingleRules, check
from sparring.rules.limits import EvaluationLimits
from sparring.rules.recording import RecordedMessage, Recording
from sparring.rules.rule_file import parse_rule, rule_of
from tables import table

PRICES = [Recording(f"c{at}", {"price": price}) for at, price in enumerate(["$12", "$8", "none", "$9", None])]


async def found(rule: str, recordings: list[Recording], **options: object) -> Finding:
    (finding,) = (await check([rule_of(rule)], recordings, **options)).findings  # type: ignore[arg-type]
    return finding


async def test_counts_add_up_and_errors_belong_to_the_clause_that_raised_them():
    rule = parse_rule(
        "name: r\nwhen: price is not None or 1 / 0\nif: 'len(price) < 4'\nthen: extract_float(price) >= 10\n"
    )

    (finding,) = (await check([rule], PRICES)).findings

    assert finding == Finding(
        rule="r",
        file="rule",
        total=5,
        filtered=1,
        applicable=3,
        satisfied=1,
        violated=2,
        not_applicable=1,
        errors={"when": 1, "if": 0, "then": 0},
        examples=(
            Example(conversations=("c1",), reason="expected extract_float(price) >= 10, got 8.0"),
            Example(conversations=("c3",), reason="expected extract_float(price) >= 10, got 9.0"),
        ),
        culprits=finding.culprits,
        causes=(Cause(clause="when", reason="division by zero", conversations=1, first="c4"),),
    )


async def test_a_listener_receives_a_verdict_for_every_conversation_the_rule_applies_to():
    heard: list[Verdict] = []
    rule = parse_rule("name: r\nwhen: price != '$12'\nthen: extract_float(price) >= 9\nyields: f'only {price}'\n")

    await check([rule], PRICES, listener=heard.append)

    assert [(verdict.conversation, verdict.outcome, verdict.reason) for verdict in heard] == [
        ("c1", CheckOutcome.FAIL, "only $8"),
        ("c2", CheckOutcome.ERROR, ">= cannot compare a missing value with a number"),
        ("c3", CheckOutcome.PASS, ""),
        ("c4", CheckOutcome.ERROR, "extract_float() expects a text, got nothing"),
    ]


async def test_a_violation_shows_the_words_it_was_decided_by():
    price = Evidence(at=1, start=11, end=13, text="$9")
    said = Recording(
        "c",
        {"price": "$9"},
        (RecordedMessage("user", "hi"), RecordedMessage("chatbot", "As an AI, $9")),
        evidence={"price": price},
    )

    finding = await found("not (chatbot_says('(?i)as an ai') and price)", [said])

    assert finding.examples[0].evidence == (
        QuotedEvidence(conversation="c", at=1, start=0, end=8, text="As an AI"),
        QuotedEvidence(conversation="c", at=1, start=11, end=13, text="$9"),
    )


@pytest.mark.parametrize("clause", ["when: cost > 5\nthen: True", "if: cost > 5\nthen: True", "then: cost > 5"])
async def test_a_rule_does_not_apply_to_a_conversation_without_a_name_that_another_has(clause: str):
    recordings = [Recording("a", {"cost": 9}), Recording("b", {"hour": "10:00"}), Recording("c", {"hour": "11:00"})]
    heard: list[Verdict] = []

    (finding,) = (await check([parse_rule(f"name: r\n{clause}\n")], recordings, listener=heard.append)).findings

    assert (finding.outcome, finding.satisfied, finding.not_applicable) == (CheckOutcome.PASS, 1, 2)
    assert sum(finding.errors.values()) == 0
    (missing,) = finding.missing
    assert (missing.reason, missing.conversations, missing.first) == ("no 'cost' here", 2, "b")
    assert [verdict.conversation for verdict in heard] == ["a"]


async def test_a_missing_name_that_is_not_needed_decides_nothing():
    recordings = [Recording("a", {"cost": 9}), Recording("b", {"hour": "10:00"})]

    finding = await found("not hasattr(conv[0], 'cost') or cost > 5", recordings)

    assert (finding.satisfied, finding.missing) == (2, ())


async def test_a_value_that_is_there_and_nothing_is_not_a_missing_name():
    finding = await found("cost > 5", [Recording("a", {"cost": 9}), Recording("b", {"cost": None})])

    assert (finding.outcome, finding.errors["then"], finding.missing) == (CheckOutcome.ERROR, 1, ())


async def test_a_name_that_no_conversation_defines_makes_only_that_rule_invalid():
    heard: list[Verdict] = []

    findings = (await check([rule_of("pirce"), rule_of("price")], PRICES, listener=heard.append)).findings

    assert [str(problem) for problem in findings[0].invalid] == [
        "--rule:1:1: then: no conversation has a variable 'pirce' (did you mean 'price'?)"
    ]
    assert (findings[0].total, findings[0].outcome, findings[1].total) == (0, CheckOutcome.ERROR, 5)
    assert {verdict.check for verdict in heard} == {"price"}


@pytest.mark.parametrize(
    ("rule", "column", "hint"),
    [
        ("'refund' not in chatbot_phrases", 1, "not any('refund' in phrase for phrase in chatbot_phrases)"),
        ("not 'I know' in conv[0].user_phrases", 5, "any('I know' in phrase for phrase in conv[0].user_phrases)"),
    ],
)
async def test_a_word_that_is_looked_for_among_messages_instead_of_in_them_makes_a_rule_invalid(
    rule: str, column: int, hint: str
):
    finding = await found(rule, [Recording("c", {}, messages=(RecordedMessage("chatbot", "You get a refund."),))])

    (problem,) = finding.invalid
    assert (problem.column, problem.hint) == (column, f"to search in them: {hint}")


@pytest.mark.parametrize(
    "rule",
    [
        "'refund' not in chatbot_phrases[0]",
        "'refund' not in ' '.join(chatbot_phrases)",
        "not any('refund' in phrase for phrase in chatbot_phrases)",
        "'As an AI, I cannot.' not in chatbot_phrases",
    ],
)
async def test_a_word_is_looked_for_in_a_message_and_a_sentence_among_them(rule: str):
    finding = await found(rule, [Recording("c", {}, messages=(RecordedMessage("chatbot", "You get a hat."),))])

    assert (finding.invalid, finding.outcome) == ((), CheckOutcome.PASS)


@pytest.mark.parametrize(
    ("rule", "column", "hint"),
    [
        ("ending != 'goal_answered'", 11, "did you mean 'goals_answered'?"),
        ("conv[0].ending in ('goals_answered', 'userdone')", 38, "did you mean 'user_done'?"),
        ("'happy' != conversation_ending", 1, f"endings: {', '.join(Ending)}"),
    ],
)
async def test_an_ending_that_there_is_not_makes_a_rule_invalid(rule: str, column: int, hint: str):
    finding = await found(rule, [Recording("c", {"ending": "user_done"})])

    (problem,) = finding.invalid
    assert (problem.column, problem.hint) == (column, hint)


async def test_a_value_of_ones_own_may_be_called_ending():
    finding = await found("ending == 'happy'", [Recording("c", {"ending": "happy"})])

    assert (finding.invalid, finding.outcome) == ((), CheckOutcome.PASS)


async def test_an_invalid_rule_keeps_its_place_and_an_inactive_one_has_none():
    rules = [parse_rule("name: a\nthen: f(\n"), parse_rule("name: b\nactive: false\nthen: True\n"), rule_of("True")]

    findings = (await check(rules, PRICES)).findings

    assert [(finding.rule, bool(finding.invalid), finding.total) for finding in findings] == [
        ("a", True, 0),
        ("True", False, 5),
    ]


async def test_without_conversations_a_rule_is_not_exercised():
    assert (await found("price == 1", [])).outcome is CheckOutcome.NOT_APPLICABLE


async def test_only_the_first_examples_are_kept():
    finding = await found("False", PRICES, limits=EvaluationLimits(examples=2))

    assert (finding.violated, [example.conversations for example in finding.examples]) == (5, [("c0",), ("c1",)])


@pytest.mark.parametrize(
    ("yields", "reason"),
    [
        ("f'{nothing_knows_this}'", "expected price == 1, got '$12'"),
        ("Wrong price, sorry!", "Wrong price, sorry!"),
        ("price", "$12"),
    ],
)
async def test_a_message_is_an_expression_or_plain_words_and_never_makes_a_rule_invalid(yields: str, reason: str):
    rule = parse_rule(f"name: r\nthen: price == 1\nyields: {yields}\n")

    (finding,) = (await check([rule], PRICES)).findings

    assert (finding.invalid, finding.examples[0].reason) == ((), reason)


class Says(UnpricedModel):
    """A model that answers by what the question contains, and counts how often it is asked."""

    def __init__(self, **answers: str) -> None:
        self.answers = answers
        self.asked = 0

    async def complete(self, request: Request) -> Completion:
        self.asked += 1
        text = request.messages[-1].content
        return Completion(next(answer for word, answer in self.answers.items() if word in text))


async def test_a_model_is_asked_once_for_each_question_that_has_to_be_decided():
    hours = [Recording(str(at), {"hours": text}) for at, text in enumerate(["nine", "twelve", "nine", "odd", "never"])]
    model = Says(nine="Yes.", twelve="no", odd="perhaps")
    rule = parse_rule("name: r\nwhen: hours != 'never'\nthen: semantic_content(hours, 'from 9')\n")

    (finding,) = (await check([rule], hours, model=model)).findings

    assert (finding.satisfied, finding.violated, finding.errors["then"], finding.not_applicable) == (2, 1, 1, 1)
    assert finding.causes[0].reason == "the model answered 'perhaps' instead of one of: yes, no"
    assert model.asked == 3


async def test_a_function_that_needs_a_model_is_counted_apart_without_one():
    finding = await found("tone(price) == ['POSITIVE']", [Recording("c", {"price": "$1"})])

    assert (finding.applicable, finding.needs_model, finding.errors["then"]) == (1, 1, 0)
    assert finding.outcome is CheckOutcome.ERROR


async def test_a_function_over_the_conversation_may_ask_several_times():
    talk = Recording("c", {}, tuple(RecordedMessage("chatbot", text) for text in ("pizza", "politics", "sorry?")))
    rule = "only_talks_about(['food'], 'sorry')"

    finding = await found(rule, [talk], model=Says(pizza="yes", politics="no"))

    assert (finding.violated, finding.examples[0].reason) == (1, "['politics']")


@table(("value", "outcome"), [("1", "pass"), ("3", "fail"), ("'yes'", "fail"), ("True", "pass"), ("[]", "fail")])
async def test_a_rule_holds_only_if_it_equals_true(value: str, outcome: str):
    assert (await found(value, [Recording("c")])).outcome == outcome


async def test_recordings_may_come_one_by_one_from_a_stream():
    async def stream():
        for recording in PRICES:
            yield recording

    assert (await check([rule_of("True")], stream())).conversations == 5


def test_a_rule_is_a_value_with_the_places_of_its_clauses():
    rule = rule_of("x")

    assert isinstance(rule, Rule)
    assert Rule.model_validate_json(rule.model_dump_json()) == rule


@pytest.mark.process
def test_a_rule_over_one_conversation_needs_no_numpy():
    program = (
        "import asyncio, sys\n"
        "from sparring.rules.check import check\n"
        "from sparring.rules.recording import Recording\n"
        "from sparring.rules.rule_file import rule_of\n"
        "assert asyncio.run(check([rule_of('x == 1')], [Recording('a', {'x': 1})])).findings[0].satisfied == 1\n"
        "print('numpy' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"


SHOPS = [
    Recording("pizza/small/1", {"conversation_case": "pizza/small/1", "price": 9}),
    Recording("pizza/big/1", {"conversation_case": "pizza/big/1", "price": 30}),
    Recording("bikes", {"conversation_case": "bikes", "hour": "10:00"}),
]


@table(
    ("scenarios", "applicable"),
    [
        ("pizza", 2),
        ("[pizza/small]", 1),
        ("small", 1),
        ('["p*", bikes]', 3),
        ("['?ikes']", 1),
        ("[Pizza, sma]", 0),
    ],
)
async def test_a_rule_applies_to_its_scenarios_only(scenarios: str, applicable: int):
    rule = parse_rule(f"name: r\nscenarios: {scenarios}\nthen: turns() < 9\n")

    (finding,) = (await check([rule], SHOPS)).findings

    assert (finding.applicable, finding.not_applicable, finding.invalid) == (applicable, 3 - applicable, ())


async def test_a_rule_over_several_compares_only_its_scenarios():
    pairs = parse_rule("name: r\nscenarios: p*\nconversations: 2\nthen: conv[0].price != conv[1].price\n")
    every = parse_rule("name: s\nscenarios: [small]\nconversations: all\nthen: max(price) == 9\n")

    findings = (await check([pairs, every], SHOPS)).findings

    assert [(each.outcome, each.applicable) for each in findings] == [(CheckOutcome.PASS, 2), (CheckOutcome.PASS, 1)]


async def test_a_name_has_to_exist_in_the_scenarios_of_the_rule():
    elsewhere = parse_rule("name: r\nscenarios: bikes\nthen: price < 99\n")
    nowhere = parse_rule("name: s\nscenarios: cars\nthen: wheels == 4\n")

    findings = (await check([elsewhere, nowhere], SHOPS)).findings

    assert findings[0].invalid[0].message == "no conversation has a variable 'price'"
    assert (findings[1].invalid, findings[1].outcome) == ((), CheckOutcome.NOT_APPLICABLE)
    assert findings[1].removed_by == "when: in_scenario(conv[0], ['cars'])"


def test_scenarios_are_names():
    rule = parse_rule("name: r\nscenarios: [1, '']\nthen: True\n")

    assert [problem.message for problem in rule.problems] == [  # type: ignore[union-attr]
        "should be the name of a scenario, or a list of names; * and ? match anything"
    ]


@pytest.mark.parametrize(("count", "unit"), [(1, "3 conversations"), (2, "6 pairs")])
async def test_a_rule_that_holds_nowhere_has_one_reason(count: int, unit: str):
    rule = parse_rule(f"name: r\nconversations: {count}\nquantifier: exists\nthen: turns(conv[0]) > 5\n")

    (finding,) = (await check([rule], SHOPS)).findings

    assert finding.outcome is CheckOutcome.FAIL
    assert [example.conversations for example in finding.examples] == [()]
    assert finding.examples[0].reason.startswith(f"none of {unit} holds: expected turns(conv[0]) > 5")


def test_a_rule_that_has_to_hold_somewhere_fails_no_single_conversation():
    rules = {
        "a": Rule(name="a", quantifier="exists", then="turns() > 5"),
        "b": Rule(name="b", then="turns() > 5"),
    }

    assert list(SingleRules(rules).verdicts(SHOPS[0])) == ["b"]


def test_verdicts_on_null_bots_are_not_explained():
    rules = {"a": Rule(name="other", then="price > 100")}

    (explained,) = SingleRules(rules).verdicts(SHOPS[0]).values()
    (bare,) = SingleRules(rules, explain=False).verdicts(SHOPS[0]).values()

    assert [each.outcome for each in (explained, bare)] == [CheckOutcome.FAIL] * 2
    assert explained.symptoms
    assert (bare.symptoms, bare.reason, bare.evidence) == ((), "", ())


@pytest.mark.parametrize(("conversations", "then"), [(1, "price == 1"), (2, "conv[0].price == conv[1].price")])
async def test_repeats_of_a_case_give_a_share_no_confidence(conversations: int, then: str):
    rule = parse_rule(f"name: r\nconversations: {conversations}\nthen: {then}\nat least: 90%\nconfidence: 0.95\n")
    repeated = [Recording(f"c{case}#{repeat}", {"price": 1}) for case in range(4) for repeat in range(2, 32)]
    many = [Recording(f"c{case}", {"price": 1}) for case in range(120)]

    (few,), (enough,) = [(await check([rule], recordings)).findings for recordings in (repeated, many)]

    assert (few.outcome, few.bound) == (CheckOutcome.FAIL, pytest.approx(0.05 ** (1 / 4)))
    assert enough.outcome is CheckOutcome.PASS
