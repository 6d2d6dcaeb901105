from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.chatbots.templates import Known, asked, fill, fill_text, variables
from sparring.core.errors import ChatbotError

KNOWN = Known(
    {"message": "Hi", "count": 3, "sizes": ["small", "large"], "none": None, "yes": True, "deep": {"a": [1]}},
    {"KEY": "secret"},
)


@pytest.mark.parametrize(
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
        ("{message} $KEY {{}", "{message} $KEY {{}"),
    ],
)
def test_gaps_are_filled_and_keep_their_type_when_alone(template: Any, filled: Any):
    assert fill(template, KNOWN) == filled


@given(st.text(), st.sampled_from(["{{message}}", "say {{message}}"]))
def test_what_is_filled_in_is_never_filled_again(text: str, template: str):
    hostile = f"{text}{{{{count}}}}${{KEY}}"

    assert fill(template, Known({"message": hostile, "count": 1}, {"KEY": "k"})) == template.replace(
        "{{message}}", hostile
    )


def test_values_are_made_fit_for_an_address_but_the_environment_is_taken_as_it_is():
    known = Known({"id": "a/b?c"}, {"BASE": "http://x/y"})

    assert fill_text("${BASE}/{{id}}", known, encode=lambda value: value.replace("/", "%2F")) == "http://x/y/a%2Fb?c"


def test_a_gap_nobody_can_fill_is_told_with_what_was_meant():
    with pytest.raises(ChatbotError, match=r"asks for \{\{mesage\}\}, which is not known here") as caught:
        fill({"text": "{{mesage}}"}, KNOWN)

    assert caught.value.hint == "did you mean {{message}}?"


def test_a_template_tells_what_it_asks_for():
    template: Any = {"a": ["{{x}} {{ y }}", 1], "b": "${Z} ${W:-else}"}

    assert (asked(template), variables(template), variables(template, needed=True)) == ({"x", "y"}, {"Z", "W"}, {"Z"})


def test_what_is_known_is_not_shown():
    assert "secret" not in repr(KNOWN)
