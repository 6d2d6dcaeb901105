"""Checks of probes, each on a conversation that is wrong and on a right one beside it."""

import re

import pytest

from sparring.cli.commands.try_chatbot import scenario
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import Message, ToolCall, message
from sparring.extraction.phrasebooks import phrasebook
from sparring.extraction.questions import options
from sparring.probes.about import fact_in, other_number
from sparring.probes.acts import affirms, cancels, report_of
from sparring.probes.checks import find
from sparring.probes.domain import Domain, abilities_in, wish_line
from sparring.probes.found import AnsweredTurn, around, exactly, finding, questions_in
from sparring.probes.notes import Notes
from sparring.probes.offers import Choice, are_fields
from sparring.probes.result import Tried
from tables import table

_ASKED = "Shall I book the tour?"
_FILLER = "This is a sentence about nothing. " * 6


def talk(*said: str, calls: tuple[ToolCall, ...] = ()) -> Conversation:
    """Return a conversation in which the user begins, and the last reply makes the calls."""
    messages: list[Message] = [message(("user", "chatbot")[at % 2], text) for at, text in enumerate(said)]
    messages[-1] = message("chatbot", said[-1], tool_calls=calls)
    tools = {"book_tour": "Book a tour", "find_tour": "Find tours"}
    return Conversation(case=Case(id="x"), messages=tuple(messages), reports_tools=True, tools=tools)


def kinds(conversation: Conversation, notes: Notes) -> set[str]:
    return {each.kind for each in find(conversation, notes) if each.certain}


def booked(number: str, name: str = "book_tour") -> ToolCall:
    return ToolCall(name=name, arguments={"day": 3}, result={"number": number})


@table(
    ("calls", "found"),
    [
        ((booked("T-1"), booked("T-2")), {"done-twice"}),
        ((booked("T-1"), booked("T-1")), set()),
        ((booked("T-1", "find_tour"), booked("T-2", "find_tour"), booked("T-3")), set()),
        ((booked("T-1"),), set()),
        ((), {"never-done"}),
    ],
)
def test_one_yes_is_one_call_that_acts(calls: tuple[ToolCall, ...], found: set[str]):
    conversation = talk("A tour, please", _ASKED, "Yes, please.", "Your tour is booked.", calls=calls)

    assert kinds(conversation, Notes(yeses=[2])) == found


@table(("said", "found"), [("Anna 1", {"stuck"}), ("What is my number?", set())])
def test_a_question_that_is_asked_again_although_its_answer_was_taken(said: str, found: set[str]):
    ask = "Sorry? Which tour would you like?"
    notes = Notes(domain=Domain(accepted={(question, said) for question in questions_in(ask, True)}))

    assert kinds(talk("Hi", "Hello!", "A tour", ask, said, ask, said, ask), notes) == found


@table(
    ("reply", "found"),
    [
        ("Shall I book the tour on Saturday, March 7?", {"day"}),
        ("Shall I book the tour on Friday, March 6?", set()),
        ("We are closed on Fridays. Shall I book Saturday?", set()),
        ("The next free day is Saturday. Shall I book it?", set()),
        ("Shall I book it? It will be delivered on Saturday.", set()),
    ],
)
def test_another_weekday_than_was_asked_for(reply: str, found: set[str]):
    assert kinds(talk("A tour", "Which day suits you?", "Friday", reply), Notes()) == found


@table(
    ("reply", "found"),
    [
        ("Your visit is booked for Sunday.", {"ruled-out"}),
        ("Sorry, we cannot book Sunday.", set()),
        ("Your visit is booked for Monday.", set()),
    ],
)
def test_a_day_on_which_it_is_closed_is_not_confirmed(reply: str, found: set[str]):
    domain = Domain()
    domain.learn(["Hello", "On Sunday we are closed."], "en")
    notes = Notes(domain=domain, day=domain.closed, yeses=[2])

    assert kinds(talk("A visit on Sunday", _ASKED, "Yes, please.", reply, calls=(booked("T-1"),)), notes) == found


