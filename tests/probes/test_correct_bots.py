"""Correct replies that once looked like bugs."""

from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import message
from sparring.probes.acts import ids_in
from sparring.probes.checks import find
from sparring.probes.notes import Notes


def conversation(*said: str) -> Conversation:
    roles = ("user", "chatbot")
    messages = tuple(message(roles[at % 2], text) for at, text in enumerate(said))
    return Conversation(case=Case(id="said"), messages=messages)


def test_a_time_that_is_taken_on_another_day_is_asked_for_again():
    said = conversation(
        *("Hello", "Which day suits you?"),
        *("Friday", "Which time would you like?"),
        *("9:00", "Your name, please?"),
        *("Sam", "Friday at 9:00 for Sam. Shall I book it?"),
        *("Actually, I would rather have Monday.", "Sorry, Monday at 9:00 is taken. Which time would you like?"),
    )

    assert find(said, Notes(old="Friday", new="Monday", changed=5)) == []


def test_a_telephone_number_is_no_number_of_an_order():
    assert ids_in("Order 534 is in the oven; call 030 555 77, or quote 1234567890.") == {"534", "1234567890"}


def test_a_reply_that_only_comes_again_offers_nothing_to_cancel():
    stands = "Order 534 is already in the oven, and no longer here; to cancel, call us."
    said = conversation(*("Yes", "Order 534 is placed."), *("Please cancel it.", stands), *("Cancel it all.", stands))

    assert not [each for each in find(said, Notes(kept=True, cancelled=2, cancelled_again=3)) if each.kind == "kept"]
