"""Arithmetic in replies: lists with their sums, free delivery, nights, and sums that go together."""

from decimal import Decimal

import pytest

from said import titles
from sparring.probes.arithmetic import free_from, ledger_in
from sparring.probes.domain import Domain
from sparring.probes.limits import limits_of_options
from sparring.probes.notes import Notes
from sparring.probes.sums import _count

CART = "Cart: 2 x margherita 18.00, 1 x cola 2.50. Subtotal 20.50, delivery 3.50, total 24.00 EUR. More?"


def test_a_ledger_has_items_and_sums():
    ledger = ledger_in(CART)

    assert [(number, name) for number, name, _ in ledger.items] == [(2, "margherita"), (1, "cola")]
    assert (ledger.subtotal, ledger.fee, ledger.total) == (Decimal("20.50"), Decimal("3.50"), Decimal("24.00"))


@pytest.mark.parametrize(
    ("reply", "amount"),
    [
        ("Delivery 3.50, free from 30.00.", Decimal("30.00")),
        ("Die Lieferung kostet 4 €, kostenlos ab 25 €.", Decimal(25)),
        ("El envío es gratis desde 40 euros.", Decimal(40)),
        ("Livraison gratuite à partir de 35 €.", Decimal(35)),
        ("La consegna è gratuita a partire da 20 €.", Decimal(20)),
        ("A entrega é gratuita a partir de 50 €.", Decimal(50)),
        ("Доставка бесплатная от 1000 рублей.", Decimal(1000)),
        ("We are free from 30 November.", None),
    ],
)
def test_delivery_is_free_from_an_amount(reply: str, amount: Decimal | None):
    assert free_from(reply) == amount


def test_a_sum_that_is_not_that_of_its_lines_is_found():
    wrong = "Cart: 2 x margherita 18.00. Subtotal 20.50, delivery 3.50, total 24.00 EUR. More?"

    found = titles(Notes(), "two margherita and a cola", CART, "Please remove the cola.", wrong)

    assert found == ["The sum of what is listed is 18, and the chatbot says 20.5"]


def test_a_number_in_the_name_of_another_thing_counts_nothing():
    assert [_count(f"{said}, $90.", "screen") for said in ("iPhone 12, screen", "Ticket 12: screen")] == [1, 1]
    assert _count("Two screens and 12 cables", "screen") == 2


def test_a_sum_that_was_never_that_of_its_lines_is_not_claimed():
    assert titles(Notes(), "one cola", "Cart: 1 x cola 2.50. Subtotal 2.70. More?") == []


def test_a_total_without_a_discount_is_subtotal_and_delivery():
    said = "Subtotal 20.00, delivery 3.50, total {}. Order?"

    assert titles(Notes(), "order", said.format("24.50")) == ["Subtotal and delivery are 23.5, and the total 24.5"]
    assert titles(Notes(), "order", said.format("23.50")) == []
    assert titles(Notes(), "order", "With your discount: " + said.format("21.50")) == []


def test_a_fee_at_the_amount_from_which_delivery_is_free_is_found():
    notes = Notes(domain=Domain(free_from=Decimal(30)))

    found = titles(notes, "order", "Subtotal 30.00, delivery 3.50, total 33.50. Order?")

    assert found == ["Delivery is free from 30, and 3.5 are charged at 30"]


def test_nights_are_counted_in_the_calendar():
    offer = "A room from 30 May 2027 to 2 June 2027 ({} nights), total 240 EUR. Shall I book it?"

    assert titles(Notes(), "book", offer.format(2)) == ["The chatbot counts 2 nights where there are 3"]
    assert titles(Notes(), "book", offer.format(3)) == []


def test_what_was_the_difference_of_two_amounts_stays_it_after_a_change():
    recap = "{}Amount: {}.00 EUR; excess 150 EUR, so you can expect up to {}.00 EUR. Shall I send it?"
    said = ("900", recap.format("", 900, 750), "Change the amount to 500.")

    assert titles(Notes(), *said, recap.format("Changed. ", 500, 500)) == ["After a change, 500 less 150 is 500"]
    assert titles(Notes(), *said, recap.format("Changed. ", 500, 350)) == []
    plan = "Plan {}, {}.00 EUR a month, fee 40.00 EUR, {}.00 EUR in all. Shall I order it?"
    said = ("S", plan.format("S", 10, 50), "I would rather have M.")
    notes = Notes(old="S", new="M", changed=2)
    assert titles(notes, *said, plan.format("M", 15, 50)) == ["After a change, 50 less 40 is 15"]
    assert titles(notes, *said, plan.format("M", 15, 55)) == []
    more = "2 x 45 = 90; {}2 x 4 = 8. Total {}. Shall I book it?"
    assert titles(Notes(), "book", more.format("", 98), "a seat, too", more.format("2 x 5 = 10; ", 108)) == []


def test_a_negative_number_that_is_taken_is_found():
    notes = Notes(negative=(-2, "cola"))

    assert titles(notes, "-2 cola", "Cart: -2 x cola. Total 5.00 EUR. Order?") == ["The chatbot takes -2 “cola”"]
    assert titles(notes, "-2 cola", "Sorry, I cannot take -2 x cola. Order?") == []


def test_a_thousand_is_not_taken_for_its_thousandth():
    assert titles(Notes(large="1,200"), "1,200", "The damage is 1.20 EUR. Shall I send it?") == [
        "The chatbot takes “1,200” for 1.20"
    ]
    assert titles(Notes(large="1,200"), "1,200", "The damage is 1200.00 EUR. Shall I send it?") == []


def test_the_limit_of_an_option_holds_after_a_correction():
    assert limits_of_options("Single: 1 guest; a double room takes at most 2 guests, suite: up to 4.") == {
        "double": 2,
        "suite": 4,
    }
    notes = Notes(late_limit=(1, "double", "3 guests"))
    found = titles(notes, "3 guests instead, please.", "A double room for 3 guests. Shall I book it?")

    assert found == ["The chatbot takes 3 guests for “double”, one more than it names as the most"]


def test_a_day_that_no_calendar_has_is_not_moved_without_a_word():
    said = (
        "Hello",
        "Which day?",
        "30 February",
        "From 28 February 2027. Shall I book it?",
        "Yes",
        "Booked from 28 February 2027.",
    )
    found = "The chatbot takes 30 February, which no calendar has, for 28 February 2027"

    assert titles(Notes(day="30 February", yeses=[3]), *said) == [found]
    asked = (*said[:3], "There is no 30 February; 28 February 2027 instead? Shall I book it?", *said[4:])
    assert titles(Notes(day="30 February", yeses=[3]), *asked) == []
