"""What a chatbot itself tells its users to say, and the answers of a walker to it."""

from datetime import date

import pytest

from sparring.probes.examples import date_as, demo_value, has_date_format, in_format, to_try, whole_example
from sparring.probes.invitations import Purpose, buttons_in, invitations
from sparring.probes.lines import lines_of
from sparring.probes.offers import prices_in
from sparring.probes.walker import Walker
from tables import table

KEEP = "Möchten Sie einen Vertrag mit Rufnummer? Sonst antworten Sie mit Nein."
DEMO = "Please send the tracking number. (Demo: your parcels are SP1001, postcode 10115, and SP1002, postcode 20095.)"


@pytest.mark.parametrize(
    ("reply", "example"),
    [
        ("Tell me all, for example: 12 May to 15 May, 2 guests, double.", "12 May to 15 May, 2 guests, double"),
        ("Write e.g. '2 margherita, 1 cola', or 'menu'.", "2 margherita, 1 cola"),
        ("We have many cakes, such as carrot cake, cheese cake, 7-layer cake.", ""),
        ("Your number, for example AB-12?", ""),
    ],
)
def test_an_example_with_several_parts_is_taken_whole(reply: str, example: str):
    assert whole_example(reply) == example


@pytest.mark.parametrize(
    ("reply", "written"),
    [
        ("Which day (YYYY-MM-DD)?", "2027-05-07"),
        ("Welches Datum (TT.MM.JJJJ)?", "07.05.2027"),
        ("Quelle date (JJ/MM/AAAA) ?", "07/05/2027"),
        ("The date as MM/DD/YYYY?", "05/07/2027"),
        ("Which day?", "2027-05-07"),
    ],
)
def test_a_date_is_written_as_the_chatbot_wants_it(reply: str, written: str):
    assert date_as(reply, date(2027, 5, 7)) == written


def test_a_day_that_no_calendar_has_is_written_in_the_format_as_well():
    assert in_format("Which day (DD.MM.YYYY)?", "30 February", date(2026, 5, 7)) == "30.02.2027"
    assert in_format("Which day?", "30 February", date(2026, 5, 7)) == "30 February"


def test_demo_values_answer_questions():
    demo = to_try(DEMO)

    assert demo_value("Please send the tracking number.", demo) == "SP1001"
    assert demo_value("Please send the postcode for SP1002.", demo, "SP1002") == "20095"
    assert demo_value("Which colour?", demo) == ""


def test_labels_in_guillemets_are_buttons():
    assert buttons_in("¿Qué desea hacer? «Bloquear tarjeta» «Ver estado»") == ("Bloquear tarjeta", "Ver estado")
    assert buttons_in("¿Bloqueo «Temporal» (se puede deshacer) o «Definitivo» (no)?") == ("Temporal", "Definitivo")
    assert buttons_in("Diga «menú» para empezar. Gracias, «Sam».") == ()


def test_a_number_that_brings_back_is_a_word_to_stop():
    assert [(each.said, each.purpose) for each in invitations("0 brings you back here at any time.")] == [
        ("0", Purpose.STOP)
    ]


def test_a_price_list_without_a_currency_has_prices():
    assert list(prices_in("Menu: margherita 9.00, funghi 10.50, cola 2.50")) == [
        ("margherita", "9.00"),
        ("funghi", "10.50"),
        ("cola", "2.50"),
    ]
    assert list(prices_in("We start at 9.00, or 10.50.")) == []


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", [("Tell me the class (small, van), the pick-up day and the number of days.", "small, Friday, 1 day")]),
        ("en", [("Which device is it: laptop, phone or printer?", "laptop")]),
        ("en", [("How urgent is it, from 1 (can wait) to 4 (no one can work)?", "1")]),
        ("en", [("Would you like to book a class, see your bookings or cancel a booking?", "book a class")]),
        ("en", [("I need: name, date, car class.", "Sam Sample, Friday"), ("I still need the date.", "Friday")]),
        ("en", [("Your name, please.", "Sam Sample"), ("Any children under 12?", "No.")]),
        ("en", [("Your phone number, in case we need to reach you?", "555-0134")]),
        ("en", [("When do you pick it up?", "Friday"), ("And when do you bring it back?", "Saturday")]),
        ("en", [("Which time: 9:00, 10:00, 11:00?", "9:00")]),
        ("en", [("How much is the damage, in EUR?", "50")]),
        ("de", [("Bitte nennen Sie Ihre Kundennummer (8 Ziffern).", "12345678")]),
        ("de", [("Ihr Geburtsdatum (TT.MM.JJJJ)?", "17.05.1990")]),
        ("en", [("Commands: RENEW <card number>, HELP.", "RENEW A-1001"), ("Dune is renewed.", "help")]),
        ("en", [("Sorry, I did not understand. I can renew books.", "I would like to renew books, please.")]),
        ("de", [(KEEP, "Ja, bitte."), ("Gern. Welche Farbe?", "blue"), (KEEP, "Nein, danke.")]),
        ("en", [("2 x cola 5.00. More, or 'checkout'?", "checkout")]),
    ],
)  # fmt: skip
def test_a_walker_answers_as_it_is_asked(language: str, said: list[tuple[str, str]]):
    walker = Walker([], language, given={"first": "1 cola"} if "checkout" in said[0][1] else {})

    assert [walker.answer_to(reply) for reply, _ in said] == [answer for _, answer in said]


def test_a_word_to_begin_with_is_no_confirmation():
    walker = Walker([str(lines_of("en")["order"])])
    walker.answer_to("Hello! Say 'book' to rent a car.")

    assert (walker.line, walker.confirming) == ("book", False)


@table(
    ("question", "expected"),
    [
        ("¿Qué día desea llegar (día/mes, por ejemplo 15/08)?", "05/08"),
        ("An welchem Tag (TT.MM.)?", "05.08"),
        ("Quelle date (jj/mm/aaaa) ?", "05/08/2026"),
        ("Дата (ДД.ММ.ГГГГ)?", "05.08.2026"),
        ("When (mm/dd)?", "08/05"),
        ("YYYY-MM-DD, please", "2026-08-05"),
    ],
)
def test_a_date_is_written_as_the_chatbot_asks(question: str, expected: str):
    assert has_date_format(question)
    assert date_as(question, date(2026, 8, 5)) == expected
