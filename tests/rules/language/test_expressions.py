"""Comparisons with values that a function never returns, and escapes that quotes replace."""

import pytest

from sparring.core.checks import InvalidRule
from sparring.core.errors import InputError
from sparring.rules.functions import text
from sparring.rules.rule_file import parse_rule, require_valid, rule_of
from tables import table


@table(
    ("rule", "hint"),
    [
        ("language(last_reply()) == 'spanish'", "values: ENG, ESP"),
        ("language(last_reply()) != 'eng'", "did you mean 'ENG'?"),
        ("language(last_reply()) in ['ESP', 'EN']", "did you mean 'ENG'?"),
        ("'klingon' == language(last_reply())", "values: ENG, ESP"),
        ("language(last_reply()) in ['es', 'OTHER']", "values: two letters, such as es"),
        ("currency(last_reply()) == 'usd'", "did you mean 'USD'?"),
        ("'happy' in tone(last_reply())", "values: POSITIVE"),
    ],
)
def test_a_value_that_is_never_returned_is_refused(rule: str, hint: str):
    found = rule_of(rule)

    assert isinstance(found, InvalidRule)
    assert "never returns" in found.problems[0].message
    assert found.problems[0].hint.startswith(hint)


@pytest.mark.parametrize(
    ("rule", "detected", "holds"),
    [
        ("language('x') == 'es'", "es", True),
        ("'es' == language('x')", "es", True),
        ("language('x') == 'ru'", "ru", True),
        ("language('x') == 'es'", "en", False),
        ("language('x') in ['es', 'ENG']", "en", True),
        ("language('x') == 'ESP'", "es", True),
        ("language('x') == 'OTHER'", "ru", True),
        ("language('x', iso=True) == 'ca'", "ca", True),
        ("language('x') == language('y')", "es", True),
    ],
)
def test_a_code_of_iso_639_1_is_understood(
    value, monkeypatch: pytest.MonkeyPatch, rule: str, detected: str, holds: bool
):
    monkeypatch.setattr(text, "_detected", lambda said: detected)
    (valid,) = require_valid([rule_of(rule)])

    from sparring.rules.evaluate.calls import EvaluationContext, evaluate
    from sparring.rules.evaluate.compiled_rule import CompiledRule, compile_rule

    compiled = compile_rule(valid)
    assert isinstance(compiled, CompiledRule)
    assert evaluate(compiled.term("then"), EvaluationContext()) is holds


@pytest.mark.parametrize(
    "rule", ["not chatbot_says('\\brefund\\b')", "matches('(a)\\1', last_reply())", "'\\bx' in last_reply()"]
)
def test_an_escape_that_quotes_replace_is_refused_once(rule: str):
    with pytest.raises(InputError, match=r"in these quotes is a (backspace|control character)") as caught:
        require_valid([rule_of(rule)])

    assert len(caught.value.problems) == 1


def test_a_raw_text_and_a_doubled_backslash_are_what_was_meant():
    require_valid([rule_of(r"not chatbot_says(r'\brefund\b') and not chatbot_says('\\brefund')")])


def test_double_quotes_of_yaml_get_a_hint_to_use_single_ones():
    rule = parse_rule("name: r\nthen: \"not chatbot_says('\\brefund')\"\n")

    assert isinstance(rule, InvalidRule)
    assert rule.problems[0].hint == "use single quotes in YAML: in double ones, \\b is a backspace"
