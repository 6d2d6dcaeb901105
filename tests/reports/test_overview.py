import pytest

from sparring.core.audit import Blame
from sparring.core.listing import ConversationRow
from sparring.core.outcome import Decision, Outcome, Reason
from sparring.reports.overview import Group, Overview, overview
from sparring.reports.trust import trust_lines
from sparring.testing.factories import a_batch

BATCH = a_batch("pizza/big/1", "pizza/big/2", "hours", repeats=2)


def row(id: str, outcome: Outcome, *failed: str, **fields: object) -> ConversationRow:
    blame = None if outcome is Outcome.PASSED else Blame.CHATBOT
    reasons = tuple(Reason(check=each, text="no", blame=Blame.CHATBOT) for each in failed)
    decision = Decision(outcome=outcome, blame=blame, reasons=reasons, **fields)
    return ConversationRow(conversation=id, decision=decision, failed=failed, turns=2)


@pytest.fixture(scope="module")
def found() -> Overview:
    rows = [
        row("pizza/big/1", Outcome.FAILED, "price", "tone"),
        row("pizza/big/1#2", Outcome.PASSED),
        row("pizza/big/2", Outcome.FAILED, "price"),
        row("hours", Outcome.UNDECIDED, "hours", weak=True),
        row("hours#2", Outcome.PASSED),
    ]
    return overview(BATCH, rows)


def test_every_planned_conversation_is_counted_once(found: Overview):
    assert found.counts == {"passed": 2, "failed": 2, "undecided": 1, "void": 0, "not_run": 1}
    assert found.blames == {Blame.CHATBOT: {"failed": 2, "undecided": 1}}
    assert found.turns == {2: (5, 2)}


def test_cases_of_one_file_are_a_family_however_they_are_named():
    batch = a_batch("changes/size", "changes/drink", "changes/drink~2", "hours/1", "hours/2")

    assert [each.name for each in overview(batch, []).families] == ["changes", "hours"]


def test_named_scenarios_of_a_request_are_families_of_their_own():
    batch = a_batch("scenarios/Order-0", "scenarios/Order-1", "scenarios/Order-1~2")

    names = [each.name for each in overview(batch, []).families]

    assert names == ["scenarios/Order-0", "scenarios/Order-1", "scenarios/Order-1~2"]


def test_one_of_all_is_said_in_the_singular():
    (held,) = [each for each in trust_lines(overview(a_batch("a"), [])) if each.state == "pass"]

    assert held.title == "The only planned conversation is counted"


def test_cases_whose_ids_begin_alike_are_a_family_and_the_worst_is_first(found: Overview):
    assert [(each.name, each.passed, each.decided, each.not_run) for each in found.families] == [
        ("pizza/big", 1, 3, 1),
        ("hours", 1, 1, 0),
    ]


def test_failures_are_grouped_and_one_with_two_rules_is_in_both(found: Overview):
    assert found.grouped("rule") == [Group("price", 2, 1.0), Group("tone", 1, 0.5)]
    assert found.grouped("scenario") == [Group("pizza/big", 2, 1.0)]
    assert found.grouped("tag") == []


def test_what_to_look_at_comes_before_what_holds(found: Overview):
    assert [(each.state, each.title) for each in trust_lines(found)] == [
        ("open", "1 weak conversation"),
        ("open", "1 of 1 case came out both ways"),
        ("pass", "All 6 planned conversations are counted"),
    ]
