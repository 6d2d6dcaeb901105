"""Correct replies that once looked like bugs."""

from said import conversation, titles
from sparring.probes.acts import ids_in
from sparring.probes.checks import find
from sparring.probes.domain import Domain
from sparring.probes.notes import Notes
from sparring.probes.offers import Choice, listed


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


def test_a_word_of_a_menu_of_tasks_is_no_other_value():
    tasks = ("Join", "Prices")
    notes = Notes(choices=[Choice(1, "How can I help?", tasks, "Join")], domain=Domain(tasks=tasks))
    said = ("Hello", "How can I help? [Join] [Prices]", "Join", "A student pays half the price. Shall I book it?")

    assert titles(notes, *said) == []


def test_a_menu_that_follows_a_refusal_is_not_asked_again():
    again = "You have not joined. How can I help? [Join] [Freeze] [Leave]"
    notes = Notes(domain=Domain(accepted={("how can i help?", "Freeze"), ("how can i help?", "Leave")}))

    assert titles(notes, "Hello", "How can I help? [Join] [Freeze] [Leave]", "Freeze", again, "Leave", again) == []


def test_a_question_of_a_task_that_has_ended_is_asked_again():
    said = (
        *("Hello", "What is the matter?", "status", "Please give the number."),
        *("4002", "There is no ticket 4002. What is the matter?", "By the way, what is the time?"),
        *("I do not know. What is the matter?", "status", "Please give the number."),
    )

    assert titles(Notes(aside=4), *said) == []


def test_another_wish_after_a_question_in_between_needs_its_own_number():
    said = (
        *("Hello", "What is it about?", "cancel", "Which order? Please tell me its number."),
        *("A-1", "I do not know it. What else?", "What is the time?", "I cannot tell. What else?"),
        *("show details", "Which order? Please tell me its number."),
    )

    assert titles(Notes(aside=4), *said)
    assert titles(Notes(aside=4, opening="show details"), *said) == []


def test_options_that_were_read_wrongly_are_not_refused():
    shows = "On this week: Jazz, Friday 20:00 (30 EUR); Swan Lake, Saturday 19:00 (50 EUR). Which one?"
    wrong = ("Friday 20:00; Swan Lake", "Saturday 19:00; Jazz")
    notes = Notes(choices=[Choice(1, "Which one?", wrong, wrong[0])])

    assert titles(notes, "Hello", shows, wrong[0], f"One only. {shows}", wrong[1], f"One only. {shows}") == []


def test_the_example_beside_a_refusal_is_not_what_was_ordered():
    refused = "At most 10 of each item; cola left at 0. Write e.g. '2 cola, 1 water'."

    assert titles(Notes(numbered=(12, "cola")), "12 cola", refused) == []


def test_things_with_details_are_kept_apart_by_semicolons():
    shows = (
        "This week: Jazz Night, Friday 20:00 (30 EUR); Swan Lake, Saturday 19:00 (50 EUR); Laughs, Sunday (SOLD OUT)."
    )

    assert listed(f"{shows} Which one?") == ("Jazz Night", "Swan Lake")


def test_a_day_in_an_example_of_what_to_say_is_no_other_day():
    days = ("Tuesday", "Thursday", "Saturday")
    notes = Notes(choices=[Choice(2, "Tuesday, Thursday or Saturday?", days, "Tuesday")])
    said = (
        *("A Merlot, please.", "Tuesday, Thursday or Saturday?"),
        *("Tuesday", "A Merlot on Tuesday. Shall I order it?"),
        "No, that is not right.",
    )

    wrong = titles(notes, *said, "A Merlot on Saturday. Is that right?")
    example = titles(notes, *said, "What should I change? Is that right? For example 'remove Merlot' or 'Saturday'.")

    assert (bool(wrong), example) == (True, [])
