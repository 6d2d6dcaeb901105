import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sparring.core.checks import InvalidRule, Rule
from sparring.core.errors import InputError
from sparring.rules.rule_file import parse_rule, read_rules, rule_of
from tables import table


def problems(text: str) -> list[str]:
    rule = parse_rule(text, "r.yaml")
    assert isinstance(rule, InvalidRule)
    return [str(problem) for problem in rule.problems]


def test_a_rule_file_becomes_a_rule():
    rule = parse_rule(
        "name: a\ndescription: d\nconversations: all\nactive: false\noracle: is_unique('x')\nyields: f'{1}'\n"
    )

    assert isinstance(rule, Rule)
    assert (rule.name, rule.description, rule.conversations, rule.active) == ("a", "d", "all", False)
    assert (rule.when, rule.if_, rule.then, rule.yields) == ("True", "True", "is_unique('x')", "f'{1}'")


def test_shares_are_read_with_and_without_percent():
    rule = parse_rule("name: a\nthen: True\nat least: 95%\nconfidence: 0.9\n")

    assert isinstance(rule, Rule)
    assert (rule.at_least, rule.confidence, rule.then) == (0.95, 0.9, "True")


def test_every_mistake_is_reported_at_once_at_its_place():
    text = """\
conversations: 2
when: conv[0].size == conv[2].size and drink == 1
then: extract_flot(conv[0].price) > 1
yields: f"{conv[0].__class__}"
activ: false
active: maybe
"""

    assert problems(text) == [
        "r.yaml:1:1: 'name' is missing",
        "r.yaml:2:23: when: expected conv[0] to conv[1], got conv[2]: the rule has conversations: 2"
        " (set conversations: 3)",
        "r.yaml:2:40: when: with conversations: 2, select the conversation: conv[0].drink",
        "r.yaml:3:7: then: unknown function 'extract_flot' (did you mean 'extract_float'?)",
        "r.yaml:4:12: yields: '__class__': names that begin with _ are not allowed",
        "r.yaml:5:1: activ: unknown key 'activ' (did you mean 'active'?)",
        "r.yaml:6:9: active: should be true or false",
    ]


@table(
    ("then", "place"),
    [
        ("then: x == f(1)", "2:12"),
        ("then:   'x == f(1)'", "2:15"),
        ("then: |\n  x == 1 and\n  f(1)", "4:3"),
        ("then: |\n\n    f(1)", "4:5"),
        ("then: >\n  x == 1 and\n  f(1)", "3:3"),
        ("then: 'x == ''y'' or f(1)'", "2:8"),
        ("then: x == 1 and\n  f(1)", "2:7"),
    ],
)
def test_a_mistake_in_an_expression_is_placed_in_the_file(then: str, place: str):
    assert problems(f"name: a\n{then}\n") == [f"r.yaml:{place}: then: unknown function 'f'"]


