from datetime import UTC, datetime

from sparring.core.batch import Batch, Players
from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending
from sparring.core.listing import ConversationRow, searchable_words
from sparring.core.message import message
from sparring.core.outcome import Outcome, decide
from sparring.core.verdict import HUMAN, CheckOutcome, Verdict
from sparring.runner.verdict_selection import ConversationVerdicts, VerdictSelector
from sparring.runner.verdicts import ConversationChecks, conversation_row
from sparring.testing.factories import a_case, a_conversation, a_verdict

CONVERSATION = a_conversation(a_case("a"))
HUMANS = Verdict(check=HUMAN, outcome=CheckOutcome.FAIL, conversation="a", score=1, by=HUMAN, judge=HUMAN)
PLAYBOOK = Verdict(check="playbook", outcome=CheckOutcome.PASS, conversation="a", score=1.0)


def row(*verdicts: Verdict, ending: Ending = Ending.GOALS_ANSWERED) -> ConversationRow:
    human = tuple(each for each in verdicts if each.judge == HUMAN)
    judge = tuple(each for each in verdicts if each.judge not in ("", HUMAN))
    rules = tuple(each for each in verdicts if not each.judge)
    conversation = a_conversation(a_case("a"), ending=ending)
    decision = decide(conversation, verdicts)
    return conversation_row(conversation, ConversationVerdicts(decision, judge=judge, rules=rules, asked=human))


def test_a_row_has_the_score_and_the_outcome_of_a_human():
    told = row(a_verdict("a"), HUMANS)

    assert (told.outcome, told.score, told.failed) == (Outcome.FAILED, 1, ("human",))


def test_what_rules_give_is_no_score_among_those_of_judges():
    assert row(PLAYBOOK).score is None
    assert row(PLAYBOOK, a_verdict("a")).score == 3


def test_a_conversation_that_was_broken_off_has_no_score():
    assert row(a_verdict("a"), ending=Ending.TIMEOUT).score is None


def test_search_finds_messages_in_any_case():
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
