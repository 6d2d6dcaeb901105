from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.chatbots.placeholders import PlaceholderValues, asked, fill, fill_address, variables
from sparring.core.errors import ChatbotError
from tables import table

KNOWN = PlaceholderValues(
    {"message": "Hi", "count": 3, "sizes": ["small", "large"], "none": None, "yes": True, "deep": {"a": [1]}},
    {"KEY": "secret"},
)


@table(
    ("template", "filled"),
    [
        ("{{message}}", "Hi"),
        ("{{ message }}", "Hi"),
        ("{{count}}", 3),
        ("{{sizes}}", ["small", "large"]),
        ("{{none}}", None),
        ("{{yes}}", True),
        ("{{deep}}", {"a": [1]}),
        ("${KEY}", "secret"),
        ("Bearer ${KEY}", "Bearer secret"),
        ("${KEY:-none} ${OTHER:-none of them} ${OTHER:-}", "secret none of them "),
        ("{{count}} x {{sizes}}, {{yes}}{{none}}", "3 x small, large, true"),
        ("{{deep}}!", '{"a": [1]}!'),
        ({"a": ["{{count}}", {"b": "say {{message}}"}], "c": 1}, {"a": [3, {"b": "say Hi"}], "c": 1}),
        (["{{*sizes}}", "{{sizes}}", "{{*count}}"], ["small", "large", ["small", "large"], 3]),
        ("{message} $KEY {{}", "{message} $KEY {{}"),
    ],
)
def test_gaps_are_filled_and_keep_their_type_when_alone(template: Any, filled: Any):
    assert fill(template, KNOWN) == filled


@given(st.text(), st.sampled_from(["{{message}}", "say {{message}}"]))
def test_filled_values_are_never_filled_again(text: str, template: str):
    hostile = f"{text}{{{{count}}}}${{KEY}}"

    assert fill(template, PlaceholderValues({"message": hostile, "count": 1}, {"KEY": "k"})) == template.replace(
        "{{message}}", hostile
    )


def test_values_are_one_word_of_an_address_but_the_environment_may_hold_how_it_begins():
    known = PlaceholderValues({"id": "a/b?c"}, {"BASE": "http://x/y", "KEY": "a b&c=%41"})

    filled = fill_address("${BASE}/{{id}}/${NO:-more?}?k=${KEY}&i={{ id }}", known)

    assert filled == "http://x/y/a%2Fb%3Fc/more??k=a%20b%26c%3D%2541&i=a%2Fb%3Fc"


def test_blanks_without_end_are_read_in_no_time():
    template = "{{" + " " * 100_000

    assert (fill(template, KNOWN), asked("{{ a b }}")) == (template, {"a b"})


def test_an_unknown_placeholder_is_reported_with_the_nearest_name():
    with pytest.raises(ChatbotError, match=r"asks for \{\{mesage\}\}, which is not known here") as caught:
        fill({"text": "{{mesage}}"}, KNOWN)

    assert caught.value.hint == "did you mean {{message}}?"


def test_a_template_lists_its_placeholders():
    template: Any = {"a": ["{{x}} {{ y }}", 1], "b": "${Z} ${W:-else}"}

    assert (asked(template), variables(template), variables(template, needed=True)) == ({"x", "y"}, {"Z", "W"}, {"Z"})


def test_values_of_placeholders_are_not_shown():
    assert "secret" not in repr(KNOWN)


def test_each_new_uuid_is_another_one():
    one, other = fill(["{{new_uuid}}", "{{new_uuid}}"], KNOWN)  # type: ignore[misc]

    assert one != other
    assert len(str(one)) == 36
