import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.core.errors import InputError
from sparring.core.value import Json
from sparring.llm.template import MissingField, read
from tables import table


@table(
    ("text", "values", "filled"),
    [
        ("Hello {{name}}!", {"name": "Ada"}, "Hello Ada!"),
        ("{{ name }}, {{order.id}}", {"name": "Ada", "order": {"id": 7}}, "Ada, 7"),
        ("{{toppings}}", {"toppings": ["ham"]}, "ham"),
        ("{{toppings}}", {"toppings": ["corn", "ham", "olives"]}, "corn, ham and olives"),
        ("{{a}} {{b}} {{c}}", {"a": True, "b": False, "c": 1.5}, "yes no 1.5"),
        ("{{a}}", {"a": {"b": [1, None]}}, '{"b":[1,null]}'),
        ("It is {{total}}.{{#note}} Note: {{note}}.{{/note}}", {"total": "$1"}, "It is $1."),
        ("It is {{total}}.{{#note}} Note: {{note}}.{{/note}}", {"total": "$1", "note": "hot"}, "It is $1. Note: hot."),
        ("{{#zero}}{{zero}} left{{/zero}}", {"zero": 0}, "0 left"),
        ("{{^done}}not yet{{/done}}{{#done}}done{{/done}}", {"done": False}, "not yet"),
        ("{{^done}}not yet{{/done}}{{#done}}done{{/done}}", {"done": True}, "done"),
        (
            "{{#all}}{{id}} for {{who}}{{/all}}",
            {"all": [{"id": 1}, {"id": 2}], "who": "Ada"},
            "1 for Ada and 2 for Ada",
        ),
        ("{{#names}}<{{.}}>{{/names}}", {"names": ["a", "b", "c"]}, "<a>, <b> and <c>"),
        ("{{#a}}{{id}}{{#to}} to {{city}}{{/to}}{{/a}}", {"a": {"id": 1, "to": {"city": "Ulm"}}}, "1 to Ulm"),
        ("{ } is only text", {}, "{ } is only text"),
    ],
)
def test_a_template_is_filled(text: str, values: dict[str, Json], filled: str):
    assert read(text).fill(values) == filled


@given(st.text(max_size=30))
def test_a_value_is_never_read_as_a_template(value: str):
    assert read("<{{a}}|{{#a}}{{.}}{{/a}}>").fill({"a": value or "x", "b": "no"}) == f"<{value or 'x'}|{value or 'x'}>"


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_and_text_without_braces_stays_as_it_is(text: str):
    try:
        filled = read(text).fill({})
    except (InputError, MissingField):
        assert "{{" in text or "}}" in text
    else:
        assert "{{" in text or filled == text


def test_a_field_without_a_value_is_named():
    with pytest.raises(MissingField, match=r"^order\.id$"):
        read("{{order.id}}").fill({"order": {}})


def test_every_mistake_is_reported_with_its_place():
    with pytest.raises(InputError) as caught:
        read("{{a b}}\n  {{ok}} {{#open}}\n{{/other}} {{")

    assert [str(problem) for problem in caught.value.problems] == [
        "1:1: 'a b' is no field name (use letters, digits, _ and - only)",
        "2:10: {{#open}} is never closed",
        "3:1: {{/other}} closes nothing that is open",
        "3:12: {{ belongs to no field (a field is written {{name}})",
    ]


@pytest.mark.parametrize("text", ["{{" + " " * 100_000, "{{#" + "\n" * 100_000 + "a", "{{ a" + " b" * 50_000])
def test_an_unclosed_placeholder_is_scanned_once(text: str):
    with pytest.raises(InputError, match="belongs to no field"):
        read(text)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["{{", "}}", "{{a b}}", "{{#a}}", "{{/a}}"])
def test_only_the_first_of_many_mistakes_are_reported(text: str):
    with pytest.raises(InputError) as caught:
        read(text * 100_000)

    assert (len(caught.value.problems), caught.value.problems[0].column) == (100, 1)


def test_blanks_in_a_field_are_not_part_of_its_name():
    assert read("{{ b }}{{\n# a }}{{/\ta}}{{^ a}}{{/a }}").fields == ("b", "a")


def test_a_template_knows_its_fields():
    assert read("{{b}} {{#a}}{{.}}{{c.d}}{{/a}} {{b}}").fields == ("b", "a", "c.d")
