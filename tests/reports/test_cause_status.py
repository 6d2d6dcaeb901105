from collections.abc import Iterable
from random import Random

import pytest

from sparring.core.audit import Blame
from sparring.core.causes import CauseStatus, FailureCause, cause_id
from sparring.core.outcome import Decision, Outcome
from sparring.reports.cause_status import CauseHistory, cause_statuses, with_status
from sparring.reports.causes import CauseTally
from sparring.testing.factories import a_batch
from tables import table

PASSED = Decision(outcome=Outcome.PASSED)
CASES = tuple(f"case-{n}" for n in range(30))


def failed(subject: str, kind: str = "value", also: Iterable[str] = ()) -> Decision:
    cause = FailureCause(id="", kind=kind, subject=subject, blame=Blame.CHATBOT)  # type: ignore[arg-type]
    ids = tuple(id_of(each) for each in also)
    found = cause.changed(id=cause_id(Blame.CHATBOT, cause, "other"), also=ids)
    return Decision(outcome=Outcome.FAILED, blame=Blame.CHATBOT, cause=found)


def id_of(subject: str, kind: str = "value") -> str:
    cause = failed(subject, kind).cause
    assert cause is not None
    return cause.id


def tally(decisions: Iterable[Decision | None], *, repeats: int = 1, id: str = "B1") -> CauseTally:
    """Tally one decision for each conversation of 30 cases; None for one that was not run."""
    made = CauseTally(a_batch(*CASES, repeats=repeats, id=id))
    for (conversation, case), decision in zip(made.batch.ids().items(), decisions, strict=False):
        if decision is not None:
            made.count(conversation, case, decision, decision)
    return made


def first(count: int, decision: Decision) -> list[Decision | None]:
    return [decision if n < count else PASSED for n in range(len(CASES))]


def status(before: list[Decision | None], now: list[Decision | None]) -> dict[str, CauseStatus]:
    return dict(cause_statuses(tally(before), tally(now), {}))


PRICE, SIZE, CRASH = failed("price"), failed("size"), failed("HTTP 500", "ending")


@table(
    ("before", "now", "expected"),
    [
        (0, 3, "new"),
        (3, 0, "fixed"),
        (3, 3, "known"),
        (3, 6, "known"),
        (2, 20, "grew"),
        (20, 2, "shrank"),
    ],
)
def test_a_cause_is_held_against_the_baseline(before: int, now: int, expected: CauseStatus):
    assert status(first(before, PRICE), first(now, PRICE)) == {id_of("price"): expected}


def test_a_cause_of_an_earlier_run_than_the_baseline_is_back():
    found = cause_statuses(tally(first(0, PRICE)), tally(first(2, PRICE)), {id_of("price"): "B0"})

    assert found == {id_of("price"): "back"}


def test_a_cause_is_fixed_only_if_each_of_its_cases_was_decided():
    assert status(first(2, PRICE), [PASSED, None])[id_of("price")] == "not_tested"
    assert status(first(2, PRICE), [PASSED, PASSED])[id_of("price")] == "fixed"


def test_a_crash_hides_other_causes():
    found = status(first(2, PRICE), first(2, CRASH))

    assert found == {id_of("price"): "not_tested", id_of("HTTP 500", "ending"): "new"}


def test_a_cause_that_shows_beside_another_is_not_fixed():
    assert status(first(2, PRICE), first(2, failed("size", also=["price"])))[id_of("price")] == "known"


def test_a_case_with_another_content_says_nothing():
    before, now = tally(first(2, PRICE)), tally(first(0, PRICE))
    changed = tuple(case.model_copy(update={"max_turns": 3, "script": ("hi",)}) for case in now.batch.cases)
    now.batch = now.batch.model_copy(update={"cases": changed})

    assert cause_statuses(before, now, {}) == {id_of("price"): "not_tested"}


