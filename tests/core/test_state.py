"""Paths into the state of a chatbot, and differences between two readings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.core.state import (
    StateChange,
    as_state,
    changes_between,
    covers,
    differences,
    parse_path,
    state_record,
    values_at,
    without,
    without_paths,
    write_path,
)
from sparring.core.value import Json
from tables import table

SHOP: Json = {
    "orders": [{"order_id": "W1", "status": "pending", "items": ["a", "b"]}, {"order_id": "W2", "status": "sent"}],
    "users": {"u.1": {"balance": 25}},
}


@table(
    ("path", "found"),
    [
        ("", [SHOP]),
        ("orders.W1.status", ["pending"]),
        ("orders[1].status", ["sent"]),
        ("orders.W1.items[1]", ["b"]),
        ('users["u.1"].balance', [25]),
        ("orders.W3", []),
        ("orders.W1.status.more", []),
        ("orders[7]", []),
    ],
)
def test_a_path_leads_to_a_value(path: str, found: list[Json]):
    assert values_at(SHOP, parse_path(path)) == found


@pytest.mark.parametrize("path", ["orders..status", "orders.W1 status", "[x]", 'a["b'])
def test_an_invalid_path_is_refused(path: str):
    with pytest.raises(ValueError, match="is no path into the state"):
        parse_path(path)


@given(st.lists(st.one_of(st.text(min_size=1), st.integers(0, 999_999))))
def test_every_path_can_be_written_and_parsed(path: list[str | int]):
    assert parse_path(write_path(path)) == tuple(path)


@table(
    ("before", "after", "changes"),
    [
        ({"a": 25, "b": [1]}, {"a": 25.0, "b": [1]}, []),
        ({"a": 1}, {"a": True}, ["a: 1 → true"]),
        ({"a": 1, "b": 2}, {"b": 3, "c": 4}, ["a removed: 1", "b: 2 → 3", "c added: 4"]),
        ([1, 2], [1, 3, 4], ["[1]: 2 → 3", "[2] added: 4"]),
        ([1, 2], [1], ["[1] removed: 2"]),
        ([{"id": 1, "n": 1}, {"id": 2, "n": 2}], [{"id": 2, "n": 3}], ['1 removed: {"id": 1, "n": 1}', "2.n: 2 → 3"]),
        ([], [{"id": 7}], ['7 added: {"id": 7}']),
        ([{"id": 1}, {"id": 1}], [{"id": 1}], ['[1] removed: {"id": 1}']),
        ({"a": {"x y": 1}}, {"a": {"x y": None}}, ['a["x y"]: 1 → null']),
        ({"a": 1}, [1], [': {"a": 1} → [1]']),
    ],
)
def test_all_that_differs_is_a_change(before: Json, after: Json, changes: list[str]):
    assert [str(each) for each in changes_between(before, after)] == changes


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.text(max_size=2)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "x_id", "a"]), inner),
)


@given(JSON, JSON)
def test_every_change_can_be_found_at_its_path(before: Json, after: Json):
    changes = changes_between(before, after)

    assert all(values_at(before, parse_path(each.path)) == [each.before] for each in changes if each.kind != "added")
    assert all(values_at(after, parse_path(each.path)) == [each.after] for each in changes if each.kind != "removed")
    assert changes_between(before, as_state(before)) == ()


@table(
    ("pattern", "path", "covered"),
    [
        ("orders.W1", "orders.W1.status", True),
        ("orders.W1.**", "orders.W1.status", True),
        ("orders.*.updated_at", "orders.W1.updated_at", True),
        ("**.updated_at", "orders.W1.updated_at", True),
        ("**.updated_at", "orders.W1.status", False),
        ("orders.W1.status", "orders.W1", False),
        ("orders.0", "orders[0].status", True),
    ],
)
def test_a_pattern_covers_what_is_below_it(pattern: str, path: str, covered: bool):
    assert covers(parse_path(pattern), parse_path(path)) is covered


def test_changes_that_are_covered_are_left_out():
    changes = changes_between({"a": 1, "b": {"c": 1}}, {"a": 2, "b": {"c": 2}})

    assert [each.path for each in without(changes, ["b"])] == ["a"]


def test_the_difference_of_two_sets_of_changes_is_described_in_sentences():
    before = {"a": 1, "b": 1, "c": 1, "d": 1}
    wanted = changes_between(before, {"a": 2, "b": 2, "d": 1, "e": 1})
    made = changes_between(before, {"a": 2, "b": 3, "c": 1, "d": 2})

    assert differences(wanted, made) == [
        "b: expected 2, is 3",
        "c: expected to be removed, is 1",
        "e: expected 1, is missing",
        "d: 1 → 2 (should not have changed)",
    ]
    assert differences(wanted, wanted) == []


def test_a_record_keeps_the_end_only_where_something_changed():
    same, changed = state_record({"a": 1}, {"a": 1}, {}), state_record({"a": 1}, {"a": 2}, {})
    unread = state_record(None, {"a": 2}, {"start": "HTTP 404"})

    assert (same.end, same.now) == (None, {"a": 1})
    assert (changed.now, unread.now, unread.changes) == ({"a": 2}, {"a": 2}, ())


def test_a_large_state_is_stored_without_its_readings():
    record = state_record({"a": "x" * 50}, {"a": "y"}, {})

    assert record.for_storage(1000) is record
    assert record.for_storage(50).changes == (StateChange(path="a", kind="changed", before="x" * 50, after="y"),)
    assert (record.for_storage(50).start, record.for_storage(50).stored) == (None, False)


@pytest.mark.parametrize("state", [{"n": 2**70}, {"text": "\ud800"}, {"it": object()}])
def test_a_state_that_cannot_be_stored_is_refused(state: object):
    with pytest.raises((TypeError, ValueError)):
        as_state(state)


def test_a_state_that_is_nested_without_end_is_refused():
    nested: Json = []
    for _ in range(60):
        nested = [nested]

    with pytest.raises(ValueError, match="more than 50 levels"):
        as_state(nested)


@table(
    ("pattern", "left"),
    [
        ("seen", {"orders": [{"id": "W1", "at": 1}, {"id": "W2", "at": 2}]}),
        ("orders.*.at", {"seen": 3, "orders": [{"id": "W1"}, {"id": "W2"}]}),
        ("orders.W1", {"seen": 3, "orders": [{"id": "W2", "at": 2}]}),
        ("**.at", {"seen": 3, "orders": [{"id": "W1"}, {"id": "W2"}]}),
    ],
)
def test_paths_are_left_out_of_a_state(pattern: str, left: object):
    state = {"seen": 3, "orders": [{"id": "W1", "at": 1}, {"id": "W2", "at": 2}]}
    assert without_paths(state, (parse_path(pattern),)) == left
