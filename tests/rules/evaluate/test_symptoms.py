import asyncio
from typing import Any

from sparring.core.causes import Symptom
from sparring.core.checks import Rule
from sparring.core.message import ToolCall
from sparring.core.state import state_record
from sparring.core.verdict import Verdict
from sparring.rules.check import check
from sparring.rules.recording import RecordedMessage, Recording
from tables import table

NAMES = {"size": "big", "wanted": 11.5, "drink": "water", "order_id": None, "seen": ["a"]}
OUTPUTS = {"price": "$10.00"}
SAID = (
    RecordedMessage("user", "A pizza, please"),
    RecordedMessage("chatbot", "One small pizza, that is $10.00", (ToolCall(name="book", result={"total": 25}),)),
)
STATE = state_record({"orders": {}}, {"orders": {"big": {"to": "school"}}}, {})


def symptom(then: str, **rule: Any) -> Symptom:
    recording = Recording(
        id="a", names=NAMES | OUTPUTS, messages=SAID, outputs=OUTPUTS, reports_tools=True, state=STATE
    )
    verdicts: list[Verdict] = []
    asyncio.run(check([Rule(name="the rule", then=then, **rule)], [recording], listener=verdicts.append))
    (verdict,) = verdicts
    (found,) = verdict.symptoms
    return found


@table(
    ("then", "kind", "subject", "relation"),
    [
        ("extract_float(price) == wanted", "value", "price", "lower"),
        ("wanted == extract_float(price)", "value", "price", "lower"),
        ("extract_float(price) < 9", "value", "price", "higher"),
        ("size == 'small'", "value", "size", "different"),
        ("size != 'big'", "value", "size", "unexpected"),
        ("order_id == 'A1'", "value", "order_id", "missing"),
        ("order_id is not None", "value", "order_id", "missing"),
        ("size in chatbot_phrases[-1]", "value", "size", "not_among"),
        ("drink not in ['water']", "value", "drink", "unexpected"),
        ("called('place_order')", "value", "the call of place_order", "missing"),
        ("called('place_order', size=size)", "value", "the call of place_order", "missing"),
        ("called('book', size=size)", "value", "the call of book", "different"),
        ("not_called('book')", "value", "the call of book", "unexpected"),
        ("changes('orders.small') == []", "value", "orders.big", "unexpected"),
        ("calls('place_order') == 1", "value", "place_order", "lower"),
        ("tool_result('book')['total'] == {'big': 35}[size]", "value", "total of book", "lower"),
        ("{'big': 35}[size] == tool_result('book')['total']", "value", "total of book", "lower"),
        ("state('orders.' + size + '.to') == drink", "value", "orders.{size}.to", "different"),
        ("state('orders.' + price) == 'booked'", "value", "orders.{price}", "missing"),
        ("price and size == 'small' and drink == 'coke'", "value", "size", "different"),
        ("not hasattr(conv[0], 'size') or size == 'small'", "value", "size", "different"),
        ("size == 'small' if drink == 'water' else drink == 'coke'", "value", "size", "different"),
        ("'Carbonara' in chatbot_phrases[-1]", "rule", "", "missing"),
        ("'small' not in chatbot_phrases[-1]", "rule", "", "unexpected"),
        ("not chatbot_says('small')", "rule", "", "unexpected"),
        ("chatbot_says('Carbonara')", "rule", "", "missing"),
        ("drink + ' is in' in chatbot_phrases[-1]", "rule", "", "missing"),
        ("price + '!' in chatbot_phrases[-1]", "value", "price", "not_among"),
        ("matches('[1-4]5 minutes', chatbot_phrases[-1])", "rule", "", "missing"),
        ("matches('A1', size)", "value", "size", "missing"),
        ("all(each == 'b' for each in seen)", "rule", "the rule", "holds_not"),
        ("turns() > 9", "rule", "the rule", "holds_not"),
    ],
)
def test_the_first_part_that_fails_names_the_subject(then: str, kind: str, subject: str, relation: str):
    found = symptom(then)

    assert (found.kind, found.subject, found.relation, found.check) == (kind, subject, relation, "the rule")


def test_a_value_has_what_was_expected_and_what_was_found():
    found = symptom("extract_float(price) == wanted")

    assert (found.expected, found.got) == ("11.5", "10.0")


def test_the_words_that_are_looked_for_are_the_text():
    assert symptom("'Carbonara' in chatbot_phrases[-1]").text == "Carbonara"
    assert symptom("drink + ' is in' in chatbot_phrases[-1]").text == "water is in"
    assert symptom(r"chatbot_says('(?i)[1-4][05] or \\d+ minutes')").text == "0 or 0 minutes"