def test_a_no_is_no_yes():
    notes = Notes(domain=Domain(done={"your tour is booked."}), denied=2)
    said = ("A tour", _ASKED, "No, that is not right.")

    assert kinds(talk(*said, "Your tour is booked."), notes) == {"denied"}
    assert kinds(talk(*said, "What should I change?"), notes) == set()


def test_what_is_left_out_is_not_named():
    choice = Choice(1, "What should I change?", ("service", "loaner bike"), "service")
    asked = "Shall I book a tune-up without a loaner bike?"

    assert kinds(talk("service", asked), Notes(choices=[choice])) == set()
    assert [affirms(asked, each) for each in ("tune-up", "loaner bike")] == [True, False]


@pytest.mark.parametrize(
    ("offer", "total", "found"),
    [
        ("Would you like a lunch box for 10 euros?", "45 euros", {"sum"}),
        ("Would you like a lunch box for 10 euros?", "55 euros", set()),
        ("Would you like to use your 10 euro voucher?", "35 euros", set()),
    ],
)
def test_what_is_added_for_an_amount_counts(offer: str, total: str, found: set[str]):
    choice = Choice(2, "Which trip?", ("island trip", "seal trip"), "island trip")
    notes = Notes(choices=[choice], domain=Domain(prices={"island trip": "45 euros"}), yeses=[3, 4])
    last = f"Shall I book the island trip with a lunch box? The total is {total}."
    said = ("Hello", "Which trip?", "island trip", offer, "Yes, please.", last)

    assert kinds(talk(*said), notes) == found


def test_a_yes_to_another_question_does_nothing_twice():
    conversation = talk(
        *(
            "Hello",
            "Shall I block the card?",
            "Yes",
            "It is blocked. Your reference is HF-380. Do you need a new card?",
        ),
        *("Yes", "A new card has been ordered. Your reference is HF-381."),
    )

    assert "double" not in kinds(conversation, Notes(confirmed=2))


def test_a_correction_that_was_lost_in_a_menu_of_fields_is_not_certain():
    lost = ("Hello", "A room for Sam Sample. Shall I book it?", "It should be Kim Sample, not Sam Sample.")
    menu = ("What would you like to amend: the date, the room or the name?", "date", "On which date?", "Friday")
    again = "A room for Sam Sample. Shall I book it?"
    notes = {"old": "Sam Sample", "new": "Kim Sample", "changed": 2}

    assert "correction" not in kinds(talk(*lost, *menu, again), Notes(**notes))
    assert "correction" in kinds(talk(*lost, again), Notes(**notes))


@pytest.mark.parametrize("again", ["", "Funghi"])
def test_an_option_that_the_user_took_as_well_is_not_the_wrong_one(again: str):
    conversation = talk(
        "Hello", "Diavola or funghi?", "Diavola", "Which one?", again or "Yes", "One funghi. Is that right?"
    )
    choice = Choice(2, "Diavola or funghi?", ("Diavola", "Funghi"), "Diavola")

    assert kinds(conversation, Notes(choices=[choice])) == (set() if again else {"taken"})


@pytest.mark.parametrize(
    ("reply", "cancelled"),
    [
        ("All right, I have changed nothing.", True),
        ("Booking B-1 stays as it is.", True),
        ("No problem, nothing is reserved.", True),
        ("I have not understood that.", False),
        ("Your booking remains active.", False),
    ],
)
def test_a_cancellation_is_acknowledged_in_many_words(reply: str, cancelled: bool):
    assert cancels(reply) is cancelled


def test_a_menu_needs_no_or():
    book = phrasebook("english")

    assert options("Which size: small, medium, large?", book) == ("small", "medium", "large")
    assert options("Fine, Sam, is that right?", book) == ()


def test_names_of_fields_are_no_values():
    assert are_fields(("service", "day", "time"))
    assert not are_fields(("tune-up", "repair"))


def test_facts_of_the_tester_are_no_wishes():
    assert fact_in("my parcel number is PX1001") == ("parcel number", "PX1001")
    assert fact_in("order a pizza") is None
    assert other_number("redirect parcel PX1001") == "redirect parcel PX9999"


