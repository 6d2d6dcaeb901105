"""The audit of a conversation."""

import pytest

from sparring.audit.audit import audit
from sparring.core.audit import Audit
from sparring.core.case import Case, Goal, Say
from sparring.core.conversation import Conversation
from sparring.core.message import message


def test_a_script_is_not_audited():
    case = Case(id="a", script=(Say(text="As an AI language model, I cannot help with that."),))
    said = (message("user", case.lines[0]), message("chatbot", "Hello."))
    assert audit(Conversation(case=case, messages=said)) == Audit()


@pytest.mark.slow
def test_a_user_that_does_what_it_should_has_no_fault():
    case = Case(id="a", goals=(Goal(text="opening hours"),))
    said = (message("user", "What are your opening hours?"), message("chatbot", "We are open from 9 to 5."))
    assert audit(Conversation(case=case, messages=said)).faults == ()


def test_without_a_role_sheet_values_are_not_measured():
    said = (message("user", "My phone number is 555-0142."), message("chatbot", "All right."))
    found = audit(Conversation(case=Case(id="a"), messages=said))
    assert found.faults == ()
    assert {"foreign_value", "wrong_value"} <= {*found.unmeasured}
