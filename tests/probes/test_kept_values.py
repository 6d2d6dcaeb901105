"""Values that come back: in a second task, after a cancellation, in another conversation; and refused ones."""

from said import conversation, titles
from sparring.judges.builtin import built_in_failures
from sparring.probes.cancelling import recaps
from sparring.probes.domain import Domain, abilities_in
from sparring.probes.notes import Notes
from sparring.probes.sessions import goes_on, pending_in
from sparring.probes.walker import Walker
from tables import table

_HIRE = (
    *("Hello", "What do you need?", "A bike", "Would you like helmets?", "Yes, please.", "Which day?", "Friday"),
    *("So: 1 bike, 1 helmet, on Friday. Shall I book it?", "Yes", "Booked, it is H-1."),
    *("Another bike", "Which day?", "Monday"),
)


@table(
    ("last", "found"),
    [
        (
            ("So: 1 bike, 1 helmet, on Monday. Shall I book it?", "Yes", "Booked, it is H-2."),
            ["The second time, the chatbot keeps “1 helmet” without asking for it"],
        ),
        (("So: 1 bike, on Monday. Shall I book it?", "Yes", "Booked, it is H-2."), []),
        (
            ("Would you like helmets?", "Yes", "So: 1 bike, 1 helmet, on Monday. Shall I book it?", "Yes", "Booked."),
            [],
        ),
    ],
)
def test_a_second_task_keeps_nothing_that_it_does_not_ask_for(last: tuple[str, ...], found: list[str]):
    asked = len(_HIRE + last) // 2
    notes = Notes(restarted=6, yeses=[5, asked])

    assert titles(notes, *_HIRE, *last) == found


def test_a_chatbot_that_has_cancelled_does_not_go_on_asking():
    asks = "Sorry, I didn't catch that. How many people is it for?"
    before = ("Hello", "What do you need?", "A room", "How many people is it for?")
    notes = Notes(cancelled=3, recalled=5)

    assert titles(notes, *before, "cancel", "All right, I have cancelled it.", "My booking?", asks, "Hello?", asks) == [
        "After a cancellation, the chatbot still asks what it asked before"
    ]
    assert not titles(notes, *before, "cancel", "All right, I have cancelled it.", "My booking?", "You have none.")


def test_what_is_cancelled_is_known_by_the_answers_of_the_user():
    notes = Notes(cancelled=3, recalled=4, kept=True, yeses=[2], given={"day": "Friday", "name": "Sam Sample"})
    before = ("Friday, Sam Sample", "Friday for Sam Sample. Shall I book it?", "Yes", "Booked for Friday, Sam Sample.")
    gone = ("cancel", "I've cancelled it.", "My booking?")

    assert titles(notes, *before, *gone, "A table on Friday for Sam Sample.") == ["What was cancelled is still there"]
    assert titles(notes, *before, *gone, "You have no booking.") == []


def test_a_right_address_with_a_dot_is_taken():
    asks = "Which e-mail address, please?"
    domain = Domain(accepted={(asks.lower(), "sam@example.com")})
    talked = ("Tickets", asks, "Sam.Sample@example.com", f"That is no address. {asks}")

    assert titles(Notes(domain=domain), *talked) == [
        "The chatbot does not take Sam.Sample@example.com, a right e-mail address"
    ]
    assert titles(Notes(), *talked) == []  # no other one is taken either


@table(
    ("answer", "found"),
    [
        ("It is booked: 3 tandems.", ["It is done without a yes"]),
        ("Take your time. Shall I book it?", []),
    ],
)
def test_only_a_yes_books(answer: str, found: list[str]):
    notes = Notes(denied=2, domain=Domain(done={"it is booked: # tandems."}))

    assert titles(notes, "3 tandems", "Shall I book it?", "Hmm, let me think about it.", answer) == found


def test_a_new_number_replaces_the_old_one():
    notes = Notes(old="3 shirts", new="5 shirts", changed=2)

    assert titles(notes, "3 shirts", "3 shirts. Is that right?", "5, please", "8 shirts. Is that right?") == [
        "A correction is added: “8 shirts” after “3 shirts” → “5 shirts”"
    ]
    assert titles(notes, "3 shirts", "3 shirts. Is that right?", "5, please", "5 shirts. Is that right?") == []


