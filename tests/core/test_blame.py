"""Faults of the simulated user that excuse failed checks."""

from sparring.core.audit import AUDIT, Audit, Blame, Fault, Need
from sparring.core.case import Case, Goal, OutputSpec
from sparring.core.conversation import Conversation, Ending, Evidence
from sparring.core.message import message
from sparring.core.outcome import Decision, Outcome, decide, excuse
from sparring.core.verdict import HUMAN, CheckOutcome, Verdict

SIZE = Goal(text="a small pizza", variables=("size",))
DRINK = Goal(text="a coke", variables=("drink",))
CASE = Case(
    id="a",
    goals=(SIZE, DRINK),
    variables={"size": "small", "drink": "coke", "day": "Monday"},
    outputs=(OutputSpec(name="price"),),
)


def conversation(ending: Ending = Ending.USER_DONE) -> Conversation:
    said = [message("user", "A big pizza."), message("chatbot", "Sure."), message("user", "Bye.")]
    return Conversation(case=CASE, messages=tuple(said), ending=ending)


def fault(*touches: str, kind: str = "wrong_value", certainty: str = "certain", at: int = 0, **fields) -> Fault:
    quote = Evidence(at=at, start=0, end=3, text="big")
    about = {"kind": kind, "certainty": certainty, "touches": touches, "evidence": (quote,)}
    return Fault(**{"blame": Blame.USER, "reason": f"{kind}: the user said big", **about, **fields})


def failure(*names: str, until: int | None = None, **fields) -> Verdict:
    needs = (Need(names=names, until=until),) if names else ()
    about = {"check": "rule", "outcome": CheckOutcome.FAIL, "conversation": "a", "reason": "wrong", "needs": needs}
    return Verdict(**{**about, **fields})


def audited(*faults: Fault) -> Verdict:
    about = {"check": AUDIT, "by": AUDIT, "outcome": CheckOutcome.NOT_APPLICABLE, "conversation": "a"}
    return Verdict(**about, audit=Audit(faults=faults))


def decided(*given: Fault | Verdict, ending: Ending = Ending.USER_DONE, **settings) -> Decision:
    faults = [each for each in given if isinstance(each, Fault)]
    verdicts = [each for each in given if isinstance(each, Verdict)]
    return decide(conversation(ending), [*verdicts, audited(*faults)], **settings)


PASS = Verdict(check="checklist", outcome=CheckOutcome.PASS, conversation="a")


def test_a_fault_that_touches_what_a_failed_check_reads_makes_the_conversation_void():
    decision = decided(failure("size"), fault("size"))
    assert (decision.outcome, decision.blame, decision.as_played) == (Outcome.VOID, Blame.USER, Outcome.FAILED)
    assert decision.faults == ("wrong_value",)
    assert [str(each) for each in decision.reasons] == ["audit: wrong_value: the user said big", "rule: wrong"]


def test_a_fault_elsewhere_excuses_nothing():
    decision = decided(failure("size"), fault("drink"))
    assert (decision.outcome, decision.blame, decision.as_played) == (Outcome.FAILED, Blame.CHATBOT, None)


def test_every_failed_part_needs_an_excuse():
    both = failure(needs=(Need(names=("size",)), Need(names=("drink",))))
    assert decided(both, fault("size")).outcome is Outcome.FAILED
    assert decided(both, fault("size"), fault("drink")).outcome is Outcome.VOID
    assert decided(failure("size"), failure("drink"), fault("size")).outcome is Outcome.FAILED


def test_a_variable_and_its_goal_stand_for_each_other():
    assert decided(failure("goal:1"), fault("size")).outcome is Outcome.VOID
    assert decided(failure("size"), fault("goal:1")).outcome is Outcome.VOID
    assert decided(failure("drink"), fault("goal:1")).outcome is Outcome.FAILED
    both = CASE.changed(goals=(Goal(text="a small pizza and a coke", variables=("size", "drink")),))
    assert excuse(both, [audited(fault("size", "goal:1")), failure("drink")]).faults == ()
    assert excuse(both, [audited(fault("goal:1")), failure("drink")]).faults


def test_a_literal_value_stands_for_the_variable_with_this_value():
    assert decided(failure("tool:order", "value:small"), fault("size")).outcome is Outcome.VOID
    assert decided(failure("tool:order", "value:big"), fault("size")).outcome is Outcome.FAILED


def test_a_fault_after_the_violation_excuses_nothing():
    assert decided(failure("size", until=1), fault("size", at=2)).outcome is Outcome.FAILED
    assert decided(failure("size", until=1), fault("size", at=0)).outcome is Outcome.VOID


def test_a_judge_reads_everything():
    judged = failure(by="model", judge="openai:judge")
    assert decided(judged, fault("day")).outcome is Outcome.VOID
    assert decided(judged, fault()).outcome is Outcome.FAILED


def test_a_pass_with_a_fault_that_touches_something_is_void():
    assert decided(PASS, fault("size")).outcome is Outcome.VOID
    assert decided(PASS, fault("*", kind="role_flip")).outcome is Outcome.VOID
    assert decided(PASS, fault(kind="meta")).outcome is Outcome.PASSED


def test_a_likely_fault_is_a_doubt():
    decision = decided(failure("size"), fault("size", certainty="likely"))
    assert (decision.outcome, decision.blame, decision.doubts) == (Outcome.FAILED, Blame.CHATBOT, ("wrong_value",))
    assert decided(PASS, fault("size", certainty="likely")).doubts == ()


def test_three_kinds_of_faults_make_a_failed_conversation_void():
    flags = [fault(kind=kind) for kind in ("meta", "empty", "goodbye_loop")]
    assert decided(failure("size"), *flags).outcome is Outcome.VOID
    assert decided(failure("size"), *flags[:2]).outcome is Outcome.FAILED
    assert decided(PASS, *flags).outcome is Outcome.PASSED


def test_the_case_can_be_to_blame():
    contradiction = fault("size", kind="case.contradiction", blame=Blame.CASE)
    assert decided(failure("size"), contradiction).blame is Blame.CASE


def test_nothing_excuses_a_crash():
    decision = decided(fault("*"), ending=Ending.CHATBOT_FAILED)
    assert (decision.outcome, decision.blame) == (Outcome.FAILED, Blame.CHATBOT)


def test_a_person_decides():
    rejected = failure(by=HUMAN, judge=HUMAN)
    assert decided(rejected, fault("*")).outcome is Outcome.FAILED


def test_a_report_changes_no_outcome():
    decision = decided(failure("size"), fault("size"), audit="report")
    assert (decision.outcome, decision.doubts) == (Outcome.FAILED, ("wrong_value",))
    assert decided(failure("size"), fault("size"), audit="off").doubts == ()
