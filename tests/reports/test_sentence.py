import pytest

from sparring.core.audit import Blame
from sparring.core.outcome import Outcome
from sparring.reports.causes import CauseExample, CauseSummary
from sparring.reports.sentence import running_sentence, verdict_sentence
from sparring.reports.summary import Summary
from sparring.testing.factories import a_batch

FACTS = Summary(batch="B", who=a_batch("a").who, planned=10, stored=10, not_run=0, endings={}, outcomes={})
CAUSE = CauseSummary(
    id="c-1", title="The price is wrong", outcome=Outcome.FAILED, blame=Blame.CHATBOT, kind="rule", subject="price",
    relation="lower", role="other", count=2, cases=2, share=1, example=CauseExample(conversation="a"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("outcomes", "changed", "said"),
    [
        ({"passed": 10}, {}, "PASSED: all 10 passed"),
        ({"passed": 8, "failed": 2}, {"causes": (CAUSE,)}, "FAILED: 2 of 10 failed; 1 cause"),
        ({"passed": 5, "failed": 2}, {"not_run": 3}, "FAILED: 2 of 7 failed; 0 causes; 3 of 10 not run, no budget"),
        ({"passed": 4}, {"not_run": 6}, "STOPPED: no budget after 4 of 10; none of the 4 failed"),
        ({"passed": 9, "void": 1}, {}, "UNDECIDED: nothing failed, but 1 of 10 could not be decided: 1 void"),
        ({"undecided": 10}, {"weak": 2}, "UNDECIDED: none of 10 could be decided: 2 cases weak"),
    ],
)  # fmt: skip
def test_a_batch_is_one_word_with_its_facts(outcomes: dict[str, int], changed: dict[str, object], said: str):
    facts = FACTS.model_copy(update={"outcomes": {Outcome(name): count for name, count in outcomes.items()}, **changed})

    assert str(verdict_sentence(facts, "no budget")) == said


def test_a_batch_that_runs_has_no_verdict():
    facts = FACTS.model_copy(update={"not_run": 4, "outcomes": {Outcome.FAILED: 2}, "causes": (CAUSE,)})

    assert str(running_sentence(facts, "2 s")) == "RUNNING: 6 of 10 done, about 2 s left; 2 failed so far, 1 cause"
