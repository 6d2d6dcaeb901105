import json
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.core.errors import InputError
from sparring.parsing import load, once, parse
from sparring.parsing.yaml_reader import MAX_BYTES
from tables import table


def problems(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        parse(text, "f.yml")
    return [str(problem) for problem in caught.value.problems]


@table(
    ("written", "meant"),
    [
        ("on", "on"),
        ("yes", "yes"),
        ("No", "No"),
        ("true", True),
        ("FALSE", False),
        ("", None),
        ("~", None),
        ("null", None),
        ("7", 7),
        ("-012", -12),
        ("0o17", 15),
        ("0x1F", 31),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("1.5e3", 1500.0),
        (".5", 0.5),
        ("2026-02-28", date(2026, 2, 28)),
        ("2026-02-30", "2026-02-30"),
        ("2026-02-28T10:00:00Z", "2026-02-28T10:00:00Z"),
        ("'7'", "7"),
        ('"true"', "true"),
        ("|\n  two\n  lines\n", "two\nlines\n"),
    ],
)
def test_plain_words_mean_what_yaml_1_2_says(written: str, meant: object):
    data = parse(f"key: {written}").data

    assert (data, type(data["key"])) == ({"key": meant}, type(meant))


def test_keys_are_always_text():
    assert parse("1: a\ntrue: b\n2026-01-01: c\n'': d").data == {"1": "a", "true": "b", "2026-01-01": "c", "": "d"}


def test_an_empty_file_says_nothing():
    assert [parse("").data, parse("# only a comment\n").data] == [None, None]


def test_an_alias_stands_for_what_its_anchor_names():
    assert parse("a: &x [1, 2]\nb: *x").data == {"a": [1, 2], "b": [1, 2]}


def test_recoverable_errors_are_reported_at_once():
    text = "a: 1\nb: !!python/object:os.system x\na: 2\nc: [.nan, 1e999]\n"

    assert problems(text) == [
        "f.yml:2:4: tags such as tag:yaml.org,2002:python/object:os.syste are not supported",
        "f.yml:3:1: duplicate key 'a', first in line 1, column 1",
        "f.yml:4:5: infinite and undefined numbers are not supported",
        "f.yml:4:11: infinite and undefined numbers are not supported",
    ]


def test_half_of_a_character_is_refused_with_its_place_in_keys_and_values():
    text = '"a\\ud800": 1\nb: ["\\udfff", "\\U0001F600"]\n'

    assert problems(text) == [
        "f.yml:1:1: contains half of a surrogate pair (write the character itself, or as \\U0001F600)",
        "f.yml:2:5: contains half of a surrogate pair (write the character itself, or as \\U0001F600)",
    ]


def test_a_character_that_json_writes_in_two_halves_is_one():
    assert parse('{"\\ud83d\\ude00": "\\ud83d\\ude00"}').data == {"😀": "😀"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [1", "f.yml:1:6: is not YAML: expected ',' or ']', but got '<stream end>'"),
        (
            "a: b: c",
            "f.yml:1:5: is not YAML: mapping values are not allowed here"
            " (quote a text that contains a colon and a space)",
        ),
        (
            "a:\n\t- b",
            "f.yml:2:1: is not YAML: found character '\\t' that cannot start any token (indent with spaces, not tabs)",
        ),
        (
            "reply: [*].text",
            "f.yml:1:10: is not YAML: expected alphabetic or numeric character, but found ']'"
            " (quote a text that begins with *, & or [)",
        ),
        ("a: \x1b", "f.yml: is not YAML: unacceptable character #x001b: special characters are not allowed"),
        ("text: {{message}}", 'f.yml:1:8: a key has to be plain text (a placeholder needs quotes: "{{name}}")'),
        ("a: 1\n---\nb: 2", "f.yml:2:1: expected one document, got a second one"),
        ("[" * 100, "f.yml:1:52: is nested deeper than 50 levels"),
        ("- " * 400_000, "f.yml:1:103: is nested deeper than 50 levels"),
        ("a: &a [*a]", "f.yml:1:8: undefined alias *a"),
        ("a: *b", "f.yml:1:4: undefined alias *b"),
        ("a: &x 1\nb: [" + "*x, " * 51 + "]", "f.yml:2:205: too many aliases; repeat the value instead"),
        ("a: *" + "b" * 900, f"f.yml:1:4: undefined alias *{'b' * 40}"),
        ("a: 1\nb: " + "!" * 500_000, "f.yml:2:4: begins with ! and has more than 1,000 characters (put it in quotes)"),
        ("[&" + "b" * 2000 + " 1]", "f.yml:1:2: begins with & and has more than 1,000 characters (put it in quotes)"),
        ("[" + "1," * 100_000 + "]", "f.yml:1:200000: has more than 100,000 keys and values (split the file)"),
        ("a" * (MAX_BYTES + 1), "f.yml: is larger than 1,000,000 bytes"),
    ],
)
def test_a_syntax_error_is_reported_with_its_place(text: str, problem: str):
    assert problems(text) == [problem]


def test_a_bomb_of_aliases_is_refused():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)]

    assert problems("\n".join(lines)) == ["f.yml:5:10: too many aliases; repeat the value instead"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a: \xff", "is not UTF-8 text"),
        (b"a: \xc3\xa9" + b"\n" * MAX_BYTES, "is larger than 1,000,000 bytes"),
    ],
)
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, content: bytes, problem: str):
    file = tmp_path / "f.yml"
    file.write_bytes(content)

    with pytest.raises(InputError, match=problem):
        load(file)


def test_a_missing_file_is_reported_by_name(tmp_path: Path):
    with pytest.raises(InputError, match=r"missing\.yml: there is no such file"):
        load(tmp_path / "missing.yml")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        load(tmp_path)


def test_a_document_is_cached_within_the_block(tmp_path: Path):
    good, bad = tmp_path / "good.yml", tmp_path / "bad.yml"
    good.write_text("a: 1")
    bad.write_text("a: [")

    with once():
        first = load(good)
        with pytest.raises(InputError) as caught:
            load(bad)
        good.write_text("a: 2")
        bad.write_text("a: 2")
        again = load(good)
        with pytest.raises(InputError) as repeated:
            load(bad)

    assert (again, repeated.value.problems) == (first, caught.value.problems)
    assert [load(good).data, load(bad).data] == [{"a": 2}, {"a": 2}]


def test_text_like_a_long_marker_is_plain_text():
    text = "a: " + "b" * 2000 + "&c=" + "d" * 2000 + "*\nb: '" + "!" * 20 + "' \nc: |\n  Really! " + "e" * 2000

    assert list(parse(text).data) == ["a", "b", "c"]


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path):
    file = tmp_path / "f.yml"
    file.write_bytes("\ufeffä: ж".encode())

    assert load(file).data == {"ä": "ж"}


words = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), max_size=8)
plain = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | words | st.floats(-1e9, 1e9)
data = st.recursive(plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3))


@pytest.mark.slow
@settings(max_examples=100)
@given(data, st.sampled_from([None, 2]))
def test_json_is_yaml(value: object, indent: int | None):
    assert parse(json.dumps(value, ensure_ascii=False, indent=indent)).data == value


@settings(max_examples=150)
@given(st.text(st.sampled_from("a1:-[]{},&*!|>'\"# \n\t%?@`~.é"), max_size=40))
def test_any_text_is_either_read_or_refused_in_our_own_words(text: str):
    with suppress(InputError):
        parse(text, "f.yml")