def test_the_total_of_what_is_sold_follows_its_number():
    notes = Notes(old="2 tandems", new="3 tandems", changed=2, domain=Domain(prices={"tandem": "£40"}))
    before = ("2 tandems", "2 tandems for 2 days. Total £172. Shall I book it?", "3, please")

    assert titles(notes, *before, "3 tandems for 2 days. Total £172. Shall I book it?") == [
        "After a correction from 2 tandems to 3 tandems, the total is still £172"
    ]
    assert titles(notes, *before, "3 tandems for 2 days. Total £252. Shall I book it?") == []


def test_a_conversation_that_breaks_off_has_no_findings_about_what_was_to_come():
    notes = Notes(old="small", new="large", changed=3, cancelled=4)

    assert titles(notes, "A pizza", "Small or large?", "small", "A small pizza. Shall I order it?") == []


def test_another_conversation_does_not_go_on_where_one_stopped():
    walk = conversation(
        *("Hello", "What do you need?", "A room", "How many people?", "2", "Which day?", "Friday", "Booked.")
    )
    pending = pending_in(walk, [])
    fresh, mixed = (
        conversation("Hello", "What do you need?", "2", "A what?"),
        conversation("Hello", "Hello!", "2", "Which day?"),
    )
    assert pending is not None
    stopped = conversation(*(said for line in pending.lines for said in (line, pending.question)))

    assert (pending.answer, pending.following) == ("2", "which day?")
    assert goes_on(pending, fresh, stopped, fresh) is None
    assert goes_on(pending, fresh, stopped, mixed) is not None


def test_the_question_for_what_was_done_has_the_words_of_the_chatbot():
    walker = Walker([], "fr")
    walker.answer_to("Votre réservation est faite.")

    assert recaps(walker)[0] == "Quelle est ma réservation ?"


def test_a_price_stays_the_same_when_asked_again():
    notes = Notes()

    menu = "- Menu du midi : 19 €\n- Dessert : 5 €"

    assert titles(notes, "Prices?", "Le menu du midi est à 24 €.", "Menu?", menu) == [
        "“Menu du midi” costs 24 €, and 19 € when asked again"
    ]
    assert titles(notes, "Prices?", "Le menu du midi est à 19 €.", "Menu?", menu) == []


def test_three_of_a_thing_cost_three_times_its_price():
    domain = Domain(prices={"adult": "£14", "child": "£7"})
    notes = Notes(mixed=("adult", "child"), domain=domain)

    assert titles(notes, "1 adult, 3 child", "1 adult and 3 child tickets: £21. Shall I book it?") == [
        "The total of one “adult” and three “child” is £21"
    ]
    assert titles(notes, "1 adult, 3 child", "1 adult and 3 child tickets: £35. Shall I book it?") == []


def test_a_thing_costs_no_more_than_it_should_beside_others():
    domain = Domain(prices={"city bike": "£18", "tandem": "£40", "cargo bike": "£32"})

    def found(thing: str, total: int) -> list[str]:
        notes = Notes(priced=thing, yeses=[2], domain=domain)
        return titles(notes, thing, f"One {thing}, with a helmet. Total £{total}. Shall I book it?", "Yes", "Booked.")

    assert [found("city bike", 21), found("tandem", 43)] == [[], []]
    assert found("cargo bike", 38) == ["“cargo bike” costs £32 when asked, and 35 in the end"]


def test_a_day_is_open_or_closed():
    notes = Notes(hours_asked=1, open_day="monday")
    hours = ("When are you open?", "We're open Monday to Saturday, 9:00 to 18:00.", "Monday")

    assert titles(notes, *hours, "I'm afraid we're closed on Mondays.") == [
        "The chatbot says that it is open on Monday, and that it is closed"
    ]
    assert titles(notes, *hours, "Monday it is. At what time?") == []


