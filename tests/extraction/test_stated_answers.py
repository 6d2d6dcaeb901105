"""The answers that authors state, found in what a chatbot may say."""

import time

from sparring.core.case import Goal, GoalAnswer
from sparring.extraction.stated_answers import answer_in
from tables import table


def goal(text: str, *answer: GoalAnswer) -> Goal:
    return Goal(text=text, answer=answer)


HOURS = goal("the opening hours", GoalAnswer(text="9 to 17"))
OPENS = goal("when it opens", GoalAnswer(text="10 am"))
PRICE = goal("the price of a large pizza", GoalAnswer(number=12.5))
MENU = goal("the kinds of pizza", GoalAnswer(text="Margarita, Carbonara, Marinera"))
REFUNDS = goal("whether there are refunds", GoalAnswer(text="no refunds"))


@table(
    ("asked", "said", "words"),
    [
        (HOURS, "We are open from 9 to 17.", "9 to 17"),
        (HOURS, "Open 9am to 5 pm daily", "9am to 5 pm"),
        (HOURS, "9-17", "9-17"),
        (HOURS, "Hello! Hours: 9:00 – 17:00.", "9:00 – 17:00"),
        (HOURS, "From nine until 17h", "nine until 17h"),
        (HOURS, "No, we're open 9 to 17.", "9 to 17"),
        (HOURS, "Abrimos de 9 a 17", "9 a 17"),
        (OPENS, "We open at 10.", "10"),
        (OPENS, "At 10:00", "10:00"),
        (goal("how long it takes", GoalAnswer(text="20 minutes")), "About 20 min.", "20 min"),
        (goal("how long it takes", GoalAnswer(text="2 days")), "Two days", "Two"),
        (goal("the hour", GoalAnswer(number=9)), "We open at 9 am.", "9 am."),
        (PRICE, "It costs $12.50.", "$12.50"),
        (PRICE, "Son 12,50 €", "12,50 €"),
        (goal("the price", GoalAnswer(number=12, tolerance=1)), "12.99 dollars", "12.99 dollars"),
        (goal("the price", GoalAnswer(text="$12.50")), "12.50 USD please", "12.50 USD"),
        (goal("how many sizes there are", GoalAnswer(number=3)), "There are three sizes.", "three"),
        (MENU, "We have:\n- Carbonara\n- Marinera\n- Margarita", "Carbonara\n- Marinera\n- Margarita"),
        (REFUNDS, "We do not offer refunds.", "refunds"),
        (goal("the day", GoalAnswer(text="November 6th, 2024")), "on 06/11/2024 at ten", "06/11/2024"),
        (goal("the order", GoalAnswer(text="ORD-001")), "It's ord-001.", "ord-001"),
        (
            goal("the hours", GoalAnswer(pattern="every weekday.*5:30")),
            "Every weekday, 9 to\n5:30pm",
            "Every weekday, 9 to\n5:30",
        ),
        (goal("the capital", GoalAnswer(text="Rome"), GoalAnswer(text="Roma")), "It is Roma.", "Roma"),
        (goal("parking", GoalAnswer(text="yes")), "Yes, there is.", "Yes"),
    ],
)
def test_an_answer_is_found_in_other_words_for_the_same(asked: Goal, said: str, words: str):
    found = answer_in(asked, said)

    assert found is not None
    assert (found.text, said[found.start : found.end]) == (words, words)


@table(
    ("asked", "said"),
    [
        (HOURS, "We open 9 to 18"),
        (HOURS, "From 17 to 9"),
        (HOURS, "9:30 to 17"),
        (HOURS, "19 to 17"),
        (HOURS, "Is it 9 to 17?"),
        (HOURS, "We are not open from 9 to 17."),
        (HOURS, "We're not open 9 to 17, but 10 to 18."),
        (HOURS, "No abrimos de 9 a 17"),
        (HOURS, "Sure, that's done!"),
        (OPENS, "The ticket costs $10."),
        (OPENS, "It is 10 €"),
        (OPENS, "It takes 10 minutes."),
        (OPENS, "We give 10%"),
        (goal("how long it takes", GoalAnswer(text="2 days")), "2 weeks"),
        (PRICE, "It is not $12.50."),
        (PRICE, "A 12.5 inch pizza costs $15."),
        (PRICE, "Call 12.5.20"),
        (goal("the price", GoalAnswer(text="$12.50")), "€12.50"),
        (goal("the price", GoalAnswer(number=12, tolerance=0.5)), "$12.60"),
        (MENU, "We don't have Margarita, Carbonara or Marinera"),
        (MENU, "We have Margarita and Carbonara."),
        (REFUNDS, "We offer refunds."),
        (goal("the order", GoalAnswer(text="ORD-001")), "It's ORD-002."),
        (goal("the capital", GoalAnswer(text="Rome")), "It is Paris instead of Rome."),
    ],
)
def test_another_value_a_denial_and_a_question_are_no_answer(asked: Goal, said: str):
    assert answer_in(asked, said) is None


@table("text", ["1_" * 10_000, "1-" * 10_000, "not " + "a" * 20_000 + " 9", "3 not " * 4_000, "9. " * 7_000])
def test_no_reply_takes_long_to_search(text: str):
    begun = time.process_time()

    answer_in(goal("the hours", GoalAnswer(text="9 to 17 north east west")), text)

    assert time.process_time() - begun < 5
