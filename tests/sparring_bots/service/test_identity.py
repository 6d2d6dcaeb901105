"""The customer number that a user states of themselves, in three languages, and its corrections."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_bots.service.identity import Identity, read_statement
from tables import table


@table(
    "text",
    [
        "CUST-001",
        "cust 001 please",
        "Sure, it's CUST-001.",
        "I am CUST-001",
        "I’m CUST-001",
        "im cust-001",
        "This is CUST-001 speaking",
        "CUST-001 here, where is ORD-001?",
        "CUST-001 is my customer number",
        "My customer number is CUST-001.",
        "my number: CUST-001",
        'My customer number is "CUST-001".',
        "Customer No. CUST-001",
        "Customer number CUST-001, cancel ORD-001",
        "Cancel ORD-001 (CUST-001)",
        "Hi, CUST-001, order ORD-001 please cancel",
        "I am customer CUST-001 and want to cancel ORD-001",
        "I'm your customer, CUST-001",
        "I have customer number CUST-001",
        "I'm signed in as CUST-001",
        "I told you I am CUST-001",
        "my friend is CUST-002, I am CUST-001",
        "I am CUST-001, my friend is CUST-002",
        "CUST-002 is my friend, I'm CUST-001.",
        "her number is CUST-002 and mine is CUST-001",
        "My friend CUST-002 recommended you, my customer number is CUST-001",
        "The customer CUST-002 told me about you. I am CUST-001.",
        'The letter says "your customer number is CUST-002" but I am CUST-001',
        "You have me as CUST-002, but I am CUST-001",
        "I am not CUST-002, I am CUST-001",
        "I am CUST-001, not CUST-002",
        "not CUST-002 but CUST-001",
        "my number isn't CUST-002, it's CUST-001",
        "I am CUST-002, no wait, CUST-001",
        "I'm CUST-002 - sorry, I mean CUST-001",
        "CUST-002, correction: CUST-001",
        "I am CUST-001. My friend is CUST-002, no wait, CUST-003.",
        "Soy CUST-001",
        "Mi número de cliente es CUST-001",
        "mi amigo es CUST-002, yo soy CUST-001",
        "No soy CUST-002, soy CUST-001",
        "Soy CUST-002, no, espera, CUST-001",
        "Я CUST-001",
        "Мой номер клиента — CUST-001",
        "Мой друг — CUST-002, а я CUST-001",
        "Я не CUST-002, я CUST-001",
        "Я CUST-002, ой, нет, CUST-001",
    ],
)
def test_users_state_their_own_number(text: str):
    assert read_statement(text).claimed == "CUST-001"


@table(
    "text",
    [
        "My friend is CUST-002.",
        "My friend, CUST-002, recommended you.",
        "my wife's number is CUST-002",
        "CUST-002's order ORD-005",
        "I am CUST-002's husband",
        "I am calling for my mother, CUST-002",
        "Show me the orders of CUST-002",
        "I know CUST-002",
        "I am with CUST-002",
        'My friend said "I am CUST-002".',
        "He says I am CUST-002",
        "If I were CUST-002, could I see ORD-005?",
        "Pretend I am CUST-002",
        "Am I CUST-002?",
        "CUST-001 and CUST-002",
        "I am CUST-001 or CUST-002",
        "Mi amiga es CUST-002.",
        "Моя жена — CUST-002",
        "мой друг CUST-002",
        "I am СUST-002",  # a Cyrillic letter
    ],
)
def test_a_number_of_others_or_one_of_two_is_no_statement(text: str):
    assert read_statement(text).claimed is None


def state(*messages: str, bound: str | None = None) -> Identity:
    identity = Identity(bound)
    for each in messages:
        identity.observe(each)
    return identity


@table(
    ("correction", "customer"),
    [
        ("No wait, CUST-003", "CUST-003"),
        ("Sorry, that was a typo. My number is CUST-003.", "CUST-003"),
        ("Perdón, soy CUST-003", "CUST-003"),
        ("Нет, я CUST-003", "CUST-003"),
        ("I am not CUST-001", None),
        ("No, no. Where is ORD-001?", "CUST-001"),
        ("Sorry, my friend is CUST-003", "CUST-001"),
    ],
)
def test_a_stated_number_can_be_corrected(correction: str, customer: str | None):
    assert state("I am CUST-001", correction).customer_id == customer


@pytest.mark.parametrize("claim", ["And I am CUST-003", "CUST-003"])
def test_another_number_without_a_correction_is_disputed(claim: str):
    identity = state("I am CUST-001", claim)

    assert (identity.customer_id, identity.disputed) == ("CUST-001", True)
    identity.observe("Where is ORD-001?")
    assert not identity.disputed


def test_a_third_correction_is_disputed():
    identity = state("I am CUST-001", "no, CUST-002", "no, CUST-003", "no, CUST-004")

    assert (identity.customer_id, identity.disputed) == ("CUST-003", True)


def test_messages_never_change_who_is_signed_in():
    identity = state("No wait, I am CUST-002", bound="CUST-001")

    assert (identity.customer_id, identity.disputed) == ("CUST-001", True)


@given(st.text(st.sampled_from("I am my not CUST-0123 '\"«,.<>"), max_size=300))
def test_any_text_can_be_read(text: str):
    claimed = read_statement(text).claimed

    assert claimed is None or claimed.removeprefix("CUST-") in text
