"""The tools that a rule names."""

from sparring.core.checks import Rule, named_tools
from tables import table


@table(
    ("then", "named"),
    [
        ("called('refund', id=7)", [("refund", ("id",))]),
        ("calls(conv[0], 'refund', {'id': 7}, 'start', 'executed', {'outcome': 1}) == 0", [("refund", ("id",))]),
        ("calls('refund', args={'id': 7}) == calls() == calls(tool)", [("refund", ("id",))]),
        ("call_order('a', 'b') and tool_calls('c')[0].error == tool_result('d', n=1)", [(x, ()) for x in "abcd"]),
        ("'called' in reply and this is (no expression", []),
    ],
)
def test_the_tools_that_a_rule_names_are_known(then: str, named: list[tuple[str, tuple[str, ...]]]):
    assert [(each.tool, each.arguments) for each in named_tools(Rule(name="r", then=then))] == named
