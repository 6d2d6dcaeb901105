import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.llm.client.wire_format import first_object
from tables import table

plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
numbers = st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(plain, values, max_size=4)
prose = st.text(st.characters(exclude_characters="{<", exclude_categories=["Cs"]), max_size=30)


@pytest.mark.slow
@given(prose, objects, st.text(max_size=30), st.sampled_from([None, 2]))
def test_an_object_is_found_within_any_prose(before: str, wanted: dict[str, object], after: str, indent: int | None):
    assert first_object(before + json.dumps(wanted, ensure_ascii=False, indent=indent) + after) == wanted


@given(st.text(alphabet='{}[]":,\\a1 \n', max_size=60))
def test_any_other_text_gives_an_object_or_none(text: str):
    assert first_object(text) is None or isinstance(first_object(text), dict)


@table(
    ("text", "found"),
    [
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('Fill {placeholder}, as in [1]: {"a": {"b": "}"}} {"c": 2}', {"a": {"b": "}"}}),
        ('<think>maybe {"a": 0}?</think>\n{"a": 1}', {"a": 1}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ('{"a": NaN} {"a": 1}', {"a": 1}),
        ('{"a": 1', None),
        ("[1, 2]", None),
        ("", None),
    ],
)
def test_the_first_complete_object_counts(text: str, found: object):
    assert first_object(text) == found


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["{" * 500_000, '{"a":' * 100_000, '{"a": "' + "{" * 500_000, '{"a": ' + "9" * 10_000 + "}"]
)
@pytest.mark.timeout(10)
def test_a_search_that_takes_too_long_is_given_up(text: str):
    assert first_object(text) is None
