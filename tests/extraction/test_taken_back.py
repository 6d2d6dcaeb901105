"""What looks granted and is not: taken back, about another day, or only asked about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.core.case import Case, Goal
from sparring.core.conversation import Conversation
from sparring.core.message import message
from sparring.extraction.pattern_extractor import PatternReader
from sparring.extraction.speech_acts import is_retraction, is_revocation, is_uncertain
from sparring.extraction.tokens import sentences
from tables import table

BOOK = Case(
    id="book",
    goals=(Goal(text="book a haircut on Tuesday at 16:00", variables=("what", "day", "time")),),
    variables={"what": "haircut", "day": "Tuesday", "time": "16:00"},
)
ASKED = "I want to book a haircut on Tuesday at 16:00, please."


async def granted(case: Case, *said: str) -> bool:
    messages = tuple(message("chatbot" if n % 2 else "user", text) for n, text in enumerate(said))
    (goal,) = (await PatternReader().read(Conversation(case=case, messages=messages))).goals
    return goal.answered is not None


PIECES = (
    "cancelled",
    "отменен",
    "I don't know",
    "unable",
    "no sé",
    "error",
    "Ok",
    "a",
    " ",
    "\n",
    ". ",
    "!",
    "?",
    "…",
    '"',
)


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_a_text_of_which_a_sentence_undoes_something_does_so(text: str):
    assert is_retraction(text) or not any(is_retraction(sentence.text) for sentence in sentences(text))


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_what_undoes_something_takes_it_back_or_does_not_know_of_it(text: str):
    assert is_retraction(text) == (is_revocation(text) or is_uncertain(text))


@table(
    "reply",
    [
        "Your haircut is booked for Thursday at 16:00.",
        "A haircut on Tuesday at 18:00, booked!",
        "We do haircuts on Tuesday, but 16:00 is taken.",
        "Haircuts on Tuesday at 16:00 are fully booked.",
        "It is too late for a haircut on Tuesday at 16:00.",
    ],
)
async def test_another_day_or_time_or_a_full_calendar_is_no_booking(reply: str):
    assert not await granted(BOOK, ASKED, reply)


@pytest.mark.parametrize(
    "then",
    [
        ("Yes, please.", "Something broke, your booking was not saved."),
        ("Thanks", "Your haircut on Tuesday has been cancelled."),
        ("Great", "I am sorry, the booking of your haircut failed."),
    ],
    ids=["saved", "cancelled", "failed"],
)
async def test_what_is_taken_back_was_not_granted(then: tuple[str, str]):
    assert not await granted(BOOK, ASKED, "Haircut, Tuesday, 16:00. It is booked.", *then)


@pytest.mark.parametrize(
    "reply",
    [
        "You're booked in for a haircut, Tuesday, 16:00! Don't forget to bring your smile!",
        "No worries, your haircut is booked, Tuesday, 16:00. There's no need to pay now.",
        "Booked: haircut, Tuesday, 4 pm... 16:00 sharp. See you!",
    ],
)
async def test_a_friendly_no_is_no_refusal(reply: str):
    assert await granted(BOOK, ASKED, reply)


async def test_what_is_granted_after_a_failure_is_granted():
    said = (
        "It is booked, haircut, Tuesday, 16:00.",
        "OK",
        "Sorry, the booking failed.",
        "Again, please",
        "Now your haircut on Tuesday at 16:00 is booked.",
    )

    assert await granted(BOOK, ASKED, *said)


@table(
    ("question", "reply", "told"),
    [
        ("what does delivery cost?", "Delivery takes forever.", False),
        ("what does delivery cost?", "Our delivery drivers are very friendly people.", False),
        ("what does delivery cost?", "Delivery is $3.", True),
        ("what does delivery cost?", "Delivery is free!", True),
        ("what does delivery cost?", "Delivery costs three euros.", True),
        ("what does delivery cost?", "It's free!", False),
        ("what are the opening hours on Sunday?", "On Monday our opening hours are 9 to 5.", False),
        ("what are the opening hours on Sunday?", "Opening hours vary.", False),
        ("what are the opening hours on Sunday?", "From 10 to 4.", True),
        ("do you deliver?", "Unfortunately, we do not deliver.", True),
        ("do you deliver?", "Yes, we deliver every day.", True),
        ("do you deliver?", "We do.", False),
        ("do you deliver?", "Nice weather today.", False),
    ],
)
async def test_a_question_is_answered_by_what_it_asks_for(question: str, reply: str, told: bool):
    case = Case(id="x", goals=(Goal(text=question),))

    assert await granted(case, question.capitalize(), reply) is told


async def test_what_the_same_reply_takes_back_was_not_granted():
    assert not await granted(BOOK, ASKED, "Your haircut on Tuesday at 16:00 is booked. Actually, I have cancelled it.")


@pytest.mark.slow
@pytest.mark.parametrize(
    "reply",
    [
        "You said: haircut on Tuesday at 16:00.",
        "You want a haircut on Tuesday at 16:00. Let me see.",
        "I can book a haircut on Tuesday at 16:00 if you call us.",
        "OK.",
    ],
)
async def test_words_that_promise_nothing_grant_nothing(reply: str):
    assert not await granted(BOOK, ASKED, reply)


@pytest.mark.parametrize(
    ("reply", "done"),
    [
        ("Order KX20417 has been delivered.", False),
        ("Order KX20417 is too late to cancel.", False),
        ("I have cancelled order KX20417.", True),
        ("Done! Order KX20417 is off.", True),
    ],
)
async def test_to_speak_of_a_thing_is_not_to_change_it(reply: str, done: bool):
    case = Case(
        id="x", goals=(Goal(text="cancel order KX20417", variables=("order",)),), variables={"order": "KX20417"}
    )

    assert await granted(case, "I want to cancel order KX20417.", reply) is done
