"""The tools of which a rule says that they are not used."""

import pytest

from sparring.core.checks import ForbiddenTools, Rule, forbidden_tools


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
