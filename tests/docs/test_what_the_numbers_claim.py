"""Every sentence in the table of docs/explanation/what-the-numbers-claim.md is one that Sparring says."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from reports.summing import decided
from reports.test_gate import held
from sparring.core.audit import Blame
from sparring.core.checks import Gate
from sparring.core.conversation import Conversation, Ending
from sparring.core.outcome import Decision, Outcome, decide
from sparring.core.usage import Usage
from sparring.core.verdict import HUMAN, CheckOutcome, Verdict
from sparring.reports.comparing_batches import ComparedBatch, compare
from sparring.reports.comparison_text import family_lines, headline, primary_lines
from sparring.reports.gate import gate_text
from sparring.reports.rate_text import agreement_text, score_lines, statistics_lines
from sparring.reports.reported import ReportedConversation
from sparring.reports.sentence import sentence
from sparring.reports.summary import Summary, Tally
from sparring.testing.factories import a_batch, a_conversation

PAGE = Path(__file__).parents[2] / "docs/explanation/what-the-numbers-claim.md"
SENTENCES = re.findall(r"^\| `([^`]+)` \|", PAGE.read_text("utf-8"), re.M)
SCORES = {"+": 3.0, "~": 2.0, "-": 1.0}
ENDINGS = {"!": Ending.CHATBOT_FAILED}


def verdict(said: Conversation, mark: str) -> Verdict:
    outcome = CheckOutcome.FAIL if mark == "-" else CheckOutcome.PASS
    about = {"conversation": said.id, "judge": "openai:judge", "score": SCORES.get(mark)}
    return Verdict(check="polite", outcome=outcome, **about)


def summary(cases: dict[str, str], *, human: str = "") -> Summary:
    """Sum up conversations: `+` and `~` passed, `-` failed, `!` crashed, `v` void, `r` passed at the second attempt."""
    batch = a_batch(*cases, repeats=max(map(len, cases.values())))
    tally = Tally(batch)
    for number, (case, marks) in enumerate(zip(batch.cases, cases.values(), strict=True)):
        for repeat, mark in enumerate(marks, 1):
            said = a_conversation(case, repeat=repeat, ending=ENDINGS.get(mark, Ending.GOALS_ANSWERED))
            verdicts = [verdict(said, mark)]
            if human:
                score = SCORES[human[number]]
                about = {"check": HUMAN, "by": HUMAN, "judge": HUMAN, "score": score}
                verdicts.append(verdicts[0].model_copy(update=about))
            first, decision = None, decide(said, verdicts)
            if mark == "v":
                void = {"outcome": Outcome.VOID, "as_played": Outcome.FAILED, "blame": Blame.USER}
                decision = Decision.model_validate({**decision.model_dump(), **void})
            if mark == "r" and said.timing is not None:
                first = Outcome.FAILED
                said = said.model_copy(update={"timing": said.timing.model_copy(update={"attempt": 2})})
            tally.add(ReportedConversation(said, decision, tuple(verdicts), first=first), judged=verdicts)
    return tally.summary()


def judged(cases: dict[str, str]) -> ComparedBatch:
    """Return one side of a comparison: `+` and `~` passed, `-` failed, `!` crashed."""
    batch = a_batch(*cases, repeats=max(map(len, cases.values())))
    side = ComparedBatch(batch)
    for case, marks in zip(batch.cases, cases.values(), strict=True):
        for repeat, mark in enumerate(marks, 1):
            said = a_conversation(case, repeat=repeat, ending=ENDINGS.get(mark, Ending.GOALS_ANSWERED))
            side.add(decided(said, [verdict(said, mark)]))
    return side


def spread(passed: list[int]) -> dict[str, str]:
    return {f"case {n}": "+" * passes + "-" * (5 - passes) for n, passes in enumerate(passed)}


def compared() -> Iterator[str]:
    """Yield what Sparring says of pairs of batches, and of gates."""
    many, five = range(40), range(5)
    before = judged(spread([5] * 24 + [4] * 8 + [3] * 4 + [2] * 4))
    pairs = (
        (before, judged(spread([5] * 22 + [4] * 10 + [3] * 4 + [2] * 2 + [1] * 2))),
        (before, judged(spread([4] * 24 + [3] * 8 + [2] * 4 + [1] * 4))),
        (judged({f"{n}": "+" * 38 + "--" for n in five}), judged({f"{n}": "+" * 15 + "-" * 25 for n in five})),
        (judged({f"{n}": "+++++" for n in many}), judged({f"{n}": "+++++" if n > 5 else "!!!!!" for n in many})),
        (judged({f"{n}": "+" for n in many}), judged({f"{n}": "~" for n in many})),
    )
    for one, other in pairs:
        comparison = compare(one, other)
        yield from (headline(comparison), *primary_lines(comparison), *family_lines(comparison.checks, "check"))
    cases = {f"{n}": "+++++" if n < 28 else "+++--" if n < 38 else "-----" for n in many}
    priced = Usage(calls=1, input_tokens=10, output_tokens=10, cost=0.01)
    sure = Gate(pass_rate=0.8, confidence=0.95)
    for gate in (Gate(pass_rate=0.9), sure, sure.changed(claim="these")):
        yield from (line.removeprefix("  - ") for line in gate_text(held(gate, cases, usage=priced)))


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
        yield str(sentence(found))
        yield from statistics_lines(found.statistics)
        for each in found.scores:
            yield from score_lines(each)
    for agreement in summary(scored, human="+~-~~-" * 5).agreements:
        yield agreement_text(agreement)


@pytest.fixture(scope="module")
def said() -> set[str]:
    return {*produced(), *compared()}


def test_the_table_has_a_sentence_of_each_kind():
    assert len(SENTENCES) > 15


@pytest.mark.parametrize("claimed", SENTENCES)
def test_a_sentence_of_the_table_is_one_that_sparring_says(claimed: str, said: set[str]):
    assert claimed in said


def test_no_interval_of_a_comparison_or_gate_is_without_its_claim():
    for line in compared():
        for found in re.finditer(r"\[", line):
            clause = line[: found.start()].rpartition(";")[2]
            assert re.search(r"these( \d+)? cases\b|cases like these\b", clause), line


def test_no_interval_of_a_batch_is_without_its_claim():
    bounds = re.compile(r"[<>]?\d[\d.]*(–| to )[<>]?\d[\d.]* ?%?")
    for line in produced():
        for found in bounds.finditer(line):
            before = line[: found.start()].rstrip("( ")
            named = line[found.end() :].startswith("] of cases like these")
            assert named or before.endswith(("these cases", "cases like these", "on a scale of")), line