@pytest.mark.parametrize(
    ("wish", "line"),
    [
        ("opening hours", "I have a question about: opening hours"),
        ("how loaner bikes work", "I have a question about: how loaner bikes work"),
        ("bring my bike", "I would like to bring my bike, please."),
        ("know your prices", "I would like to know your prices, please."),
    ],
)
def test_a_wish_is_a_sentence(wish: str, line: str):
    assert wish_line(wish, "en") == line


def test_the_scenario_of_a_charge_takes_either_price():
    said = ("A tour", "The total is 45 euros. Shall I book it?", "Yes, please.", "Booked, total 55 euros.")
    found = next(each for each in find(talk(*said), Notes(yeses=[2])) if each.kind == "price")
    step = "expect_bot_regex:\n      pattern: \\b55 euros\n      not: true\n      if_said: The total is 45 euros"

    assert step in scenario(Tried(found, "walk", said[::2], 2))
    assert found.shows_in(talk(*said))
    assert not found.shows_in(talk(said[0], said[1].replace("45", "55"), *said[2:]))
    assert not found.shows_in(talk(*said[:3], "Booked, total 45 euros."))


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("Welcome! One funghi for $9. Shall I place the order?", {"back"}),
        ("Welcome! Which pizza would you like?", set()),
        ("Your funghi is on its way.", set()),
    ],
)
def test_a_finished_order_does_not_come_back_after_a_goodbye(reply: str, found: set[str]):
    conversation = talk(
        "Funghi", "One funghi. Is that right?", "Yes", "Your order is placed.", "Bye", "Bye!", "Yes", reply
    )
    notes = Notes(choices=[Choice(1, "Which pizza?", ("Diavola", "Funghi"), "Funghi")], confirmed=2, left=3)

    assert {each.kind for each in find(conversation, notes)} == found


@table(
    ("reply", "found"),
    [
        ("Delivery on 13 May. Shall I place the order?", {"day"}),
        ("Delivery on 14 May. Shall I place the order?", set()),
        ("Sorry, the next free day is 15 May. Shall I place the order?", set()),
    ],
)
def test_a_confirmation_names_the_date_that_was_asked_for(reply: str, found: set[str]):
    conversation = talk("Roses, please", "On which date, e.g. 14 May?", "14 May", reply)

    assert kinds(conversation, Notes()) == found


@table(
    ("reply", "found"),
    [
        ('Your card says "Happy birthday, Kim". Anything else?', {"cut"}),
        ('Your card says "Happy birthday, Kim! See you soon." Anything else?', set()),
    ],
)
def test_a_text_of_the_user_is_kept_whole(reply: str, found: set[str]):
    text = "Happy birthday, Kim! See you soon."

    assert kinds(talk("A card, please", "What should it say?", text, reply), Notes(given={"text": text})) == found


@table(
    ("reply", "found"),
    [
        ("Please answer yes or no. Shall I book the red room?", set()),
        ("Shall I book the red room?", {"correction"}),
    ],
)
def test_a_correction_that_is_turned_down_is_no_certain_bug(reply: str, found: set[str]):
    said = (
        "The red room, please",
        "Shall I book the red room?",
        "The blue room instead of the red room, please",
        reply,
    )

    assert kinds(talk(*said), Notes(old="red room", new="blue room", changed=2)) == found


@table(
    ("reply", "found"),
    [
        ("Your booking is confirmed, see you soon!", {"cancel"}),
        ("Your tour is booked.", {"cancel"}),
        ("Your booking is cancelled.", set()),
        ("A booking cannot be cancelled any more.", set()),
        ("That is booked already.", set()),
        ("Sorry, I did not get that.", set()),
        ("Which tour do you mean?", set()),
    ],
)
def test_a_cancellation_of_what_was_done_is_not_answered_with_its_confirmation(reply: str, found: set[str]):
    said = ("A tour, please", _ASKED, "yes", "Your tour is booked.", "Please cancel my booking.", reply)

    spoken = talk(*said).model_copy(update={"reports_tools": False})

    assert kinds(spoken, Notes(yeses=[2], cancelled=3, kept=True)) == found


