"""Correct replies that once looked like bugs."""

from said import conversation, titles
from sparring.probes.acts import ids_in
from sparring.probes.checks import find
from sparring.probes.domain import Domain
from sparring.probes.notes import Notes


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


def test_a_menu_that_comes_again_when_all_is_done_forgets_nothing():
    notes = Notes(
        old="Visa",
        new="Giro",
        changed=3,
        domain=Domain(done={"done: the card giro is blocked. what would you like to do?"}),
    )
    said = ("Hello", "What would you like to do?", "Block a card", "Which card is it?")

    assert titles(notes, *said, "Giro instead", "Done: the card Giro is blocked. What would you like to do?") == []


def test_a_greeting_in_the_words_of_the_user_is_no_echo():
    said = (
        "What can you do for me?",
        "What can I do for you?",
        "I would like to book a visit, please.",
        "Which visit?",
    )

    assert titles(Notes(), *said, "What can you do for me?", "What can I do for you?") == []


def test_the_example_beside_a_refusal_is_not_what_was_ordered():
    refused = "At most 10 of each item; cola left at 0. Write e.g. '2 cola, 1 water'."

    assert titles(Notes(numbered=(12, "cola")), "12 cola", refused) == []
