"""Rules with the same words are the same to check, and each has its own name and place."""

from sparring.core.checks import Rule, SourcePosition
from sparring.rules.evaluate.compiled_rule import CompiledRule, compile_rule


def rule(name: str, then: str, **fields: object) -> Rule:
    return Rule.model_validate({"name": name, "then": then, **fields})


def test_what_many_conversations_are_expected_to_keep_is_read_once():
    one, other, over_two = (
        compile_rule(each)
        for each in (
            rule("one", "turns() < 7", file="a.yml"),
            rule("other", "turns() < 7", file="b.yml"),
            rule("over two", "turns() < 7", conversations=2),
        )
    )

    assert isinstance(one, CompiledRule)
    assert isinstance(other, CompiledRule)
    assert (one.rule.name, other.rule.name, one.trees is other.trees) == ("one", "other", True)
    assert isinstance(over_two, list), "the words mean something else there"


def test_a_repeated_problem_is_reported_at_both_places():
    told = [
        compile_rule(rule(name, "pirce(1)", file=f"{name}.yml", places={"then": SourcePosition(line=line, column=3)}))
        for name, line in (("a", 4), ("b", 9))
    ]

    places = [(each.file, each.line) for problems in told if isinstance(problems, list) for each in problems]
    assert places == [("a.yml", 4), ("b.yml", 9)]