@table(
    ("reply", "found"),
    [
        ("I have booked another tour for you.", {"double"}),
        ("The tour is booked already.", set()),
        ("Would you like to book another tour?", set()),
    ],
)
def test_a_second_yes_books_no_second_time(reply: str, found: set[str]):
    said = ("A tour, please", _ASKED, "yes", "Your tour is booked.", "yes", reply)

    spoken = talk(*said).model_copy(update={"reports_tools": False})

    assert kinds(spoken, Notes(yeses=[2], confirmed=2)) == found


@table(
    ("reply", "found"),
    [
        ("One bike at $18 a day for 12 day(s), $216 in total. Shall I book it?", set()),
        ("1 bike, $18 in total. Shall I book it?", {"quantity"}),
    ],
)
def test_a_number_of_days_is_no_number_of_things(reply: str, found: set[str]):
    domain = Domain(prices={"bike": "18 USD"}, counts=True)
    said = ("I would like 12 bike, please.", "For how many days?", "12", reply)

    assert kinds(talk(*said), Notes(numbered=(12, "bike"), domain=domain)) == found


def test_a_letter_before_a_hyphen_is_no_word_of_another_language():
    said = ("How much is it?", "Per day: city bike $18, e-bike $35, kids bike $10.", "Thank you", "You are welcome.")

    assert kinds(talk(*said), Notes()) == set()


@table(
    ("named", "abilities"),
    [
        ("I can only order, show or cancel tickets.", ["order tickets", "show tickets", "cancel tickets"]),
        ("I can help with loans and fines.", ["get help with loans", "get help with fines"]),
    ],
)
def test_abilities_are_read_with_what_they_are_about(named: str, abilities: list[str]):
    assert abilities_in([named], "en") == abilities


def test_what_verbs_share_is_said_with_each_of_them():
    assert abilities_in(["I can book, move or cancel an appointment, or tell you prices."], "en")[:3] == [
        "book an appointment",
        "move an appointment",
        "cancel an appointment",
    ]


@table(
    ("reply", "found"),
    [
        ("Booked: the tour on 7 March 2031 at 10:00.", {"day"}),
        ("Booked: the tour on 6 March 2031 at 11:00.", {"day"}),
        ("Booked: the tour on 6 March 2031 at 10:00.", set()),
        ("Booked. Your ticket arrives by 9 March 2031.", set()),
    ],
)
def test_what_is_done_is_on_the_day_that_was_to_confirm(reply: str, found: set[str]):
    asked = "The tour on 6 March 2031 at 10:00. Shall I book it?"

    said = talk("A tour, please", asked, "Yes, please.", reply, calls=(booked("T-1"),))

    assert kinds(said, Notes(yeses=[2])) == found


@table(
    ("reply", "found"),
    [
        ("Booked. We have sent the ticket to a.b@example.com.", {"contact"}),
        ("Booked. We have sent the ticket to sam@example.com.", set()),
        ("Booked. Questions? Write to help@tours.example.", set()),
    ],
)
def test_a_ticket_goes_to_the_address_that_was_given(reply: str, found: set[str]):
    greeting = "Write to help@tours.example if you need us."
    said = talk("My address is sam@example.com.", greeting, "Thanks", reply, calls=(booked("T-1"),))

    assert kinds(said, Notes()) == found


@table(
    ("time", "reply", "found"),
    [
        ("25:70", "Booked for 25:70.", {"ruled-out"}),
        ("7:00", "Booked for 7:00.", {"ruled-out"}),
        ("7:00", "Sorry, we are closed at 7:00.", set()),
    ],
)
def test_a_time_that_cannot_be_is_not_confirmed(time: str, reply: str, found: set[str]):
    notes = Notes(yeses=[2], time=time)

    calls = (booked("T-1"),) if found else ()
    said = talk("A tour, please", f"A tour at {time}. Shall I book it?", "Yes, please.", reply, calls=calls)

    assert kinds(said, notes) == found