def test_more_repeats_do_not_make_a_cause_grow():
    """A cause shows in one of five conversations; ten repeats in place of one show it in nearly every case."""
    chance = Random(5)
    before = tally([PRICE if chance.random() < 0.2 else PASSED for _ in CASES])
    now = tally([PRICE if chance.random() < 0.2 else PASSED for _ in CASES * 10], repeats=10)

    assert cause_statuses(before, now, {})[id_of("price")] == "known"


@pytest.mark.slow
def test_causes_of_the_same_chatbot_rarely_grow_or_shrink():
    """Six flaky causes over 30 cases with 3 repeats: at most 5 % of batches name any as grown or shrunk."""
    chance, wrong, runs = Random(11), 0, 300
    rates = {case: [chance.random() * 0.3 for _ in range(6)] for case in range(len(CASES))}

    def played() -> CauseTally:
        decisions: list[Decision | None] = []
        for n in range(3 * len(CASES)):
            found = [each for each in range(6) if chance.random() < rates[n % len(CASES)][each]]
            also = [f"cause {each}" for each in found[1:]]
            decisions.append(failed(f"cause {found[0]}", also=also) if found else PASSED)
        return tally(decisions, repeats=3)

    for _ in range(runs):
        wrong += bool({"grew", "shrank"} & set(cause_statuses(played(), played(), {}).values()))

    assert wrong / runs <= 0.05


def test_a_summary_has_the_status_the_first_run_and_what_is_gone():
    baseline, now = tally(first(3, PRICE), id="B2"), tally(first(2, SIZE), id="B3")
    history = CauseHistory(
        baseline, first={id_of("size"): "B1", id_of("price"): "B2"}, runs={"B1": 1, "B2": 2, "B3": 3}
    )

    (size,), (price,) = with_status(now, history)

    assert (size.status, size.before, size.since, size.since_run) == ("back", 0, "B1", 1)
    assert (price.status, price.count, price.before, price.since_run, price.hidden) == ("fixed", 0, 3, 2, None)
    found = history.of()
    assert found is not None
    assert (found.batch, found.run, found.pinned) == ("B2", 2, False)


def test_a_flaky_cause_that_is_fixed_may_still_hide():
    baseline = tally([PRICE, PASSED, *[PASSED] * 28, PASSED], repeats=2)
    now = tally([PASSED] * 60, repeats=2, id="B2")

    _, (price,) = with_status(now, CauseHistory(baseline, runs={"B1": 1, "B2": 2}))

    assert price.status == "fixed"
    assert price.hidden == pytest.approx(1 - 0.05**0.5)


def test_batches_of_versions_that_recorded_no_causes_give_no_status():
    baseline = tally([Decision(outcome=Outcome.FAILED, blame=Blame.CHATBOT)])

    (price,), gone = with_status(tally(first(1, PRICE), id="B2"), CauseHistory(baseline))

    assert (price.status, gone) == (None, ())


def test_nights_that_are_pooled_all_say_which_causes_they_had():
    nights = [tally(first(2, PRICE), id="B1"), tally(first(2, SIZE), id="B2")]
    before = CauseTally.pooled(nights, [set(CASES), set(CASES[1:])])

    (size,), (price,) = with_status(tally(first(2, SIZE), id="B3"), CauseHistory(before))

    assert (size.status, size.before) == ("known", 1), "one of its cases does not count on the second night"
    assert (price.status, price.before) == ("fixed", 2)


def test_a_cause_that_shows_in_half_of_the_pooled_nights_has_not_grown():
    often, never = first(20, PRICE), first(0, PRICE)
    before = CauseTally.pooled(
        [tally(each, id=f"B{n}") for n, each in enumerate((never, often, never, often))], [set(CASES)] * 4
    )

    assert cause_statuses(before, tally(first(14, PRICE)), {}) == {id_of("price"): "known"}
    assert cause_statuses(before, tally(first(28, PRICE)), {}) == {id_of("price"): "grew"}
