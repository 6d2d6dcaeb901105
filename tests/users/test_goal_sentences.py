from random import Random

import pytest

from sparring.extraction.phrasebooks import phrasebook
from sparring.users.sentences import goal_sentence, join_words, labelled_value, reworded
from tables import table

ENGLISH = phrasebook("english")
COULD_YOU = ("Could you tell me {}?", "Can you tell me {}, please?")
WANT_TO = ("I'd like to {}.", "I want to {}, please.")
WANT = ("I'd like {}.", "I would like {}, please.", "Can I have {}, please?")


@table(
    ("goal", "frames", "words"),
    [
        ("a small pizza", WANT, "a small pizza"),
        ("two cokes", WANT, "two cokes"),
        ("information about the warranty", WANT, "information about the warranty"),
        ("First, order a pizza.", WANT_TO, "order a pizza"),
        ("Ask about ADA", WANT_TO, "ask about ADA"),
        ("renew my library card", WANT_TO, "renew my library card"),
        ("water the plants", WANT_TO, "water the plants"),
        ("the pizza has ham and corn", ("The pizza has ham and corn.",), ""),
        ("what are the opening hours", ("What are the opening hours?",), ""),
        ("how long does it take", ("How long does it take?",), ""),
        ("how it is made", COULD_YOU, "how it is made"),
        ("what it costs to change a flight", COULD_YOU, "what it costs to change a flight"),
        ("know how long it takes", WANT_TO, "know how long it takes"),
        ("do a test drive", WANT_TO, "do a test drive"),
        ("can I bring a dog", ("Can I bring a dog?",), ""),
        ("whether there is parking", COULD_YOU, "whether there is parking"),
        ("the opening hours", COULD_YOU, "the opening hours"),
        ("tell me a joke", ("Tell me a joke, please.",), ""),
        ("remember that I like blue", ("Remember that I like blue, please.",), ""),
        ("What types of pizza do you serve?", ("What types of pizza do you serve?",), ""),
        ("My order is late. I want to know where it is", ("My order is late. I want to know where it is.",), ""),
        ("the room comes with breakfast", ("The room comes with breakfast.",), ""),
        ("the following drink: water", ("For the drink: water, please.",), ""),
        ("reserve the following book: The Road", WANT_TO, "reserve the book The Road"),
        ("booking a table", ("I am interested in booking a table.",), ""),
        ("The balance of your card", WANT, "the balance of my card"),
        ("your opening hours", COULD_YOU, "your opening hours"),
        ("Booking a bed, your name is Ann", ("I am interested in booking a bed, my name is Ann.",), ""),
    ],
)
def test_a_goal_is_said_as_a_person_would_say_it(goal: str, frames: tuple[str, ...], words: str):
    said = {goal_sentence(goal, ENGLISH, Random(seed)) for seed in range(20)}

    assert said == {frame.format(words) for frame in frames}


@table(
    ("language", "goal", "said"),
    [
        ("Spanish", "renovar mi carné", {"Quisiera renovar mi carné.", "Quiero renovar mi carné, por favor."}),
        ("Spanish", "cuéntame un chiste", {"Cuéntame un chiste, por favor."}),
        ("Spanish", "¿hay aparcamiento?", {"¿Hay aparcamiento?"}),
        ("Spanish", "hay aparcamiento", {"¿Hay aparcamiento?"}),
        ("German", "gibt es veganen Kuchen", {"Gibt es veganen Kuchen?"}),
        ("Spanish", "la siguiente bebida: agua", {"Para la bebida: agua, por favor."}),
        ("French", "la boisson suivante : eau", {"Pour la boisson : eau, s'il vous plaît."}),
        ("French", "aide-moi à choisir", {"Aide-moi à choisir, s'il vous plaît."}),
        ("German", "das folgende Getränk: Wasser", {"Das Getränk: Wasser, bitte."}),
        ("German", "erzähl mir einen Witz", {"Erzähl mir einen Witz, bitte."}),
        ("Italian", "la seguente bevanda: acqua", {"Per la bevanda: acqua, per favore."}),
        ("Italian", "raccontami una barzelletta", {"Raccontami una barzelletta, per favore."}),
        ("Portuguese", "a seguinte bebida: água", {"Para a bebida: água, por favor."}),
        ("Portuguese", "me conte uma piada", {"Me conte uma piada, por favor."}),
        ("Russian", "следующий напиток: вода", {"Напиток: вода, пожалуйста."}),
        ("Russian", "cancel order ORD-1", {"Я хочу cancel order ORD-1.", "Мне нужно cancel order ORD-1."}),
        ("Russian", "расскажи анекдот", {"Расскажи анекдот, пожалуйста."}),
    ],
)
def test_a_goal_in_another_language_is_said_as_a_person_would_say_it(language: str, goal: str, said: set[str]):
    assert {goal_sentence(goal, phrasebook(language), Random(seed)) for seed in range(20)} == said


@pytest.mark.parametrize(
    ("goal", "said"),
    [("cancel order 5.", "I meant: cancel order 5."), ("how old are you?", "I meant: how old are you?")],
)
def test_a_goal_is_put_into_a_frame_with_its_own_mark(goal: str, said: str):
    assert reworded(goal, "I meant: {}", ENGLISH) == said


@pytest.mark.parametrize(
    ("values", "text"), [((), ""), (("a",), "a"), (("a", "b"), "a and b"), (("a", "b", "c"), "a, b and c")]
)
def test_values_are_listed_as_in_a_sentence(values: tuple[str, ...], text: str):
    assert join_words(values, "and") == text


@pytest.mark.parametrize(
    ("asked", "said"),
    [("Which drink would you like: coke or water?", "Coke, please."), ("Which size would you like?", "")],
)
def test_a_label_that_is_asked_for_is_not_repeated(asked: str, said: str):
    assert labelled_value("the following drink: coke", asked, ENGLISH) == said
