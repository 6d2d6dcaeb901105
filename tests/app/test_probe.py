import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.app.probe import places
from sparring.core.json_path import JsonPath
from sparring.core.value import Json

LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5))
ANSWERS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(alphabet="ab. []$'", min_size=1, max_size=5), inner, max_size=3),
    ),
    max_leaves=10,
)


def test_places_are_written_as_presets_write_them():
    answer: Json = {"data": [{"text": "Hi"}, {"a name": 3}], "none": [], "odd.one": None}

    assert list(places(answer)) == [
        ("data[0].text", "Hi"),
        ('data[1]["a name"]', 3),
        ("none", []),
        ('["odd.one"]', None),
    ]


@pytest.mark.slow
@given(ANSWERS)
def test_every_place_leads_to_what_is_there(answer: Json):
    assert [JsonPath.parse(path).find(answer) for path, _ in places(answer)] == [[value] for _, value in places(answer)]


@given(ANSWERS.filter(lambda answer: '"' not in str(answer)))
def test_nothing_is_left_out(answer: Json):
    def leaves(value: Json) -> int:
        inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
        return sum(map(leaves, inner)) if inner else 1

    assert len(list(places(answer))) == leaves(answer)
