"""Every value survives the trip to JSON and back."""

import pickle
import types
from dataclasses import is_dataclass
from datetime import UTC
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue, ValidationError

from sparring.core import batch, case, checks, conversation, errors, events, message, usage, verdict
from sparring.core.case import Case, Goal
from sparring.core.message import ToolCall
from sparring.core.value import Json, Value, with_shared_parts

numbers = st.floats(allow_nan=False, allow_infinity=False)
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | numbers | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=4,
)
leaves = {str: text, int: st.integers(1, 2**53), float: st.floats(0.001, 1e9), bool: st.booleans()}
FRACTIONS = st.floats(0.001, 1)
"""Floats within every bound that a field has."""


@cache
def values(kind: type[Value]) -> st.SearchStrategy[Value]:
    """Any value of `kind`, every field drawn and none left at its default."""
    return st.fixed_dictionaries({name: any_of(field.annotation) for name, field in kind.model_fields.items()}).map(
        lambda fields: kind(**fields)
    )


def any_of(annotation: Any) -> st.SearchStrategy[Any]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is JsonValue:
        return json
    if annotation in leaves:
        return leaves[annotation]
    if origin is Annotated:
        return FRACTIONS if arguments[0] is float else any_of(arguments[0])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(any_of, arguments))
    if origin is tuple and ... not in arguments:
        return st.tuples(*map(any_of, arguments))
    if origin is tuple:
        return st.lists(any_of(arguments[0]), max_size=2 if arguments[0] in leaves else 1).map(tuple)
    if origin is dict:
        return st.dictionaries(any_of(arguments[0]), any_of(arguments[1]), max_size=1)
    if annotation is type(None):
        return st.none()
    if issubclass(annotation, Value):
        return st.deferred(lambda: values(annotation))
    if is_dataclass(annotation):
        return st.builds(annotation, **{name: any_of(hint) for name, hint in get_type_hints(annotation).items()})
    if issubclass(annotation, Enum):
        return st.sampled_from(annotation)
    return st.datetimes(timezones=st.just(UTC))


NEVER_READ_BACK = {checks.Gate, checks.PassHatK, batch.Progress}
"""Gates come from sparring.yaml; progress counts endings under None too, which JSON has no key for."""

KINDS = sorted(
    {
        kind
        for module in (batch, case, conversation, errors, events, message, checks, usage, verdict)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Value) and kind is not Value
    }
    - NEVER_READ_BACK,
    key=lambda kind: kind.__name__,
)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_value_survives_json(kind: type[Value]):
    @settings(max_examples=25, suppress_health_check=list(HealthCheck))
    @given(values(kind))
    def holds(value: Value) -> None:
        assert kind.model_validate_json(value.model_dump_json()) == value

    holds()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_values_of_checked_parts_equal_those_pydantic_makes(kind: type[Value]):
    @settings(max_examples=5, suppress_health_check=list(HealthCheck))
    @given(values(kind))
    def holds(value: Value) -> None:
        made = kind.unchecked(dict(value))

        assert (made, made.model_fields_set, repr(made)) == (value, value.model_fields_set, repr(value))
        assert pickle.loads(pickle.dumps(made)) == value == made.model_copy()

    holds()


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), [float("nan")], {"a": [float("-inf")]}])
def test_a_number_that_json_cannot_hold_is_refused(bad: Any):
    with pytest.raises(ValidationError, match="finite number"):
        Case(id="a", variables={"x": bad})


def test_values_do_not_change():
    with pytest.raises(ValidationError, match="frozen"):
        Case(id="a").id = "b"  # type: ignore[misc]


def nested(levels: int) -> Json:
    value: Json = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


@pytest.mark.parametrize("levels", [51, 196, 300, 5000])
def test_values_nested_too_deep_are_refused(levels: int):
    for make in (
        lambda: ToolCall(name="a", arguments={"x": nested(levels)}),
        lambda: ToolCall(name="a", result=nested(levels)),
        lambda: Case(id="a", variables={"x": nested(levels)}),
    ):
        with pytest.raises(ValidationError, match=r"nested too deep|recursion"):
            make()


def test_values_of_the_allowed_depth_are_read_again():
    call = ToolCall(name="a", arguments={"x": nested(50)}, result=nested(50))

    assert ToolCall.model_validate_json(call.model_dump_json()) == call


def test_similar_values_share_their_equal_parts() -> None:
    goals = [Goal(text="order", others={"size": ("small",)}), Goal(text="order", others={"size": ("big",)})]
    cases = [Case(id=f"case-{n}", goals=(goals[n % 2],), variables={"n": n}, tags=("vip",)) for n in range(4)]
    seen: dict[tuple[str, int], object] = {}

    found = [with_shared_parts(each, seen) for each in cases]

    assert found == cases
    assert (found[0].goals is found[2].goals, found[0].goals is found[1].goals) == (True, False)
    assert all(each.persona is found[0].persona for each in found)
