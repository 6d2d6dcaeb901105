from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PositiveInt, field_validator

from sparring.core.errors import InputError
from sparring.parsing import parse, validate


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Order(Strict):
    size: Literal["small", "large"] = "small"
    count: PositiveInt = 1
    toppings: tuple[str, ...] = ()


class Branch(Strict):
    street: str = ""


class Shop(Strict):
    name: str
    branches: Annotated[tuple[Branch, ...], BeforeValidator(lambda one: one if isinstance(one, list) else [one])] = ()
    if_: str = Field("", alias="if")
    orders: dict[str, Order] = {}
    list: tuple[str | Order, ...] = ()
    paths: Annotated[str | tuple[str, ...], Field()] = ""

    @field_validator("if_")
    @classmethod
    def _sound(cls, text: str) -> str:
        if "(" in text:
            raise ValueError("has a bracket, which is too much")
        return text


def problems(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        validate(parse(text, "s.yml"), Shop)
    return [str(problem) for problem in caught.value.problems]


def test_a_fitting_document_becomes_the_value():
    shop = validate(parse("name: x\nif: y\norders: {a: {size: large, count: 2}}\nlist: [b, {count: 3}]"), Shop)

    assert shop == Shop(name="x", **{"if": "y"}, orders={"a": Order(size="large", count=2)}, list=("b", Order(count=3)))


def test_misfits_are_reported_in_the_order_of_the_file():
    text = "nam: x\norders:\n  a: {size: larg, count: 0}\n  b: {topings: [x]}\n  c: [1]\nif: ('\npaths: {a: b}\n"

    assert problems(text) == [
        "s.yml:1:1: name: is missing",
        "s.yml:1:1: nam: unknown key (did you mean 'name'?)",
        "s.yml:3:13: orders.a.size: should be 'small' or 'large' (did you mean 'large'?)",
        "s.yml:3:26: orders.a.count: should be greater than 0",
        "s.yml:4:7: orders.b.topings: unknown key (did you mean 'toppings'?)",
        "s.yml:5:6: orders.c: should be a mapping, not a list",
        "s.yml:6:5: if: has a bracket, which is too much",
        "s.yml:7:8: paths: should be text or a list, not a mapping",
    ]


def test_an_unknown_key_like_no_other_is_answered_with_those_that_are_known():
    assert problems("name: x\nzzz: 1") == [
        "s.yml:2:1: zzz: unknown key (known here: branches, if, list, name, orders, paths)"
    ]


def test_problems_of_a_union_are_those_of_the_closest_kind():
    assert problems("name: x\nlist:\n  - {count: many}") == [
        "s.yml:3:13: list[0].count: should be a whole number, not text"
    ]


@pytest.mark.parametrize(
    ("written", "place"), [("{stret: y}", "2:12: branches"), ("[{stret: y}]", "2:13: branches[0]")]
)
def test_an_item_that_may_stand_alone_is_helped_as_in_a_list(written: str, place: str):
    assert problems(f"name: x\nbranches: {written}") == [f"s.yml:{place}.stret: unknown key (did you mean 'street'?)"]


def test_only_the_first_hundred_problems_are_reported():
    told = problems("name: x\n" + "".join(f"k{n}: 1\n" for n in range(300)))

    assert (len(told), told[99][:16], told[100]) == (101, "s.yml:101:1: k99", "s.yml: and 200 more")


def test_an_empty_file_is_not_what_was_asked_for():
    assert problems("") == ["s.yml:1:1: should be a mapping, not empty"]


def test_a_wrong_value_is_never_repeated_because_it_may_be_a_secret():
    assert "hunter2" not in "".join(problems("name: [hunter2]\nlist: hunter2\norders: {a: {count: hunter2}}"))


def test_a_part_of_a_document_is_reported_by_its_path_in_the_whole():
    document = parse("shops:\n  - name: 7", "s.yml")

    with pytest.raises(InputError) as caught:
        validate(document, Shop, at=("shops", 0))

    assert str(caught.value) == "s.yml:2:11: shops[0].name: should be text, not a number"
