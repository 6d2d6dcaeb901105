"""Every sentence in the table of docs/explanation/what-the-numbers-claim.md is one that Sparring says."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparring.core.audit import Blame
from sparring.core.conversation import Ending
from sparring.core.outcome import Decision, Outcome, decide
from sparring.core.verdict import HUMAN, CheckOutcome, Verdict
from sparring.reports.rate_text import agreement_text, score_lines, statistics_lines
from sparring.reports.reported import ReportedConversation
from sparring.reports.sentence import sentence
from sparring.reports.summary import Summary, Tally
from sparring.testing.factories import a_batch, a_conversation

PAGE = Path(__file__).parents[2] / "docs/explanation/what-the-numbers-claim.md"
SENTENCES = re.findall(r"^\| `([^`]+)` \|", PAGE.read_text("utf-8"), re.M)
SCORES = {"+": 3.0, "~": 2.0, "-": 1.0}


def summary(cases: dict[str, str], *, human: str = "") -> Summary:
    """Sum up conversations: `+` and `~` passed, `-` failed, `!` crashed, `v` void, `r` passed at the second attempt."""
    batch = a_batch(*cases, repeats=max(map(len, cases.values())))
    tally = Tally(batch)
    for number, (case, marks) in enumerate(zip(batch.cases, cases.values(), strict=True)):
        for repeat, mark in enumerate(marks, 1):
            ending = Ending.CHATBOT_FAILED if mark == "!" else Ending.GOALS_ANSWERED
            said = a_conversation(case, repeat=repeat, ending=ending)
            outcome = CheckOutcome.FAIL if mark == "-" else CheckOutcome.PASS
            judged = Verdict(
                check="polite", outcome=outcome, conversation=said.id, judge="openai:judge", score=SCORES.get(mark)
            )
            verdicts = [judged]
            if human:
                score = SCORES[human[number]]
                about = {"check": HUMAN, "by": HUMAN, "judge": HUMAN, "score": score}
                verdicts.append(judged.model_copy(update=about))
            first, decision = None, decide(said, verdicts)
            if mark == "v":
                void = {"outcome": Outcome.VOID, "as_played": Outcome.FAILED, "blame": Blame.USER}
                decision = Decision.model_validate({**decision.model_dump(), **void})
            if mark == "r" and said.timing is not None:
                first = Outcome.FAILED
                said = said.model_copy(update={"timing": said.timing.model_copy(update={"attempt": 2})})
            tally.add(ReportedConversation(said, decision, tuple(verdicts), first=first), judged=verdicts)
    return tally.summary()


def produced() -> Iterator[str]:
    """Yield what Sparring says of five batches."""
    passes = [*[5] * 28, *[4] * 4, *[3] * 2, *[0] * 6]
    mixed = {f"{'refunds' if n % 2 else 'orders'}/{n // 2 + 1}": "+" * p + "-" * (5 - p) for n, p in enumerate(passes)}
    deterministic = {"refund": "+" * 50, "order": "+" * 50, "cancel": "-" * 50, "greet": "-" * 50}
    troubled = {f"case {n}": marks for n, marks in enumerate(["+++"] * 15 + ["+v+", "vv-", "!-+", "!!!", "..."])}
    retried = {f"case {n}": "r" if n < 11 else "+" for n in range(20)}
    scored = {f"case {n}": "+~-"[n % 3] for n in range(30)}
    for cases in (mixed, deterministic, troubled, retried, scored):
        found = summary({case: marks.replace(".", "") for case, marks in cases.items()})
        assert found.statistics is not None
        yield sentence(found)
        yield from statistics_lines(found.statistics)
        for each in found.scores:
            yield from score_lines(each)
    for agreement in summary(scored, human="+~-~~-" * 5).agreements:
        yield agreement_text(agreement)


@pytest.fixture(scope="module")
def said() -> set[str]:
    return set(produced())


def test_the_table_has_a_sentence_of_each_kind():
    assert len(SENTENCES) > 15


@pytest.mark.parametrize("claimed", SENTENCES)
def test_a_sentence_of_the_table_is_one_that_sparring_says(claimed: str, said: set[str]):
    assert claimed in said


def test_no_interval_is_without_its_claim(said: set[str]):
    bounds = re.compile(r"[<>]?\d[\d.]*(–| to )[<>]?\d[\d.]* ?%?")
    for line in said:
        for found in bounds.finditer(line):
            before = line[: found.start()].rstrip("( ")
            assert before.endswith(("these cases", "cases like these", "on a scale of")), line