@table(
    ("reply", "found"),
    [
        ("One large soup, $7.00 in total. Shall I order it?", {"side-effect"}),
        ("One small soup, $9.00 in total. Shall I order it?", {"sum"}),
        ("One small soup, $4.00 in total. Shall I order it?", set()),
    ],
)
def test_a_correction_changes_what_it_corrects_and_its_price(reply: str, found: set[str]):
    sizes, dishes = ("small", "large"), ("salad", "soup")
    asked = "One small salad, $6.00 in total. Shall I order it?"
    chosen = [Choice(1, "Which dish?", dishes, "salad"), Choice(2, "Which size?", sizes, "small")]
    domain = Domain(prices={"salad": "$6.00", "soup": "$4.00"})
    notes = Notes(old="salad", new="soup", changed=3, choices=chosen, domain=domain)

    assert kinds(talk("salad", "Which size?", "small", asked, "I would rather have soup.", reply), notes) == found


@table(
    ("reply", "found"),
    [
        ("Oops, no idea. One small salad, $6.00 in total. Shall I order it?", set()),
        ("Sure! One small salad, $6.00 in total. Shall I order it?", {"correction"}),
        ("One small salad, $6.00 in total. Shall I order it?", {"correction"}),
    ],
)
def test_a_chatbot_that_says_it_did_not_understand_is_only_worth_a_look(reply: str, found: set[str]):
    asked = "One small salad, $6.00 in total. Shall I order it?"
    chosen = [Choice(1, "Which dish?", ("salad", "soup"), "salad")]
    notes = Notes(old="salad", new="soup", changed=2, choices=chosen)

    assert kinds(talk("salad", asked, "I would rather have soup.", reply), notes) == found


@table(
    ("text", "shown", "quote"),
    [
        ("The total is £28.", "£28", "The total is £28."),
        (
            f"{_FILLER}The total is £28. Shall I go on?",
            "£28",
            "…is a sentence about nothing. The total is £28. Shall I go on?",
        ),
        (f"{_FILLER}The total is £28.", "", f"{_FILLER[:160]}…"),
        (f"{_FILLER}The total is £28.", "£35", f"{_FILLER[:160]}…"),
    ],
)
def test_a_quote_has_what_shows_the_bug(text: str, shown: str, quote: str):
    assert around(text, shown) == quote


def test_a_quote_has_the_value_that_the_title_names():
    shown = AnsweredTurn(at=1, turn=1, asked="Hello", text=f"{_FILLER}In the name of Sam, {_FILLER}")

    (turn, quote) = finding("correction", "Not applied: “Sam” → “Kim”", shown).quotes[0]

    assert turn == 1
    assert "Sam" in quote


@table(
    ("words", "text", "found"),
    [
        ("£28", "That is £28 in total.", True),
        ("£28", "That is £280 in total.", False),
        ("8 rolls", "That is 18 rolls.", False),
        ("Friday", "On Fridays we are closed.", True),
    ],
)
def test_a_pattern_for_an_amount_is_for_no_longer_number(words: str, text: str, found: bool):
    assert (re.search(exactly(words), text) is not None) is found


def test_a_fee_that_the_question_to_confirm_names_is_stated():
    total = "1 seat for Hamlet, total £17 including the £2 booking fee."
    asked = f"Your order: {total} Shall I book it?"
    said = ("seat", "To which address shall I send the ticket?", "sam@example.com", asked)

    assert kinds(talk(*said), Notes(domain=Domain(done={report_of(asked)}))) == set()  # as one after an early yes
    assert kinds(talk(*said[:3], f"It is booked: {total}"), Notes()) == {"fee"}


def test_a_price_is_unknown_where_a_reply_names_several_under_headings():
    listing = "Hamlet: standard £30, balcony £20. Circus: standard £15, balcony £12."
    said = ("How much is standard?", listing, "standard", "1 standard seat for the circus, total £15. Shall I book it?")
    choices = [Choice(2, "Which seat?", ("standard", "balcony"), "standard")]
    right, wrong = (
        Notes(prices={"standard": 1}, choices=choices, yeses=[3], domain=Domain(summed=True)) for _ in range(2)
    )

    assert kinds(talk(*said, "yes", "Booked."), right) == set()
    assert kinds(talk(said[0], "Hamlet: standard £30, balcony £20.", *said[2:], "yes", "Booked."), wrong) == {"sum"}
