"""Manners of the agenda user."""

from random import Random

import pytest

from sparring.core.case import Fact, Goal
from sparring.core.message import Meant, UserAct
from sparring.extraction.phrasebooks import phrasebook
from sparring.extraction.role_sheet import Manner, RoleSheet
from sparring.users.lines import Line, line
from sparring.users.manners import ASIDE, Moment, takes_alternatives, with_manners
from tables import table

ENGLISH = phrasebook("English")
LATER = Moment(Random(0), replies=("It is red.",), acts=((), (), ()), answered=1)


def sheet(*manners: str, facts: tuple[Fact, ...] = ()) -> RoleSheet:
    return RoleSheet(goals=(Goal(text="a red bike"),), manners=tuple(map(Manner, manners)), facts=facts)


def said(of: RoleSheet, act: UserAct, text: str, moment: Moment = LATER, **slots: str) -> str:
    return with_manners(line(act, text, None, slots), of, ENGLISH, moment).text


@table(
    ("manner", "act", "text", "expected"),
    [
        ("terse", "yes", "Yes, please.", "Yes"),
        ("rude", "wish", "I would like a red bike, please.", "I would like a red bike."),
        ("rude", "farewell", "Thank you, goodbye.", "Goodbye."),
        ("rude", "that_is_all", "No, that is all, thank you.", "No, that is all."),
        ("formal", "yes", "Yes, please.", "Thank you. Yes, please."),
        ("formal", "value", "Thursday", "Thursday"),
        ("sceptical", "wish", "I'd like a red bike.", "Are you sure?"),
        ("curious", "that_is_all", "That is all.", "Why is that?"),
        ("impatient", "yes", "Yes, please.", "Yes, please."),
    ],
)
def test_a_manner_changes_a_line(manner: str, act: UserAct, text: str, expected: str) -> None:
    assert said(sheet(manner), act, text).replace("Thank you very much.", "Thank you.") == expected


def test_a_terse_user_says_its_wish_without_a_frame() -> None:
    assert said(sheet("terse"), "wish", "I would like a red bike, please.") == "A red bike."


def test_a_curious_user_asks_once_why_it_is_asked_about_itself() -> None:
    of = sheet("curious", facts=(Fact(slot="name", values=("Ann Lee",)), Fact(slot="phone", values=("555-0142",))))
    asked = Moment(Random(0), replies=("Your name?",), acts=((),))
    first = with_manners(line("value", "Ann Lee", None, {"name": "Ann Lee"}), of, ENGLISH, asked)
    assert first.text == "Ann Lee. Why do you ask?"
    again = Moment(Random(0), replies=("Your name?", "Your phone?"), acts=((), first.meant))
    assert said(of, "value", "555-0142", again, phone="555-0142") == "555-0142"
    assert said(of, "value", "small", asked, size="small") == "small"


@table("manner", ["sceptical", "curious"])
def test_no_user_wonders_why_it_is_asked_when_it_is_free(manner: str) -> None:
    of = sheet(manner, facts=(Fact(slot="availability", values=("Thursday",)),))
    asked = Moment(Random(0), replies=("Which day would suit you?",), acts=((),))
    assert said(of, "value", "I am free Thursday.", asked, availability="Thursday") == "I am free Thursday."


@table("manner", ["confused", "impatient", "vague"])
def test_a_talkative_user_opens_a_conversation_once(manner: str) -> None:
    first = said(sheet("wordy", manner), "wish", "I'd like a red bike.", Moment(Random(0)))
    assert ENGLISH.openers[0] not in first


def test_a_curious_user_adds_nothing_to_words_that_a_chatbot_may_take_as_they_stand() -> None:
    asked = Moment(Random(0), replies=("What should the card say?",), acts=((),))
    assert said(sheet("curious"), "value", "Get well soon", asked, card="Get well soon") == "Get well soon"


def test_a_talkative_user_talks_at_length_unless_the_style_does() -> None:
    start = Moment(Random(0))
    assert len(said(sheet("wordy"), "wish", "I'd like a red bike.", start).split()) > 15
    styled = Moment(Random(0), long_phrases=True)
    assert said(sheet("wordy"), "wish", "I'd like a red bike.", styled) == "I'd like a red bike."


def test_a_talkative_user_says_each_of_its_long_phrases_once() -> None:
    wishes: list[tuple[Meant, ...]] = []
    texts = []
    for _ in range(10):
        spoken = line("wish", "I'd like a red bike.")
        texts.append(with_manners(spoken, sheet("wordy"), ENGLISH, Moment(Random(0), acts=tuple(wishes))).text)
        wishes.append(spoken.meant)
    remarks = ENGLISH.asides["remark"]
    padding = [text.replace("I'd like a red bike.", "") for text in texts]
    padding = [each for each in padding if each and not any(remark in each for remark in remarks)]

    assert len(set(padding)) == len(padding) > 5


