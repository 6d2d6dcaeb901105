"""Scenarios of recorded conversations hold no personal data: what is not known to be harmless is replaced."""

import re
from datetime import UTC, date, datetime

import pytest

from sparring.app.promote import PromoteOptions, promote
from sparring.core.batch import Batch, Players
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import ToolCall, message
from sparring.extraction.made_up import is_card, made_up
from sparring.extraction.personal_data import domain_words, personal_values
from sparring.scenarios.written_case import loaded

BATCH = Batch(
    id="b", created=datetime(2026, 1, 1, tzinfo=UTC), who=Players(chatbot="imported", user="imported"), cases=()
)


def talk(*said: str, **result: object) -> Conversation:
    """Return a conversation in which the sides take turns; a tool returns the result for the last reply."""
    messages = [message("chatbot" if at % 2 else "user", text) for at, text in enumerate(said)]
    if result:
        call = ToolCall(name="find", arguments={}, result=result)  # type: ignore[arg-type]
        messages[-1] = messages[-1].changed(tool_calls=(call,))
    return Conversation(case=Case(id="x"), messages=tuple(messages))


def kept(text: str, asked: str = "") -> str:
    """Return what a scenario says for a line of the user, with `_` for what was replaced."""
    said = ("Hi", asked, text, "Fine.") if asked else (text, "Fine.")
    made = promote(BATCH, talk(*said), [], PromoteOptions(at=2 if asked else None))
    case = loaded(made.text, "a.yml", date(2026, 1, 1))
    assert case is not None
    line = re.search(r"script:\n- (.*?)\n(?=seed|history|variables)", made.text, re.DOTALL)
    assert line, made.text
    return re.sub(r"\{\{\w+\}\}", "_", " ".join(line[1].strip("'").replace("''", "'").split()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it's Priya from flat 9", "it's _ from _"),
        ("its zubin, my parcel is late", "its _, my parcel is late"),
        ("my husband mark ordered it", "my husband _ ordered it"),
        ("mia moglie bianca aspetta il pacco", "mia moglie _ aspetta il pacco"),
        ("mon fils pascal et ma fille marine", "mon fils _ et ma fille _"),
        ("это мой сын лев, он ждёт посылку", "это мой сын _, он ждёт посылку"),
        ("mein sohn klaus möchte wissen, wann es kommt", "mein sohn _ möchte wissen, wann es kommt"),
        ("AHV 756.9217.0769.85, bitte", "_ _, bitte"),
        ("hi, summer again", "hi, _ again"),
        ("My name is Will Marchetti", "My name is _ _"),
        ("you called me about reference 80-4417-C", "you called me about reference _"),
        ("is there a fee for the holder?", "is there a fee for the holder?"),
        ("pick it up at three park lane", "pick it up at _"),
        ("my code is kilo seven seven romeo two", "my code is _"),
        ("i was born the twenty third of may eighty one", "i was born the _"),
        ("Will here, will it come today?", "_ here, will it come today?"),
        ("Thanks, Rose Achterberg", "Thanks, _ _"),
        ("Please call Dr. Adeyemi", "Please call Dr. _"),
        ("PENHALIGON, TAMSIN", "_, _"),
        ("Habla Facundo, no anda internet", "Habla _, no anda internet"),
        ("Bonjour, c'est Aurélien à l'appareil", "Bonjour, c'est _ à l'appareil"),
        ("Oi, aqui é a Jussara, tudo bem?", "Oi, aqui é a _, tudo bem?"),
        ("Hier ist Torben aus Cuxhaven, die Rechnung ist falsch", "Hier ist _ aus _, die Rechnung ist falsch"),
        ("Это Мирослава, где мой заказ?", "Это _, где мой заказ?"),
        ("Cancel it, please.\n\nKind regards,\nOrla Quigley", "Cancel it, please. Kind regards, _ _"),
        ("My password is sunshine", "My password is _"),
        ("the password should be Tulip!Harvest9 right?", "the password should be _ right?"),
        ("login: blue_sky", "login: _"),
        ("solene[at]marchetti.example or jo dot fay at mail dot example", "_ or _"),
        ("The card ends in 4421, expires 08/27, code 123", "The card ends in _, expires _, code _"),
        ("sort code 20-45-77, account 00984417", "sort code _, account _"),
        ("plate KX19 VBN, passport PAB482913, 69002 Lyon", "plate _, passport _, _ _"),
        ("Mon numéro : 07.49.23.48.67", "Mon numéro : _"),
        ("I was born on 5 May 1968", "I was born on _"),
        ("double seven one three nine, that's Q-U-A-Y", "_, that's _"),
    ],
)
def test_what_is_not_known_to_be_harmless_is_replaced(text: str, expected: str):
    assert kept(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Two large pizzas with mushrooms for 19:30, please. Put extra cheese on them.",
        "I'd like size 38 in blue, 2 pieces for $24.99 each.",
        "Can I come on Friday, 12 June, at 3pm?",
        "Bin zufrieden, sehr geehrte Damen und Herren! Die Rechnung über 39,90 Euro war falsch.",
        "Vivo lejos, quiero cambiar la cita para el 18 de diciembre. Gracias.",
        "Je voudrais annuler ma réservation du 24 décembre pour deux personnes.",
        "Vorrei il rimborso di 59 euro, grazie.",
        "Quero cancelar o pedido, obrigado.",
        "Хочу вернуть билет за 3200 рублей, спасибо.",
        "I am very confused, it isn't what I ordered!",
    ],
)
def test_ordinary_words_amounts_and_dates_stay(text: str):
    assert kept(text) == text


