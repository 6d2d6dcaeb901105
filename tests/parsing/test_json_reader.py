import itertools
import json
import re
import tracemalloc
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.core.errors import InputError, Problem
from sparring.parsing import KeyPath
from sparring.parsing.json_reader import JsonDocument, load
from sparring.scenarios.expansion import LoadOptions
from sparring_bots.phone_orders.scenarios_json import cases
from tables import table

TEXT = '[\n  {"name": "a", "deep": {"x": [1,\n 22]}},\n  "é", 3 ]'


def complaints(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        JsonDocument(text, "a.json")
    return [str(problem) for problem in caught.value.problems]


@table(
    ("path", "place"),
    [
        ((), "1:1"),
        ((0,), "2:3"),
        ((0, "deep"), "2:25"),
        ((0, "deep", "x", 1), "3:2"),
        ((1,), "4:3"),
        ((2,), "4:8"),
        ((0, "missing"), "2:3"),
    ],
)
def test_everything_has_a_place(path: tuple[str | int, ...], place: str):
    assert str(JsonDocument(TEXT, "a.json").problem(path, "bad")).startswith(f"a.json:{place}: ")


def test_a_complaint_can_be_about_the_key():
    problem = JsonDocument(TEXT, "a.json").problem((0, "deep"), "unknown key", "did you mean x?", key=True)

    assert str(problem) == "a.json:2:17: [0].deep: unknown key (did you mean x?)"


@table(
    ("text", "complaint"),
    [
        ('[{"a": 1,\n "b" 2}]', "a.json:2:6: is not JSON: expecting ':' delimiter"),
        ("", "a.json:1:1: is not JSON: expecting value"),
        ("[NaN]", "a.json: is unsupported JSON: NaN is not a number"),
        ("[1e999]", "a.json: is unsupported JSON: 1e999 is not a number"),
        ('["\\ud800"]', "a.json: is unsupported JSON: 'utf-8' codec can't encode"),
        ("[" * 100_000, "a.json: is unsupported JSON: maximum recursion depth exceeded"),
    ],
)
def test_unusable_json_is_refused(text: str, complaint: str):
    (told,) = complaints(text)

    assert told.startswith(complaint)


def test_every_duplicate_key_is_reported():
    assert complaints('{"a": 1, "b": [{"c": 1,\n"c": 2}], "a": 3}') == [
        "a.json:2:1: b[0].c: duplicate key",
        "a.json:2:11: a: duplicate key",
    ]


anything = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@pytest.mark.slow
@given(anything)
def test_the_place_of_a_value_is_where_it_starts(data: object):
    text = json.dumps([data], indent=1)

    problem = JsonDocument(text).problem((0,), "x")

    line = text.splitlines()[(problem.line or 0) - 1]
    assert line[(problem.column or 0) - 1 :].startswith(json.dumps(data, indent=1)[0])


def test_a_file_that_is_no_text_is_refused_and_a_byte_order_mark_is_not(tmp_path: Path):
    (tmp_path / "good.json").write_bytes(b"\xef\xbb\xbf[1]")
    (tmp_path / "bad.json").write_bytes(b"[1,\n\xff]")

    with pytest.raises(InputError, match=r"bad.json:2: is not UTF-8 text"):
        load(tmp_path / "bad.json")
    assert load(tmp_path / "good.json").data == [1]


def places_of(data: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    """The path of everything in what was read, in the order of the text."""
    yield path
    for step, inner in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from places_of(inner, (*path, step))


def at(data: Any, path: KeyPath) -> Any:
    return data if not path else at(data[path[0]], path[1:])


@pytest.mark.slow
@given(st.lists(anything, max_size=6), st.sampled_from([None, 0, 2]), st.randoms())
def test_places_are_found_in_any_order(data: object, indent: int | None, random: Random):
    text = json.dumps({"all": data, "more": [data, {"last": data}]}, indent=indent)
    document = JsonDocument(text)
    paths = list(places_of(document.data))
    asked = random.sample(paths, len(paths))

    found = {path: document.problem(path, "x") for path in asked}

    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    starts = [lines[(found[path].line or 0) - 1] + (found[path].column or 0) - 1 for path in paths]
    assert starts == sorted(set(starts))
    assert [json.JSONDecoder().raw_decode(text, start)[0] for start in starts] == [
        at(document.data, path) for path in paths
    ]


def test_items_of_a_long_list_are_found_between_others_of_every_kind():
    items = [
        f'"a, ]{number}\\""' if number % 7 else "[1, {}]" if number % 7001 == 0 else " 2.5e3 "
        for number in range(30_000)
    ]
    text = "[" + ",".join(items) + "]"
    starts = dict(enumerate(itertools.accumulate((len(item) + 1 for item in items), initial=1)))
    document = JsonDocument(text)

    asked = [29_999, 7001, 0, 999, 1000, 1001, 14_002, 28_004, 3]
    told = [document.problem((number,), "x").column for number in asked]

    assert told == [starts[number] + 1 + items[number].startswith(" ") for number in asked]


def test_a_triple_key_is_reported_at_each_place_with_the_problems_inside():
    assert complaints('{"x": [[{"a": {"b": 1, "b": 2}, "a": 3, "a": 4}]], "y": 5}') == [
        "a.json:1:24: x[0][0].a.b: duplicate key",
        "a.json:1:33: x[0][0].a: duplicate key",
        "a.json:1:41: x[0][0].a: duplicate key",
    ]


@table("before", [0, 1, 999, 1000, 1001, 2500])
def test_a_duplicate_key_behind_many_items_is_reported_with_its_place(before: int):
    text = "[[" + "1," * before + '{"a": 1, "a": 2}' + ", 7" * before + '],\n{"b": 1, "b": 2}]'

    assert complaints(text) == [
        f"a.json:1:{2 * before + 12}: [0][{before}].a: duplicate key",
        "a.json:2:10: [1].b: duplicate key",
    ]


def test_only_the_first_of_many_duplicate_keys_are_reported():
    told = complaints("[" + ",\n".join(['{"a": 1, "a": 2}'] * 300) + "]")

    assert (told[0], told[99], told[100:]) == (
        "a.json:1:11: [0].a: duplicate key",
        "a.json:100:10: [99].a: duplicate key",
        ["a.json: and 200 more"],
    )


def test_a_duplicate_key_deep_in_a_replaced_value_is_reported():
    inner = "[" * 60 + '{"b": 1, "b": 2}' + "]" * 60

    assert complaints('{"a": ' + inner + ', "a": 1}') == [
        f"a.json:1:76: a{'[0]' * 60}.b: duplicate key",
        "a.json:1:145: a: duplicate key",
    ]
    assert complaints('{"a": ' + inner + ', "c": 1}') == [
        "a.json: is unsupported JSON: it is nested deeper than 50 levels"
    ]


def refused(text: str) -> tuple[Sequence[Problem], int]:
    """What is wrong with a text, and how many bytes it took to find that out."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as caught:
            cases(JsonDocument(text, "a.json"), LoadOptions(0, date(2026, 1, 1)))
        return caught.value.problems, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("unit", "most"),
    [("1", 8), ('{"name":1}', 36), ('"a"', 8), ("[1]", 36)],
    ids=["numbers", "mappings", "texts", "lists"],
)
def test_a_complaint_about_more_items_than_a_file_may_have_takes_hardly_more_room_than_the_items(unit: str, most: int):
    text = "[" + ",".join([unit] * 110_000) + "]"
    problems, peak = refused(text)

    assert [problem.hint for problem in problems] == ["split the file"]
    assert peak / len(text) < most


@pytest.mark.slow
def test_scenarios_with_a_mistake_in_each_take_no_room_beside_what_was_written():
    text = "[" + ",".join(['{"name": "x", "variables": {"ORDER_GOAL": [1]}}'] * 11_000) + "]"
    problems, peak = refused(text)

    assert str(problems[-1]) == "a.json: and at least 9,900 more"
    assert peak / len(text) < 36
