from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.core.json_path import JsonPath
from tables import table

ANSWER: Any = {
    "message": "Hi",
    "null": None,
    "choices": [{"message": {"content": "one"}}, {"message": {"content": "two"}}],
    "data": {"replies": [{"text": "a"}, {"image": "x.png"}, {"text": "b"}], "empty": []},
    "odd.name [1]": 7,
    "grid": [[1, 2], [3]],
}


@table(
    ("path", "found"),
    [
        ("message", ["Hi"]),
        ("$.message", ["Hi"]),
        ("null", [None]),
        ("choices[0].message.content", ["one"]),
        ("choices[-1].message.content", ["two"]),
        ("choices[*].message.content", ["one", "two"]),
        ("choices[].message.content", ["one", "two"]),
        ("data.replies[*].text", ["a", "b"]),
        ("data.empty[*].text", []),
        ("data.replies[*].sound", []),
        ('["odd.name [1]"]', [7]),
        ("grid[*][0]", [1, 3]),
        ("data.replies[?text=b].text", ["b"]),
        ("data.replies[?text!=b].text", ["a"]),
        ("data.replies[?image].image", ["x.png"]),
        ("data.replies[?text=nothing].text", []),
        ("$[?message=Hi].null", [None]),
        ("$[?message=Bye].null", []),
        ('choices[*].message[?content="two"].content', ["two"]),
        ("grid[*][*]", [1, 2, 3]),
        ("$", [ANSWER]),
        ("", [ANSWER]),
    ],
)
def test_a_path_finds_what_is_there(path: str, found: list[Any]):
    assert JsonPath.parse(path).find(ANSWER) == found


@table(
    "path",
    [
        "nothing",
        "message.text",
        "choices[2]",
        "choices[-3]",
        "choices.message",
        "message[*]",
        "data[0]",
        "[*]",
        "nothing[?a]",
    ],
)
def test_a_place_that_is_not_there_is_not_an_empty_one(path: str):
    assert JsonPath.parse(path).find(ANSWER) is None


@table(("path", "rest"), [("a..b", "..b"), ("a[x]", "[x]"), ("a b", " b"), ("a[0]b", "b"), ("$a", "a"), ("a.", ".")])
def test_an_invalid_path_is_refused_with_the_part_that_cannot_be_read(path: str, rest: str):
    with pytest.raises(ValueError, match="no path at") as caught:
        JsonPath.parse(path)

    assert repr(rest) in str(caught.value)


names = st.text(st.characters(codec="utf-8", exclude_characters='"'), max_size=6)
steps = st.lists(names | st.integers(0, 3), max_size=4)


@given(steps, st.integers())
def test_every_place_can_be_written_and_found(places: list[str | int], value: int):
    answer: Any = value
    for place in reversed(places):
        answer = {place: answer} if isinstance(place, str) else [None] * place + [answer]
    written = "".join(f"[{place}]" if isinstance(place, int) else f'["{place}"]' for place in places)

    assert JsonPath.parse(written).find(answer) == [value]


def test_another_value_can_stand_at_a_path_of_names():
    answer: Any = {"a": {"b": [1, 2], "c": 3}, "d": 4}

    assert JsonPath.parse("a.b").replaced(answer, [2]) == {"a": {"b": [2], "c": 3}, "d": 4}
    assert JsonPath.parse("$").replaced(answer, 0) == 0
    assert JsonPath.parse("a[0]").replaced(answer, 0) == answer
