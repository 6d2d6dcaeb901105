from pathlib import Path

import pytest

from sparring import parsing
from sparring.app.validate import SettingsChecks, check_file
from sparring.core.errors import InputError
from sparring.scenarios import policies
from sparring.scenarios.expansion import LoadOptions

GOOD = """
policy: refunds
tool: refund
args: {id: "{{id}}", amount: "{{amount}}"}
says: Refund {{amount}} of {{id}}.
records:
  - {id: A, owner: Ann, state: paid, days: 13, price: 20}
  - {id: B, owner: Ann, state: paid, days: 14, price: 20}
  - {id: C, owner: Ben, state: paid, days: 15, price: 20}
  - {id: D, owner: Ben, state: open, days: 2, price: 20}
limits:
  days: {under: 15}
  amount: {over: 0, most: price, step: 0.5}
  state: {only: [paid]}
  owner: {own: true}
"""
WRONG = """policy: refunds
tol: refund
says: Refund {{amont}} of {{id}}.
declines: No.
done: "["
refused: ".*"
records:
  - {id: A, days: 13, bought: someday, note: x}
  - {id: B, days: many, bought: 2026-01-01, nte: x}
limits:
  days: {most: 14}
  dys: {only: [1]}
  amount: {most: prise, step: 0}
  today: {after: bougt, most: 30}
  due: {after: bought, most: 30}
  note: {only: [x], never: [y]}
  id: {}
"""


def read(text: str, terms: LoadOptions):
    return policies.cases(parsing.parse(text, "policy.yaml"), terms).cases


def test_every_limit_is_tried_at_its_bound_and_beside_it(terms: LoadOptions):
    cases = {case.id.removeprefix("policy/"): case for case in read(GOOD, terms)}

    assert {name: case.right for name, case in cases.items()} == {
        "allowed": "act",
        "days-14": "act",
        "days-15": "refuse",
        "amount-minus-0.5": "refuse",
        "amount-0": "refuse",
        "amount-0.5": "act",
        "amount-below-price": "act",
        "amount-price": "act",
        "amount-above-price": "refuse",
        "state-paid-1": "act",
        "state-paid-2": "act",
        "state-open": "refuse",
        "owner-other": "refuse",
    }
    assert cases["amount-above-price"].lines == ("Refund 20.5 of A.",)
    assert cases["owner-other"].variables["owner"] == "Ben"
    expected = {each.rule.then for each in cases["days-14"].expectations}
    assert expected == {"calls('refund', {'id': 'B', 'amount': 10}) == 1"}
    assert {each.rule.line for each in cases["days-15"].expectations} == {12}


def test_a_field_of_no_record_is_reported(terms: LoadOptions):
    found = policies.gaps(parsing.parse(GOOD, "policy.yaml"))

    assert [(each.line, each.path, each.message) for each in found] == [
        (12, "limits.days", "16 is not tried: no record has it and is within the other limits")
    ]


def test_all_problems_of_a_policy_are_reported_at_once_with_their_lines(terms: LoadOptions):
    with pytest.raises(InputError) as raised:
        read(WRONG, terms)

    assert [(each.line, each.message, each.hint) for each in raised.value.problems] == [
        (1, "is missing", ""),
        (2, "unknown key", "did you mean 'tool'?"),
        (3, "{{amont}} is not a variable", "did you mean 'amount'?"),
        (4, "needs `confirms`: the chatbot asks for a yes", ""),
        (5, "is not a supported regular expression: missing ]: [", ""),
        (6, "matches every text, so it checks nothing", ""),
        (9, "has no 'note', which the first record has", ""),
        (9, "the first record does not have it", "did you mean 'note'?"),
        (11, "compares days, and 'many' in a record is no number", ""),
        (12, "is no column of the records", "did you mean 'days'?"),
        (13, "should be a number, or a column of the records", "there are: id, days, bought, note"),
        (13, "should be greater than 0", ""),
        (14, "is no column of the records", "did you mean 'bought'?"),
        (15, "counts days after bought, and 'someday' in a record is no date such as 2026-01-15", ""),
        (16, "a limit has bounds (most, least, under, over), or `only`, or `never`, or `own: true`", ""),
        (17, "a limit has bounds (most, least, under, over), or `only`, or `never`, or `own: true`", ""),
    ]


def test_a_policy_that_allows_no_record_is_refused(terms: LoadOptions):
    with pytest.raises(InputError, match="no record is within all limits"):
        read(GOOD.replace("under: 15", "under: 1"), terms)


def test_a_policy_is_validated_as_one(tmp_path: Path):
    file = tmp_path / "policy.yaml"
    file.write_text(GOOD, "utf-8")

    found = check_file(file, SettingsChecks(lambda path: None, lambda: False, lambda: None))

    assert (found.kind, found.problems, len(found.cases), len(found.warnings)) == ("policy", (), 13, 1)
