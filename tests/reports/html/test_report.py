import tracemalloc
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from reports.summing import decided
from sparring.core.message import message
from sparring.core.outcome import Outcome
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.html.report import Page, PageBudget, _estimated_size
from sparring.reports.reported import ReportedConversation
from sparring.reports.service_results import row_without_result
from sparring.testing.factories import a_case, a_conversation

RANKS = {Outcome.FAILED: 0, Outcome.UNDECIDED: 1, Outcome.PASSED: 2}
CONVERSATION = a_conversation(a_case("a"))


def a_conversation_with(n: int, outcome: CheckOutcome, letters: int) -> ReportedConversation:
    said = CONVERSATION.model_copy(update={"messages": (message("chatbot", "x" * letters),)})
    conversation = said.model_copy(update={"case": a_case(f"case/{n}")})
    return decided(conversation, (Verdict(check="c", outcome=outcome, conversation=conversation.id),))


@given(
    made=st.lists(
        st.tuples(st.sampled_from([CheckOutcome.FAIL, CheckOutcome.ERROR, CheckOutcome.PASS]), st.integers(0, 3_000)),
        max_size=40,
    ),
    room=st.integers(0, 60_000),
)
def test_the_first_of_the_lowest_ranks_are_held_and_all_others_counted(made: list[tuple[CheckOutcome, int]], room: int):
    likely = PageBudget(room)
    everything = [a_conversation_with(n, outcome, letters) for n, (outcome, letters) in enumerate(made)]
    for each in everything:
        likely.add(RANKS[each.counted().outcome], each)

    held, ranked = list(likely), sorted(everything, key=lambda each: RANKS[each.counted().outcome])
    assert _size(held) <= room
    assert likely.left_out == Counter(each.counted().outcome for each in everything) - Counter(
        each.counted().outcome for each in held
    )
    assert held == [each for each in ranked if each in held]
    assert held == ranked or _size(everything) > room


def test_failed_conversations_take_the_room_of_passed_ones():
    passed, failed = (
        [a_conversation_with(n, CheckOutcome.PASS, 1) for n in range(5)],
        a_conversation_with(5, CheckOutcome.FAIL, 800),
    )
    likely = PageBudget(_size([passed[0], failed]))
    for each in passed:
        likely.add(2, each)
    likely.add(0, failed)

    assert [each.conversation.case.id for each in likely] == ["case/5", "case/0"]
    assert likely.left_out == {Outcome.PASSED: 4}


def test_a_page_keeps_little_of_conversations_that_it_does_not_show():
    page, many = Page(), 20_000
    rows = [row_without_result(0, a_conversation_with(n, CheckOutcome.PASS, 1)) for n in range(many // 10)]
    tracemalloc.start()
    try:
        for row in rows:
            for repeat in range(1, 11):
                page.count(row._replace(repeat=repeat))
        held = tracemalloc.get_traced_memory()[0] / many
    finally:
        tracemalloc.stop()

    assert held < 60


def _size(held: list[ReportedConversation]) -> int:
    return sum(map(_estimated_size, held))
