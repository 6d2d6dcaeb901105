"""Whether what a case expects holds, each at its moment."""

from collections.abc import Sequence

from sparring.core.checks import Expectation
from sparring.core.conversation import Conversation
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.rules.check import check
from sparring.rules.recording import recording_of


async def expected(conversation: Conversation) -> list[Verdict]:
    """A verdict on each expectation of the case, and one on those together that are one check.

    What the conversation never came to has failed; what does not apply to it has no verdict.
    """
    alone: list[Verdict] = []
    together: dict[str, list[Verdict]] = {}
    for expectation in conversation.case.expectations:
        verdicts = await expectation_verdicts(expectation, conversation)
        (together.setdefault(expectation.check, []) if expectation.check else alone).extend(verdicts)
    return [*alone, *(_one(check, verdicts) for check, verdicts in together.items() if verdicts)]


async def expectation_verdicts(expectation: Expectation, conversation: Conversation) -> list[Verdict]:
    """The verdict on one expectation, in a list that is empty where it does not apply."""
    rule, after = expectation.rule, expectation.after
    then = conversation if after is None else conversation.after_step(after)
    if then is None:
        reason = f"it never came to that: {conversation.ending or 'the conversation did not end'}"
        return [Verdict(check=rule.name, outcome=CheckOutcome.FAIL, conversation=conversation.id, reason=reason)]
    verdicts: list[Verdict] = []
    findings = await check([rule], [recording_of(then)], listener=verdicts.append)
    return verdicts + [
        Verdict(
            check=rule.name, outcome=CheckOutcome.ERROR, conversation=conversation.id, reason=each.invalid[0].message
        )
        for each in findings.findings
        if each.invalid
    ]


def _one(check: str, verdicts: Sequence[Verdict]) -> Verdict:
    """What several verdicts come to: all that is wrong, and 1 for a pass, 0 for a failure, no score for an error."""
    found = {verdict.outcome for verdict in verdicts}
    outcome = next((each for each in (CheckOutcome.FAIL, CheckOutcome.ERROR) if each in found), CheckOutcome.PASS)
    return Verdict(
        check=check,
        outcome=outcome,
        conversation=verdicts[0].conversation,
        reason="; ".join(f"{each.check}: {each.reason}" for each in verdicts if each.outcome is not CheckOutcome.PASS),
        evidence=tuple(evidence for each in verdicts for evidence in each.evidence),
        needs=tuple(need for each in verdicts if each.outcome is CheckOutcome.FAIL for need in each.needs),
        symptoms=tuple(symptom for each in verdicts for symptom in each.symptoms),
        blame=next((each.blame for each in verdicts if each.outcome is outcome and each.blame), None),
        score={CheckOutcome.PASS: 1.0, CheckOutcome.FAIL: 0.0}.get(outcome),
    )
