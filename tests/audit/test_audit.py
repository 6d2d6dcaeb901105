"""The audit of a conversation."""

from sparring.audit.audit import audit
from sparring.core.audit import Audit
from sparring.core.case import Case, Goal, Say
from sparring.core.conversation import Conversation
from sparring.core.message import message


def test_a_script_is_not_audited():
    case = Case(id="a", script=(Say(text="As an AI language model, I cannot help with that."),))
    said = (message("user", case.lines[0]), message("chatbot", "Hello."))
    assert audit(Conversation(case=case, messages=said)) == Audit()


def test_a_user_that_does_what_it_should_has_no_fault():
    case = Case(id="a", goals=(Goal(text="opening hours"),))
    said = (message("user", "What are your opening hours?"), message("chatbot", "We are open from 9 to 5."))
    assert audit(Conversation(case=case, messages=said)).faults == ()