def test_answers_are_read_with_their_question():
    assert kept("rose", "What is your name?") == "_"
    assert kept("sunshine", "And the password?") == "_"
    assert kept("the old mill, 3 fern bank", "What is your address, please?") == "the old _, 3 _ _"


def test_what_only_tools_return_is_replaced_in_stubs_and_replies():
    made = promote(
        BATCH,
        talk(
            *("Where is it?", "Sam Oyelaran has it, CUST-88123.", "When?", "Soon."),
            customer="CUST-88123",
            driver="Sam Oyelaran",
            pnr="QWXKPT",
            ip="203.0.113.87",
            status="in transit",
            price=1250,
        ),
        [],
        PromoteOptions(at=2),
    )

    assert [each for each in ("CUST-88123", "Oyelaran", "QWXKPT", "203.0.113") if each in made.text] == []
    assert "status: in transit" in made.text
    assert "price: 1250" in made.text


def test_words_of_the_chatbots_domain_stay():
    others = [talk("What do you have?", "Margherita, Funghi, SKU-1042") for _ in range(5)]
    domain = domain_words([*others, *(talk("I am Zubin", "Hello Zubin") for _ in range(5))])
    conversation = talk("A Margherita for Zubin, SKU-1042", "Fine.")

    assert [each.value for each in personal_values(conversation, domain)] == ["Zubin"]


def test_what_tools_return_in_every_conversation_is_no_word_of_the_domain():
    alike = [talk("Where is it?", "Soon.", last="Goikoetxea", ticket="HD-40711") for _ in range(6)]

    values = personal_values(alike[0], domain_words(alike[1:]))

    assert sorted(each.value for each in values) == ["Goikoetxea", "HD-40711"]


def test_notations_of_a_number_share_a_variable():
    conversation = talk("Call 0171 2345678 or +49 (171) 234-5678.", "ok", phone="01712345678")

    values = {each.value: each for each in personal_values(conversation)}
    assert {each.variable for each in values.values()} == {"phone"}
    digits = {re.sub(r"\D", "", each.made_up)[-8:] for each in values.values()}
    assert len(digits) == 1


@pytest.mark.parametrize("value", ["23.07.1975", "12/31/1980", "31/12/80", "1981-03-14", "5. Mai 1968", "3/11/1979"])
def test_made_up_dates_exist_and_are_others(value: str):
    made = {made_up("birth_date", value, number) for number in range(1, 40)}

    assert value not in made
    for each in made:
        figures = [int(figure) for figure in re.findall(r"\d+", each)]
        assert all(figure > 0 for figure in figures)
        assert sorted(figures)[-2] <= 12 or "19" not in value


def test_made_up_values_have_the_same_shape():
    assert made_up("id", "XYZ-4471", 2) == "XYZ-0002"
    assert is_card(made_up("card", "4111 1111 1111 1111", 3))
    assert (made_up("name", "anna", 1), made_up("name", "ANNA", 1)) == ("alex", "ALEX")