@table(
    ("text", "message"),
    [
        ("- a\n", "r.yaml:1:1: expected a mapping with at least the keys 'name' and 'then'"),
        (
            "name: a\nthen: True\noracle: True\n",
            "r.yaml:3:1: oracle: 'oracle' and 'then' mean the same; use one of them",
        ),
        ("name: a\nthen: True\nthen: False\n", "r.yaml:3:1: duplicate key 'then', first in line 2, column 1"),
        ("name: a\nthen:\n", "r.yaml:2:1: then: is empty"),
        (
            "name: a\nconversations: 0\nthen: True\n",
            "r.yaml:2:16: conversations: should be a whole number from 1 to 6, or all",
        ),
        ("name: &a a\nthen: True\n", "r.yaml:1:7: anchors (&) and aliases (*) are not supported in rules"),
        ("name: !!str a\nthen: True\n", "r.yaml:1:7: tags such as tag:yaml.org,2002:str are not supported"),
        (
            "name: a\nthen: matches('(?=x)', y)\n",
            "r.yaml:2:15: then: this pattern cannot be used: lookahead and lookbehind,"
            " (?=...) and (?<!...), are not supported",
        ),
        (
            "name: a\nthen: matches(x, y)\n",
            "r.yaml:2:15: then: the pattern must be a literal string"
            " (to search for the value of a variable: any(NAME in phrase for phrase in chatbot_phrases))",
        ),
        (
            "name: a\nthen: extract_float(x, 1)\n",
            "r.yaml:2:7: then: extract_float(): too many positional arguments (usage: extract_float(text))",
        ),
        (
            "name: a\nthen: exists(x)\n",
            "r.yaml:2:7: then: exists() needs a rule over all conversations (set conversations: all)",
        ),
        (
            "name: a\nconversations: all\nthen: price > 3\n",
            "r.yaml:3:7: then: use an aggregate: exists(price ...), count(...), is_unique(price), mean(price), ...",
        ),
        (
            "name: a\nthen: x\nquantifier: forall exists\n",
            "r.yaml:3:1: quantifier: needs conversations: 2 or more",
        ),
        (
            "name: a\nthen: x\nconfidence: 95%\n",
            "r.yaml:3:1: confidence: needs 'at least', the share it applies to",
        ),
        (
            "name: a\nthen: x\nat least: 50%\nquantifier: exists\n",
            "r.yaml:4:1: quantifier: cannot be combined with 'at least'; use one of the two",
        ),
        (
            "name: a\nconversations: all\nthen: count(x) > 1\nat least: 50%\n",
            "r.yaml:4:1: at least: not available in a rule over all conversations (use percent(...) or exists(...))",
        ),
    ],
)
def test_one_mistake_is_said_plainly(text: str, message: str):
    assert problems(text) == [message]


def test_a_file_that_is_not_yaml_gets_a_hint_to_use_quotes():
    assert problems("name: a\nthen: {a: 1}[b] == 3\n") == [
        "r.yaml:2:13: is not YAML: expected <block end>, but found '['"
        " (quote an expression that contains { } : or #, or put | before it)"
    ]


def test_a_folder_gives_its_rules_by_name_and_keeps_the_invalid_ones(tmp_path: Path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "b.yaml").write_text("name: b\nthen: True\n")
    (tmp_path / "deep" / "c.yml").write_text("then: True\n")
    (tmp_path / "a.txt").write_text("no rule")

    assert [(type(rule).__name__, rule.name) for rule in read_rules([tmp_path])] == [
        ("Rule", "b"),
        ("InvalidRule", "c"),
    ]


def test_a_file_too_large_for_a_rule_is_not_even_read(tmp_path: Path):
    (tmp_path / "r.yaml").write_text("name: a\nthen: True\n" + "# x\n" * 20_000)

    (rule,) = read_rules([tmp_path])

    assert isinstance(rule, InvalidRule)
    assert rule.problems[0].message == "is larger than 64,000 bytes, the maximum of a rule file"


def test_a_folder_without_rules_and_a_missing_file_are_input_errors(tmp_path: Path):
    for path, message in [(tmp_path, "contains no rules"), (tmp_path / "x.yaml", "there is no such file")]:
        with pytest.raises(InputError, match=message):
            read_rules([path])


def test_an_expression_alone_is_a_rule():
    rule = rule_of("turns() < 12")

    assert isinstance(rule, Rule)
    assert (rule.name, rule.then, rule.conversations) == ("turns() < 12", "turns() < 12", 1)


def test_a_rule_may_come_from_a_pipe_which_is_read_once(tmp_path: Path):
    pipe = tmp_path / "rule"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as other:
        writing = other.submit(pipe.write_text, "name: short\nthen: 'turns() < 9'\n")
        (rule,) = read_rules([pipe])
        writing.result()

    assert isinstance(rule, Rule)
    assert (rule.name, rule.place("then", 0, 0)) == ("short", (2, 8))
