"""The tools of which a rule says that they are not used."""

import pytest

from sparring.core.checks import ForbiddenTools, Rule, forbidden_tools, named_tools


@pytest.mark.parametrize(
    ("then", "tools"),
    [
        ("not called('refund')", (ForbiddenTools("refund"),)),
        ("not called('refund', order_id=7) and turns() < 3", (ForbiddenTools("refund", ("order_id",)),)),
        ("not_called('refund') or not_called('cancel')", (ForbiddenTools("refund"), ForbiddenTools("cancel"))),
        ("calls('refund', {'order_id': 7}, 'last_user') == 0", (ForbiddenTools("refund", ("order_id",)),)),
        ("not attempted('refund')", (ForbiddenTools("refund"),)),
        ("called('refund')", ()),
        ("calls('refund') == 1", ()),
        ("calls() == 0", ()),
        ("not called(tool)", ()),
        ("this is (no expression", ()),
    ],
)
def test_tools_are_ruled_out_where_a_rule_names_them(then: str, tools: tuple[ForbiddenTools, ...]):
    assert forbidden_tools(Rule(name="r", then=then)) == tools


@pytest.mark.parametrize(
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
