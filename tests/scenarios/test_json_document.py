import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.core.errors import InputError
from sparring.scenarios.json_document import JsonDocument, load

TEXT = '[\n  {"name": "a", "deep": {"x": [1,\n 22]}},\n  "é", 3 ]'


def complaints(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        JsonDocument(text, "a.json")
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[{"a": 1,\n "b" 2}]', "a.json:2:6: is not JSON: expecting ':' delimiter"),
        ("", "a.json:1:1: is not JSON: expecting value"),
        ("[NaN]", "a.json: is not JSON that can be used: NaN is no number"),
        ("[1e999]", "a.json: is not JSON that can be used: 1e999 is no number"),
        ('["\\ud800"]', "a.json: is not JSON that can be used: 'utf-8' codec can't encode"),
        ("[" * 100_000, "a.json: is not JSON that can be used: maximum recursion depth exceeded"),
    ],
)
def test_what_is_no_usable_json_is_refused(text: str, complaint: str):
    (told,) = complaints(text)

    assert told.startswith(complaint)


def test_every_key_that_is_there_twice_is_told():
    assert complaints('{"a": 1, "b": [{"c": 1,\n"c": 2}], "a": 3}') == [
        "a.json:2:1: b[0].c: is here twice",
        "a.json:2:11: a: is here twice",
    ]


anything = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


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
