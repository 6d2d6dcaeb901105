import datetime
import math

import pytest

from sparring.rules.equality import equals_itself, exact_key, key_of

DAY = datetime.date(2024, 11, 6)
VALUES = [
    0,
    1,
    True,
    1.0,
    -0.0,
    0.0,
    None,
    "1",
    "",
    [1],
    [1.0],
    [True],
    (1,),
    [],
    (),
    {1},
    frozenset({1}),
    {"a": [1]},
    {"a": [1.0]},
    DAY,
]


def test_keys_are_equal_where_python_says_so():
    pairs = [(a, b) for a in VALUES for b in VALUES if (key_of(a) == key_of(b)) != (a == b)]

    assert pairs == []


def test_exact_keys_are_equal_only_for_indistinguishable_values():
    same = [
        (a, b)
        for a in VALUES
        for b in VALUES
        if exact_key(a, 0) == exact_key(b, 1) and (type(a), repr(a)) != (type(b), repr(b))
    ]

    assert same == []


@pytest.mark.parametrize("value", [math.nan, [math.nan], (1, {"a": math.nan})])
def test_nan_equals_nothing_not_even_in_a_list(value: object):
    assert (equals_itself(value), key_of(value) == key_of(value)) == (False, False)
    assert exact_key(value, 0) != exact_key(value, 1)