def test_what_opens_a_conversation_is_not_said_later() -> None:
    question = (line("question", "Where is my bike?").meant,)
    later = with_manners(
        line("wish", "I'd like a red bike."), sheet("wordy"), ENGLISH, Moment(Random(0), acts=question)
    )
    assert ENGLISH.openers[0] not in later.text


@table(
    ("act", "reply", "doubts"),
    [
        ("wish", "Done.", True),
        ("wish", "Very interesting.", False),
        ("wish", "Which bike?", False),
        ("yes", "Shall I order it?", True),
    ],
)
def test_a_sceptical_user_doubts_statements_and_what_it_agrees_to(act: UserAct, reply: str, doubts: bool) -> None:
    moment = Moment(Random(0), replies=("Hello.", reply), acts=(line("wish", "A bike.").meant,))
    text = with_manners(line(act, "Well."), sheet("sceptical"), ENGLISH, moment).text
    assert any(doubt in text for doubt in ENGLISH.asides["doubt"]) == doubts


@table("manner", ["impatient", "curious", "sceptical", "wordy", "rude", "confused"])
def test_a_user_that_leaves_after_one_fallback_risks_no_aside(manner: str) -> None:
    hasty = Moment(Random(0), replies=("Done, VAT included.",), acts=((),), answered=1, fallbacks_allowed=1)
    assert said(sheet(manner), "wish", "I'd like a red bike.", hasty) == "I'd like a red bike."


def test_a_terse_user_says_bare_values() -> None:
    assert said(sheet("terse"), "value", "My name is Ann Lee.", name="Ann Lee") == "Ann Lee"


def test_a_formal_user_says_please() -> None:
    first = Moment(Random(0))
    assert said(sheet("formal"), "wish", "I'd like a red bike.", first) == "I'd like a red bike, please."


def test_a_sceptical_user_refuses_the_first_request_for_a_fact() -> None:
    of = sheet("sceptical", facts=(Fact(slot="name", values=("Ann Lee",)),))
    asked = Moment(Random(0), replies=("Your name?",), acts=((),))
    first = with_manners(line("value", "My name is Ann Lee.", None, {"name": "Ann Lee"}), of, ENGLISH, asked)
    assert first.text == "What do you need that for?"
    again = Moment(Random(0), replies=("Your name?", "For the booking. Your name?"), acts=((), first.meant))
    assert said(of, "value", "My name is Ann Lee.", again, name="Ann Lee") == "My name is Ann Lee."


def test_a_curious_user_asks_no_reason_for_what_is_done() -> None:
    done = Moment(Random(0), replies=("Your order is placed.",), acts=((),), answered=1)
    assert said(sheet("curious"), "wish", "A bike.", done) == "A bike."


@pytest.mark.parametrize("manner", ["impatient", "vague"])
def test_an_aside_is_made_once(manner: str) -> None:
    start = Moment(Random(0))
    first = with_manners(line("wish", "I'd like a red bike."), sheet(manner), ENGLISH, start)
    assert first.text.endswith(" I'd like a red bike.")
    later = Moment(Random(0), replies=("Fine.",), acts=(first.meant,))
    assert said(sheet(manner), "wish", "I'd like a bell.", later) == "I'd like a bell."


def test_an_impatient_user_complains_of_a_long_reply() -> None:
    long = Moment(Random(0), replies=("word " * 61,), acts=((line("wish", "x", None, {ASIDE: "hurry"}).meant),))
    assert said(sheet("impatient"), "yes", "Yes.", long) in (
        "That was far too long for me. Yes.",
        "Please keep it short. Yes.",
    )


def test_a_rude_user_complains_once_of_a_denial() -> None:
    denied = Moment(Random(0), replies=("Sorry, we do not have that.",), acts=((),))
    first = with_manners(line("wish", "I'd like a bell."), sheet("rude"), ENGLISH, denied)
    assert first.text.endswith(". I'd like a bell.")
    again = Moment(Random(0), replies=("We do not have that.",), acts=(first.meant,))
    assert said(sheet("rude"), "wish", "I'd like a bell.", again) == "I'd like a bell."


def test_a_confused_user_asks_for_an_abbreviation() -> None:
    unknown = Moment(Random(0), replies=("The price includes VAT.",), acts=((),))
    assert "VAT" in said(sheet("confused"), "wish", "I'd like a bell.", unknown)
    known = Moment(Random(0), replies=("It is OK.",), acts=((),))
    assert said(sheet("confused"), "wish", "I'd like a bell.", known) == "I'd like a bell."


def test_courtesies_within_a_goal_stay() -> None:
    of = RoleSheet(goals=(Goal(text="a card that says thank you"),), manners=(Manner("rude"),))
    text = "I'd like a card that says thank you."
    assert with_manners(Line(text, line("wish", text).meant), of, ENGLISH, LATER).text == text


def test_manners_decide_about_alternatives() -> None:
    assert takes_alternatives(sheet("flexible")) is True
    assert takes_alternatives(sheet("insistent", "flexible")) is False
    assert takes_alternatives(sheet()) is None
