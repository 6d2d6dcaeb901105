from sparring.core.audit import Blame
from sparring.core.outcome import Outcome
from sparring.reports.overview import Entry
from sparring.web.pages.selection import Selection, conversation_url, selection, selection_of
from tables import table

ENTRY = Entry("a/1#2", "a/1", Outcome.FAILED, "c-12345678", "first", Blame.CHATBOT, "no", 2, ("price",), ("vip",))


@table(
    ("asked", "matches"),
    [
        ({}, True),
        ({"cause": "c-123456", "outcome": "failed undecided"}, True),
        ({"scenario": "a", "turn": "first", "check": "price", "tag": "vip", "blame": "chatbot"}, True),
        ({"cause": "c-2"}, False),
        ({"outcome": "passed"}, False),
        ({"scenario": "b"}, False),
        ({"check": "tone"}, False),
    ],
)
def test_a_filter_selects_by_all_of_its_fields(asked: dict[str, str], matches: bool):
    assert selection(asked).matches(ENTRY) is matches


def test_an_address_carries_the_filter_there_and_back():
    made = Selection(cause="c-1", q="ham & eggs")

    assert selection_of(made.query) == made
    assert selection({"text": "old", "unknown": "x", "tag": "y" * 501}) == Selection(q="old")
    assert conversation_url("B", "a/1#2", made, "m1") == (
        "/batches/B/conversation?id=a%2F1%232&in=cause%3Dc-1%26q%3Dham%2B%2526%2Beggs#m1"
    )