def test_the_same_number_of_two_orders_is_doubtful_where_it_may_be_made_of_the_order():
    def found(*second: str, domain: Domain | None = None) -> list[str]:
        notes = Notes(repeated=3, yeses=[2, 4], domain=domain or Domain())
        first = ("A cap", "A red cap. Shall I order it?", "Yes", "Ordered: a red cap. Number W-1234.")
        return titles(notes, *first, "Again", "Shall I order it?", "Yes", *second)

    same = "Two orders get the same number, W-1234"
    assert found("Ordered: a red cap. Number W-1234.") == []
    assert found("Ordered: a blue hat. Number W-1234.") == [same]
    assert found("Ordered: a red cap. Number W-1234.", domain=Domain(numbers={"": {"W-1", "W-2"}})) == [same]


@table(
    ("said", "fact", "line"),
    [
        ("Please give me your order number (for example PK-12345).", {"order number": "PK-20418"}, "PK-20418"),
        ("From which date or weekday?", {}, "Friday"),
        ("What kind of animal is it (dog, cat or rabbit)?", {}, "dog"),
        ("What kind is it? 1 city bike, 2 road bike, 3 e-bike. (0 = back)", {}, "city bike"),
        ("Please choose: 1 Book a repair, 2 Prices, 3 Opening hours.", {}, "Book a repair"),
    ],
)
def test_a_fact_comes_before_an_example(said: str, fact: dict[str, str], line: str):
    walker = Walker([], facts=fact)
    walker.answer_to("Hello! Would you like to track a parcel or rent a car?")

    assert walker.answer_to(said) == line


def test_an_offer_with_a_price_is_no_ability():
    said = "Would you like to add insurance for $12 a day? I can book a car."

    assert abilities_in([said], "en") == ["book a car"]


def test_what_is_offered_and_taken_again_stays():
    notes = Notes(restarted=4, yeses=[3, 6], dropped=("insurance",))
    first = ("A van, with insurance", "Which day?", "Friday", "A van on Friday with insurance. Shall I book it?")
    second = ("Yes", "Booked.", "A car", "Do you want insurance?", "Yes", "A car with insurance. Shall I book it?")

    assert titles(notes, *first, *second, "Yes", "Booked.") == []


def test_the_state_of_a_program_is_internal():
    found = [name for name, _ in built_in_failures(conversation("Hello", "[nlu intent=None conf=0.08] Sorry?"))]

    assert len(found) == 1


def test_an_extra_is_charged_once():
    notes = Notes(added=(2, "helmet"), domain=Domain(prices={"helmet": "€4"}))
    before = ("A bike", "One bike for €18 in total. Shall I book it?", "Please add a helmet.")

    assert titles(notes, *before, "One bike, with a helmet (€4), €26 in total. Shall I book it?") == [
        "“helmet” for €4 makes the total €26 instead of €18"
    ]
    assert titles(notes, *before, "One bike, with a helmet (€4), €22 in total. Shall I book it?") == []


@table(("reads_two", "found"), [(True, ["The chatbot takes 1 “shirt” where 5 were ordered"]), (False, [])])
def test_a_number_in_words_is_read_as_others_are(reads_two: bool, found: list[str]):
    domain = Domain(prices={"shirt": "€3"}, counts=True, reads_two=reads_two)
    notes = Notes(numbered=(5, "shirt"), domain=domain)

    assert titles(notes, "I would like five shirt, please.", "1 shirt. Shall I note it?") == found


def test_a_second_yes_that_adds_another_one_is_found():
    notes = Notes(confirmed=2, yeses=[2])
    first = ("A cut", "A cut on Friday. Shall I book it?", "Yes", "Wonderful, you're booked: a cut on Friday.")

    assert titles(notes, *first, "Yes", "Wonderful, you're booked: a cut on Friday. You now have 2 appointments.") == [
        "A second yes does it again"
    ]
    again = "It is already booked, nothing twice. You can write 'new booking' for another appointment."
    assert titles(notes, *first, "Yes", again) == []


def test_a_question_at_the_end_loses_nothing():
    day, name = "Which day suits you best?", "What is your name?"
    before = ("Hello", "A cut or a wash?", "A cut", day, "Friday", name, "Sam", "Friday for Sam. Shall I book it?")
    notes = Notes(aside=5, yeses=[6])

    assert titles(notes, *before, "When are you open?", f"From 9:00 to 18:00. {day}", "Yes", day) == [
        "After a question in between, the chatbot asks again for what was said"
    ]
