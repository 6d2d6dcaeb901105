from sparring.core.case import Case
from sparring.core.message import Text
from sparring.core.value import to_json


def test_a_value_is_one_line_with_its_keys_in_the_order_of_the_fields():
    assert to_json(Text(text="Привет\n")) == '{"kind":"text","text":"Привет\\n"}'.encode()


def test_a_key_can_be_left_out():
    assert to_json(Text(text="Hi"), without=frozenset({"kind"})) == b'{"text":"Hi"}'


def test_half_a_surrogate_pair_becomes_a_question_mark():
    case = Case(id="a", variables={"name": "Eve \ud83c", "n": 10**30})

    assert Case.model_validate_json(to_json(case)) == Case(id="a", variables={"name": "Eve ?", "n": 10**30})
