from sparring.rules.undecided import Failure
from tables import table

NAMES = {"x": 3, "s": "abc", "t": ["b", "a"], "d": {"k": 1}, "n": None}


@table(
    "text",
    [
        "x + 1 == 4 and not n",
        "x or 1 / 0",
        "n and 1 / 0",
        "1 < x < 5 < 2 / 0 if n else -x ** 2 % 7 // 2",
        "[c for c in s if c != 'b'] + t[::-1]",
        "sorted(t) == ['a', 'b'] and 'a' in t and n is None",
        "all(a != b for a in t for b in s[2:])",
        "{len(c) for c in t} == {1}",
        "d['k'] + d.get('z', 5) + sum([1, 2.5])",
        "{'a': x, s: t}[s][0].upper().join(['-', '-'])",
        "(x, t) == (3, ['b', 'a']) and len(t) != x",
        "[a + b for a, b in [('1', '2'), t]]",
        "f'{x:03d} {s!r:>6} {t} {x / 7:.2f}'",
        "[[y for y in s] for x in t if x != 'a'][0] and x",
        "max(len(c) for c in t) + min(1, 2) + round(2.567, 1)",
    ],
)
def test_an_expression_is_worth_what_it_is_worth_in_python(value, recording, text: str):
    assert value(text, recording(**NAMES)) == eval(text, dict(NAMES))


@table(
    ("text", "error", "message"),
    [
        ("missing", "Missing", "no 'missing' here"),
        ("1 / 0", "ZeroDivisionError", "division by zero"),
        ("'a' * 10 ** 9", "LimitReached", "* makes too large a value"),
        ("9 ** 9 ** 9", "LimitReached", "** makes too large a number"),
        ("[0] * 5000 + [0] * 6000", "LimitReached", "a collection of more than 10,000 items"),
        ("[[['a' * 99] * 9] * 9] * 199", "LimitReached", "a collection of more than 10,000 items"),
        ("sum([1 for a in [0] * 999 for b in [0] * 999])", "LimitReached", "the evaluation took too many steps"),
        ("'%s' % x", "TypeError", "% on texts is not supported"),
        ("(-8) ** 0.5", "TypeError", "complex numbers are not supported"),
        ("x.lower()", "AttributeError", "'int' has no method 'lower'"),
        ("semantic_content('a', 'b')", "NeedsModel", "needs a model"),
    ],
)
def test_what_has_no_value_says_why(value, recording, text: str, error: str, message: str):
    failure = value(text, recording(x=3))

    assert isinstance(failure, Failure)
    assert (type(failure.error).__name__, str(failure.error)) == (error, message)


def test_sets_are_walked_and_shown_in_an_order_that_repeats(value):
    text = "[c for c in {'b', 'a', 'c'}] + list({3, 1}) + [str({'z', 'y'}), f'{[{2, 1}]}', '-'.join({'q', 'p'})]"

    assert value(text) == ["a", "b", "c", 1, 3, "{'y', 'z'}", "[{1, 2}]", "p-q"]


def test_positions_loop_variables_and_names_that_are_no_identifiers(value, recording):
    first, second = recording(x=1, **{"a price": 5}), recording(x=2)

    assert value("[x + conv[1].x for x in [conv[0].x]] + [conv[0]['a price']]", first, second) == [3, 5]


def test_hasattr_says_whether_a_conversation_defines_a_name(value, recording):
    assert value("[hasattr(conv[0], 'x'), hasattr(conv[0], 'y')]", recording(x=None)) == [True, False]
