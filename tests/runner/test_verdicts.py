from datetime import UTC, datetime

from sparring.core.batch import Batch, Players
from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending
from sparring.core.listing import searchable_words
from sparring.core.message import message
from sparring.core.verdict import HUMAN, CheckOutcome, Verdict
from sparring.runner.verdicts import ConversationChecks, VerdictSelector, conversation_row
from sparring.testing.factories import a_case, a_conversation, a_verdict

CONVERSATION = a_conversation(a_case("a"))
HUMANS = Verdict(check=HUMAN, outcome=CheckOutcome.FAIL, conversation="a", score=1, by=HUMAN, judge=HUMAN)
PLAYBOOK = Verdict(check="playbook", outcome=CheckOutcome.PASS, conversation="a", score=1.0)


def test_a_row_has_the_score_of_a_human_and_the_outcome_of_the_judge():
    told = conversation_row(CONVERSATION, [a_verdict("a"), HUMANS])

    assert (told.outcome, told.score, told.failed) == (CheckOutcome.PASS, 1, ("human",))


def test_what_rules_give_is_no_score_among_those_of_judges():
    assert conversation_row(CONVERSATION, [PLAYBOOK]).score is None
    assert conversation_row(CONVERSATION, [PLAYBOOK, a_verdict("a")]).score == 3


def test_a_conversation_that_does_not_count_has_no_score():
    assert conversation_row(a_conversation(a_case("a"), ending=Ending.TIMEOUT), [a_verdict("a")]).score is None


def test_everything_that_was_said_can_be_found_whatever_its_case():
    assert all(word in searchable_words(CONVERSATION) for word in ("a large pizza, please.", "привет!", "price"))


async def test_a_built_in_check_that_fails_is_recorded_with_the_others():
    said = (message("user", "Cancel my order."), message("chatbot", "I have cancelled your order."))
    told = Conversation(
        case=Case(id="a"), messages=said, ending=Ending.USER_DONE, reports_tools=True, tools={"cancel_order": ""}
    )
    batch = Batch(id="b", created=datetime(2026, 1, 2, tzinfo=UTC), who=Players(chatbot="c", user="u"), cases=())
    checks = ConversationChecks(batch, None)

    found = await checks.evaluate(told)

    assert [each.check for each in VerdictSelector(batch).verdicts(told, (), found.verdicts).all] == ["honest"]
    assert found.row
    assert found.row.failed == ("honest",)
