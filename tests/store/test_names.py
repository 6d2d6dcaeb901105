import pytest

from sparring.core.conversation import Ending
from sparring.store.names import places, unknown_batch
from sparring.store.store import ConversationFilter
from tables import table


@table(
    ("id", "may_mean"),
    [
        ("pizza/1", [("pizza/1", 1)]),
        ("pizza/1#2", [("pizza/1#2", 1), ("pizza/1", 2)]),
        ("a#2#13", [("a#2#13", 1), ("a#2", 13)]),
        ("a#1", [("a#1", 1)]),
        ("a#02", [("a#02", 1)]),
        ("a#²", [("a#²", 1)]),
        ("#2", [("#2", 1)]),
    ],
)
def test_an_id_may_end_in_a_repeat_or_only_look_like_it(id: str, may_mean: list[tuple[str, int]]):
    assert places(id) == may_mean


@pytest.mark.parametrize(
    ("which", "hint"),
    [
        ("ltest", "did you mean 'latest'?"),
        ("zzz", "there are: nightly, B7, B6, B5, B4, …"),
        ("orders/1", "a conversation comes after its batch: latest orders/1"),
    ],
)
def test_an_unknown_batch_gets_a_suggestion(which: str, hint: str):
    error = unknown_batch(which, ["nightly", "B7", "B6", "B5", "B4", "B3"])

    assert (str(error), error.hint) == (f"there is no batch {which!r}", hint)


def test_a_filter_without_endings_takes_conversations_that_have_none():
    assert [ConversationFilter().only, ConversationFilter(counts=False).only] == [
        None,
        set(Ending) - {ending for ending in Ending if ending.completed},
    ]
