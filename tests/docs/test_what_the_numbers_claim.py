"""Every sentence in the tables about statistics is one that Sparring says, and figures of published trials are ours."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reports.summing import decided
from reports.test_comparing_batches import ruled
from reports.test_gate import held
from sparring.core.audit import Blame
from sparring.core.batch import Until
from sparring.core.checks import Gate
from sparring.core.conversation import Conversation, Ending
from sparring.core.outcome import Decision, Outcome, decide
from sparring.core.usage import Usage
from sparring.core.verdict import HUMAN, CheckOutcome, Verdict, ViolationEstimate
from sparring.reports.compared_batch import ComparedBatch
from sparring.reports.comparing_batches import compare
from sparring.reports.comparison import Baseline
from sparring.reports.comparison_text import (
    family_lines,
    headline,
    headline_notes,
    margin_line,
    primary_lines,
    rule_lines,
)
from sparring.reports.findings import what
from sparring.reports.gate import gate_text
from sparring.reports.gate_levels import unreachable
from sparring.reports.rate_text import agreement_text, score_lines, statistics_lines
from sparring.reports.reported import ReportedConversation
from sparring.reports.sentence import sentence
from sparring.reports.summary import Summary, Tally
from sparring.statistics import icc, rate
from sparring.statistics.beta import binomial_bounds
from sparring.testing.factories import a_batch, a_conversation

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "explanation/what-the-numbers-claim.md").read_text("utf-8")
SENTENCES = re.findall(r"^\| `((?:[^`]|``)+)` \|", PAGE + (DOCS / "reference/sentences.md").read_text("utf-8"), re.M)
PUBLISHED = re.findall(r"^\| [^|]+ \| (\d[\d, ]+) \| (.+) \|$", PAGE, re.M)
SCORES = {"+": 3.0, "~": 2.0, "-": 1.0}
ENDINGS = {"!": Ending.CHATBOT_FAILED}


def verdict(said: Conversation, mark: str) -> Verdict:
    outcome = CheckOutcome.FAIL if mark == "-" else CheckOutcome.PASS
    about = {"conversation": said.id, "judge": "openai:judge", "score": SCORES.get(mark)}
    return Verdict(check="polite", outcome=outcome, **about)


def summary(cases: dict[str, str], *, human: str = "", until: Until | None = None) -> Summary:
    """Sum up conversations: `+` and `~` passed, `-` failed, `!` crashed, `v` void, `r` passed at the second attempt."""
    batch = a_batch(*cases, repeats=max(map(len, cases.values()))).changed(until=until)
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
        yield " · ".join([headline(comparison), *headline_notes(comparison)])
        yield from (*primary_lines(comparison), *family_lines(comparison.checks, "check"))
        yield margin_line(comparison, 0.1)
    cases = {f"{n}": "+++++" if n < 28 else "+++--" if n < 38 else "-----" for n in many}
    priced = Usage(calls=1, input_tokens=10, output_tokens=10, cost=0.01)
    sure = Gate(pass_rate=0.8, confidence=0.95)
    for gate in (Gate(pass_rate=0.9), sure, sure.changed(claim="these")):
        yield from (line.removeprefix("  - ") for line in gate_text(held(gate, cases, usage=priced)))
    yield from unreachable(Gate(pass_rate=0.9, confidence=0.95), 20, 5)


def stopped_early() -> Iterator[str]:
    """Yield what Sparring says of batches that were held until they were decided."""
    gate = Gate(pass_rate=0.7, confidence=0.95)
    about = {"threshold": 0.7, "confidence": 0.95, "margin": 0.05}
    these, like = Until(claim="these", limit=80, **about), Until(claim="like these", limit=12, **about)
    passing = {f"{n}": "+" * 6 for n in range(10)}
    yield from gate_text(held(gate, passing, until=these))
    yield from gate_text(held(gate, {f"{n}": "+-+-" if n < 5 else "----" for n in range(10)}, until=these))
    yield from gate_text(held(gate, {f"{n}": "+-+"[n % 3] for n in range(12)}, until=like))
    found = summary(dict.fromkeys(passing, "++++-+"), until=these).statistics
    assert found is not None
    yield from statistics_lines(found)


def nights() -> Iterator[str]:
    """Yield what Sparring says of a night against the first nights of its series."""
    before = judged({f"{n}": "+++++" for n in range(40)})
    since = datetime(2026, 11, 3, tzinfo=UTC)
    for failed, common in ((0, 1.0), (3, 1.0), (3, 0.7)):
        tonight = judged({f"{n}": "+" if n >= 2 * failed else "-" for n in range(40)})
        baseline = Baseline(nights=5, since=since, common=common, left_out=round(40 * (1 - common)))
        found = compare(before, tonight).changed(baseline=baseline)
        found = found.changed(before=found.before.changed(name="nightly"))
        yield from gate_text(held(Gate(baseline="nightly"), "+", comparison=found))
    watched = judged({f"{n}": "+" if n >= 3 else "-" for n in range(40)})
    found = compare(before, watched).changed(baseline=Baseline(nights=5, since=since))
    yield from gate_text(held(Gate(baseline="nightly"), "+", comparison=found))


def rules() -> Iterator[str]:
    """Yield what Sparring says of rules over several conversations, in one batch and in two."""
    many = [f"{n}" for n in range(60)]
    quiet, few, some = (
        ruled(violated=0, cases=many),
        ruled(violated=2, cases=many),
        ruled(violated=708, cases=many, odd=6),
    )
    yield from (what(finding) for finding in some.findings)
    estimate = ViolationEstimate(sampled=1000, candidates=3540, violated=0.2, low=0.18, high=0.23)
    yield from (what(finding.changed(estimate=estimate)) for finding in some.findings)
    for one, other in ((quiet, some), (quiet, few), (some, quiet)):
        yield from rule_lines(compare(one, other))
        yield from rule_lines(compare(one, other, replayed=("same price",)))
    whole = [ruled(violated=each, conversations="all", cases=("a", "b")) for each in (0, 1)]
    yield from rule_lines(compare(*whole))


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
    return {
        line.strip().removeprefix("- ") for all in (produced, compared, stopped_early, nights, rules) for line in all()
    }


def test_the_tables_have_a_sentence_of_each_kind():
    assert len(SENTENCES) > 40


@pytest.mark.slow
@pytest.mark.parametrize("claimed", SENTENCES)
def test_a_sentence_of_the_table_is_one_that_sparring_says(claimed: str, said: set[str]):
    assert claimed.replace("``", "`") in said


@pytest.mark.slow
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
            named = line[found.end() :].lstrip().startswith(("] of cases like these", "for these cases and cases like"))
            assert named or before.endswith(("these cases", "cases like these", "on a scale of")), line


@pytest.mark.parametrize(("counts", "figures"), PUBLISHED)
def test_the_figures_of_published_trials_are_those_of_ours(counts: str, figures: str):
    rows = [[1] * passed + [0] * (4 - passed) for passed, n in enumerate(map(int, counts.split(","))) for _ in range(n)]
    these, like = (rate(rows, claim=claim) for claim in ("these", "like these"))
    independent = binomial_bounds(these.value, 4 * len(rows), 0.025)
    bounds = (
        f"{100 * low:.0f}–{100 * high:.0f} %"
        for low, high in (independent, (these.low, these.high), (like.low, like.high))
    )

    assert figures.split(" | ") == [f"{100 * these.value:.1f} %", *bounds, f"{icc(rows):.2f}"]


def test_three_sets_of_published_trials_are_in_the_docs():
    assert len(PUBLISHED) == 3
