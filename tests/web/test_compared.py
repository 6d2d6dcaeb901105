from sparring.core.outcome import Outcome
from sparring.reports.comparison import ComparedConversation, Comparison, Kind, Pair
from sparring.web.pages.compared import PER_PAGE, comparison_view, neighbours

PAIRS: dict[Kind, int] = {"passed": 0, "failed": 0, "better": 0, "worse": 120, "undecided": 0}
SIDE = ComparedConversation(batch="B", who="pizzeria", seed=1)


def worse(number: int) -> Pair:
    return Pair(conversation=f"a/{number}", before=Outcome.PASSED, after=Outcome.FAILED, cause=f"c-{number % 3}")


FOUND = Comparison(before=SIDE, after=SIDE, pairs=PAIRS, worse=tuple(map(worse, range(120))))


def test_the_first_page_has_one_pair_of_each_cause_and_counts_the_others():
    pairs = comparison_view(FOUND, "", 1)["pairs"]

    assert [each.pair.conversation for each in pairs.rows] == ["a/0", "a/1", "a/2"]
    assert (pairs.more, pairs.all, pairs.next) == (117, "/compare?before=B&after=B&show=changed", "")


def test_pairs_have_pages_and_a_page_beyond_the_last_is_the_last():
    first, last = (comparison_view(FOUND, "worse", page)["pairs"] for page in (1, 99))

    assert (len(first.rows), first.at, first.previous) == (PER_PAGE, "page 1 of 3", "")
    assert first.next.endswith("show=worse&page=2")
    assert (len(last.rows), last.at, last.next) == (20, "page 3 of 3", "")
    assert comparison_view(FOUND, "better", 2)["pairs"].rows == []


def test_what_else_differs_is_a_warning_unless_it_is_the_chatbot():
    found = FOUND.model_copy(update={"differences": ("chatbot: a before, b after", "seed: 1 before, 2 after")})

    view = comparison_view(found, "", 1)

    assert view["warnings"] == ["seed: 1 before, 2 after"]
    assert view["facts"] == [("chatbot", "a before, b after"), ("seed", "1 before, 2 after")]


def test_a_conversation_has_those_that_changed_before_and_after_it():
    place, previous, following = neighbours(FOUND, "a/1")

    assert place == "2 of 120 conversations that changed"
    assert [previous, following] == [f"/compare/conversation?before=B&after=B&id=a%2F{number}" for number in (0, 2)]
    assert neighbours(FOUND, "b/1") == ("", "", "")
